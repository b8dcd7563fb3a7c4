"""Retry hints of the runtime vocabulary: read the hint of a refusal, and make the call it asks for.

A planner follows `example_input` and `missing_fields`. The kit does the same if no error has a
suggestion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.formats.tool.errors import ErrorView
from conformance.formats.tool.meta import held
from conformance.formats.tool.tool import Tool
from conformance.kit.cases.baseline import from_refusal
from conformance.kit.evidence.evidence import Call
from conformance.kit.evidence.response import Reading
from conformance.kit.repair.suggestions import apply, locate, schemas_at
from conformance.kit.schema.applies import alternatives
from conformance.kit.schema.constraints import constraints
from conformance.kit.schema.places import from_pointer, get, put
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of
from conformance.spec.vocabulary import MetaKey, RetryReason


def hint_of(reading: Reading) -> Mapping[str, Any] | None:
    """Return the hint of a refusal; None if there is no hint, or none that can be followed.

    A hint with an unknown reason is ignored.
    """
    if not reading.refused:
        return None
    if reading.result is not None:
        hint = held(reading.result.get("_meta"), MetaKey.RETRY_HINT)
    else:
        document = reading.document
        hint = document.get("retry_hint") if isinstance(document, dict) else None
    if not isinstance(hint, dict) or hint.get("reason") not in tuple(RetryReason):
        return None
    return hint if isinstance(hint.get("example_input"), dict) else None


def leads_on(reading: Reading) -> bool:
    """Return whether a refusal suggests a value, or has a hint that can be followed."""
    return _suggests(reading) or hint_of(reading) is not None


def followed(reading: Reading, arguments: Any, schema: Mapping[str, Any]) -> Any:
    """Return the arguments that a refusal leads to; unchanged if it leads no further."""
    hint = hint_of(reading)
    if hint is not None and not _suggests(reading):
        return follow(hint, arguments)
    errors = reading.envelope.errors if reading.envelope is not None else ()
    return apply(with_lists(arguments, errors, schema), errors, schema)


def fixed(refused: Call) -> dict[str, Any] | None:
    """Return the refused arguments, fixed as the refusal says in data, or in words; None if it says
    nothing that fixes them.
    """
    reading, sent = refused.reading, refused.case.arguments
    if reading.missing is not None:
        return None  # other arguments do not supply what is missing
    if leads_on(reading):
        made = followed(reading, sent, refused.tool.input_schema)
        return made if isinstance(made, dict) else None
    return from_refusal(refused.tool, sent, reading.text)


def _suggests(reading: Reading) -> bool:
    """Return whether some error of a refusal suggests a value."""
    envelope = reading.envelope
    return envelope is not None and any(error.has_suggestion for error in envelope.errors)


def follow(hint: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
    """Return the arguments that a hint asks for.

    These are the sent arguments with the missing fields added, or the whole example.
    """
    example: dict[str, Any] = hint["example_input"]
    names = hint.get("missing_fields")
    missing = names if isinstance(names, list) and names else []
    fills = hint.get("reason") == RetryReason.MISSING_FIELDS and isinstance(arguments, dict)
    if fills and missing and all(isinstance(name, str) and name in example for name in missing):
        return {**arguments, **{name: example[name] for name in missing}}
    return dict(example)


def is_valid(hint: Mapping[str, Any], tool: Tool) -> bool:
    """Return whether the example of a hint is valid for the tool.

    If the schema is too costly to evaluate, the example counts as valid.
    """
    try:
        view = view_of(tool.input_schema)
        return view.is_valid((view.root,), hint["example_input"])
    except SchemaProblem:
        return True


_FIRST = "/0"
_MOST_WAYS = 16


def list_of(parameter_name: str | None, arguments: Any, schema: Mapping[str, Any]) -> str | None:
    """Return the pointer of the list, if the name means the first item of a list but one value was
    sent.

    Return None for every other name, and if the schema does not allow a list there.
    """
    try:
        place = locate(parameter_name, arguments, schema)
        if place is None or not place.endswith(_FIRST):
            return None
        whole = place.removesuffix(_FIRST)
        sent = get(arguments, from_pointer(whole, arguments))
        if not isinstance(sent, str | int | float) or not _takes_a_list(whole, arguments, schema):
            return None
    except SchemaProblem:
        return None
    return whole


def with_lists(arguments: Any, errors: Sequence[ErrorView], schema: Mapping[str, Any]) -> Any:
    """Return the arguments; a value becomes a list of one if a suggestion is for its first item."""
    lists = [list_of(e.parameter_name, arguments, schema) for e in errors if e.has_suggestion]
    for place in dict.fromkeys(each for each in lists if each is not None):
        tokens = from_pointer(place, arguments)
        arguments = put(arguments, tokens, [get(arguments, tokens)])
    return arguments


def _takes_a_list(pointer: str, arguments: Any, schema: Mapping[str, Any]) -> bool:
    view = view_of(schema)
    return any(
        "array" in constraints(flat).kinds
        for nodes in schemas_at(view, arguments, pointer)
        for flat in alternatives(view, nodes, _MOST_WAYS)
    )
