"""The file of `--examples`: known valid calls, by tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from conformance.kit.config.given_files import LARGEST, given_json
from conformance.kit.config.system_words import in_one_line
from conformance.spec.messages import Message, message

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


class ExamplesUnusable(Exception):
    """The file of `--examples` cannot be used. The message says why and what to do."""

    def __init__(self, words: Message) -> None:
        super().__init__(words.id)
        self.words = words


def _unusable(id: str, **values: object) -> ExamplesUnusable:
    return ExamplesUnusable(message(id, **values))


def read_examples(
    path: str, environment: Mapping[str, str], language: str
) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the calls of a file by tool, with each ${NAME} filled in.

    Raises `ExamplesUnusable`.
    """
    try:
        loaded = given_json(Path(path))
    except (OSError, ValueError, YAMLError) as error:
        said = in_one_line(error)
        words = said.words(language) if isinstance(said, Message) else said
        reason = words.rstrip(".")  # a sentence of its own has a full stop already
        raise _unusable("kit.option.examples", path=path, reason=reason) from None
    filled = _filled(loaded, _filler(environment, path, language))
    found: dict[str, tuple[Mapping[str, Any], ...]] = {}
    for tool, calls in (filled if isinstance(filled, dict) else {"": None}).items():
        sound = isinstance(tool, str) and isinstance(calls, list)
        if not sound or not all(isinstance(call, dict) for call in calls or ()):
            reason = message("kit.option.examples_shape").words(language)
            raise _unusable("kit.option.examples", path=path, reason=reason)
        found[tool] = tuple(calls or ())
    return found


def _filler(
    environment: Mapping[str, str], path: str, language: str
) -> Callable[[re.Match[str]], str]:
    """Return what gives the value of a ${NAME}: together at most as much as a file may have."""
    left = LARGEST

    def variable(found: re.Match[str]) -> str:
        nonlocal left
        name = found.group(1)
        if name not in environment:
            raise _unusable("kit.option.examples_variable", name=name, path=path)
        left -= len(environment[name])
        if left < 0:
            reason = message("kit.system.too_large").words(language)
            raise _unusable("kit.option.examples", path=path, reason=reason)
        return environment[name]

    return variable


def _filled(value: Any, variable: Callable[[re.Match[str]], str]) -> Any:
    """Return `value` with each ${NAME} filled in."""
    if isinstance(value, dict):
        return {k: _filled(v, variable) for k, v in value.items()}
    if isinstance(value, list):
        return [_filled(v, variable) for v in value]
    return _PLACEHOLDER.sub(variable, value) if isinstance(value, str) else value
