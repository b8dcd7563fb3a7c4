"""Validates a document by its published schema, and by the rules that no schema can express."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError

from conformance.formats.problem import Place, Problem, problem, shown
from conformance.formats.runtime.recognition import policy_in
from conformance.formats.schema.keyword_words import missing_name, words
from conformance.formats.schema.schemas import deeper_than
from conformance.formats.schema.work import errors_in
from conformance.formats.text.json_text import Notation, Reading, positions_of, read
from conformance.formats.text.source_lines import Position
from conformance.formats.tool.meta import earlier_in, held, key_in, lifted
from conformance.formats.validate.foreign import OPENAPI, SCHEMA, Foreign, foreign
from conformance.formats.validate.hints import (
    hints,
    hints_of_openapi,
    hints_of_schema,
    told_once,
)
from conformance.formats.validate.inside import document_in
from conformance.formats.validate.others import elsewhere
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.formats.validate.rules import INSIDE, semantic_problems
from conformance.spec.messages import is_message, message
from conformance.spec.published import clause_at, surely_valid
from conformance.spec.vocabulary import META_KEY_EARLIER, META_KEY_NAME, MetaKey, Requirement

DEEPEST = 256
"""The most levels of JSON in a document; real ones have a dozen."""

_MOST_ERRORS = 10_000
"""The most schema errors that are listed; a short document may have millions."""

_OF_TOOLS = frozenset({"catalog", "tool", "descriptor", "enhanced-descriptor"})


@dataclass(frozen=True, slots=True)
class Examined:
    """The result for a file: how it was read, what it was recognized as, and its problems.

    `foreign` is set for a document of another standard.
    """

    reading: Reading
    recognition: Recognition | None
    problems: tuple[Problem, ...]
    foreign: Foreign | None = None

    @property
    def valid(self) -> bool:
        """Whether no MUST is broken."""
        return all(each.requirement is not Requirement.MUST for each in self.problems)

    @property
    def positions(self) -> Mapping[Place, Position]:
        """The position in the text of each problem's place, computed at each access."""
        return positions_of(self.reading, {each.place for each in self.problems})


def examine(
    raw: bytes, notation: Notation = Notation.JSON, document: str | None = None
) -> Examined:
    """Read, recognize and validate the bytes of a file; `document` as for `validate`."""
    reading = read(raw, notation)
    if not reading.readable:
        return Examined(reading, None, reading.problems)
    data, at, recognized = (
        document_in(reading.data)
        if document is None
        else (reading.data, (), recognize(reading.data))
    )
    known = recognized if isinstance(recognized, Recognition) else None
    name = document or (known.document if known else None)
    if name is None:
        assert isinstance(recognized, Problem)
        other = foreign(data)
        if other is not None:
            found = moved(told_once(other.problems, _slips(other.document, data)), at)
            return Examined(reading, None, (*reading.problems, *found), other)
        said = moved([elsewhere(recognized, data)], at)
        return Examined(reading, None, (*reading.problems, *said))
    owner = "ATDF-CAT-003" if name == "catalog" and notation is Notation.JSON else None
    strange = [replace(each, clause=owner) for each in reading.problems]
    earlier = _earlier_keys(name, data)
    wrong = told_once(_judged(data, name), hints(name, data))
    return Examined(reading, known, (*strange, *moved((*wrong, *earlier), at)))


def _slips(document: str, data: Any) -> Iterator[Problem]:
    """Yield the hints about a document of another standard."""
    if document == SCHEMA:
        yield from hints_of_schema(data)
    elif document == OPENAPI:
        yield from hints_of_openapi(data)


def moved(found: Iterable[Problem], at: Place) -> Iterable[Problem]:
    """Return the problems of a part of a document, which is at `at`."""
    if not at:
        return found
    return [
        problem((*at, *each.place), each.keyword, each.message, clause=each.clause, tool=each.tool)
        for each in found
    ]


def _earlier_keys(document: str, data: Any) -> Iterator[Problem]:
    """MCP-ATDF-003, for the tools of an MCP server in a file."""
    for at, tool in islice(_tools(document, data), _MOST_ERRORS):
        for key in earlier_in(tool.get("_meta")):
            name, right = META_KEY_EARLIER[key], META_KEY_NAME[key]
            of = message("finding.mcp.of_tool")
            said = message("finding.mcp.earlier_key", of=of, key=name, right=right)
            clause = "MCP-ATDF-003"
            yield problem((*at, "_meta", name), clause, said, clause=clause)


def _tools(document: str, data: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the tools of a catalog, or the one tool, that may be from an MCP server."""
    if document == "tool" and isinstance(data, dict):
        yield (), data
    listed = data.get("tools") if document == "catalog" and isinstance(data, dict) else None
    for index, each in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(each, dict):
            yield ("tools", index), each


def validate(data: Any, document: str | None = None) -> list[Problem]:
    """Return the problems of `data`, a decoded JSON value. It is valid if none breaks a MUST.

    `document` is a name in the table of `recognize`. Without it the document is recognized first,
    and an unknown document has only that problem. A problem has the place at which jsonschema finds
    it: a missing property is reported at its object. Raises KeyError for an unknown name, and never
    for bad data.
    """
    if deeper_than(data, DEEPEST):
        return [problem((), "depth", message("documents.too_deep", limit=DEEPEST))]
    if document is None:
        recognized = recognize(data)
        if isinstance(recognized, Problem):
            other = foreign(data)
            return [recognized] if other is None else list(other.problems)
        document = recognized.document
    return _judged(data, document)


def _judged(data: Any, document: str) -> list[Problem]:
    """Validate as `validate` does, for data that is known not to be too deep."""
    policy = policy_in(data) if document == "retry-policy" and isinstance(data, dict) else None
    if policy is not None:
        return [
            problem((*policy[0], *each.place), each.keyword, each.message, clause=each.clause)
            for each in _judged(policy[1], document)
        ]
    carrying = {
        at: name
        for at, tool in _tools(document, data)
        if (name := key_in(tool.get("_meta"), MetaKey.ATDF)) is not None
    }
    if not carrying:
        return _found(data, document)
    return [*_carried(data, document, carrying), *_not_carried(data, carrying)]


def _carried(data: Any, document: str, carrying: Mapping[Place, str]) -> Iterator[Problem]:
    """Yield the problems of MCP tools that have ATDF fields in `_meta`, at their places in the
    file.
    """
    whole = (
        lifted(data)
        if document == "tool"
        else {**data, "tools": [lifted(each) for each in data["tools"]]}
    )
    for each in _found(whole, document):
        at = each.place[: len(next(iter(carrying)))]
        name = carrying.get(at)
        tool = data if not at else data["tools"][at[1]]
        step = each.place[len(at) : len(at) + 1]
        carried = held(tool["_meta"], MetaKey.ATDF) if name is not None else None
        if name is None or not step or not isinstance(carried, dict) or step[0] not in carried:
            yield each
            continue
        place = (*at, "_meta", name, *each.place[len(at) :])
        yield problem(place, each.keyword, each.message, clause=each.clause, tool=each.tool)


def _not_carried(data: Any, carrying: Mapping[Place, str]) -> Iterator[Problem]:
    """Yield a problem for each ATDF key of `_meta` whose value is not an object."""
    for at, name in carrying.items():
        value = (data if not at else data["tools"][at[1]])["_meta"][name]
        if not isinstance(value, dict):
            said = message("documents.meta.no_object", value=shown(value))
            yield problem((*at, "_meta", name), "type", said)


def _found(data: Any, document: str) -> list[Problem]:
    """Return the problems of a document, by its schema and by the rules."""
    quick = surely_valid(document, data)
    errors = [] if quick else list(islice(errors_in(document, data), _MOST_ERRORS))
    formats = {tuple(each.absolute_path) for each in errors if each.validator == "format"}
    mistyped = {tuple(each.absolute_path) for each in errors if each.validator == "type"}
    # A pattern next to a format only repeats it, for validators without formats. A value of the
    # wrong type need not also be reported as forbidden.
    echoes = {"pattern": formats, "not": mistyped}
    found = [
        _problem(document, data, each)
        for each in errors
        if tuple(each.absolute_path) not in echoes.get(str(each.validator), ())
    ]
    rules = semantic_problems(document, data) if isinstance(data, dict) else []
    told = {each.place for each in rules if each.keyword == INSIDE}
    return [*(each for each in found if each.place not in told), *rules]


def _problem(document: str, data: Any, error: ValidationError) -> Problem:
    place: Place = tuple(error.absolute_path)
    clause = clause_at(document, error.absolute_schema_path, missing_name(error))
    own = f"documents.of.{clause}.{error.validator}".lower()
    return problem(
        place,
        str(error.validator),
        message(own, value=shown(error.instance)) if is_message(own) else words(error, document),
        clause=clause,
        tool=_tool_name(document, data, place),
    )


def _tool_name(document: str, data: Any, place: Place) -> str | None:
    """Return the raw name of the tool that a place is in; None if there is none."""
    tool = data
    if document == "catalog":
        tool = data["tools"][place[1]] if len(place) > 1 else None
    if document not in _OF_TOOLS or not isinstance(tool, Mapping):
        return None
    names = (tool.get(member) for member in ("name", "tool_id", "id"))
    return next((name for name in names if isinstance(name, str)), None)
