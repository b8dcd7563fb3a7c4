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
"""Seconds: an interpreter, its packages and perhaps a model have to be loaded."""
REPORT_FOLDER: Final = "conformance-report"
EVERY_OTHER_TOOL: Final = ""
"""In place of a tool's name: all those that name no route, and are not named."""
RECORD: Final = "exchanges.ndjson"
"""The file, inside of that, that holds all evidence of a session."""
SELECTION_FOLDER: Final = "selection"
REPLAY_FOLDER: Final = "replay"
"""Where, inside of that, the report of a session goes that judges only a part."""


class AllowCalls(StrEnum):
    """Which tools may be called."""

    AUTO = "auto"
    READ_ONLY = "read-only"
    ALL = "all"
    NONE = "none"


_SIGNS: Final = frozenset("*?[")


def is_pattern(glob: str) -> bool:
    """Whether a glob can match more than its own text."""
    return not _SIGNS.isdisjoint(glob)


@lru_cache(maxsize=8)
def _matching(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """What says whether a name matches any glob. A file may have more than Python keeps."""
    patterns = [re.compile(fnmatch.translate(glob)).match for glob in globs if is_pattern(glob)]
    names = {glob for glob in globs if not is_pattern(glob)}
    return lambda name: name in names or any(matches(name) for matches in patterns)


@dataclass(frozen=True, slots=True)
class Settings:
    """One session's settings. Times are in seconds, `rate` in requests per second (0: no limit).

    `headers` go with every HTTP request; `environment` holds the variables that a started server
    gets in addition to the usual ones; `examples` maps a tool's name to known good arguments.
    """

    targets: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    spec_versions: tuple[str, ...] = ()
    """The MCP versions that are judged; empty: all that the target agrees to."""
    fail_on_should: bool = False
    fail_on_superseded: bool = False
    """Whether failures of superseded protocol versions fail the session."""
    level: Level | None = None
    headers: tuple[tuple[str, str], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    invoke: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The method and path of a tool's call over HTTP, by its name; `EVERY_OTHER_TOOL` is one, too.
    """
    include_tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    provider: tuple[str, int] = ("127.0.0.1", 9000)
    """Where the kit listens as the provider of a gateway."""
    gateway_policy: Mapping[str, Any] = field(default_factory=dict)
    """What the user declares of a gateway; empty where nothing is declared."""
    openapi: str | None = None
    """Where the target's OpenAPI document is: a path or a whole address."""
    allow_calls: AllowCalls = AllowCalls.AUTO
    sandbox: bool = False
    """Whether a server that the kit starts is kept from the network and from all files."""
    examples: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    write_examples: Path | None = None
    """Where the calls that were not accepted are written, to be edited."""
    seed: int = 0
    max_examples: int = MAX_EXAMPLES
    """Random calls for each tool: so many valid ones, and as many broken ones."""
    concurrency: int = 16
    rate: float = 0.0
    max_time: float = 600.0
    request_timeout: float = 10.0
    start_timeout: float = START_TIMEOUT
    """How long the first answer of a process may take that the kit starts."""
    waivers: tuple[Waiver, ...] = ()
    waivers_file: str = ""
    report: Path = Path(REPORT_FOLDER)
    language: str = "en"
    replay: str | None = None
    judge: Path | None = None
    """A recorded session that is judged again in place of a target."""
    plan_only: bool = False
    secrets: tuple[str, ...] = ()
    """What is never written: also variables of this machine that look like secrets."""
    credentials: tuple[str, ...] = ()
    """What an answer must not repeat: secret values that were given to the target."""

    def selects(self, tool: str) -> bool:
        """Whether the command line's globs leave this tool in."""
        if _matching(self.exclude_tools)(tool):
            return False
        return not self.include_tools or _matching(self.include_tools)(tool)

    def speaks(self, version: str) -> bool:
        """Whether an MCP version is judged."""
        return not self.spec_versions or version in self.spec_versions

    def asks_for(self, profile: str) -> bool:
        """Whether a binding, `http` or `mcp`, is judged: both, unless one was named."""
        named = {"http", "mcp"} & set(self.profiles)
        return not named or profile in named
