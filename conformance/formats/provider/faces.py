"""All APIs of the fake provider, and the choice of one by path."""

from __future__ import annotations

from typing import Any, Final

from conformance.formats.provider.anthropic import AnthropicMessages
from conformance.formats.provider.completion import Asked, Face
from conformance.formats.provider.gemini import GeminiContent
from conformance.formats.provider.openai import OpenAIChat, OpenAIResponses

FACES: Final[tuple[Face, ...]] = (
    OpenAIChat(),
    OpenAIResponses(),
    AnthropicMessages(),
    GeminiContent(),
)


def face_of(path: str, query: str, body: Any) -> tuple[Face, Asked] | None:
    """Return the API that a request belongs to, and what it asks for; None if there is none."""
    for face in FACES:
        asked = face.asked(path, query, body)
        if asked is not None:
            return face, asked
    return None
