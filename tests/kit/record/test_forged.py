"""A record that a stranger sends is data: nothing that a reader may run comes from it."""

import copy
import json
import os
import random
import subprocess
import sys
from html import unescape

import pytest

from tests.kit.drive.test_driving import COUNT
from tests.kit.peers import offering
from tests.kit.plugin.test_report_files import wrong
from tests.thorough import up_to

pytestmark = pytest.mark.slow

FORGER = "http://forger.example:81"
COMMAND = "touch /tmp/forged-command-was-run"


@pytest.fixture(scope="module")
def record(kit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    with offering([COUNT], wrong) as url:
        kit("conformance", "--target", url, "--report", str(folder), "-k", "ATDF-CALL")
    text = (folder / "exchanges.ndjson").read_text("utf-8").replace(url, FORGER)
    lines = [json.loads(line) for line in text.splitlines()]
    lines[0]["options"] = ["-p", "forged_plugin", "--target", f"stdio:{COMMAND}"]
    return lines


def judged(kit, tmp_path, lines):
    path = tmp_path / "sent.ndjson"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ran = kit("conformance", "--judge", str(path), "--report", str(tmp_path / "out"))
    assert ran.code == 1, ran.said
    return ran, tmp_path / "out"


def played(folder, **environment):
    ran = subprocess.run(
        [sys.executable, "-I", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:html",
         "--noconftest", "--rootdir", str(folder), str(folder / "test_replay.py")],
        cwd=folder, text=True, capture_output=True, check=False,
        env={"PATH": os.environ["PATH"], **environment},
    )  # fmt: skip
    return ran.returncode, ran.stdout + ran.stderr


def test_over_http_nothing_is_sent_to_the_host_of_a_record(kit, tmp_path, record):
    ran, folder = judged(kit, tmp_path, record)
    replay = (folder / "test_replay.py").read_text("utf-8")
    assert "forger.example" not in replay
    code, said = played(folder)
    assert code == 1
    assert "name the server: TARGET=" in said
    with offering([COUNT], wrong) as url:
        code, said = played(folder, TARGET=url)
    assert "name the server" not in said
    page = unescape((folder / "report.html").read_text("utf-8"))
    summary = (folder / "summary.md").read_text("utf-8")
    assert "--url http://TARGET/tools/count" in page
    for text in (ran.said, page, summary):
        assert "forged_plugin" not in text
        assert COMMAND not in text
        assert f"--url {FORGER}" not in text


def test_over_stdio_no_command_of_a_record_is_run(kit, tmp_path, record):
    lines = json.loads(json.dumps(record))
    lines[0]["found"][0]["run"].update(binding="stdio", endpoint=COMMAND, version="2025-11-25")
    for line in lines[1:-1]:
        line["request"] = {"transport": "stdio", "body": line["request"].get("body", {"text": ""})}
    _, folder = judged(kit, tmp_path, lines)
    assert "forged-command" not in (folder / "test_replay.py").read_text("utf-8")
    code, said = played(folder)
    assert code == 1
    assert "name the command: TARGET=" in said


@pytest.mark.parametrize("id", ["a\x1b[2Jb", "::error::x", "a\n##[error]x", "x" * 200])
def test_a_record_with_a_run_that_the_kit_never_names_so_is_refused(kit, tmp_path, record, id):
    lines = json.loads(json.dumps(record))
    lines[0]["found"][0]["run"]["id"] = id
    path = tmp_path / "sent.ndjson"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ran = kit("conformance", "--judge", str(path), "--report", str(tmp_path / "out"))
    assert ran.code == 4, ran.said
    assert "a run has an id that the kit never gives" in ran.said
    assert id not in ran.said


ODD = (None, -1, 0, 1.5, 10**30, float("nan"), "", "x", "\ud800", "http://[", [], {}, True)


def places(value):
    """Each member of a JSON value, and of the values in it, with what holds it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def changed(draw, lines):
    """A record in which some values are others, and lines come twice, or not at all."""
    made = copy.deepcopy(lines)
    for _ in range(draw.choice((1, 2, 6))):
        holder, key = draw.choice(list(places(draw.choice((made[0], made[-1], *made)))))
        if draw.random() < 0.2:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(draw.choice(ODD))
    if draw.random() < 0.2:
        made.insert(1, draw.choice(made[1:]))
    return made


@pytest.mark.parametrize("seed", range(up_to(8, 300)))
def test_a_record_that_is_changed_at_random_is_judged_or_refused_in_a_sentence(
    kit, tmp_path, record, seed
):
    path = tmp_path / "sent.ndjson"
    made = changed(random.Random(seed), record)
    path.write_text("".join(json.dumps(line) + "\n" for line in made), "utf-8")
    ran = kit("conformance", "--judge", str(path), "--report", str(tmp_path / "out"))
    assert ran.code in {0, 1, 2, 4, 5}, ran.said
    assert "Traceback" not in ran.said
