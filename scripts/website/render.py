"""Runs mkdocs in strict mode for each language, each into a separate directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scripts.website.layout import DOCS, LANGUAGES, ROOT, STAGED, WORK, current, expanded
from scripts.website.placed import placed
from scripts.website.stage import Staged

EPOCH = "1000000000"
"""A fixed build time: two builds of the same pages have the same bytes."""


class BuildError(Exception):
    """The site cannot be built; the text says why, with page and line if mkdocs reports them."""


def render(nav: list[Any], staged: Staged, site_url: str, *, strict: bool) -> dict[str, Path]:
    """Build each language; return the directory of each.

    Raises `BuildError` with mkdocs' output.
    """
    with ThreadPoolExecutor(len(LANGUAGES)) as pool:
        built = pool.map(lambda each: _one(each, nav, staged, site_url, strict), LANGUAGES)
        results = dict(zip(LANGUAGES, built, strict=True))
    wrong = [said for _, said in results.values() if said]
    if wrong:
        raise BuildError("\n".join(wrong))
    return {language: folder for language, (folder, _) in results.items()}


def _one(
    language: str, nav: list[Any], staged: Staged, site_url: str, strict: bool
) -> tuple[Path, str]:
    folder = WORK / "rendered" / language
    config = WORK / f"mkdocs.{language}.yml"
    missing = {
        path.removeprefix(f"{language}/")
        for path in staged.missing
        if path.startswith(f"{language}/")
    }
    # JSON is valid YAML, and its quotes prevent misreadings.
    said = {
        "INHERIT": "../mkdocs.yml",
        "theme": {"custom_dir": "../docs/theme"},
        "docs_dir": STAGED.relative_to(WORK).as_posix(),
        "site_dir": folder.relative_to(WORK).as_posix(),
        "site_url": site_url if language == "en" else f"{site_url}{language}/",
        "extra": {"version": current()},
        "nav": expanded(nav, staged.made, missing),
    }
    config.write_text(json.dumps(said, indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--clean", "-f", str(config)]
    command.append("--strict" if strict else "--no-strict")
    environment = os.environ | {
        "BUILD_LOCALE": language,
        "SOURCE_DATE_EPOCH": EPOCH,
        "PYTHONHASHSEED": "0",
        "NO_MKDOCS_2_WARNING": "1",
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    said_lines = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
    if done.returncode:
        return folder, "\n".join(placed(filter(str.strip, said_lines), STAGED, DOCS))
    _pass_on(language, said_lines)
    return folder, ""


def _pass_on(language: str, lines: Iterable[str]) -> None:
    for line in lines:
        if line.strip():
            print(f"{language}: {line}", file=sys.stderr)
