"""Merges the `results.json` of many targets into one table, as Markdown or JSON.

A directory is searched for files named `results.json` or `*.results.json`. What is merged has the
name of its directory or file, and the target that was checked. Every file is validated against its
schema before anything is written. A directory without any, a path that is not there, and a file
that is not a results file is a row that says so. A job that failed does not vanish from the table,
and does not keep the others from it. A session that judged only a part (`-k`, `--replay`) is left
out, and standard error says so. One that was interrupted has no level in the table.
"""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path

from conformance.cli.manual import Manual
from conformance.cli.merge_found import Row, look
from conformance.kit.model.results import Rate
from conformance.kit.report.data import RESULTS
from conformance.kit.report.safe_text import in_json, in_markdown, visible
from conformance.kit.report.words import NOTHING, number, percent
from conformance.spec.messages import LANGUAGES, Message, message

NO_RESULT, UNUSABLE = message("merge.no_result"), message("merge.unusable")
EXITS = {
    0: "the table was written, with a whole result of every target",
    1: "no target has a result: no table was written",
    2: "the command line cannot be used",
    3: "the table was written, but the result of a target is missing, cannot be read, covers only a"
    "\n     part, or was interrupted (standard error says which)",
}


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    chosen = parser().parse_args(arguments)
    language = chosen.language
    found = look(chosen.paths, "en" if chosen.json else language)
    told = (f"{path}: {why.words(language)}" for path, why in found.told)
    sys.stderr.writelines(f"{visible(line, None)}\n" for line in told)
    if not found.rows:
        sys.stderr.write(f"{message('merge.nothing', file=RESULTS).words(language)}\n")
        return 1
    lacking = [(name, NO_RESULT) for name in found.lacking]
    lacking += [(name, UNUSABLE) for name in found.unusable]
    if chosen.json:
        sys.stdout.write(as_json(found.rows, lacking))
    else:
        table = as_markdown(found.rows, lacking, language)
        sys.stdout.write(_plain(table) if sys.stdout.isatty() else table)
    cut = any(row.interrupted for row in found.rows)
    return 3 if lacking or cut else 0


def _plain(table: str) -> str:
    """Return a table for people, without the escapes that keep Markdown from making links."""
    return visible(html.unescape(table.replace("<!-- -->", "")), None, lines=True)


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "merge",
        "PATH [PATH ...] [--json] [--language LANGUAGE]",
        f"Merge the {RESULTS} of many targets into one table, as Markdown or JSON.",
        (
            ("agent-formats merge reports/", f"every {RESULTS} in a directory"),
            ("agent-formats merge a/results.json b/results.json", "two of them"),
            ("agent-formats merge reports/ --json", "as JSON"),
        ),
        EXITS,
        2,
    )
    said = f"{RESULTS}, NAME.{RESULTS}, or a directory to search for them"
    made.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=said)
    made.add_argument("--json", action="store_true", help="write JSON instead of Markdown")
    said = "of the table and of messages; JSON is the same in each (default: en)"
    made.add_argument("--language", choices=LANGUAGES, default="en", help=said)
    return made


def as_json(rows: Sequence[Row], lacking: Iterable[tuple[str, Message]] = ()) -> str:
    """Write the rows as JSON: the fields of `Row`, in their order, a rate as a number or null.

    Of a target without a result (`lacking` has their names) everything but the name is null.
    """
    plain = [
        {
            each.name: value.rate if isinstance(value := getattr(row, each.name), Rate) else value
            for each in fields(row)
        }
        for row in rows
    ]
    nothing = {each.name: None for each in fields(Row)}
    plain.extend({**nothing, "name": name} for name, _ in lacking)
    return in_json(json.dumps(plain, indent=1, ensure_ascii=False)) + "\n"


def as_markdown(
    rows: Sequence[Row], lacking: Iterable[tuple[str, Message]] = (), language: str = "en"
) -> str:
    """Write the rows as a table; what a target calls itself is without meaning in Markdown.

    Targets without a result come last; `lacking` has their names, and in a word why.
    """
    names = ("report", "target", "run", "level", "repair_rate", "names_the_parameter",
             "says_what_is_right", "failed", "warned", "waived", "stale_waivers", "not_verified",
             "tools_called")  # fmt: skip
    heads = tuple(message(f"merge.head.{name}").words(language) for name in names)
    lines = [heads, tuple("---" for _ in heads)]
    for row in rows:
        rates = (row.repair, row.names_parameter, row.says_what_is_right)
        counts = (
            row.failed, row.warned, row.waived, row.stale, row.not_verified, row.tools,
        )  # fmt: skip
        lines.append(
            (
                in_markdown(row.name),
                in_markdown(row.target),
                in_markdown(row.run),
                row.standing,
                *(percent(rate, language) for rate in rates),
                *(number(count, language) for count in counts),
            )
        )
    rest = [NOTHING] * (len(heads) - 2)
    lines.extend((in_markdown(name), why.words(language), *rest) for name, why in lacking)
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
