"""Converts a document to another form, and says what that form cannot carry.

    python -m conformance.cli.convert FILE --to FORM    (catalog, descriptor, ardf, mcp, openai; or
                                                error, enriched, problem, hint)

The result is JSON on standard output; each `lost:` and `made:` stands on standard error. FILE is
JSON or YAML, or - for standard input. Gives 0, 1 for a document that is not valid, and 2 for input
that cannot be used, or for which there is no such form.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.cli.documents.files import content, inputs, notation_of
from conformance.convert.convert import TARGETS, Converted, Form, convert
from conformance.formats.problem import Problem
from conformance.formats.text.json_text import positions_of, read
from conformance.spec.messages import LANGUAGES, Message, message

DONE, INVALID, UNUSABLE = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Convert the named file; gives the exit code."""
    options = _options(arguments)
    language = options.language
    (each, *others) = inputs([options.file])
    raw = message("validate.no_file") if others or each.found else content(each)
    if isinstance(raw, Message):
        return _refuse(raw.words(language))
    reading = read(raw, notation_of(each, raw))
    if not reading.readable:
        return _refuse(*(found.message.words(language) for found in reading.problems))
    source = Form(options.source) if options.source else None
    converted = convert(reading.data, Form(options.to), source)
    if converted.problems:
        lines = positions_of(reading, {found.place for found in converted.problems})
        said = (_line(found, lines[found.place].line, language) for found in converted.problems)
        _refuse(*said)
        return UNUSABLE if _no_way(converted) else INVALID
    text = json.dumps(converted.data, ensure_ascii=False, indent=2)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    for word, places in (("convert.lost", converted.lost), ("convert.made", converted.made)):
        for place in places:
            print(message(word, place=place).words(language), file=sys.stderr)
    return DONE


def _no_way(converted: Converted) -> bool:
    return all(found.keyword in ("convert", "document") for found in converted.problems)


def _line(found: Problem, line: int, language: str) -> str:
    clause = f"  [{found.clause}]" if found.clause else ""
    return f"{line}: {found.path}  {found.message.words(language)}{clause}"


def _refuse(*lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return UNUSABLE


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="convert", description="Convert a document.")
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--to", required=True, choices=[each.value for each in TARGETS])
    parser.add_argument(
        "--from", dest="source", choices=[each.value for each in Form], help="if keys do not say"
    )
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
