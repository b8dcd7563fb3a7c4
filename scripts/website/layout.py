"""The paths of the site's parts, and its pages, which only `mkdocs.yml` defines."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from scripts.generator.texts import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
THEME = DOCS / "theme"
WORK = ROOT / "build"
STAGED = WORK / "docs"
SITE = WORK / "site"
MADE_HERE = "/*"
"""The end of a nav entry that means all generated pages of its directory."""

__all__ = ["DOCS", "LANGUAGES", "MADE_HERE", "ROOT", "SITE", "STAGED", "THEME", "WORK"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The content of `mkdocs.yml`: `nav` as it is written, and the address of the site."""

    nav: list[Any]
    site_url: str


def read_layout() -> Layout:
    """Read `mkdocs.yml`; raises `OSError` or a YAML error if that fails."""
    with (ROOT / "mkdocs.yml").open("rb") as stream:
        config = yaml_load(stream, get_yaml_loader())
    return Layout(config["nav"], config["site_url"].rstrip("/") + "/")


def current() -> str:
    """Return the version that is built."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def authored(nav: Any) -> Iterator[str]:
    """Yield the hand-written pages of a nav, in order."""
    for path in _paths(nav):
        if not path.endswith(MADE_HERE):
            yield path


def _paths(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list):
        for item in nav:
            yield from _paths(item)
    elif isinstance(nav, dict):
        for item in nav.values():
            yield from _paths(item)


def expanded(nav: Any, made: dict[str, list[str]], missing: set[str]) -> Any:
    """Return a nav with `folder/*` replaced by the pages of `made[folder]`, and without `missing`.

    It drops sections that are then empty.
    """
    items: list[Any] = []
    for item in nav:
        if isinstance(item, str):
            items += _pages(item, made, missing)
        else:
            [(title, inside)] = item.items()
            held = _pages(inside, made, missing) if isinstance(inside, str) else None
            held = expanded(inside, made, missing) if held is None else held
            if held:
                items.append({title: held})
    return items


def _pages(path: str, made: dict[str, list[str]], missing: set[str]) -> list[str]:
    if path.endswith(MADE_HERE):
        return made.get(path.removesuffix(MADE_HERE), [])
    return [] if path in missing else [path]
