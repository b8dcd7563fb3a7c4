"""Trying what was made before it replaces anything: a tree of its own, judged by a second process.

The second process sees the new schemas and the new vocabulary, never the committed ones, so that a
generated file that is broken can always be made anew.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.generator.build import SOURCE
from scripts.generator.examples import Example
from scripts.generator.problems import Problem
from scripts.generator.write import write

_RUNNER = Path(__file__).with_name("run_examples.py")
_SECONDS = 120
_COPIED = ("conformance/__init__.py", "conformance/formats/*.py")


def wrong_examples(
    root: Path, files: Mapping[str, bytes], examples: Iterable[Example]
) -> list[Problem]:
    """Run every example against `files`; gives a problem for each that is not as it says."""
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
        return [Problem(SOURCE, 0, "", what, "Mend the validator, or what it reads.")]
    by_id = {(example.spec, example.id): example for example in examples}
    problems = []
    for wrong in json.loads(done.stdout):
        example = by_id.get((wrong["spec"], wrong["id"]))
        if example is None:
            do = "Install the packages of requirements.lock."
            problems.append(Problem(SOURCE, 0, "", wrong["what"], do))
            continue
        path = ("id",) if example.valid else ("breaks",)
        do = "Mend the example or the schema."
        problems.append(example.source.problem(path, wrong["what"], do))
    return problems
