"""Merges the `results.json` of many targets into one table, as Markdown or JSON.

    python -m scripts.merge_results [--json] FILE_OR_FOLDER...

A folder is searched for files named `results.json` or `*.results.json`; what is merged is named
after its folder, or its file. Every file is validated against its schema before anything is
written. A folder without any, and a path that is not there, is a row that says so: a job that
failed does not vanish from the table, and does not keep the others from it. `EXITS` has the codes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from conformance.formats.clauses import SCHEMAS
from conformance.formats.vocabulary import Level, Verdict
from conformance.kit.report.data import read_results
from conformance.kit.report.text import in_markdown
from conformance.kit.report.words import level_name, number, percent
from conformance.kit.results import Rate, RunResult, SessionResult

NAME = "results.json"
_OF_THE_FOLDER = "conformance-report"
"""The name of the report's own folder says nothing: then the one above it names the target."""


NO_RESULT = "no result"
EXITS = """exit codes:
  0  the table was written, with a result of every target
  1  a file is no results file, or there was none at all: no table was written
  2  the command line cannot be used
  3  the table was written, and a target in it has no result (stderr names where it was looked for)
"""


class NotMergeable(Exception):
    """A file cannot be merged; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Row:
    """One run of one target."""

    name: str
    run: str
    level: Level | None
    repair: Rate
    names_parameter: Rate
    says_what_is_right: Rate
    failed: int
    warned: int
    not_verified: int
    tools: int
    requests: int
    kit: str
    started: str


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="merge_results",
        description=f"Merge the {NAME} of many targets into one table.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    told = f"{NAME}, NAME.{NAME}, or a folder that is searched for them; one without is a row, too"
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_FOLDER", help=told)
    parser.add_argument("--json", action="store_true", help="write JSON instead of Markdown")
    chosen = parser.parse_args(arguments)
    lacking = without_result(chosen.paths)
    for path in lacking:
        why = f"no {NAME} in it" if path.exists() else "there is no such file or folder"
        sys.stderr.write(f"{path}: {why}\n")
    try:
        rows = merged(chosen.paths)
    except NotMergeable as reason:
        sys.stderr.write(f"{reason}\n")
        return 1
    names = [name_of(path if path.name.endswith(NAME) else path / NAME) for path in lacking]
    sys.stdout.write(as_json(rows, names) if chosen.json else as_markdown(rows, names))
    return 3 if lacking else 0


def merged(paths: Iterable[Path]) -> list[Row]:
    """Give the rows of all files, by name and run. Raises NotMergeable."""
    files = sorted({file for path in paths for file in _files(path)})
    if not files:
        raise NotMergeable(f"No {NAME} was found; say the files, or the folders that hold them.")
    rows = [row for file in files for row in rows_of(name_of(file), read(file))]
    return sorted(rows, key=lambda row: (row.name, row.run))


def without_result(paths: Iterable[Path]) -> list[Path]:
    """What was asked for and is not there, and the folders in which a target's result should be."""
    found = {path for path in paths if not path.exists()}
    found.update(each for path in paths if path.is_dir() for each in _lacking(path, given=True))
    return sorted(found)


def _lacking(folder: Path, *, given: bool = False) -> Iterable[Path]:
    """The outermost folders without a result; one that was given may stand for many targets."""
    if any(folder.glob(f"*{NAME}")):
        return  # what else lies beside a result belongs to it
    visible = (each for each in folder.iterdir() if not each.name.startswith("."))
    inner = [each for each in visible if each.is_dir() and not each.is_symlink()]
    if _files(folder):
        for each in inner:
            yield from _lacking(each)
    else:
        yield from inner if given and inner else [folder]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.exists() else []
    return [*path.rglob(NAME), *path.rglob(f"*.{NAME}")]


def name_of(file: Path) -> str:
    """What a file's target is called: the file if it has a name of its own, else its folder."""
    if file.name != NAME:
        return file.name.removesuffix(f".{NAME}")
    folder = file.resolve().parent
    return folder.parent.name if folder.name == _OF_THE_FOLDER else folder.name


def read(file: Path) -> dict[str, Any]:
    """Read and validate one file. Raises NotMergeable."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise NotMergeable(f"{file}: it cannot be read as JSON: {error}") from None
    wrong = best_match(_validator().iter_errors(document))
    if wrong is not None:
        where = f"{wrong.json_path}: {wrong.message[:200]}"
        raise NotMergeable(f"{file}: it is no results file of the kit: {where}")
    if not document["runs"]:
        raise NotMergeable(f"{file}: it is no results file of the kit: it tells of no run")
    return dict(document)


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads((SCHEMAS / "bindings" / "1.0" / "results.schema.json").read_bytes())
    return Draft202012Validator(schema)


def rows_of(name: str, document: Mapping[str, Any]) -> list[Row]:
    """Give a row for each run of a valid document."""
    session = read_results(document)
    return [_row(name, run, session) for run in session.runs]


def _row(name: str, run: RunResult, session: SessionResult) -> Row:
    counted = Counter(item.verdict for item in run.items)
    return Row(
        name=name,
        run=run.run.id,
        level=run.level,
        repair=run.repair.rate,
        names_parameter=run.explain.names_parameter,
        says_what_is_right=run.explain.says_what_is_right,
        failed=counted[Verdict.FAIL],
        warned=counted[Verdict.WARN],
        not_verified=counted[Verdict.NOT_VERIFIED],
        tools=len(run.tools_called),
        requests=run.requests,
        kit=session.kit,
        started=session.started,
    )


def as_json(rows: Sequence[Row], lacking: Iterable[str] = ()) -> str:
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
    plain.extend({**nothing, "name": name} for name in lacking)
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def as_markdown(rows: Sequence[Row], lacking: Iterable[str] = ()) -> str:
    """Write the rows as a table; what a target calls itself is without meaning in Markdown.

    Targets without a result, by their names in `lacking`, come last.
    """
    heads = ("target", "run", "level", "repair rate", "names the parameter", "says what is right",
             "failed", "warned", "not verified", "tools called")  # fmt: skip
    lines = [heads, tuple("---" for _ in heads)]
    for row in rows:
        rates = (row.repair, row.names_parameter, row.says_what_is_right)
        counts = (row.failed, row.warned, row.not_verified, row.tools)
        lines.append(
            (
                in_markdown(row.name),
                in_markdown(row.run),
                level_name(row.level, "en"),
                *(percent(rate, "en") for rate in rates),
                *(number(count, "en") for count in counts),
            )
        )
    lines.extend((in_markdown(name), NO_RESULT, *["–"] * (len(heads) - 2)) for name in lacking)
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
