"""The messages for a value that a JSON Schema refuses: one sentence for each keyword."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from conformance.formats.problem import shown
from conformance.formats.schema.blank import SAYS_SOMETHING, is_blank
from conformance.spec.format_checker import format_checker
from conformance.spec.messages import Message, message
from conformance.spec.published import barring, deciding, other_choice

_OF_OTHERS = ("minimum", "const")
"""The keywords whose message names the other members that decide what the value may be."""


def words(error: ValidationError, document: str | None = None) -> Message:
    """Return the message for an error: what is wrong, and what to do.

    `document` is the published document whose schema has refused the value, if it is one.
    """
    keyword = str(error.validator)
    if document is not None and keyword == "required":
        other = other_choice(document, error.absolute_schema_path)
        if other is not None:
            name = missing_name(error)
            return message("documents.keyword.required.either", name=name, other=other)
    barred = _barred(error)
    if document is not None and barred:
        other = barring(document, error.absolute_schema_path)
        if other is not None:
            return message("documents.keyword.not.with", names=barred, other=other)
    if document is not None and keyword in _OF_OTHERS:
        others = ", ".join(f"`{each}`" for each in deciding(document, error.absolute_schema_path))
        if others:
            limit = shown(error.validator_value)
            return _with(f"{keyword}.with", error, limit=limit, others=others)
    return _WORDS.get(keyword, _other)(error)


def missing_name(error: ValidationError) -> str | None:
    """Return the missing property that an error is about; None for any other error."""
    if error.validator != "required" or not isinstance(error.instance, dict):
        return None
    # jsonschema makes one error for each missing name, in the order of the keyword's list. Only its
    # sentence says which name, so the name is searched there.
    wanted: Any = error.validator_value
    names = [each for each in wanted if each not in error.instance]
    return next((each for each in names if error.message.startswith(repr(each))), None)


def _required(error: ValidationError) -> Message:
    name = missing_name(error) or "?"
    declared: Any = error.schema.get("properties") if isinstance(error.schema, dict) else None
    known = declared.get(name) if isinstance(declared, dict) else None
    if isinstance(known, dict) and isinstance(known.get("enum"), list):
        allowed = ", ".join(shown(each, 40) for each in known["enum"])
        return message("documents.keyword.required.one", name=name, allowed=allowed)
    return message("documents.keyword.required", name=name)


def _type(error: ValidationError) -> Message:
    wanted = error.validator_value
    listed = wanted if isinstance(wanted, list) else [wanted]
    bare = isinstance(error.instance, bool | int | float) and {"string", "null"}.issuperset(listed)
    name = "type.quotes" if bare and "string" in listed else "type"
    return _with(name, error, expected=" | ".join(map(str, listed)))


def _barred(error: ValidationError) -> str:
    """The names of the members that a `not` bars; empty for any other error."""
    barred = error.validator_value
    if error.validator != "not" or not isinstance(barred, dict) or barred.keys() != {"required"}:
        return ""
    return ", ".join(f"`{each}`" for each in barred["required"])


def _not(error: ValidationError) -> Message:
    if names := _barred(error):
        return message("documents.keyword.not.required", names=names)
    return _with("not", error)


def _pattern(error: ValidationError) -> Message:
    if error.validator_value == SAYS_SOMETHING and is_blank(str(error.instance)):
        return message(f"documents.keyword.{'blank' if error.instance else 'empty'}")
    if error.absolute_path and error.absolute_path[-1] == "schema_version":
        return message("documents.resource.version", version=shown(error.instance))
    return _with("pattern.name" if _is_name(error) else "pattern", error)


def _is_name(error: ValidationError) -> bool:
    """Whether the value is the name of a member, and not what the place of the error has."""
    *_, above, keyword, _ = (None, None, None, *error.absolute_schema_path)
    return keyword == "propertyNames" and above != "properties"


def _limit(keyword: str) -> Callable[[ValidationError], Message]:
    return lambda error: _with(keyword, error, limit=shown(error.validator_value))


def _min_length(error: ValidationError) -> Message:
    if error.validator_value == 1:
        return message("documents.keyword.empty")
    return _with("minLength", error, limit=error.validator_value)


def _extra(error: ValidationError) -> Message:
    instance: Any = error.instance
    known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
    # Other schemas may know a member too. Only the sentence of jsonschema says which are not known.
    extra = [name for name in instance if name not in known and repr(name) in error.message]
    names = ", ".join([*(shown(name, 40) for name in extra[:5]), *(["…"] if extra[5:] else [])])
    return message("documents.keyword.additionalproperties", names=names, count=len(extra))


def _enum(error: ValidationError) -> Message:
    allowed: Any = error.validator_value
    return _with("enum", error, allowed=", ".join(shown(each, 40) for each in allowed))


def _const(error: ValidationError) -> Message:
    return _with("const", error, expected=shown(error.validator_value))


FORMS: Final = {
    "date": "2030-01-02",
    "date-time": "2030-01-02T10:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com/name",
    "uri-reference": "/name",
}
"""A value of each format that the published schemas use, as a message shows it."""


def _format(error: ValidationError) -> Message:
    wanted, value = str(error.validator_value), f"{error.instance}Z"
    checker = format_checker(Draft202012Validator)
    offset = wanted == "date-time" and checker.conforms(value, wanted)
    if offset:
        return _with("format.offset", error, format=wanted)
    like = FORMS.get(wanted)
    if like is None:
        return _with("format", error, format=wanted)
    return _with("format.like", error, format=wanted, like=shown(like))


def _plain(keyword: str) -> Callable[[ValidationError], Message]:
    return lambda error: _with(keyword, error)


def _other(error: ValidationError) -> Message:
    return message("documents.keyword.other", keyword=error.validator, value=shown(error.instance))


def _with(keyword: str, error: ValidationError, **more: Any) -> Message:
    name = f"documents.keyword.{keyword.lower()}"
    return message(name, value=shown(error.instance), **more)


_WORDS: Mapping[str, Callable[[ValidationError], Message]] = {
    "required": _required,
    "type": _type,
    "not": _not,
    "const": _const,
    "enum": _enum,
    "format": _format,
    "pattern": _pattern,
    "uniqueItems": _plain("uniqueItems"),
    "minLength": _min_length,
    "maxLength": _limit("maxLength"),
    "minItems": _limit("minItems"),
    "maxItems": _limit("maxItems"),
    "minProperties": _limit("minProperties"),
    "minimum": _limit("minimum"),
    "maximum": _limit("maximum"),
    "exclusiveMinimum": _limit("exclusiveMinimum"),
    "exclusiveMaximum": _limit("exclusiveMaximum"),
    "multipleOf": _limit("multipleOf"),
    "additionalProperties": _extra,
    "unevaluatedProperties": _extra,
}
