"""A gateway policy that its schema takes, and that cannot be meant so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from conformance.spec.messages import Message, message
from conformance.spec.published import validator
from conformance.spec.vocabulary import ApiFamily

PLAYED: Final = tuple(each.value for each in ApiFamily if each is not ApiFamily.CUSTOM)
"""The families of the providers that the kit plays."""
_CHAIN: Final = "chain"


def mistaken(policy: Any) -> Message | None:
    """The first mistake: a member that no policy has, or a provider that cannot be played."""
    return next(_mistakes(policy), None)


def _mistakes(policy: Any) -> Iterator[Message]:
    if not isinstance(policy, dict):
        return  # the schema refuses it
    known = _members("gateway-policy")
    yield from _unknown("", policy, known)
    members: dict[str, Collection[str]] = {
        name: each["properties"] for name, each in known.items() if "properties" in each
    }
    members["retry"] = _members("retry-policy")
    members["models"] = (*PLAYED, _CHAIN)
    for name, own in members.items():
        held = policy.get(name)
        if isinstance(held, dict):
            yield from _unknown(f"{name}.", held, own)
    fallback = policy.get("fallback")
    order = fallback.get("order") if isinstance(fallback, dict) else None
    listed = order if isinstance(order, list) else []
    for place, family in enumerate(listed):
        if family in listed[:place]:
            yield message("kit.policy.twice", family=str(family))
        elif family == ApiFamily.CUSTOM:
            families = ", ".join(f"`{each}`" for each in PLAYED)
            yield message("kit.policy.custom", families=families)


def _members(document: str) -> Mapping[str, Any]:
    schema = validator(document).schema
    assert isinstance(schema, dict)
    members: Mapping[str, Any] = schema["properties"]
    return members


def _unknown(lead: str, held: Mapping[Any, Any], known: Collection[str]) -> Iterator[Message]:
    for name in held:
        if name not in known:
            near = get_close_matches(str(name), known, 1)
            id = "kit.policy.member_near" if near else "kit.policy.member"
            listed = ", ".join(f"`{lead}{each}`" for each in known)
            values = {"nearest": f"{lead}{near[0]}"} if near else {"known": listed}
            yield message(id, name=f"{lead}{name}", **values)
