"""Keeping the tree: write what changed, remove what nothing makes any more, name what is stale."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.generator.locks import released_names
from scripts.generator.problems import Problem

OWNED = ("schema/*/*/*.json", "fixtures/examples/**/*.json")
"""Where the generator owns every file: one that it does not make is left from an older source."""


def write(root: Path, files: Mapping[str, bytes], *, leftovers: Iterable[str] = ()) -> list[str]:
    """Write each file of `files` that differs below `root`, and remove `leftovers`.

    Gives what was changed. A file is replaced in one step, so that nobody reads half of it.
    """
    changed = []
    for name, content in sorted(files.items()):
        file = root / name
        if file.exists() and file.read_bytes() == content:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(file)
        changed.append(name)
    for name in leftovers:
        (root / name).unlink()
        changed.append(name)
    return changed


def left_over(root: Path, files: Mapping[str, bytes]) -> list[str]:
    """Give the files in the generator's own folders that `files` does not have.

    Released files are not among them: they stay, whatever the source makes now.
    """
    kept = {*files, *released_names(root)}
    found = {file.relative_to(root).as_posix() for pattern in OWNED for file in root.glob(pattern)}
    return sorted(name for name in found - kept if not name.startswith("schema/source/"))


def stale(root: Path, files: Mapping[str, bytes]) -> list[Problem]:
    """Name each file that is not as the source makes it."""
    do = "Run `python -m scripts.generate` and commit what it writes."
    problems = []
    for name, content in files.items():
        file = root / name
        if not file.exists():
            problems.append(Problem(name, 0, "", "The file is missing.", do))
        elif file.read_bytes() != content:
            what = "The file is not what the source makes now."
            problems.append(Problem(name, 0, "", what, do))
    for name in left_over(root, files):
        problems.append(Problem(name, 0, "", "Nothing in the source makes this file.", do))
    return problems
