"""Model calls through a gateway, each with the provider's answers to its attempts."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from conformance.formats.provider.completion import Completion
from conformance.formats.provider.faces import FACES, face_of
from conformance.kit.cases.provider.turns import NOTHING, Says, Scene, Turn, no_face
from conformance.kit.model.exchange import ModelCall
from conformance.kit.model.performance import Act, Arrival
from conformance.kit.transport.gateway import GatewayBinding
from conformance.spec.vocabulary import ApiFamily

FAMILIES: Final = (ApiFamily.OPENAI, ApiFamily.ANTHROPIC, ApiFamily.GEMINI)
"""The families that a gateway is tested with."""
BASELINE: Final = "baseline"
"""The name of the steps that show whether a family's provider is reached."""

Turns = Callable[[str], tuple[Turn, ...]]
"""Takes a call's nonce, and returns its turns. The last one also answers later attempts."""


def mark_of(nonce: str) -> str:
    """Return the word at the beginning of the content of a call. No other call has it."""
    return f"{nonce}:one"


def pieces_of(nonce: str) -> tuple[str, str, str]:
    """Return the pieces of content of a call.

    The space after the first word is in its piece: some gateways send a word only if it is whole.
    """
    return f"{mark_of(nonce)} ", "two", " three."


def says(nonce: str) -> tuple[Turn, ...]:
    """Return the turns of an answer in three pieces."""
    return (Says(Completion(pieces_of(nonce))),)


def model_name(policy: Mapping[str, Any], entry: str, nonce: str) -> str:
    """Return the model to ask for, as the policy declares it for a family or the fallback chain."""
    declared = policy.get("models")
    named = declared.get(entry) if isinstance(declared, dict) else None
    pattern = named if isinstance(named, str) else f"{entry}/{{nonce}}"
    return pattern.replace("{nonce}", nonce)


class _Play:
    """Plays the turns. The attempts at each family of providers are counted separately."""

    def __init__(self, turns: Mapping[ApiFamily | None, tuple[Turn, ...]], nonce: str) -> None:
        self._turns, self._nonce = turns, nonce
        self._attempts: dict[ApiFamily, int] = {}

    def __call__(self, arrival: Arrival, _: int) -> Iterable[Act]:
        """Return what is done in answer to an arrival. A path without a face is refused."""
        body = _json(arrival.body)
        found = face_of(arrival.path, arrival.query, body)
        if found is None:
            return no_face(arrival).acts(Scene(FACES[0], NOTHING, ""))
        face, asked = found
        number = self._attempts[face.family] = self._attempts.get(face.family, 0) + 1
        turns = self._turns.get(face.family) or self._turns[None]
        id, host = request_id_of(self._nonce, number), arrival.header("host")
        scene = Scene(face, asked, id, host, arrival.port)
        return turns[min(number, len(turns)) - 1].acts(scene)


def request_id_of(nonce: str, attempt: int) -> str:
    """Return the id that the provider gives to a request."""
    return f"req_{nonce.removeprefix('afn-')}_{attempt}"


def model_call(
    binding: GatewayBinding,
    policy: Mapping[str, Any],
    entry: str,
    turns: Turns = says,
    *,
    stream: bool = False,
    more: Mapping[str, Any] | None = None,
    elsewhere: Mapping[ApiFamily, Turns] | None = None,
    leave: Literal["", "content", "request"] = "",
    settle: float = 0.0,
) -> ModelCall:
    """Return a call of a model. `elsewhere` holds the turns of families that differ."""
    nonce = f"afn-{secrets.token_hex(6)}"
    played: dict[ApiFamily | None, tuple[Turn, ...]] = {None: turns(nonce)}
    played |= {family: own(nonce) for family, own in (elsewhere or {}).items()}
    body = {
        "model": model_name(policy, entry, nonce),
        "messages": [{"role": "user", "content": f"Say {nonce}."}],
        **({"stream": True} if stream else {}),
        **(more or {}),
    }
    play = _Play(played, nonce)
    return binding.asks(body, play, nonce=nonce, mark=mark_of(nonce), leave=leave, settle=settle)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
