"""Builds the site in English, Spanish and Portuguese into `build/site`.

Runs as `python -m scripts.build_site` and as a file, from any directory. Hand-written pages are in
`docs/<language>`; the others are generated from the source.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.spec.clauses import clauses
from scripts.generator.problems import Problem, SourceError
from scripts.website.canary import canary
from scripts.website.join import join
from scripts.website.layout import DOCS, LANGUAGES, ROOT, SITE, WORK, read_layout
from scripts.website.npm import npm_file
from scripts.website.pages.made import made_pages
from scripts.website.render import BuildError, render
from scripts.website.report_picture import NAME, report_pictures
from scripts.website.sample import samples, served
from scripts.website.stage import stage
from scripts.website.translations import differences, pages, without_clause

OK, BROKEN = 0, 1


def main(arguments: Sequence[str]) -> int:
    """Build the site; return 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(prog="build_site", description=__doc__)
    parser.add_argument("--serve", action="store_true", help="serve it, and build after a change")
    parser.add_argument("--port", type=int, default=8080, help="the port on 127.0.0.1 to serve on")
    parser.add_argument(
        "--zensical",
        metavar="COMMAND",
        help="build the pages of the last build once more, with this zensical, and compare",
    )
    parser.add_argument(
        "--draft", action="store_true", help="build what there is, with warnings for what is not"
    )
    options = parser.parse_args(arguments)
    if options.zensical:
        return _again(options.zensical)
    if options.serve:
        return _serve(options.port)
    try:
        build(strict=not options.draft)
    except (BuildError, RuntimeError, SourceError) as error:
        print(error, file=sys.stderr)
        return BROKEN
    print(SITE.relative_to(ROOT))
    return OK


def build(*, strict: bool = True) -> None:
    """Build all languages; raises `BuildError` if a page cannot be built or has a broken link."""
    layout = read_layout()
    WORK.mkdir(exist_ok=True)
    made = made_pages()
    reports = samples()
    files = made.files | {
        f"{language}/sample-report/{file.name}": served(file)
        for language, folder in reports.items()
        for file in folder.iterdir()
        if file.suffix in {".html", ".json"}
    }
    files |= {f"{lang}/{NAME}": drawn for lang, drawn in report_pictures(reports).items()}
    reader = npm_file("js-yaml").read_bytes()
    files |= {f"{language}/assets/playground.yaml.js": reader for language in LANGUAGES}
    staged = stage(layout.nav, files, made.menu)
    wrong = [*_missing(staged.missing), *map(str, disagreeing_translations())]
    if wrong and strict:
        raise BuildError("\n".join(wrong))
    for line in wrong:
        print(line, file=sys.stderr)
    rendered = render(layout.nav, staged, layout.site_url, strict=strict)
    join(rendered, made.clauses, layout.site_url)


def _missing(pages: Iterable[str]) -> Iterator[str]:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in pages:
        at = menu.find(page.partition("/")[2])
        line = menu.count("\n", 0, at) + 1
        yield f"mkdocs.yml:{line}: docs/{page} is missing. Write it, or take it out of the menu."


def disagreeing_translations() -> list[Problem]:
    """Yield the problems of the hand-written pages, without spelling, which takes too long."""
    held = pages(DOCS, ROOT)
    return sorted({*differences(held), *without_clause(held, clauses())})


def _again(command: str) -> int:
    try:
        lacking = canary(command)
    except (OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return BROKEN
    for page in lacking:
        print(f"zensical did not make {page}.", file=sys.stderr)
    return BROKEN if lacking else OK


def _serve(port: int) -> int:
    from mkdocs.livereload import LiveReloadServer  # noqa: PLC0415 - only for a person's eyes

    def rebuild() -> None:
        began = time.monotonic()
        try:
            build(strict=False)
        except (BuildError, RuntimeError, SourceError) as error:
            print(error, file=sys.stderr)
        else:
            print(f"built in {time.monotonic() - began:.1f} s", file=sys.stderr)

    rebuild()
    server = LiveReloadServer(
        rebuild, host="127.0.0.1", port=port, root=str(SITE), mount_path="/", polling_interval=0.5
    )
    for watched in (DOCS, ROOT / "mkdocs.yml", ROOT / "schema" / "source"):
        server.watch(str(watched))
    print(f"http://127.0.0.1:{port}/ (Ctrl+C ends it)", file=sys.stderr)
    try:
        server.serve()  # type: ignore[no-untyped-call]  # mkdocs leaves it untyped
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()
    return OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
