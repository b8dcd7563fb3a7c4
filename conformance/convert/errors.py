"""Converts failed calls: the ATDF error, the enriched response, and problem details (RFC 9457)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from conformance.convert.portable import Notes
from conformance.formats.problem import Place
from conformance.formats.tool.errors import error_type
from conformance.spec.clauses import id_base
from conformance.spec.vocabulary import ERROR_TYPE_STATUSES, ErrorType

_OWN = ("type", "title", "detail", "instance", "tool_name", "parameter_name", "suggested_value")
_ENVELOPE = ("code", "meta")
_DETAILS = {"field": "parameter_name", "suggested_value": "suggested_value"}
_WHERE = ("body", "query", "path", "header", "cookie")
"""How FastAPI names the part of a request with the mistake, before the steps to it."""
_MORE = "more_errors"
"""The extension of problem details with all errors except the first."""

_KEPT = "error"
"""The member of `meta` in which an enriched response keeps what it has no field for."""


class NotConvertible(Exception):
    """The other form cannot hold anything of a document; `id` is the message that says why."""

    def __init__(self, id: str = "convert.success") -> None:
        super().__init__(id)
        self.id = id


_IN_ENRICHED: dict[str, Place] = {
    "detail": ("data", "message"),
    "parameter_name": ("data", "details", "field"),
    "suggested_value": ("data", "details", "suggested_value"),
    "context": ("data", "details"),
    **{name: ("meta", _KEPT, name) for name in ("type", "title", "instance", "tool_name")},
}
_IN_HINT: dict[str, Place] = {"type": ("reason",), "detail": ("message",), "tool_name": ("tool",)}
"""By member of an error: its place in the other form."""


def known(
    places: Iterable[Place], form: str, data: Any, without: Collection[Place] = ()
) -> list[Place]:
    """Translate places of an error document into places of `data`, which is in `form`.

    Places that `data` does not have are dropped, and those in `without`, which were made on the
    way.
    """
    found = (_elsewhere(place, form) for place in places if place not in without)
    return [place for place in found if place is not None and _has(data, place)]


def _elsewhere(place: Place, form: str) -> Place | None:
    """Return the place in another form for a place of an error document."""
    if form == "error" or place[0] != "errors":
        return ("data", *place) if form == "enriched" and place[0] == "code" else place
    number, *inside = place[1:]
    if form == "problem":
        return tuple(inside) if number == 0 else (_MORE, int(number) - 1, *inside)
    if not inside:
        return None
    table = _IN_HINT if form == "hint" else _IN_ENRICHED
    member, *rest = inside
    if form == "hint" and member in ("parameter_name", "suggested_value"):
        return ("missing_fields", number) if member == "parameter_name" else ("example_input",)
    home = table.get(str(member))
    return None if home is None else (*home, *rest)


def _has(data: Any, place: Place) -> bool:
    for step in place:
        held = isinstance(data, dict) and step in data
        if not held and not (isinstance(data, list) and isinstance(step, int) and step < len(data)):
            return False
        data = data[step]
    return True


def error_to_problem(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return problem details for an error document; further errors are in an extension."""
    first, *others = data["errors"]
    made = {name: value for name, value in first.items() if name != "status"}
    if "status" in first:
        notes.lose(("errors", 0, "status"))
    status = _status(first)
    if status is not None:
        made["status"] = status
        notes.make(("status",))
    if others:
        made[_MORE] = others
    for name, value in data.items():
        if name in _ENVELOPE and name not in made:
            made[name] = value
        elif name != "errors":
            notes.lose((name,))
    return made


def problem_to_error(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the error document for problem details."""
    status = data.get("status")
    own = {name: value for name, value in data.items() if name not in ("status", *_ENVELOPE)}
    others = own.pop(_MORE, [])
    if not isinstance(others, list) or not all(_is_error(each) for each in others):
        notes.lose((_MORE,))
        others = []
    error = _completed(own, status if isinstance(status, int) else None, (), notes)
    if "status" in data and status != _status(error):
        notes.lose(("status",))
    return {
        "errors": [error, *others],
        **{name: data[name] for name in _ENVELOPE if name in data},
    }


def fastapi_to_error(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the error document for the mistakes that FastAPI lists: an error for each."""
    listed = []
    for index, each in enumerate(data["detail"]):
        error: dict[str, Any] = {
            "type": f"{id_base()}/errors/{ErrorType.VALIDATION_ERROR}",
            "detail": each["msg"],
            "parameter_name": _parameter(each["loc"]),
            "context": {name: held for name, held in each.items() if name != "msg"},
        }
        added = Notes()
        listed.append(_completed(error, None, (), added))
        for place in (("errors", 0, "type"), *added.made):
            notes.make(("errors", index, *place[2:]))
    for name in data.keys() - {"detail"}:
        notes.lose((name,))
    return {"errors": listed}


def _parameter(steps: list[Any]) -> str | None:
    """Return the name of a parameter from the steps to it; None if they name no parameter."""
    inside = steps[1:] if steps[:1] and steps[0] in _WHERE else steps
    first, *others = inside or [None]
    if not (isinstance(first, str) and first):
        return None
    return first + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in others)


def enriched_to_error(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the error document for an enriched response; raises `NotConvertible` for a success."""
    if data["status"] != "error":
        raise NotConvertible
    failure: Mapping[str, Any] = data["data"]
    details = failure.get("details", {})
    meta = dict(data.get("meta", {}))
    kept = meta.pop(_KEPT, {})
    error: dict[str, Any] = {"detail": failure["message"]}
    if isinstance(kept, dict):
        error |= {name: value for name, value in kept.items() if name in _OWN}
    else:
        notes.lose(("meta", _KEPT))
    if "tool_name" not in error and isinstance(meta.get("tool_name"), str):
        error["tool_name"] = meta["tool_name"]
    for name, target in _DETAILS.items():
        if name in details:
            error[target] = details[name]
    context = {name: value for name, value in details.items() if name not in _DETAILS}
    for name in failure.keys() - {"code", "message", "details"}:
        notes.lose(("data", name))
    if "details" in failure and not details:
        notes.lose(("data", "details"))
    if context:
        error["context"] = context
    if "type" not in error:
        code = failure["code"]
        word = code if code in list(ErrorType) else _slug(code)
        error["type"] = f"{id_base()}/errors/{word}"
        notes.make(("errors", 0, "type"))
    for name in data.keys() - {"status", "data", "meta"}:
        notes.lose((name,))
    whole = _completed(error, None, ("meta", _KEPT), notes)
    made = {"status": "error", "code": failure["code"], "errors": [whole]}
    if "meta" in data:
        made["meta"] = meta
    return made


def error_to_enriched(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the enriched response for the first error of a document."""
    first, *others = data["errors"]
    for index in range(len(others)):
        notes.lose(("errors", index + 1))
    details = _details(first, notes)
    kept = {name: first[name] for name in ("type", "title", "instance", "tool_name")}
    meta = dict(data.get("meta", {}))
    if _KEPT in meta:
        notes.lose(("meta", _KEPT))
    code = data.get("code")
    if "code" in data and not (isinstance(code, str) and code):
        notes.lose(("code",))
        code = None
    if code is None:
        notes.make(("data", "code"))
        code = error_type(first["type"]) or first["type"]
    if "status" not in data:
        notes.make(("status",))
    for name in data.keys() - {"errors", "status", *_ENVELOPE}:
        notes.lose((name,))
    failure = {"code": code, "message": first["detail"]}
    if details:
        failure["details"] = details
    if "meta" not in data:
        notes.make(("meta",))
    return {"status": "error", "data": failure, "meta": {**meta, _KEPT: kept}}


def _details(error: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the details of an enriched response: the field, the suggestion, and the context."""
    context = error.get("context", {})
    details = {name: error[source] for name, source in _DETAILS.items() if source in error}
    # In details, these members have a fixed form; in a context, they may have any.
    odd: dict[str, Callable[[Any], bool]] = {
        "validation_results": lambda value: not _of_objects(value),
        "solution": lambda value: not (isinstance(value, str) and value),
        "field": lambda _: True,
        "suggested_value": lambda _: True,
    }
    for name, value in context.items():
        if name in odd and odd[name](value):
            notes.lose(("errors", 0, "context", name))
        else:
            details[name] = value
    if "context" in error and not context:
        notes.lose(("errors", 0, "context"))
    for name in error.keys() - {*_OWN, "context"}:
        notes.lose(("errors", 0, name))
    return details


def _of_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _completed(
    error: dict[str, Any], status: int | None, home: Place, notes: Notes
) -> dict[str, Any]:
    """Return an error with all required members, and note those that had to be made.

    `home` is the place in the source whose member `type` was the error's type, if it had one.
    """
    made = dict(error)
    if error_type(made.get("type")) is None or ":" not in str(made.get("type")):
        if "type" in made:
            notes.lose((*home, "type"))
        made["type"] = f"{id_base()}/errors/{_type_for(status)}"
        notes.make(("errors", 0, "type"))
    word = error_type(made["type"]) or ""
    title = made.get("title") or word.replace("-", " ").capitalize()
    wanted = {
        "title": title,
        "detail": title,
        "instance": f"urn:uuid:{uuid.uuid4()}",
        "tool_name": None,
    }
    for name, value in wanted.items():
        if name not in made or (made[name] in ("", None) and value is not None):
            made[name] = value
            notes.make(("errors", 0, name))
    return made


def _status(error: Mapping[str, Any]) -> int | None:
    """Return the HTTP status for a reserved type; None for any other type."""
    word = error_type(error.get("type"))
    return ERROR_TYPE_STATUSES[ErrorType(word)][0] if word in list(ErrorType) else None


def _type_for(status: int | None) -> str:
    """Return the reserved type for a status; if there is none, the status in words."""
    for kind, statuses in ERROR_TYPE_STATUSES.items():
        if status in statuses:
            return kind.value
    known = status is not None and status in [each.value for each in HTTPStatus]
    return _slug(HTTPStatus(status).phrase) if known and status else ErrorType.INTERNAL_ERROR.value


def _is_error(each: Any) -> bool:
    return isinstance(each, dict) and each.keys() >= set(_OWN[:5])


def _slug(text: str) -> str:
    word = "".join(each if each.isascii() and each.isalnum() else "-" for each in text.lower())
    return word.strip("-") or "error"
