"""The rules for provider manifests that a JSON Schema cannot express."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import Place, shown
from conformance.formats.runtime.event_rules import MOST_RULES
from conformance.formats.runtime.kinds import Broken, Rule
from conformance.formats.runtime.recognition import family_of
from conformance.formats.runtime.rule_language import RuleError, expression, path
from conformance.formats.schema.ecma.patterns import is_known
from conformance.formats.schema.keyword_words import words
from conformance.formats.schema.work import errors_in
from conformance.spec.messages import Message, message
from conformance.spec.published import surely_valid, validator
from conformance.spec.vocabulary import (
    STANDARD_PARAMETER_TYPES,
    STREAM_EVENT_PAYLOAD,
    StandardParameter,
    StreamEventName,
    TerminationReason,
)

Members = Mapping[str, Any]

_EVENTS = tuple(StreamEventName)
_PARAMETERS = tuple(StandardParameter)
_REASONS = tuple(TerminationReason)

_STARTS_ITSELF = "tool_name"
"""A field that a rule for fragments may extract too, so that the first fragment starts its call."""


def _object(value: Any) -> Members:
    return value if isinstance(value, dict) else {}


def _rules(manifest: Members) -> Iterator[tuple[Place, Members]]:
    listed = _object(manifest.get("streaming")).get("event_map")
    for index, each in enumerate(listed[:MOST_RULES] if isinstance(listed, list) else ()):
        if isinstance(each, dict):
            yield ("streaming", "event_map", index), each


def _beyond(listed: Any, *place: str) -> Iterator[Broken]:
    if isinstance(listed, list) and len(listed) > MOST_RULES:
        yield (*place, MOST_RULES), message("documents.rule.too_many", limit=MOST_RULES)


def _syntax(error: RuleError) -> Message:
    return message("documents.rule.syntax", what=shown(error.what, 20), column=error.column)


def _matches(manifest: Members) -> Iterator[Broken]:
    """Yield rules whose `match` is invalid (RT-RULE-001)."""
    for place, rule in _rules(manifest):
        if isinstance(rule.get("match"), str):
            try:
                expression(rule["match"])
            except RuleError as error:
                yield (*place, "match"), _syntax(error)
    listed = _object(manifest.get("streaming")).get("event_map")
    yield from _beyond(listed, "streaming", "event_map")


def _extracts(rule: Members) -> Iterator[tuple[str, str, Any]]:
    for member in ("extract", "fields"):
        for name, source in _object(rule.get(member)).items():
            yield member, name, source


def _paths(manifest: Members) -> Iterator[Broken]:
    """Yield invalid paths in `extract` (RT-RULE-002)."""
    for place, rule in _rules(manifest):
        for member, name, source in _extracts(rule):
            if isinstance(source, str) and source.startswith("$"):
                try:
                    path(source)
                except RuleError as error:
                    yield (*place, member, name), _syntax(error)


def _fields(manifest: Members) -> Iterator[Broken]:
    """Yield extracted fields that the event does not have (RT-RULE-003)."""
    for place, rule in _rules(manifest):
        if rule.get("emit") not in _EVENTS:
            continue
        event = StreamEventName(rule["emit"])
        known = set(STREAM_EVENT_PAYLOAD[event])
        if event is StreamEventName.PARTIALTOOLCALL:
            known.add(_STARTS_ITSELF)
        for member, name, _ in _extracts(rule):
            if name.partition(".")[0] not in known:
                yield (*place, member, name), message("documents.rule.field", name=shown(name))


def _parameters(manifest: Members) -> Iterator[tuple[StandardParameter, Members]]:
    for name, entry in _object(manifest.get("parameters")).items():
        if name in _PARAMETERS and isinstance(entry, dict):
            yield StandardParameter(name), entry


def _limits(name: StandardParameter) -> tuple[float | None, float | None]:
    """Return the standard minimum and maximum of a parameter; None if it has no such limit."""
    schema: Any = validator("call-parameters").schema
    own = schema["properties"][name.value]
    return own.get("minimum"), own.get("maximum")


def _ranges(manifest: Members) -> Iterator[Broken]:
    """Yield limits of a parameter that are outside the standard range (RT-MAN-013)."""
    for name, entry in _parameters(manifest):
        low, high = _limits(name)
        pair = entry.get("range")
        bounds: list[tuple[Place, Any]] = [
            (("min",), entry.get("min")),
            (("max",), entry.get("max")),
        ]
        if isinstance(pair, list):
            bounds += [(("range", index), each) for index, each in enumerate(pair)]
        for inside, value in bounds:
            if not isinstance(value, int | float) or isinstance(value, bool):
                continue
            if (low is not None and value < low) or (high is not None and value > high):
                said = message(
                    "documents.manifest.range",
                    name=shown(name),
                    low="−∞" if low is None else shown(low),
                    high="∞" if high is None else shown(high),
                )
                yield ("parameters", name.value, *inside), said


def _types(manifest: Members) -> Iterator[Broken]:
    """Yield types other than the standard type of a parameter (RT-MAN-014)."""
    for name, entry in _parameters(manifest):
        expected = STANDARD_PARAMETER_TYPES[name]
        if isinstance(entry.get("type"), str) and entry["type"] not in expected:
            listed = " | ".join(expected)
            said = message("documents.manifest.type", name=shown(name), expected=listed)
            yield ("parameters", name.value, "type"), said


def _patterns(manifest: Members) -> Iterator[Broken]:
    """Yield error patterns that are not regular expressions of ECMAScript (RT-MAN-015)."""
    listed = _object(manifest.get("error_classification")).get("by_error_message")
    yield from _beyond(listed, "error_classification", "by_error_message")
    for index, each in enumerate(listed[:MOST_RULES] if isinstance(listed, list) else ()):
        pattern = _object(each).get("pattern")
        if isinstance(pattern, str) and not is_known(pattern):
            said = message("documents.manifest.pattern", pattern=shown(pattern))
            yield ("error_classification", "by_error_message", index, "pattern"), said


def _retry(manifest: Members) -> Iterator[Broken]:
    """Yield the errors of the retry policy (RT-MAN-016)."""
    if "retry_policy" in manifest and not surely_valid("retry-policy", manifest["retry_policy"]):
        for error in errors_in("retry-policy", manifest["retry_policy"]):
            yield ("retry_policy", *error.absolute_path), words(error, "retry-policy")


def _kind(member: str, value: Any) -> Message:
    return message("documents.manifest.kind", member=member, value=shown(value))


def _termination(manifest: Members) -> Iterator[Broken]:
    """Yield the faults of `termination` (RT-MAN-017)."""
    if "termination" not in manifest:
        return
    held = manifest["termination"]
    if not isinstance(held, dict) or not isinstance(held.get("mapping"), dict):
        yield ("termination",), _kind("termination", held)
        return
    if not isinstance(held.get("source_field"), str):
        yield ("termination",), _kind("source_field", held.get("source_field"))
    for name, value in held["mapping"].items():
        if value not in _REASONS:
            said = message("documents.manifest.reason", value=shown(value))
            yield ("termination", "mapping", name), said


def _extras(manifest: Members) -> Iterator[Broken]:
    """Yield rate limit headers and metadata of the wrong type (RT-MAN-018)."""
    headers = manifest.get("rate_limit_headers", {})
    named = isinstance(headers, dict) and all(isinstance(each, str) for each in headers.values())
    if not named:
        yield ("rate_limit_headers",), _kind("rate_limit_headers", headers)
    if not isinstance(manifest.get("metadata", {}), dict):
        yield ("metadata",), _kind("metadata", manifest["metadata"])


def _family(manifest: Members) -> Iterator[Broken]:
    """Yield a manifest without `api_family` whose adapter names a family (RT-FAM-002)."""
    family = family_of(manifest)
    if "api_family" not in manifest and family is not None:
        yield (), message("documents.manifest.family", family=shown(family))


def _unknown(manifest: Members) -> Iterator[Broken]:
    """Yield one message with all unknown fields of a manifest (RT-MAN-019)."""
    schema: Any = validator("provider-manifest").schema
    names = [name for name in manifest if name not in schema["properties"] and name != "$schema"]
    if names:
        listed = ", ".join(
            [*(shown(name, 40) for name in names[:20]), *(["…"] if names[20:] else [])]
        )
        yield (), message("documents.manifest.unknown", count=len(names), names=listed)


MANIFEST_RULES: Mapping[str, tuple[tuple[str, Rule], ...]] = {
    "provider-manifest": (
        ("RT-RULE-001", _matches),
        ("RT-RULE-002", _paths),
        ("RT-RULE-003", _fields),
        ("RT-FAM-002", _family),
        ("RT-MAN-013", _ranges),
        ("RT-MAN-014", _types),
        ("RT-MAN-015", _patterns),
        ("RT-MAN-016", _retry),
        ("RT-MAN-017", _termination),
        ("RT-MAN-018", _extras),
        ("RT-MAN-019", _unknown),
    ),
}
"""The clauses of each document, with the rule that serves each clause."""
