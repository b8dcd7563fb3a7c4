"""Names what draws the random cases: a case that was kept is sent again by the same alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

_CASES: Final = Path(__file__).parent
MODULES: Final = (_CASES, _CASES.parent / "schema", _CASES.parents[1] / "formats")
"""Where it stands what is drawn, and what is valid."""

LIBRARIES: Final = ("hypothesis", "hypothesis-jsonschema", "jsonschema")


@cache
def generator() -> str:
    """Give a name that changes with the modules that make the cases, and the libraries below."""
    return digest_of(MODULES, {name: version(name) for name in LIBRARIES})


def digest_of(folders: Iterable[Path], versions: dict[str, str]) -> str:
    """Name the Python files below some folders, and some versions, in 16 hexadecimal digits."""
    digest = sha256(repr(sorted(versions.items())).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
