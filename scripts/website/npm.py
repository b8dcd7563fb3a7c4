"""Single files of npm packages, pinned with their hashes in `docs/npm.json`."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from scripts.website.layout import DOCS, ROOT

_PINNED = DOCS / "npm.json"
_KEPT = ROOT / ".cache" / "npm"
_NODE = DOCS / "node.lock"
"""A pinned Node with npm from PyPI, for machines without one."""


def npm_file(name: str, file: str | None = None) -> Path:
    """Return the file that is pinned under `name`, or another `file` of its package.

    npm fetches it the first time. Raises `RuntimeError` if npm fails, or if the hash differs.
    """
    pinned = json.loads(_PINNED.read_text(encoding="utf-8"))[name]
    pinned["file"] = file or pinned["file"]
    kept = _KEPT / f"{name}-{pinned['version']}-{Path(pinned['file']).name}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        content = _fetched(pinned)
        part = kept.with_suffix(".part")
        part.write_bytes(content)
        part.replace(kept)
    return kept


def _fetched(pinned: dict[str, str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = [*_npm(), "pack", "--silent", f"{pinned['package']}@{pinned['version']}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        packed = list(Path(folder).glob("*.tgz"))
        if done.returncode or len(packed) != 1:
            what = f"npm cannot fetch {pinned['package']} {pinned['version']}"
            raise RuntimeError(f"{what}: {done.stderr.strip() or 'it gave nothing'}")
        digest = hashlib.sha512(packed[0].read_bytes()).digest()
        if f"sha512-{base64.b64encode(digest).decode()}" != pinned["integrity"]:
            what = f"{pinned['package']} {pinned['version']} is not what docs/npm.json pins."
            raise RuntimeError(f"{what} Find out why before you change the sum.")
        with tarfile.open(packed[0]) as archive:
            member = archive.extractfile(f"package/{pinned['file']}")
            assert member is not None
            return member.read()


def _npm() -> list[str]:
    found = shutil.which("npm")
    if found:
        return [found]
    beside = Path(sys.executable).with_name("npm")
    if not beside.exists():
        install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--require-hashes"]
        install += ["--only-binary", ":all:", "--python", sys.executable, "-r", str(_NODE)]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            what = "There is no npm, and none could be installed from PyPI"
            raise RuntimeError(f"{what}: {done.stderr.strip()}. Install Node.")
    return [str(beside)]
