"""A report of a real run, in each language: the kit's findings about a server with two defects."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from fixtures.servers.start import FAULTY, listening
from scripts.website.layout import LANGUAGES, ROOT, WORK

SAMPLES = WORK / "sample"
FAULTS = ("yes-for-a-boolean", "no-suggestion-for-an-enum")
"""The server accepts an invalid input, and one of its errors says too little."""
_FILES = ("report.html", "results.json", "summary.md", "badge.json")
_MADE_OF = ("conformance", "fixtures/servers")
_MESSAGES = ROOT / "conformance" / "spec" / "messages.json"
_RAN = (0, 1)
"""The kit's exit codes for a complete run: conformant, or not."""
_NOTHING = b"default-src 'none';"


def samples() -> dict[str, Path]:
    """Return the directory of each language's report; the kit runs again if its input has changed.

    Raises `RuntimeError` with the output if the kit fails.
    """
    stamp, mark = SAMPLES / "made-of", _mark()
    if not stamp.exists() or stamp.read_text() != mark:
        shutil.rmtree(SAMPLES, ignore_errors=True)
        chosen = [word for fault in FAULTS for word in ("--fault", fault)]
        with listening(FAULTY, *chosen) as url:
            for language in LANGUAGES:
                _run(url, language)
        stamp.write_text(mark)
    return {language: SAMPLES / language for language in LANGUAGES}


def served(file: Path) -> bytes:
    """Return a file as the site serves it.

    A report connects to nothing. The site's copy may connect to the site, because the checks of
    search engines read `robots.txt` through the page.
    """
    return file.read_bytes().replace(_NOTHING, _NOTHING + b" connect-src 'self';", 1)


def _run(url: str, language: str) -> None:
    folder = SAMPLES / language
    command = [sys.executable, "-m", "pytest", "conformance", "-q"]
    command += ["--target", url, "--profile", "atdf", "--profile", "http", "--allow-calls", "all"]
    command += ["--language", language]
    done = subprocess.run(
        [*command, "--report", str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode not in _RAN:
        raise RuntimeError(f"The sample report cannot be made:\n{done.stdout}{done.stderr}")
    for file in folder.iterdir():
        if file.name not in _FILES:
            file.unlink()


def _mark() -> str:
    """Return a hash of all files that affect a report, without the texts of the site."""
    summed = hashlib.sha256(" ".join(FAULTS).encode())
    for folder in _MADE_OF:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and file != _MESSAGES:
                summed.update(file.relative_to(ROOT).as_posix().encode() + file.read_bytes())
    said = json.loads(_MESSAGES.read_text(encoding="utf-8"))
    kit = {name: text for name, text in said.items() if not name.startswith("site.")}
    summed.update(json.dumps(kit, sort_keys=True).encode())
    return summed.hexdigest()
