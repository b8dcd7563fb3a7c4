"""Converts a document to another form, and says what that form cannot carry."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from itertools import islice

from conformance.cli.documents.files import STDIN, content, inputs, notation_of
from conformance.cli.documents.report import MOST
from conformance.cli.manual import Manual
from conformance.convert.convert import Converted, convert
from conformance.convert.form import SOURCES, TARGETS, Form
from conformance.formats.problem import Problem
from conformance.formats.text.http_answer import body
from conformance.formats.text.json_text import positions_of, read
from conformance.formats.validate.inside import document_in
from conformance.kit.report.safe_text import in_json, visible
from conformance.spec.messages import LANGUAGES, Message, message

DONE, INVALID, UNUSABLE = 0, 1, 2
_AT_ONCE = 10_000
"""Pieces of the result that are written at the same time."""


def main(arguments: Sequence[str]) -> int:
    """Convert the named file; gives the exit code."""
    options = parser().parse_args(arguments)
    language = options.language
    if options.file != STDIN and os.path.isdir(options.file):
        return _refuse(f"{options.file}: {message('convert.directory').words(language)}")
    each = next(inputs([options.file]))
    raw = content(each)
    if isinstance(raw, Message):
        return _refuse(f"{options.file}: {raw.words(language)}")
    raw = body(raw)
    reading = read(raw, notation_of(each, raw))
    if not reading.readable:
        said = (found.message.words(language) for found in reading.problems)
        return _refuse(*(f"{options.file}: {each}" for each in said))
    source = Form(options.source) if options.source else None
    data, at, _ = document_in(reading.data)
    converted = convert(data, Form(options.to), source, base=at)
    if converted.problems:
        told = converted.problems[:MOST]
        lines = positions_of(reading, {(*at, *found.place) for found in told})
        said = (_line(found, lines[*at, *found.place].line, language) for found in told)
        _refuse(*(f"{options.file}:{each}" for each in said))
        if converted.problems[MOST:]:
            _tell(message("validate.more", count=len(converted.problems) - MOST).words(language))
    if converted.data is None:
        return UNUSABLE if _no_way(converted) else INVALID
    # The whole text would take as much memory again as the document. No text is in two pieces.
    pieces = json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(converted.data)
    while part := "".join(islice(pieces, _AT_ONCE)):
        sys.stdout.buffer.write(in_json(part).encode("utf-8"))
    sys.stdout.buffer.write(b"\n")
    unfollowed = frozenset(converted.unfollowed)
    for word, places in (
        ("convert.left_out", converted.left_out),
        ("convert.lost", converted.lost),
        ("convert.changed", converted.changed),
        ("convert.made", converted.made),
    ):
        for place in places:
            own = "convert.unfollowed" if place in unfollowed else word
            _tell(message(own, place=place).words(language))
    return INVALID if converted.problems else DONE


def _no_way(converted: Converted) -> bool:
    return all(found.keyword in ("convert", "document") for found in converted.problems)


def _line(found: Problem, line: int, language: str) -> str:
    clause = f"  [{found.clause}]" if found.clause else ""
    return f"{line}: {found.path}  {found.message.words(language)}{clause}"


def _refuse(*lines: str) -> int:
    for line in lines:
        _tell(line)
    return UNUSABLE


def _tell(line: str) -> None:
    print(visible(line, None), file=sys.stderr)


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "convert",
        "FILE --to FORM [OPTIONS]",
        "Convert a document to another form. The result is JSON on standard output. Standard\n"
        "error names what the form cannot carry (lost:), what it writes in another way\n"
        "(changed:), what had to be added (made:), and which items are invalid (left out:).",
        (
            ("agent-formats convert catalog.json --to descriptor", "a catalog of tools"),
            ("agent-formats convert mcp.json --to descriptor", "the tools of an MCP server"),
            ("agent-formats convert tool.yaml --to ardf", "a tool as a resource"),
            ("agent-formats convert catalog.json --to openapi", "an operation for each tool"),
            ("agent-formats convert - --to problem < error.json", "an error as a problem"),
        ),
        {
            DONE: "converted",
            INVALID: "the document is invalid; the valid items of a list are converted",
            UNUSABLE: "it cannot be used, or has no such form",
        },
        UNUSABLE,
    )
    forms = [each.value for each in SOURCES]
    made.add_argument("file", metavar="FILE", help="a JSON or YAML file, or - for standard input")
    made.add_argument(
        "--to", required=True, choices=[each.value for each in TARGETS], help="the form to make"
    )
    said = "its form now, if its keys do not show it"
    made.add_argument("--from", dest="source", choices=forms, help=said)
    made.add_argument("--language", choices=LANGUAGES, default="en", help="default: en")
    return made
