"""The rules for errors, retries and recorded streams of model calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.formats.problem import json_path, shown
from conformance.formats.runtime.kinds import Broken, Rule
from conformance.formats.runtime.provider_errors import By, classify, named
from conformance.formats.runtime.stream import disorder, read_stream
from conformance.formats.schema.work import errors_in
from conformance.spec.messages import message
from conformance.spec.published import surely_valid
from conformance.spec.vocabulary import (
    RUNTIME_ERROR_NAME_CATEGORY,
    RUNTIME_ERROR_NAME_CODE,
    RUNTIME_ERROR_NAME_FALLBACKABLE,
    RUNTIME_ERROR_NAME_RETRYABLE,
    RuntimeErrorCode,
    WireForm,
)

Members = Mapping[str, Any]


def _pair(error: Members) -> Iterator[Broken]:
    """Yield a `code` that belongs to another error than `name` (RT-ERR-003)."""
    name, code = named(error.get("name")), error.get("code")
    if name and code in list(RuntimeErrorCode) and RUNTIME_ERROR_NAME_CODE[name] != code:
        said = message("documents.error.pair", code=shown(code), name=shown(name))
        yield ("code",), said


def _flags(error: Members) -> Iterator[Broken]:
    """Yield the flags that differ from the table of errors (RT-ERR-004)."""
    name = named(error.get("name"))
    if name is None:
        return
    table = {
        "category": RUNTIME_ERROR_NAME_CATEGORY[name].value,
        "retryable": RUNTIME_ERROR_NAME_RETRYABLE[name],
        "fallbackable": RUNTIME_ERROR_NAME_FALLBACKABLE[name],
    }
    for member, expected in table.items():
        if member in error and error[member] != expected:
            said = message(
                "documents.error.flag", member=member, name=shown(name), expected=shown(expected)
            )
            yield (member,), said


def _class(record: Members) -> Iterator[Broken]:
    """Yield a `name` other than the class of the provider's error (RT-ERR-006)."""
    told = record.get("provider_error")
    if not isinstance(told, dict) or named(record.get("name")) is None:
        return
    held = record.get("error_classification")
    found = classify(
        held if isinstance(held, dict) else {},
        codes=(told["code"],) if "code" in told else (),
        said=told.get("message"),
        status=told.get("status"),
    )
    if record["name"] != found.name:
        how = "unclassified" if found.by is By.NOTHING else "class"
        said = message(f"documents.error.{how}", expected=shown(found.name), by=found.by)
        yield ("name",), said


def _number(policy: Members, member: str) -> float | None:
    value = policy.get(member)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _delays(policy: Members) -> Iterator[Broken]:
    """Yield a `max_delay_ms` that is less than `initial_delay_ms` (RT-RTY-006)."""
    first, most = _number(policy, "initial_delay_ms"), _number(policy, "max_delay_ms")
    if first is not None and most is not None and most < first:
        yield ("max_delay_ms",), message("documents.retry.delays", initial=shown(first))


def _listed(policy: Members) -> Iterator[Broken]:
    """Yield listed errors that are not retryable (RT-RTY-007)."""
    names = policy.get("retryable_errors")
    for index, each in enumerate(names if isinstance(names, list) else ()):
        name = named(each)
        if name is not None and not RUNTIME_ERROR_NAME_RETRYABLE[name]:
            said = message("documents.retry.idle_name", name=shown(name))
            yield ("retryable_errors", index), said


def as_recorded(record: Members) -> Iterator[tuple[str, Broken]]:
    """Yield the faults of a recorded stream (RT-WIRE-002 to RT-WIRE-004)."""
    text, wire = record.get("text"), record.get("wire")
    if not isinstance(text, str) or wire not in list(WireForm):
        return
    events, unread = read_stream(text, WireForm(wire))
    for each in unread:
        yield each.clause, (("text",), each.said)
    if unread:
        return
    for number, event in enumerate(events, 1):
        sound = surely_valid("stream-event", event)
        for error in () if sound else errors_in("stream-event", event):
            said = message(
                "documents.wire.event",
                number=number,
                keyword=error.validator,
                place=json_path(error.absolute_path),
            )
            yield "RT-WIRE-004", (("text",), said)
    for found in disorder(events):
        yield "RT-WIRE-004", (("text",), found.said)


MODEL_RULES: Mapping[str, tuple[tuple[str, Rule], ...]] = {
    "error": (("RT-ERR-003", _pair), ("RT-ERR-004", _flags)),
    "classification-record": (("RT-ERR-006", _class),),
    "retry-policy": (("RT-RTY-006", _delays), ("RT-RTY-007", _listed)),
}
"""The clauses of each document, with the rule that serves each clause."""
