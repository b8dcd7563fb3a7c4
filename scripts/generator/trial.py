"""Tests the new files in a temporary tree, with a second process, before they replace anything.

The second process sees the new schemas and the new vocabulary, never the committed ones. So a
broken generated file can always be generated again.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scripts.generator.build import SOURCE, Source
from scripts.generator.patch import steps
from scripts.generator.problems import Problem
from scripts.generator.write import write

_RUNNER = Path(__file__).with_name("run_examples.py")
_SECONDS = 120
_COPIED = (
    "conformance/__init__.py",
    "conformance/spec/**/*.py",
    "conformance/formats/**/*.py",
)


def try_out(root: Path, files: Mapping[str, bytes], source: Source) -> list[Problem]:
    """Test `files`, made from `source`: each schema must be valid, and each example must match."""
    with tempfile.TemporaryDirectory(prefix="agent-formats-") as folder:
        tree = Path(folder)
        for pattern in _COPIED:
            for file in root.glob(pattern):
                copy = tree / file.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
        write(tree, files)
        try:
            done = subprocess.run(
                [sys.executable, str(_RUNNER), folder],
                capture_output=True,
                check=False,
                encoding="utf-8",
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            what = f"The examples did not end within {_SECONDS} s."
            return [Problem(SOURCE, 0, "", what, "Look for a pattern that backtracks.")]
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        what = f"The examples could not be run: {last}."
        return [Problem(SOURCE, 0, "", what, "Fix the validator, or what it reads.")]
    return [_problem(wrong, source) for wrong in json.loads(done.stdout)]


def _problem(wrong: Mapping[str, str], source: Source) -> Problem:
    """Return a finding of the second process as a problem at its place in the source."""
    if "schema" in wrong:
        schema = next(each for each in source.schemas if each.file == wrong["schema"])
        path = tuple(int(step) if step.isdecimal() else step for step in steps(wrong["at"]))
        what = f"This is not valid JSON Schema 2020-12: {wrong['what']}."
        return schema.source.problem(path, what, "Fix the value.")
    if "id" in wrong:
        key = (wrong["spec"], wrong["id"])
        example = next(each for each in source.examples if (each.spec, each.id) == key)
        place = ("id",) if example.valid else ("breaks",)
        return example.source.problem(place, wrong["what"], "Fix the example or the schema.")
    do = "Install the packages of requirements.lock."
    return Problem(SOURCE, 0, "", wrong["what"], do)
