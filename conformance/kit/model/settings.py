"""What the command line asked for, checked once and passed on as a value."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from conformance.kit.model.results import Waiver
from conformance.spec.vocabulary import Level

MAX_EXAMPLES: Final = 25
START_TIMEOUT: Final = 120.0
"""Seconds. An interpreter, its packages and perhaps a model have to load."""
REPORT_FOLDER: Final = "conformance-report"
EVERY_OTHER_TOOL: Final = ""
"""Stands for all tools that have no route and are not named."""
RECORD: Final = "exchanges.ndjson"
"""The file in the report directory that holds all evidence of a session."""
SELECTION_FOLDER: Final = "selection"
REPLAY_FOLDER: Final = "replay"
"""The subdirectory for the report of a session that checks only a part."""


class AllowCalls(StrEnum):
    """Which tools may be called."""

    AUTO = "auto"
    READ_ONLY = "read-only"
    ALL = "all"
    NONE = "none"


_SIGNS: Final = frozenset("*?[")


def is_pattern(glob: str) -> bool:
    """Return whether a glob can match more than its own text."""
    return not _SIGNS.isdisjoint(glob)


@lru_cache(maxsize=8)
def _matching(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a function that says whether a name matches any glob.

    Python's own cache of globs is too small for a file with many.
    """
    patterns = [re.compile(fnmatch.translate(glob)).match for glob in globs if is_pattern(glob)]
    names = {glob for glob in globs if not is_pattern(glob)}
    return lambda name: name in names or any(matches(name) for matches in patterns)


@dataclass(frozen=True, slots=True)
class Settings:
    """One session's settings. Times are in seconds, `rate` in requests per second (0: no limit).

    `headers` go with every HTTP request. `environment` holds variables that a started server gets
    in addition to the usual ones. `examples` maps the name of a tool to known valid arguments.
    """

    targets: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    spec_versions: tuple[str, ...] = ()
    """The MCP versions to check; empty for all that the target agrees to."""
    fail_on_should: bool = False
    fail_on_superseded: bool = False
    """Whether failures of superseded protocol versions fail the session."""
    level: Level | None = None
    headers: tuple[tuple[str, str], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    invoke: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The method and path for calling a tool over HTTP, by its name or `EVERY_OTHER_TOOL`."""
    include_tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    provider: tuple[str, int] = ("127.0.0.1", 9000)
    """The address where the kit listens as the provider of a gateway."""
    gateway_policy: Mapping[str, Any] = field(default_factory=dict)
    """What the user declares of a gateway; empty if nothing."""
    openapi: str | None = None
    """The place of the target's OpenAPI document: a path or a full address."""
    allow_calls: AllowCalls = AllowCalls.AUTO
    sandbox: bool = False
    """Whether a server that the kit starts has no network and no file that it can write to."""
    examples: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    write_examples: Path | None = None
    """The file for calls that were not accepted, for the user to edit."""
    seed: int = 0
    max_examples: int = MAX_EXAMPLES
    """The number of random calls for each tool: so many valid ones, and as many broken ones."""
    concurrency: int = 16
    rate: float = 0.0
    max_time: float = 600.0
    request_timeout: float = 10.0
    start_timeout: float = START_TIMEOUT
    """The time limit for the first answer of a process that the kit starts."""
    waivers: tuple[Waiver, ...] = ()
    waivers_file: str = ""
    report: Path = Path(REPORT_FOLDER)
    language: str = "en"
    replay: str | None = None
    judge: Path | None = None
    """A recorded session to judge again in place of a target."""
    plan_only: bool = False
    secrets: tuple[str, ...] = ()
    """What is never written, including variables of this machine that look like secrets."""
    credentials: tuple[str, ...] = ()
    """What an answer must not repeat: secret values that the target was given."""

    def selects(self, tool: str) -> bool:
        """Return whether the command line's globs include this tool."""
        if _matching(self.exclude_tools)(tool):
            return False
        return not self.include_tools or _matching(self.include_tools)(tool)

    def speaks(self, version: str) -> bool:
        """Return whether an MCP version is checked."""
        return not self.spec_versions or version in self.spec_versions

    def asks_for(self, profile: str) -> bool:
        """Return whether a binding, `http` or `mcp`, is checked: both if the user named none."""
        named = {"http", "mcp"} & set(self.profiles)
        return not named or profile in named
