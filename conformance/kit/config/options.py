"""The kit's options, declared once: pytest, `agent-formats check` and the settings file read them.

The parsers get no defaults: None means that an option was not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.kit.model.run import KNOWN_VERSIONS, Role
from conformance.kit.model.settings import MAX_EXAMPLES, REPORT_FOLDER, START_TIMEOUT, AllowCalls
from conformance.spec.messages import LANGUAGES, Message, message

_PROFILES = ("atdf", "http", "mcp")


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `facts` are the arguments of argparse's `add_argument`.

    An option that is not given has the value `default`. `repeats` says whether the command that
    repeats a session includes the option.
    """

    name: str
    facts: Mapping[str, Any]
    default: Any = None
    short: str | None = None
    repeats: bool = True

    @property
    def flag(self) -> str:
        """The option as it is written: `--target`."""
        return f"--{self.name}"

    @property
    def flags(self) -> tuple[str, ...]:
        """Its spellings, the short one first."""
        return (self.short, self.flag) if self.short else (self.flag,)

    @property
    def dest(self) -> str:
        """The name under which argparse keeps its value."""
        named: str = self.facts.get("dest", self.name.replace("-", "_"))
        return named

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return self.facts.get("action") == "store_true"

    @property
    def help(self) -> Message:
        """The help text of the option."""
        whole = int(self.default) if isinstance(self.default, float) else self.default
        return message(f"kit.help.{self.name.replace('-', '_')}", default=whole)


def _many(name: str, short: str | None = None, **facts: Any) -> Option:
    return Option(name, {"action": "append", **facts}, default=[], short=short)


def _number(name: str, kind: type, default: float, **facts: Any) -> Option:
    return Option(name, {"type": kind, **facts}, default=default)


@dataclass(frozen=True, slots=True)
class Group:
    """Options that belong together; `title` is English, like all of `--help`."""

    title: str
    options: tuple[Option, ...]


INSTEAD = Group(
    "instead of a full check",
    (
        Option("replay", {"metavar": "CASE-ID"}, repeats=False),
        Option("judge", {"metavar": "FILE"}, repeats=False),
        Option(
            "plan",
            {"action": "store_true", "dest": "plan_only"},
            default=False,
            repeats=False,
        ),
        Option("explain", {"metavar": "CLAUSE"}, repeats=False),
    ),
)
"""Options for the command line alone: in a settings file, they would end each check with 0."""

GROUPS = (
    Group(
        "what to check",
        (
            _many("target", metavar="TARGET"),
            _many("gateway", metavar="PROFILE+URL"),
            Option("provider", {"metavar": "HOST:PORT"}, default="127.0.0.1:9000"),
            Option("gateway-policy", {"metavar": "FILE"}),
            _many("profile", choices=_PROFILES),
            _many("spec-version", choices=KNOWN_VERSIONS),
        ),
    ),
    Group(
        "what makes the session fail",
        (
            _many("fail-on", choices=("must", "should", "superseded")),
            Option(
                "level",
                {"choices": [one.value for role in Role for one in role.levels[1:]]},
                repeats=False,
            ),
            Option("waivers", {"metavar": "FILE"}),
        ),
    ),
    Group(
        "how to reach the server",
        (
            _many("header", "-H", metavar="'NAME: VALUE'"),
            Option("bearer-env", {"metavar": "VAR"}),
            _many("env", metavar="NAME", dest="pass_env"),
            _many("invoke", metavar="'[TOOL=]METHOD PATH'"),
            Option("openapi", {"metavar": "PATH"}),
        ),
    ),
    Group(
        "which tools are called, and with what",
        (
            _many("include-tool", metavar="GLOB"),
            _many("exclude-tool", metavar="GLOB"),
            Option("allow-calls", {"choices": [one.value for one in AllowCalls]}),
            Option("sandbox", {"action": "store_true"}, default=False),
            Option("examples", {"metavar": "FILE"}),
            Option("write-examples", {"metavar": "FILE"}, repeats=False),
            _number("max-examples", int, MAX_EXAMPLES, metavar="N"),
            _number("seed", int, 0),
        ),
    ),
    Group(
        "how fast, and for how long",
        (
            _number("concurrency", int, 16, metavar="N"),
            _number("rate", float, 0.0, metavar="N"),
            _number("max-time", float, 600.0, metavar="SECONDS"),
            _number("request-timeout", float, 10.0, metavar="SECONDS"),
            _number("start-timeout", float, START_TIMEOUT, metavar="SECONDS"),
        ),
    ),
    INSTEAD,
    Group(
        "the report",
        (
            Option("report", {"metavar": "DIR"}, default=REPORT_FOLDER, repeats=False),
            Option("language", {"choices": LANGUAGES}, default="en"),
        ),
    ),
)
KEEPS_PYTEST_QUIET = 2
"""How many `-q` options hide all lines of pytest itself; `agent-formats check` uses as many."""

OPTIONS = {option.name: option for group in GROUPS for option in group.options}
"""Every option by its name, without the dashes."""


def add_options(group: Group, add: Callable[..., object]) -> None:
    """Declare a group's options to a parser; `add` has the signature of `add_argument`."""
    for option in group.options:
        said = option.help.words("en").replace("%", "%%")
        add(*option.flags, help=said, default=None, **option.facts)


def given_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kit's options that a parser was given, by `dest`."""
    found = ((option.dest, values.get(option.dest)) for option in OPTIONS.values())
    return {dest: value for dest, value in found if value is not None}


def with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every option by `dest`, with its default if it was not given."""
    return {one.dest: given.get(one.dest, one.default) for one in OPTIONS.values()}


def repeating(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words that repeat a session. They contain secrets as they were given."""
    kept = {one.dest for one in OPTIONS.values() if one.repeats}
    return tuple(words_of({dest: value for dest, value in given.items() if dest in kept}))


def words_of(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of a command line that gives these options; `given` has them by `dest`."""
    for option in OPTIONS.values():
        value = given.get(option.dest)
        if value is None or value is False:
            continue
        if value is True:
            yield option.flag
            continue
        for each in value if isinstance(value, list) else [value]:
            word = f"{each:g}" if isinstance(each, float) else str(each)
            yield from (
                [f"{option.flag}={word}"] if word.startswith(("-", "@")) else [option.flag, word]
            )
