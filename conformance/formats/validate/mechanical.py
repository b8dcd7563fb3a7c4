"""Corrects faults of a document that need no knowledge of what its author meant."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from conformance.formats.problem import Place, Problem, problem
from conformance.formats.resource.resource import plain
from conformance.formats.runtime.recognition import policy_in
from conformance.formats.schema.work import errors_in
from conformance.formats.text.json_text import WrittenNumber
from conformance.formats.tool.declared import plain_example
from conformance.formats.tool.meta import earlier_in, key_in
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.spec.messages import message
from conformance.spec.vocabulary import META_KEY_EARLIER, META_KEY_NAME, MetaKey

_TOOLS = frozenset({"tool", "descriptor", "enhanced-descriptor"})
_VERSIONS = ("version", "schema_version")
_SHORT, _WHOLE = ("1", "1.0"), "1.0.0"
"""The version of a resource: two short spellings, and the full one."""
_MOST_WORDS = 1_000
"""The most words of a document that are corrected; a real one has a few."""


def corrected(data: Any) -> Any:
    """Return the document with its mechanical faults corrected; unchanged if it has none.

    Versions that are numbers become strings, and dialects become the form of the specification.
    Keys of `_meta` get their present names, and words of a closed list the right case. A resource
    gets a missing `schema_version`.
    """
    known = recognize(data)
    if not isinstance(known, Recognition):
        return data
    return _in_our_words(known.document, _in_their_case(known.document, data))


def respelled(data: Any) -> Iterator[Problem]:
    """Yield what the correction changes although validation accepts it: names of a dialect."""
    known = recognize(data)
    if isinstance(known, Recognition):
        yield from islice(_changed(data, _in_our_words(known.document, data), ()), _MOST_WORDS)


def _changed(old: Any, new: Any, place: Place) -> Iterator[Problem]:
    """Yield the members that have another name in the new value, at their places in the old one."""
    if old is new:
        return
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _changed(one, other, (*place, index))
    elif isinstance(old, dict) and isinstance(new, dict) and len(old) == len(new):
        for (name, one), (right, other) in zip(old.items(), new.items(), strict=True):
            if name == right:
                yield from _changed(one, other, (*place, name))
            elif one is other:  # otherwise the correction gives the object another structure
                said = message("validate.note.renamed", name=name, right=right)
                yield problem((*place, name), "respelled", said)


def _in_our_words(document: str, data: Any) -> Any:
    """Return the document in the form of the specification, in place of a dialect."""
    match document:
        case "retry-policy":
            held = policy_in(data)
            return dict(held[1]) if held is not None else data
        case "catalog":
            return {**data, "tools": _each(data.get("tools"), _tool)}
        case "collection":
            return {**data, "resources": _each(data.get("resources"), _resource)}
        case "resource":
            return _resource(data)
        case document if document in _TOOLS:
            return _tool(data)
        case _:
            return data


def _in_their_case(document: str, data: Any) -> Any:
    """Return the document with each word of a closed list in the case that the list has."""
    right: dict[tuple[str | int, ...], str] = {}
    errors = (each for each in errors_in(document, data) if each.validator == "enum")
    for error in islice(errors, _MOST_WORDS):
        word: Any = error.instance
        allowed: Any = error.validator_value
        alike = [
            each
            for each in (allowed if isinstance(word, str) and isinstance(allowed, list) else ())
            if isinstance(each, str) and each.casefold() == word.casefold()
        ]
        if len(alike) == 1:
            right[tuple(error.absolute_path)] = alike[0]
    made = copy.deepcopy(data) if right else data
    for (*way, last), word in right.items():
        held = made
        for step in way:
            held = held[step]
        held[last] = word
    return made


def _each(listed: Any, correct: Any) -> Any:
    if not isinstance(listed, list):
        return listed
    return [correct(each) if isinstance(each, dict) else each for each in listed]


def _tool(item: Mapping[str, Any]) -> dict[str, Any]:
    made = _versioned(item)
    if isinstance(made.get("metadata"), dict):
        made["metadata"] = _versioned(made["metadata"])
    if earlier := earlier_in(made.get("_meta")):
        names = {META_KEY_EARLIER[key]: META_KEY_NAME[key] for key in earlier}
        made["_meta"] = {names.get(name, name): value for name, value in made["_meta"].items()}
    meta = made.get("_meta")
    key = key_in(meta, MetaKey.ATDF)
    if isinstance(meta, dict) and key is not None and isinstance(meta[key], dict):
        made["_meta"] = {**meta, key: _tool(meta[key])}
    if isinstance(made.get("examples"), list):
        made["examples"] = [plain_example(each) for each in made["examples"]]
    return made


def _resource(item: Mapping[str, Any]) -> dict[str, Any]:
    bare = plain(item)
    made, given = _tool(bare), bare.get("schema_version")
    if given in _SHORT or (_is_number(given) and given == 1):
        made["schema_version"] = _WHOLE
    return made if "schema_version" in made else {"schema_version": _WHOLE, **made}


def _versioned(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _digits(value) if name in _VERSIONS and _is_number(value) else value
        for name, value in item.items()
    }


def _digits(number: float) -> str:
    return number.written if isinstance(number, WrittenNumber) else json.dumps(number)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
