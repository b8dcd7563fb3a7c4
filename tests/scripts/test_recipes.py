"""The recipes of CONTRIBUTING, followed to the letter in a copy of the clone."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.root import ROOT

pytestmark = pytest.mark.slow
FAULT = "head-without-media-type"
_BLOCK = re.compile(r'^ *```\w+ title="([^"]+)"\n(.*?)^ *```$', re.MULTILINE | re.DOTALL)
_ITEM = "   "
"""The indentation of a block in a list."""


def blocks(heading):
    """The files that a recipe names, and what it adds to each."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert section, f"there is no recipe {heading}"
    return {
        name: "".join(line.removeprefix(_ITEM) for line in code.splitlines(keepends=True))
        for name, code in _BLOCK.findall(section)
    }


@pytest.fixture
def copy(tmp_path):
    """The files that git knows, and those that it would add, in an empty directory."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("docs/", "fixtures/implementations/")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path


def add(copy, found):
    """Add each block to its file: at the end, or before the last bracket of a tuple of faults."""
    for name, code in found.items():
        file = copy / name
        file.parent.mkdir(parents=True, exist_ok=True)
        known = file.read_text("utf-8") if file.exists() else ""
        if code.startswith("    Fault("):
            at = known.rindex(")  # fmt: skip")
            known, code = known[:at], code + known[at:]
        elif known and name.endswith(".py"):
            code = f"\n\n{code}"
        file.write_text(known + code, "utf-8")


def run(copy, *words):
    """Run a module of the copy; gives what it says."""
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def catches_the_fault(copy):
    said = run(copy, "scripts.prove", "--fault", FAULT)
    assert "caught by HTTP-HEAD-001: finding.http.head_media_type" in said
    assert "1 of 1 faults caught, 0 false alarms" in said


def is_formatted(copy, found):
    names = [name for name in found if name.endswith(".py")]
    run(copy, "ruff", "check", *names)
    run(copy, "ruff", "format", "--check", *names)


def test_a_clause_catches_its_fault(copy):
    found = blocks("Add a clause")
    add(copy, found)
    run(copy, "scripts.generate")
    is_formatted(copy, found)
    run(copy, "pytest", "-q", "tests/chapters/test_http_wire.py")
    catches_the_fault(copy)


def test_a_chapter_catches_its_fault(copy):
    instead = ("conformance/http/", "tests/")
    found = {k: v for k, v in blocks("Add a clause").items() if not k.startswith(instead)}
    found |= blocks("Add a chapter")
    add(copy, found)
    (copy / "conformance/headers/__init__.py").touch()
    run(copy, "scripts.generate")
    is_formatted(copy, found)
    catches_the_fault(copy)


def test_a_report_file_is_written(copy):
    found = blocks("Add a report file")
    add(copy, found)
    file = copy / "conformance/kit/report/write.py"
    text = file.read_text("utf-8")
    text = text.replace(", ReplayFile())", ", ReplayFile(), VerdictsCsv())")
    text = text.replace(
        "_MARKS = {\n", '_MARKS = {\n    VerdictsCsv.name: rb"clause,run,verdict",\n'
    )
    heads = "from conformance.kit.report.words import say\n"
    own = "from conformance.kit.report.verdicts_csv import VerdictsCsv\n"
    file.write_text(text.replace(heads, own + heads), "utf-8")
    is_formatted(copy, found)
    run(copy, "pytest", "-q", "tests/kit/report/test_verdicts_csv.py")
