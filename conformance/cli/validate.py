"""Says of documents what they are and what is wrong with them."""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Sequence

from conformance.cli.documents.files import SUFFIXES, inputs
from conformance.cli.documents.fixes import fix
from conformance.cli.documents.judged import Verdict, judged
from conformance.cli.documents.report import REPORTS, Report
from conformance.cli.documents.streams import SUFFIXES as STREAM_SUFFIXES
from conformance.cli.documents.streams import NoManifestError, is_stream, judged_stream, manifest_in
from conformance.cli.manual import Manual
from conformance.formats.validate.recognize import TABLE
from conformance.formats.validate.stream_text import DOCUMENT as STREAM
from conformance.kit.report.safe_text import visible
from conformance.spec.messages import LANGUAGES, message

VALID, INVALID, UNUSABLE = 0, 1, 2
PROGRESS_SECONDS = 2.0
"""Between two lines of progress."""


def main(arguments: Sequence[str]) -> int:
    """Validate the named files; gives the exit code."""
    made = parser()
    options = made.parse_args(arguments)
    if options.write and not options.fix:
        made.refuse(message("command.write"))
    if options.fix and (options.document or options.manifest or options.format != "text"):
        made.refuse(message("command.fix"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character
    if options.manifest and options.document != STREAM:
        print(message("validate.stream.only").words(options.language), file=sys.stderr)
        return UNUSABLE
    if options.fix:
        return fix(inputs(options.files), options.language, write=options.write)
    report = REPORTS[options.format](sys.stdout, options.language)
    try:
        _judge(options, report)
        report.end()
    except NoManifestError as error:
        print(visible(error.said.words(options.language), None), file=sys.stderr)
        return UNUSABLE
    return _code(report, options.language)


def _judge(options: argparse.Namespace, report: Report) -> None:
    said = time.monotonic()
    manifest = manifest_in(options.manifest) if options.manifest else None
    streams = options.document == STREAM
    suffixes = (*SUFFIXES, *STREAM_SUFFIXES) if streams else SUFFIXES
    for each in inputs(options.files, suffixes):
        stream = streams or (options.document is None and is_stream(each))
        report.add(judged_stream(each, manifest) if stream else judged(each, options.document))
        if time.monotonic() - said > PROGRESS_SECONDS:
            said = time.monotonic()
            progress = message("validate.progress", done=report.counts["files"])
            print(progress.words(options.language), file=sys.stderr)


def _code(report: Report, language: str) -> int:
    counts = report.counts
    if counts[Verdict.UNUSABLE]:
        return UNUSABLE
    if counts[Verdict.OTHER] == counts["files"]:
        said = message("validate.nothing_known", count=counts["files"])
        print(said.words(language), file=sys.stderr)
        return UNUSABLE
    return INVALID if counts[Verdict.INVALID] else VALID


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "validate",
        "FILE [FILE ...] [OPTIONS]",
        "Name the format of each document, and what is wrong with it: the line and the clause.\n"
        "A FILE is JSON or YAML, an HTTP answer as curl -i prints it, a directory of such files,\n"
        "or - for standard input. A file that ends in .sse, .ndjson or .jsonl is a recorded event\n"
        "stream.",
        (
            ("agent-formats validate catalog.json", "a document; its keys say what it is"),
            ("agent-formats validate tools/ --format sarif", "a directory, for a code scanner"),
            ("agent-formats validate x.json --as catalog", "a document of one kind"),
            ("agent-formats validate run.sse", "a recorded event stream"),
            ("agent-formats validate tools/ --fix", "what can be corrected, as a diff"),
        ),
        {
            VALID: "all documents are valid; with --fix, no correction is left to write",
            INVALID: "one is invalid; with --fix, one can be corrected but was not written",
            UNUSABLE: "one cannot be used, or is not a known document; the others are validated",
        },
        UNUSABLE,
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="a file, a directory, or -")
    names = [row.document for row in TABLE]
    made.add_argument(
        "--as",
        dest="document",
        choices=names,
        metavar="DOCUMENT",
        help=f"one of {', '.join(names)}",
    )
    made.add_argument(
        "--manifest",
        metavar="FILE",
        help="with --as event-stream: the files hold raw frames of the provider of this manifest",
    )
    made.add_argument(
        "--fix",
        action="store_true",
        help="show as a diff what can be corrected without knowing what you meant",
    )
    made.add_argument(
        "--write", action="store_true", help="with --fix: change the files as the diff shows"
    )
    made.add_argument(
        "--format", choices=list(REPORTS), default="text", help="of the result; default: text"
    )
    made.add_argument("--language", choices=LANGUAGES, default="en", help="default: en")
    return made
