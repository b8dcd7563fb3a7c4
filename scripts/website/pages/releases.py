"""The versions of this documentation, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from scripts.website.archive import LIST
from scripts.website.pages.context import Context, up
from scripts.website.pages.markdown import link, page, table

RELEASES = f"{LIST}.md"


def releases_page(context: Context, version: str, kept: Sequence[str]) -> bytes:
    """Return the page; `version` is being built, `kept` are the released ones, newest first."""
    state = "release_newest" if version in kept or not kept else "release_next"
    rows = [[link(version, f"{up(RELEASES)}index.md"), context.said(state)]]
    if not kept:
        rows = [[rows[0][0], context.said("release_first")]]
    # From the page, which is one directory deeper than its file, and out of the language.
    out = "../" * (RELEASES.count("/") + 1 + (context.language != "en"))
    own = "" if context.language == "en" else f"{context.language}/"
    rows += [
        [f'<a href="{out}{each}/{own}">{each}</a>', context.said("release_kept")]
        for each in kept
        if each != version
    ]
    about = context.said("releases_about")
    head = [context.said("release"), context.said("state")]
    return page(context.said("releases"), "releases", about, [about, table(head, rows)])
