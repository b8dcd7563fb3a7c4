"""Builds the staged pages with zensical too: they should outlive the theme that builds them now."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from scripts.website.layout import LANGUAGES, ROOT, STAGED, WORK


def canary(command: str) -> list[str]:
    """Build each language with zensical; return the pages that it did not make.

    It uses the pages and the menu of the last build. Raises `RuntimeError` with the output if
    zensical fails.
    """
    lacking = []
    for language in LANGUAGES:
        folder = WORK / "zensical" / language
        shutil.rmtree(folder, ignore_errors=True)
        _build(command, language, folder)
        for page in (STAGED / language).rglob("*.md"):
            path = page.relative_to(STAGED / language).with_suffix("")
            place = path.parent if path.name == "index" else path
            if not (folder / place / "index.html").is_file():
                lacking.append(f"{language}/{path.as_posix()}")
    return lacking


def _build(command: str, language: str, folder: Path) -> None:
    config = WORK / f"zensical.{language}.yml"
    said = {
        "INHERIT": "../mkdocs.yml",
        "theme": {"custom_dir": "../docs/theme", "language": language},
        "docs_dir": f"docs/{language}",
        "site_dir": folder.relative_to(WORK).as_posix(),
        "plugins": ["search"],
        "nav": json.loads((WORK / f"mkdocs.{language}.yml").read_text(encoding="utf-8"))["nav"],
    }
    config.write_text(json.dumps(said, indent=1), encoding="utf-8")
    done = subprocess.run(
        [*shlex.split(command), "build", "-f", str(config)],
        cwd=ROOT,
        env=os.environ | {"BUILD_LOCALE": language},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"zensical cannot build {language}:\n{done.stdout}{done.stderr}")
