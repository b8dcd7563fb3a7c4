"""What is done to the page that pytest-html has written: language, style, and a wall around it.

pytest-html's words are English and its page has parts that a compliance report has no use for. Each
is found by its own markup, which no text of a target can hold: that is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from pathlib import Path

from conformance.kit.report.rows import SHOWN
from conformance.kit.report.words import say

STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_name("behaviour.js").read_text(encoding="utf-8")

MASTHEAD, MASTHEAD_END = "<!--masthead-->", "<!--/masthead-->"
"""Around the part of the summary that becomes the head of the page."""

_MAIN = "<main>"
"""Around all but the masthead and the foot: who listens to a page goes there at once."""

_BLOB = '<div id="data-container"'
_MADE = re.compile(
    r'(<h1 id="title">.*?</h1>)\s*<p>Report generated on .*?</a>\s*v([0-9A-Za-z.+-]*)</p>', re.S
)
_STYLES = re.compile(
    r"<style type=\"text/css\">.*?</style>|<link href=[^>]*rel=\"stylesheet\"[^>]*>", re.S
)
_ENVIRONMENT = re.compile(
    r'<div id="environment-header">.*?</div>\s*<table id="environment"></table>', re.S
)
_DROPPED = (
    re.compile(r"<h2>Summary</h2>"),
    re.compile(r'<p class="run-count">.*?</p>', re.S),
    re.compile(r'<p class="filter">.*?</p>', re.S),
    re.compile(r'<div class="summary__reload">.*?(?=<div class="summary__spacer">)', re.S),
)
_CONTROLS = re.compile(r'<div class="controls">.*?</button>\s*</div>\s*</div>', re.S)
_INPUT = re.compile(r"<input [^>]*>")
_MEDIA = re.compile(r'<div class="media">.*?<div class="media__counter"></div>\s*</div>', re.S)
_EMPTY = "No results found. Check the filters."
_LAST_SCRIPT = re.compile(r"<script>(.*?)</script>", re.S)


def localise(path: Path, language: str) -> None:
    """Rewrite the report at `path`: its own words in `language`, our style, no way out of the page.

    Raises OSError. A part that a newer pytest-html writes otherwise stays as it is.
    """
    text = path.read_text(encoding="utf-8")
    path.write_text(localised(text, language), encoding="utf-8")


def localised(text: str, language: str) -> str:
    """Give the page of `localise` for the page that pytest-html wrote."""
    page, blob, tail = text.partition(_BLOB)
    page, version = _head(page)
    page = page.replace("<html>", f'<html lang="{language}">', 1)
    page = page.replace(_EMPTY, html.escape(say("report.html.no-row", language)))
    page = _ENVIRONMENT.sub(
        '<div id="environment-header" hidden></div><table id="environment" hidden></table>', page
    )
    for pattern in _DROPPED:
        page = pattern.sub("", page)
    page = _CONTROLS.sub(lambda found: _controls(found[0]), page)
    # pytest-html counts the hidden columns too, and a browser would give them room.
    page = re.sub(r'colspan="\d+"', f'colspan="{SHOWN}"', page)
    page = _MEDIA.sub('<div class="media hidden"></div>', page)
    page = _STYLES.sub(lambda _: _wall(tail) + f"<style>{STYLE}</style>", page, count=1)
    made = html.escape(say("report.html.made", language, version=version))
    made = made.replace(
        "pytest-html",
        '<a href="https://pypi.org/project/pytest-html/" rel="noreferrer">pytest-html</a>',
        1,
    )
    end = "</main>" if _MAIN in page else ""
    page = page.replace("<footer>", f'{end}<footer><p class="meta made">{made}</p>', 1)
    return page + blob + tail


def _head(page: str) -> tuple[str, str]:
    """Put the masthead where pytest-html has its title; gives the page and its version."""
    found = _MADE.search(page)
    if found is None:
        return page, ""
    before, opened, rest = page.partition(MASTHEAD)
    masthead, closed, after = rest.partition(MASTHEAD_END)
    if opened and closed:
        page = before + after
    else:
        masthead = f'<header class="masthead">{found[1]}</header>'
    return page.replace(found[0], masthead + _MAIN, 1), found[2]


def _controls(found: str) -> str:
    """Give what pytest-html's script needs of its controls, without words and out of sight."""
    inputs = "".join(_INPUT.findall(found))
    buttons = '<button id="show_all_details"></button><button id="hide_all_details"></button>'
    return f'<div class="controls" hidden>{inputs}{buttons}</div>'


def _wall(tail: str) -> str:
    """Give the head's `meta`: nothing is loaded, and no script runs but the two that belong here.

    Should a target's text ever get out of its place, this still keeps it from doing anything.
    """
    last = _LAST_SCRIPT.findall(tail)
    scripts = " ".join(_hash(script) for script in (SCRIPT, *last[-1:]))
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src {_hash(STYLE)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"
