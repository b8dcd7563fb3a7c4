"""All faces of the fake provider, and which of them a path belongs to."""

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
    """The face that a request belongs to, with what it asks for; None where there is none."""
    for face in FACES:
        asked = face.asked(path, query, body)
        if asked is not None:
            return face, asked
    return None
