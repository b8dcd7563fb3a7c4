"""What was given on the command line and in the settings file, and the line that repeats it.

The options are declared once, to pytest; they are read here by a parser made of the same
declarations, because pytest doesn't tell what was given from what stands at its default.
"""

from __future__ import annotations

import argparse
import os
import shlex
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest

from conformance.kit.plugin.options import add_options
from conformance.spec.messages import message

SETTINGS = "agent-formats.toml"
PROJECT = "pyproject.toml"
TABLE = "agent-formats"

NOT_REPEATED = frozenset({"level", "replay", "plan_only", "explain", "report", "judge"})
"""Options that ask for something else than the same calls."""
FILES = frozenset({"examples", "waivers", "openapi"})
"""Options that name a file: it has to be found from the clone's root too."""


class _Unusable(Exception):
    """The words cannot be parsed; the text says why."""


class _Declared(argparse.ArgumentParser):
    """Takes the declarations that are meant for pytest's parser."""

    def __init__(self) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self.declared: dict[str, argparse.Action] = {}

    def getgroup(self, *_: str) -> _Declared:
        return self

    def addoption(self, *names: str, **attributes: Any) -> None:
        action = self.add_argument(*names, **{**attributes, "default": argparse.SUPPRESS})
        long = next(name for name in names if name.startswith("--"))
        self.declared[long.removeprefix("--")] = action

    def error(self, said: str) -> NoReturn:
        raise _Unusable(said)


def _declared() -> _Declared:
    parser = _Declared()
    add_options(cast(pytest.Parser, parser))
    return parser


def fill_in(config: pytest.Config) -> None:
    """Take from the settings file what the command line leaves open; raises pytest.UsageError."""
    parser = _declared()
    asked = _given(config, parser)
    language = asked.get("language", "en")
    path, table = _settings(Path(config.invocation_params.dir), language)
    for dest, value in _parsed(path, table, parser, language).items():
        if dest not in asked:
            setattr(config.option, dest, value)


def given_options(config: pytest.Config) -> tuple[str, ...]:
    """The kit's options that the command line holds, as they are written: `--target`."""
    parser = _declared()
    asked = _given(config, parser)
    return tuple(f"--{name}" for name, act in parser.declared.items() if act.dest in asked)


def options_of(config: pytest.Config) -> tuple[str, ...]:
    """The words that repeat a session: what was given here and in the settings file.

    Secrets are in them as they were given: redact each word before it is quoted.
    """
    parser = _declared()
    asked = _given(config, parser)
    path, table = _settings(Path(config.invocation_params.dir), "en")
    held = {**_parsed(path, table, parser, "en"), **asked}
    words: list[str] = []
    for name, action in parser.declared.items():
        if action.dest not in held or action.dest in NOT_REPEATED:
            continue
        value = held[action.dest]
        if value is True:
            words.append(f"--{name}")
            continue
        for each in value if isinstance(value, list) else [value]:
            shown = _found(config, str(each)) if action.dest in FILES else _plain(each)
            words += [f"--{name}", shown]
    return tuple(words)


def _given(config: pytest.Config, parser: _Declared) -> dict[str, Any]:
    """What the command line holds, and pytest's own additions to it."""
    added = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    words = [*config.getini("addopts"), *added, *map(str, config.invocation_params.args)]
    known, _ = parser.parse_known_args(words)  # pytest has parsed them before: they are sound
    return vars(known)


def _settings(folder: Path, language: str) -> tuple[Path, Mapping[str, Any]]:
    """The settings file of a folder and what it says of us; empty where there is none."""
    for path, own in ((folder / SETTINGS, True), (folder / PROJECT, False)):
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            if not own:
                continue  # other tools say what is wrong with it; it may not be about us at all
            raise _refused(path, str(error), language) from None
        table = document if own else document.get("tool", {}).get(TABLE)
        if table is not None:
            return path, table
    return folder / SETTINGS, {}


def _parsed(
    path: Path, table: Mapping[str, Any], parser: _Declared, language: str
) -> dict[str, Any]:
    words: list[str] = []
    for key, value in table.items():
        name = key.replace("_", "-")
        action = parser.declared.get(name)
        if action is None:
            nearest = next(iter(get_close_matches(name, parser.declared, 1, 0)), "")
            reason = message("kit.settings.unknown", key=key, nearest=nearest).words(language)
            raise _refused(path, reason, language)
        if action.nargs == 0:
            words += [f"--{name}"] if value is True else []
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, (dict, list, bool)):
                reason = message("kit.settings.value", key=key).words(language)
                raise _refused(path, reason, language)
            words.append(f"--{name}={each}")
    try:
        return vars(parser.parse_args(words))
    except _Unusable as error:
        raise _refused(path, str(error), language) from None


def _refused(path: Path, reason: str, language: str) -> pytest.UsageError:
    return pytest.UsageError(
        message("kit.settings.unusable", file=path.name, reason=reason.rstrip(".")).words(language)
    )


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _found(config: pytest.Config, path: str) -> str:
    here = Path(config.invocation_params.dir)
    return path if here == config.rootpath else str(here / path)
