"""What validation says of one file: a verdict, and each problem with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from conformance.cli.documents.files import Input, content, notation_of
from conformance.formats.problem import Problem, problem
from conformance.formats.text.http_answer import body
from conformance.formats.text.json_text import positions_of
from conformance.formats.text.source_lines import Position
from conformance.formats.validate.mechanical import respelled
from conformance.formats.validate.others import ELSEWHERE, UNKNOWN
from conformance.formats.validate.recognize import Recognition, row_of
from conformance.formats.validate.stream_text import answer_in, too_long
from conformance.formats.validate.validate import Examined, examine
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Requirement

_FIELDS = re.compile(rb"\s*+(?:(?:event|data|id|retry):[^\r\n]*+\s*+)++")
"""A text of nothing but the fields of server-sent events."""


class Verdict(StrEnum):
    """What a file is."""

    VALID = "valid"
    INVALID = "invalid"
    UNUSABLE = "unusable"
    """It cannot be read, or is not a known document."""
    OTHER = "other"
    """A file of a directory that is not a document, and was passed over."""


@dataclass(frozen=True, slots=True)
class Located:
    """A problem and where in the text it is; None where there is no text."""

    problem: Problem
    position: Position | None

    @property
    def must(self) -> bool:
        """Whether it keeps the document from being valid."""
        return self.problem.requirement is Requirement.MUST


@dataclass(frozen=True, slots=True)
class Judged:
    """One file. `document` and `version` are None where it is none; `rule` where `--as` said it.

    `told` says what it was found to be, where that is more than document, version and rule. `notes`
    are what `--fix` changes although nothing is wrong with it.
    """

    name: str
    verdict: Verdict
    document: str | None = None
    version: str | None = None
    rule: str | None = None
    dialects: tuple[str, ...] = ()
    problems: tuple[Located, ...] = ()
    told: Message | None = None
    notes: tuple[Located, ...] = ()


def judged(each: Input, document: str | None) -> Judged:
    """Read, recognize and validate a file; `document` is what the caller calls it, if anything."""
    raw = content(each)
    if isinstance(raw, Message):
        return unusable(each, raw, "file")
    return judged_text(each, body(raw), document)


def judged_text(each: Input, raw: bytes, document: str | None) -> Judged:
    """Judge the text of a file, as `judged` does, or that of an answer in it."""
    examined = examine(raw, notation_of(each, raw), document)
    known = examined.recognition
    other = examined.foreign
    if examined.reading.readable and document is None and not isinstance(known, Recognition):
        # In a directory other files are to be expected; one that was named is meant to be one.
        passed = any(said.message.id in UNKNOWN for said in examined.problems)
        if each.found and (passed or other is not None):
            return Judged(each.name, Verdict.OTHER)
        if other is None and _FIELDS.fullmatch(raw):
            text = raw.decode("utf-8", "replace")
            if long := too_long(text):
                return unusable(each, long, "size")
            answer = answer_in(text)
            if isinstance(answer, str):
                return judged_text(each, answer.encode(), None)
            return unusable(each, answer or message("validate.stream.looks"), "wire")
        if other is None:
            return _unusable(each, *examined.problems)
    where = examined.positions if examined.problems else {}
    listed = [Located(found, where.get(found.place)) for found in examined.problems]
    listed.sort(key=lambda located: located.position or Position(0, 0))
    if not examined.reading.readable:
        return Judged(each.name, Verdict.UNUSABLE, problems=tuple(listed))
    verdict = Verdict.VALID if examined.valid else Verdict.INVALID
    if other is not None:
        return Judged(
            each.name,
            verdict,
            other.document,
            other.version,
            problems=tuple(listed),
            told=other.told,
        )
    told = document is not None
    return Judged(
        each.name,
        verdict,
        document or (known.document if known else None),
        row_of(document).version if document is not None else (known.version if known else None),
        None if told or known is None else known.rule,
        known.dialects if known else (),
        tuple(listed),
        notes=() if told else _notes(examined),
    )


def _notes(examined: Examined) -> tuple[Located, ...]:
    """What `--fix` changes where no problem is."""
    wrong = {each.place for each in examined.problems}
    found = [each for each in respelled(examined.reading.data) if each.place not in wrong]
    where = positions_of(examined.reading, {each.place for each in found}) if found else {}
    return tuple(Located(each, where.get(each.place)) for each in found)


def unusable(each: Input, said: Message, keyword: str) -> Judged:
    """A file of which nothing can be judged, and why."""
    return _unusable(each, problem((), keyword, said))


def _unusable(each: Input, *problems: Problem) -> Judged:
    return Judged(each.name, Verdict.UNUSABLE, problems=tuple(Located(p, None) for p in problems))


def heading(each: Judged, language: str) -> str:
    """What a file was found to be, in one line."""
    if each.verdict is Verdict.UNUSABLE:
        ids = {located.problem.message.id for located in each.problems}
        unknown = "validate.unknown" if ids & UNKNOWN else "validate.unusable"
        return message("validate.elsewhere" if ids & ELSEWHERE else unknown).words(language)
    if each.verdict is Verdict.OTHER:
        return message("validate.other").words(language)
    if each.told is not None:
        what = each.told.words(language)
    elif each.rule is None:
        document = f"{row_of(each.document).spec} {each.document}" if each.document else ""
        what = message("validate.told", document=document).words(language)
    else:
        document = f"{row_of(each.document).spec} {each.document}" if each.document else ""
        what = message(
            "validate.what", document=document, version=each.version, rule=each.rule
        ).words(language)
    if each.dialects:
        names, count = ", ".join(each.dialects), len(each.dialects)
        written = message("validate.dialects", count=count, names=names).words(language)
        what = f"{what}, {written}"
    word = "validate.valid" if each.verdict is Verdict.VALID else "validate.invalid"
    return message(word, what=what).words(language)
