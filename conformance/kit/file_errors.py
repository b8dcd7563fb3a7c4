"""What is wrong with a file that a user gave, in one line."""

from __future__ import annotations

from ruamel.yaml.error import MarkedYAMLError


def in_one_line(error: Exception) -> str:
    """The system's words for it, or YAML's with its place."""
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} ({mark.line + 1}:{mark.column + 1})"
    return getattr(error, "strerror", None) or " ".join(str(error).split())
