"""Takes the pictures of the guide for editors: the completion and the help from a schema.

    python -m scripts.editor_picture

The editor is Monaco, the editor of Visual Studio Code, from npm; Chromium draws it. The schemas are
those that the site serves.
"""

from __future__ import annotations

import argparse
import base64
import json
import mimetypes
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Page, Route, ViewportSize, sync_playwright

from scripts.generator.build import load_source, read_source
from scripts.generator.downloads import downloads
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import DOCS, ROOT

CACHE: Final = ROOT / ".cache" / "editor"
MONACO: Final = "0.57.0"
_HOST: Final = "http://editor.test"
_ARGUMENTS: Final = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
_SIZE: Final = ViewportSize(width=760, height=320)
_PAGE: Final = """<!doctype html><style>body{margin:0}#e{height:320px}</style><div id=e></div>
<script src=/min/vs/loader.js></script><script>
require.config({paths: {vs: '/min/vs'}});
require(['vs/editor/editor.main'], () => {
  const json = monaco.json ?? monaco.languages.json;
  json.jsonDefaults.setDiagnosticsOptions({enableSchemaRequest: true, validate: true});
  window.editor = monaco.editor.create(document.getElementById('e'), {
    value: TEXT, language: 'json', minimap: {enabled: false}, fontSize: 14, wordWrap: 'on',
    fixedOverflowWidgets: true, scrollBeyondLastLine: false,
  });
});
</script>"""


def text_of(address: str) -> str:
    """Return the text that the author has written so far."""
    return (
        f'{{\n  "$schema": "{address}",\n  "tools": [\n    {{\n      "name": "find_book",\n'
        '      "description": "Finds a book in the library by its title.",\n      \n    }\n  ]\n}\n'
    )


def picture(page: Page, language: str) -> bytes:
    """Return the picture for a language: the help for a member, and the completions."""
    before = "" if language == "en" else f"{language}/"
    address = f"https://agent-formats.github.io/{before}schema/atdf/latest/catalog.schema.json"
    start = _PAGE.replace("TEXT", json.dumps(text_of(address)))
    page.route("**/*", lambda route: _answer(route, start))
    shown = []
    for line, column, command, widget in (
        (6, 10, "editor.action.showHover", ".monaco-hover-content"),
        (7, 7, "editor.action.triggerSuggest", ".suggest-widget.visible .monaco-list-row"),
    ):
        page.goto(f"{_HOST}/")
        page.wait_for_function("window.editor")
        page.wait_for_timeout(2500)
        page.evaluate(
            "([line, column]) => { editor.focus();"
            " editor.setPosition({lineNumber: line, column}); }",
            [line, column],
        )
        page.evaluate("(id) => editor.trigger('picture', id, {})", command)
        page.wait_for_selector(widget)
        page.evaluate("editor.trigger('picture', 'toggleSuggestionDetails', {})")
        page.wait_for_timeout(1500)
        shown.append(base64.b64encode(page.screenshot()).decode())
    page.unroute_all()
    images = "".join(f"<img src='data:image/png;base64,{each}'>" for each in shown)
    page.set_content(f"<style>body{{margin:0}}img{{display:block}}</style>{images}")
    page.wait_for_timeout(300)
    return page.screenshot(full_page=True)


def _answer(route: Route, start: str) -> None:
    """Answer from the package and the site's files, without the network."""
    where = route.request.url
    if where.startswith("https://agent-formats.github.io/"):
        content = _SERVED.get(where.split("/", 3)[3])
        headers = {"access-control-allow-origin": "*"}
        if content is None:
            route.fulfill(status=404, headers=headers)
            return
        route.fulfill(body=content, content_type="application/json", headers=headers)
        return
    name = where.removeprefix(_HOST).partition("?")[0].lstrip("/")
    file = CACHE / "node_modules" / "monaco-editor" / name
    if not name:
        route.fulfill(body=start, content_type="text/html; charset=utf-8")
    elif where.startswith(_HOST) and file.is_file():
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        route.fulfill(body=file.read_bytes(), content_type=kind)
    else:
        route.fulfill(status=404)


_SERVED: dict[str, bytes] = {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the picture of each language."""
    parser = argparse.ArgumentParser(prog="editor_picture", description=__doc__)
    parser.add_argument("--language", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    chosen = parser.parse_args(arguments).language
    if not (CACHE / "node_modules" / "monaco-editor").is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([*command, f"monaco-editor@{MONACO}"], cwd=CACHE, check=True)
    _SERVED.update(
        (each.path, each.content) for each in downloads(read_source(load_source(ROOT))[0])
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=_ARGUMENTS
        )
        for language in chosen:
            page = browser.new_page(viewport=_SIZE, locale=language)
            (DOCS / language / "guides" / "editor.png").write_bytes(picture(page, language))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
