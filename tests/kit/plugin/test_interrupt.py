"""An interrupt while the kit still looks at the target is one line, and exit code 2."""

import asyncio

import pytest

from tests.kit.plugin.test_bad_input import earlier, listening, stdio


def test_an_interrupt_while_a_server_is_looked_at_is_one_line(kit, tmp_path):
    asked = tmp_path / "asked"

    async def answer(writer, peer):
        asked.write_text("once")
        await asyncio.Event().wait()

    with listening(answer) as url:
        ran = kit(
            "conformance", "--target", url, "--report", str(tmp_path / "out"),
            interrupt_when=str(asked),
        )  # fmt: skip
    told(ran)


@pytest.mark.slow
def test_an_interrupt_while_a_server_is_started_is_one_line(kit, tmp_path):
    asked = tmp_path / "asked"
    silent = stdio(f"import sys, time; open({str(asked)!r}, 'w').write('once'); time.sleep(60)")
    ran = kit(
        "conformance", "--target", silent, "--report", str(tmp_path / "out"), "--language", "pt",
        interrupt_when=str(asked),
    )  # fmt: skip
    told(ran, "interrompida")


@pytest.mark.slow
def test_an_interrupt_before_anything_is_judged_says_that_the_earlier_report_is_gone(kit, tmp_path):
    asked, folder = tmp_path / "asked", earlier(tmp_path)
    silent = stdio(f"import sys, time; open({str(asked)!r}, 'w').write('once'); time.sleep(60)")
    ran = kit("conformance", "--target", silent, "--report", str(folder), interrupt_when=str(asked))
    interrupted, gone = (line for line in ran.said.splitlines() if line)
    assert "interrupted" in interrupted
    assert gone.startswith(f"The earlier report in {folder} was removed")


def told(ran, word="interrupted"):
    assert ran.code == 2, ran.said
    assert "Traceback" not in ran.said
    assert "Error" not in ran.said, ran.said
    lines = [line for line in ran.said.splitlines() if line.strip()]
    assert len(lines) == 1, ran.said
    assert word in lines[0]
