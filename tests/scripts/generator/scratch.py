"""A small copy of the source in a folder of its own, that a test may break."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.generator.command import main
from tests.root import ROOT

EXAMPLES = ("invalid-date-error", "error-empty", "hotel-catalog", "tool-without-name")
TOOL, ERROR = "schema/source/atdf/tool.yaml", "schema/source/atdf/error.yaml"
CLAUSES = "schema/source/atdf/clauses.yaml"
VERDICT = "schema/source/vocabularies/verdict.yaml"
HISTORY = ("changes.yaml", "errata.yaml")
"""They name examples, of which a scratch tree has few."""
MESSAGES = "schema/source/messages/few.yaml"
JUDGES = "conformance/atdf/test_families.py"
_JUDGES = """
@family(Family.TOOL)
def test_tool(): ...

@family(Family.CATALOG)
def test_catalog(): ...

@family(Family.ERROR)
def test_error(): ...
"""
_FEW = """
few.level:
  en: The level is {level}.
  es: El nivel es {level}.
  pt: O nível é {level}.
"""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A tree of its own, already generated; `run` gives the exit code and what was said."""

    root: Path
    capture: pytest.CaptureFixture[str]

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the first `old`, which must be there."""
        text = (self.root / file).read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new, 1))

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, file: str) -> str:
        return (self.root / file).read_text(encoding="utf-8")

    def run(self, *arguments: str) -> tuple[int, str]:
        self.capture.readouterr()
        code = main([*arguments, "--root", str(self.root)])
        return code, self.capture.readouterr().err

    def check(self) -> list[str]:
        """Give what `--check` says, except of clauses that nothing judges in so small a tree."""
        _, said = self.run("--check")
        return [line for line in said.splitlines() if "Nothing shows that" not in line]


def copy_source(root: Path) -> None:
    """Copy ATDF with few examples, the vocabularies and the validator to `root`."""
    source = ROOT / "schema" / "source"
    shutil.copytree(source / "vocabularies", root / "schema/source/vocabularies")
    shutil.copy(source / "project.yaml", root / "schema/source/project.yaml")
    atdf = root / "schema/source/atdf"
    shutil.copytree(source / "atdf", atdf, ignore=shutil.ignore_patterns("examples", *HISTORY))
    (atdf / "examples").mkdir()
    for name in EXAMPLES:
        shutil.copy(source / "atdf/examples" / f"{name}.yaml", atdf / "examples")
    (root / "schema/source/messages").mkdir()
    (root / MESSAGES).write_text(_FEW, encoding="utf-8")
    (root / "conformance").mkdir()
    shutil.copy(ROOT / "conformance/__init__.py", root / "conformance")
    (root / JUDGES).parent.mkdir()
    (root / JUDGES).write_text(_JUDGES, encoding="utf-8")
    ignored = shutil.ignore_patterns("__pycache__", "*.json", "vocabulary.py")
    for room in ("spec", "formats"):
        shutil.copytree(ROOT / "conformance" / room, root / "conformance" / room, ignore=ignored)
    assert main(["--root", str(root)]) == 0


def scratch_of(template: Path, folder: Path, capture: pytest.CaptureFixture[str]) -> Scratch:
    """Make a scratch tree in `folder` as a copy of `template`."""
    root = folder / "tree"
    shutil.copytree(template, root)
    return Scratch(root, capture)
