"""Updates the tree: writes changed files, removes leftovers, and lists stale files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.generator.locks import released_names
from scripts.generator.problems import Problem

OWNED = ("schema/*/*/*.json", "fixtures/examples/**/*.json")
"""The files that only the generator writes: other files there come from an older source."""


def write(root: Path, files: Mapping[str, bytes], *, leftovers: Iterable[str] = ()) -> list[str]:
    """Write the `files` below `root` that differ, and remove `leftovers`; return the changed ones.

    It replaces a file in one step, so that no reader sees half of it.
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
    """Return the files in the generator's directories that are not in `files`.

    It omits released files: they stay, even if the source no longer makes them.
    """
    kept = {*files, *released_names(root)}
    found = {file.relative_to(root).as_posix() for pattern in OWNED for file in root.glob(pattern)}
    return sorted(name for name in found - kept if not name.startswith("schema/source/"))


def stale(root: Path, files: Mapping[str, bytes]) -> list[Problem]:
    """Return a problem for each file that differs from what the source makes."""
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
