"""Checks a server from outside: the options of the kit, checked first, and one session of pytest.

pytest gets a configuration of its own. No pytest.ini, conftest.py, plugin or variable of the user
takes part, and nothing is written except the report and the user's cache.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from conformance.cli.explain import explain
from conformance.cli.manual import Manual
from conformance.kit.config.options import (
    GROUPS,
    KEEPS_PYTEST_QUIET,
    add_options,
    given_in,
    repeating,
    with_defaults,
    words_of,
)
from conformance.kit.config.settings import Given, OptionUnusable, need_target, settings_of
from conformance.kit.config.settings_file import filled_in, language_set
from conformance.kit.drive.interrupts import interrupted_by_signals
from conformance.kit.report.exit import Exit
from conformance.kit.report.safe_text import A_MISTAKE, visible
from conformance.spec.clauses import PACKAGE
from conformance.spec.messages import Message, message

_PLUGINS = ("conformance.kit.plugin.hooks", "pytest_metadata.plugin", "pytest_html.plugin")
_OF_THE_USER = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DEBUG")
"""Variables that would change the session, or print what it was given, secrets included."""
_KEPT_CACHES = 50
_FILES = 64
"""Files and connections that a session may have open at the same time."""
_OF_A_NAME = 16
"""Characters of a cache's name, which is the start of a hash."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    ours, more = _split(arguments)
    made, here = parser(), Path.cwd()
    made.language = language_set(here)
    options = made.parse_intermixed_args(ours)
    given = given_in(vars(options))
    if options.targets:
        given["target"] = [*options.targets, *given.get("target", [])]
    if (few := too_few_files()) is not None:
        print(few.words(made.language), file=sys.stderr)
        return Exit.UNUSABLE
    try:
        given, told = filled_in(given, here)
        if "explain" in given:
            return explain([given["explain"]], given.get("language", "en"))
        settings = settings_of(with_defaults(given), here)
        need_target(settings, here)
    except OptionUnusable as unusable:
        print(visible(str(unusable), A_MISTAKE, lines=True), file=sys.stderr)
        return Exit.UNUSABLE
    return _session(Given(settings, repeating(given), told), given, [*_of_pytest(options), *more])


def too_few_files() -> Message | None:
    """That this process may open too few files for a session; None where they are enough."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most == resource.RLIM_INFINITY or most >= _FILES:
        return None
    return message("kit.few_files", most=most, needed=_FILES)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our words, and those for pytest: what comes after `--`."""
    at = words.index("--") if "--" in words else len(words)
    return list(words[:at]), list(words[at + 1 :])


def _of_pytest(options: argparse.Namespace) -> Iterator[str]:
    yield from ["-v"] * options.verbose
    if not options.verbose:
        yield from ["-q"] * (options.quiet + KEEPS_PYTEST_QUIET)
    if options.expression is not None:
        yield f"-k={options.expression}"


class _Unheard(io.FileIO):
    """A stream whose reader may end: what is written after that is dropped."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def _go_on_unheard() -> None:
    """Let a session go on, with its report, when nobody reads its output any more."""
    for name in ("stdout", "stderr"):
        known = getattr(sys, name)
        if isinstance(getattr(known, "buffer", None), io.BufferedWriter | io.FileIO):
            known.flush()
            made = io.TextIOWrapper(
                io.BufferedWriter(_Unheard(known.fileno(), "wb", closefd=False)),
                encoding=known.encoding,
                errors=known.errors,
                line_buffering=known.line_buffering or known.write_through,
            )
            setattr(sys, name, made)


def _session(ready: Given, given: Mapping[str, Any], more: Sequence[str]) -> int:
    for name in _OF_THE_USER:
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    hear_again = interrupted_by_signals()
    _go_on_unheard()
    import pytest  # noqa: PLC0415 - `--help` does without it

    words = [str(PACKAGE), "-c", os.devnull, "--rootdir", os.curdir, "--noconftest"]
    words += ["--assert=plain", "-o", f"cache_dir={_cache()}"]
    words += ["-W", "ignore::pytest.PytestCacheWarning"]  # without a cache, nothing is remembered
    for name in _PLUGINS:
        words += ["-p", name]
    try:
        return int(pytest.main([*words, *words_of(given), *more], plugins=[ready]))
    finally:
        hear_again()


def _cache() -> Path:
    """Where failed calls are remembered: each directory from which the kit is used has its own.

    Those that were not used for the longest time are removed.
    """
    from platformdirs import user_cache_path  # noqa: PLC0415 - `--help` does without it

    caches = user_cache_path("agent-formats")
    own = caches / sha256(os.fsencode(Path.cwd())).hexdigest()[:_OF_A_NAME]
    with suppress(OSError):  # what cannot be listed or removed stays, and harms no session
        for old in _oldest(caches, own):
            shutil.rmtree(old)
        os.utime(own)
    return own


def _oldest(caches: Path, own: Path) -> list[Path]:
    """The directories of other places beyond those that are kept."""
    named = re.compile(rf"[0-9a-f]{{{_OF_A_NAME}}}")
    found = [each for each in caches.iterdir() if named.fullmatch(each.name) and each != own]
    found = [each for each in found if each.is_dir() and not each.is_symlink()]
    return sorted(found, key=lambda each: each.stat().st_mtime)[:-_KEPT_CACHES]


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "check",
        "[TARGET ...] [OPTIONS] [-- PYTEST-OPTIONS]",
        "Check an HTTP or MCP server from outside. The kit finds the server's tools, calls them\n"
        "with valid and invalid input, and writes a report with the level that it reaches.\n"
        "For an AI gateway, the kit plays the client and the model provider.\n"
        "Options may also be in agent-formats.toml, or in [tool.agent-formats] of pyproject.toml.",
        (
            ("agent-formats check http://127.0.0.1:8000", "a server that is running"),
            ("agent-formats check 'stdio:uvx mcp-server-time'", "a server that the kit starts"),
            ("agent-formats check --gateway openai+URL", "an AI gateway, from both ends"),
            ("agent-formats check URL --bearer-env TOKEN", "with a token from a variable"),
            ("agent-formats check URL --allow-calls none", "without calling any tool"),
            ("agent-formats check URL --level guarded", "fail below a level"),
            ("agent-formats check URL -k ATDF-ERR", "only clauses of one group"),
            ("agent-formats check URL --replay CASE-ID", "repeat one case"),
        ),
        {
            Exit.CONFORMANT: "none of the codes below; a MUST may still be not verified",
            Exit.BROKEN: "it breaks a MUST, misses the level, or lacks what was named; or a waiver"
            "\n     is stale",
            Exit.INTERRUPTED: "it was interrupted, or time ran out",
            Exit.KIT_FAULT: "an error of the kit itself, or a report that cannot be written",
            Exit.UNUSABLE: "the command line, a file or the target cannot be used",
            Exit.NOTHING_JUDGED: "too little could be checked, such as no tool call",
        },
        Exit.UNUSABLE,
    )
    targets = made.add_argument_group("targets")
    said = "a URL, or 'stdio:COMMAND'; the same as --target"
    targets.add_argument("targets", nargs="*", metavar="TARGET", help=said)
    for group in GROUPS:
        add_options(group, made.add_argument_group(group.title).add_argument)
    of_pytest = made.add_argument_group(
        "options of pytest", "You can add its other options after `--`."
    )
    of_pytest.add_argument(
        "-k", dest="expression", metavar="EXPRESSION", help="only clauses and tools that match"
    )
    of_pytest.add_argument("-q", dest="quiet", action="count", default=0, help="print less")
    of_pytest.add_argument("-v", dest="verbose", action="count", default=0, help="print more")
    return made
