"""The `results.json` of many targets: what was found, and of which targets there is none.

A session that checked only a part (`selection` in its results) does not count for its target: in
a table it would look as if everything had been checked. The kit writes a part into a directory
inside the whole report. This directory is not a target either, unless it has whole results.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from conformance.cli.documents.files import DEEPEST_FOLDER, leads_out, walked
from conformance.formats.text.json_text import has_at_most
from conformance.kit.config.given_files import FileTooMuch, given_text
from conformance.kit.config.system_words import in_one_line
from conformance.kit.model.results import Rate, RunResult, SessionResult
from conformance.kit.model.settings import REPLAY_FOLDER, REPORT_FOLDER, SELECTION_FOLDER
from conformance.kit.report.data import RESULTS, ResultsError, read_results
from conformance.kit.report.levels import run_standing_name
from conformance.kit.report.safe_text import visible
from conformance.spec.clauses import SCHEMAS
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Level, Verdict

_LARGEST = 96 * 1024 * 1024
"""Bytes of a file. The results of a thousand tools have about half as many."""
_MOST_VALUES = 5_000_000
"""Commas, colons and brackets in a file. A thousand tools have about four million."""
_LONGEST = 500
"""Characters that a row keeps of a text. A table shows fewer."""
_MOST_ERRORS = 1_000
_MOST_DIGITS = 15
"""Digits of a number. A larger number could not be divided as a float."""
_OF_PARTS = frozenset({SELECTION_FOLDER, REPLAY_FOLDER})


class Unusable(Exception):
    """A file holds no results that can be read; `why` is the reason."""

    def __init__(self, why: Message) -> None:
        super().__init__(why.words())
        self.why = why


@dataclass(frozen=True, slots=True)
class Row:
    """One run of one target.

    `name` is the name of the report's directory or file, and `target` is what was checked. A run
    without a level has `standing` in the table instead. `stale` counts the waivers that
    fail the session.
    """

    name: str
    target: str
    run: str
    interrupted: bool
    standing: str
    level: Level | None
    repair: Rate
    names_parameter: Rate
    says_what_is_right: Rate
    failed: int
    warned: int
    waived: int
    stale: int
    not_verified: int
    tools: int
    requests: int
    kit: str
    started: str


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    `rows` are those of the whole sessions, by name and run. `lacking` has the names of the targets
    without a session, and `unusable` the names of those whose file holds no results. `told` says
    where each thing was that has no rows, and why it has none.
    """

    rows: tuple[Row, ...]
    lacking: tuple[str, ...]
    unusable: tuple[str, ...]
    told: tuple[tuple[Path, Message], ...]


def look(paths: Iterable[Path], language: str = "en") -> Found:
    """Look for results in files and folders, and read them.

    Only the rows of each session are kept: all sessions together may not fit into memory.
    """
    asked = list(paths)
    whole: dict[Path, tuple[Row, ...]] = {}
    told: list[tuple[Path, Message]] = []
    without, unusable = set(), set()
    for path, why in _without_result(asked):
        told.append((path, why))
        without.add(_owner(path if path.name.endswith(RESULTS) else path / RESULTS))
    for file in sorted({file for path in asked for file in _files(path)}):
        try:
            if file not in asked:
                _refuse_unusable(file, asked)
            session = read(file)
        except Unusable as reason:
            told.append((file, reason.why))
            if not _beside_the_whole(file):
                unusable.add(_owner(file))
            continue
        if session.selection and _beside_the_whole(file):
            told.append((file, message("merge.part_beside_whole")))
            continue
        if session.selection:
            by = visible(session.selected) if session.selected else ""
            said = message("merge.part_by", by=by) if by else message("merge.part")
            told.append((file, said))
            without.add(_owner(file, part=True))
            continue
        if session.interrupted:
            told.append((file, message("merge.interrupted")))
        owner = _owner(file)
        stale = sum(used.stale is not None for used in session.waivers)
        whole[owner] = tuple(_row(run, session, stale, language) for run in session.runs)
    names = _names({*whole, *without, *unusable})
    rows = (replace(row, name=names[owner]) for owner, each in whole.items() for row in each)
    return Found(
        tuple(sorted(rows, key=lambda row: (row.name, row.run))),
        tuple(sorted(names[owner] for owner in without - set(whole) - unusable)),
        tuple(sorted(names[owner] for owner in unusable)),
        tuple(told),
    )


def _names(owners: Iterable[Path]) -> dict[Path, str]:
    """What each target is called; those of one name have the directories that differ before it."""
    alike: dict[str, list[Path]] = {}
    for owner in owners:
        alike.setdefault(name_of(owner), []).append(owner)
    names = {}
    for name, each in alike.items():
        around = os.path.commonpath(each) if len(each) > 1 else None
        for owner in each:
            told = str(owner.relative_to(around)) if around else name
            names[owner] = (name if told == os.curdir else told)[:_LONGEST]
    return names


def _row(run: RunResult, session: SessionResult, stale: int, language: str) -> Row:
    counted = Counter(item.verdict for item in run.items)
    return Row(
        name="",  # known when all targets are
        target=run.run.target[:_LONGEST],
        run=run.run.id[:_LONGEST],
        interrupted=session.interrupted,
        standing=run_standing_name(run, session, language),
        level=None if session.interrupted else run.level,
        repair=run.repair.rate,
        names_parameter=run.explain.names_parameter,
        says_what_is_right=run.explain.says_what_is_right,
        failed=counted[Verdict.FAIL],
        warned=counted[Verdict.WARN],
        waived=counted[Verdict.WAIVED],
        stale=stale,
        not_verified=counted[Verdict.NOT_VERIFIED],
        tools=len(run.tools_called),
        requests=run.requests,
        kit=session.kit[:_LONGEST],
        started=session.started[:_LONGEST],
    )


def _without_result(paths: Iterable[Path]) -> list[tuple[Path, Message]]:
    """Return the missing paths and the directories without a result, each with its reason."""
    found = {path: message("merge.not_there") for path in paths if not _exists(path)}
    here = (path for path in paths if path not in found and path.is_dir())
    found |= {each: _why_none(each) for path in here for each in _lacking(path, given=True)}
    return sorted(found.items(), key=lambda each: each[0])


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a directory that may not be looked into
        return False


def _why_none(folder: Path) -> Message:
    """Return why a directory gives no result."""
    try:
        with os.scandir(folder):
            return message("merge.without_result", file=RESULTS)
    except OSError as error:
        return message("merge.unreadable", why=in_one_line(error))


def _refuse_unusable(file: Path, asked: Iterable[Path]) -> None:
    """Raise Unusable for an entry of a directory that is not a file inside it."""
    try:
        if not file.is_file():
            raise Unusable(message("merge.not_a_file"))  # a pipe would never end
    except OSError as error:
        raise Unusable(message("merge.unreadable", why=in_one_line(error))) from None
    if not _is_inside(file, asked):
        raise Unusable(message("merge.leads_out"))


def _is_inside(file: Path, asked: Iterable[Path]) -> bool:
    """Return whether a file is inside one of the directories that the user named."""
    return any(each in file.parents and not leads_out(file, each) for each in asked)


def _lacking(folder: Path, *, given: bool = False, depth: int = 0) -> Iterable[Path]:
    """Yield the outermost directories without a result.

    A directory that the user named may hold the directories of many targets.
    """
    try:
        if depth > DEEPEST_FOLDER or any(folder.glob(f"*{RESULTS}")):
            return  # the other files next to a result belong to it
        visible_ones = (each for each in folder.iterdir() if not each.name.startswith("."))
        inner = [each for each in visible_ones if each.is_dir() and not each.is_symlink()]
    except OSError:  # nobody may look into it
        yield folder
        return
    if _files(folder):
        for each in inner:
            yield from _lacking(each, depth=depth + 1)
    else:
        yield from inner if given and inner else [folder]


def _files(path: Path) -> list[Path]:
    if not _exists(path):
        return []
    if not path.is_dir():
        return [path]
    every = (here / name for here, names in walked(path, _pass_over, hidden=True) for name in names)
    return [each for each in every if each.name == RESULTS or each.name.endswith(f".{RESULTS}")]


def _pass_over(_: OSError) -> None:
    """Pass over a directory that cannot be read."""


def _beside_the_whole(file: Path) -> bool:
    """Return whether a file holds a part, and the whole results are one directory above."""
    folder = _real(file).parent
    return file.name == RESULTS and folder.name in _OF_PARTS and (folder.parent / RESULTS).exists()


def _real(file: Path) -> Path:
    """Return the path of a file in its real directory. A file that is a link has its own name."""
    return Path(os.path.realpath(file.parent), file.name)


def _owner(file: Path, *, part: bool = False) -> Path:
    """Return the path that identifies a file's target: the file if its name is its own, else its
    directory.

    For a part of a session, it is the directory of the whole.
    """
    if file.name != RESULTS:
        return _real(file)
    folder = _real(file).parent
    return folder.parent if part and folder.name in _OF_PARTS else folder


def name_of(owner: Path) -> str:
    """Return the name of a target. For a report in the default directory, it is the name above."""
    return (
        owner.parent.name if owner.name == REPORT_FOLDER else owner.name.removesuffix(f".{RESULTS}")
    )


def read(file: Path) -> SessionResult:
    """Read and validate one file of results. Raises Unusable if it holds none."""
    try:
        text = given_text(file, _LARGEST)
        if not has_at_most(_MOST_VALUES, text):
            raise FileTooMuch("kit.system.too_large")
        document = json.loads(text, parse_int=_counted)
    except (OSError, FileTooMuch) as error:
        raise Unusable(message("merge.unreadable", why=in_one_line(error))) from None
    except json.JSONDecodeError as error:
        at = message("merge.wrong_at", line=error.lineno, column=error.colno)
        raise Unusable(message("merge.not_json", why=at)) from None
    except RecursionError:
        raise Unusable(message("merge.not_json", why=message("merge.too_deep"))) from None
    except _TooMany as error:
        digits = message("merge.digits", digits=error.args[0])
        raise Unusable(message("merge.not_json", why=digits)) from None
    except ValueError as error:
        raise Unusable(message("merge.not_json", why=in_one_line(error))) from None
    wrong = best_match(islice(_validator().iter_errors(document), _MOST_ERRORS))
    if wrong is not None:
        where = f"{wrong.json_path}: {wrong.message[:200]}"
        raise Unusable(message("merge.other_file", why=where))
    if not document["runs"]:
        raise Unusable(message("merge.other_file", why=message("merge.no_run")))
    try:
        return read_results(document)
    except ResultsError as error:
        raise Unusable(message("merge.other_file", why=error)) from None


class _TooMany(ValueError):
    """A number has more digits than a session can count; `args[0]` is how many."""


def _counted(digits: str) -> int:
    """Return a whole number from its digits. Raises _TooMany for more than `_MOST_DIGITS`."""
    if len(digits) > _MOST_DIGITS:
        raise _TooMany(len(digits))
    return int(digits)


@cache
def _validator() -> Draft202012Validator:
    schema = json.loads((SCHEMAS / "bindings" / "1.0" / "results.schema.json").read_bytes())
    return Draft202012Validator(schema)
