"""Writes a software bill of materials of the installed product, in CycloneDX.

    python -m scripts.sbom FILE

It lists the packages that agent-formats needs at run time, with the versions and hashes of
requirements.lock. Markers are evaluated for Linux and the Python that runs the script.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = "agent-formats"
_PINNED = re.compile(
    r"^([A-Za-z0-9_.-]+)==([^ \\;]+)[^\n]*((?:\n +--hash=\S+[^\n]*)*)", re.MULTILINE
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="sbom", description="Write the bill of materials.")
    parser.add_argument("file", type=Path)
    path: Path = parser.parse_args(arguments).file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(bill(), encoding="utf-8")
    return 0


def bill() -> str:
    """Return the document."""
    needed = _needed()
    made = Bom()
    own = _component(PRODUCT, distribution(PRODUCT).version, ComponentType.APPLICATION)
    made.metadata.component = own
    parts = {}
    for name, version, hashes in _pinned():
        if name in needed:
            parts[name] = _component(name, version)
            parts[name].hashes.update(
                HashType(alg=HashAlgorithm.SHA_256, content=h) for h in hashes
            )
    made.components.update(parts.values())
    for name, below in needed.items():
        component = own if name == PRODUCT else parts[name]
        made.register_dependency(component, [parts[each] for each in sorted(below)])
    text: str = JsonV1Dot6(made).output_as_string(indent=1)
    return text + "\n"


def _component(name: str, version: str, kind: ComponentType = ComponentType.LIBRARY) -> Component:
    address = PackageURL("pypi", name=name, version=version)
    return Component(name=name, version=version, type=kind, purl=address, bom_ref=str(address))


def _needed() -> dict[str, set[str]]:
    """Return the product and all packages that it needs, each with its own requirements."""
    found: dict[str, set[str]] = {}
    waiting = [PRODUCT]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = set(_below(name))
        waiting += found[name]
    return found


def _below(name: str) -> Iterator[str]:
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            other = canonicalize_name(requirement.name)
            try:
                distribution(other)
            except PackageNotFoundError:
                continue  # for another system
            yield other


def _pinned() -> Iterator[tuple[str, str, list[str]]]:
    """Yield each package of the lock: its name, version and hashes."""
    for name, version, rest in _PINNED.findall((ROOT / "requirements.lock").read_text("utf-8")):
        yield canonicalize_name(name), version, _HASH.findall(rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
