"""What is wrong with a file that a user gave, in one line."""

from __future__ import annotations

from ruamel.yaml.composer import ComposerError
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

from conformance.kit.config.system_words import system_words
from conformance.spec.messages import Message, message

_SINGLE = "expected a single document in the stream"
"""What YAML's reader says before "but found another document": half a sentence, if shown alone."""


def in_one_line(error: Exception) -> Message | str:
    """What the system says of it, in our words where we have some, or YAML's with its place."""
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        if isinstance(error, ComposerError) and error.context == _SINGLE:
            return message("kit.system.documents", line=mark.line + 1)
        return f"{error.problem} ({mark.line + 1}:{mark.column + 1})"
    if isinstance(error, UnicodeDecodeError | ReaderError):
        return message("kit.system.no_text")
    return system_words(getattr(error, "strerror", None) or " ".join(str(error).split()))
