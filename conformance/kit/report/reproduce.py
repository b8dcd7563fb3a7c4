"""One line that sends a request again: `curl` for HTTP, the JSON-RPC message itself for stdio.

The line is shown to people who paste it into a shell, and its bytes come from a target: whatever is
not plain text travels as base64, and nothing that `curl` would read as a file name is left to it.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.kit.evidence.script import UNPLAYED, scenario_id
from conformance.kit.model.exchange import HttpRequest, ModelCall, Request, StdioRequest
from conformance.kit.model.results import Finding
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import is_plain
from conformance.kit.transport.bindings import traits_of

LONGEST = 8_000
"""Bytes of a body that still make a line that one can paste."""

_PLAIN_WORD = re.compile(r"(?!=)(?:%[0-9][0-9A-Fa-f]|[\w@+=:,./-])+", re.ASCII)
_READ_OTHERWISE = re.compile(
    r"((?:\\{2,}|\\(?=['\u2018-\u201b%&|<>^]|\Z)|['\u2018-\u201b])+|%(?![0-9][0-9A-Fa-f])|[&|<>^]+)"
)
"""What ends single quotes or is read otherwise there: fish takes a backslash before another one or
before a quote for an escape, and PowerShell takes four other signs for the quote. cmd.exe knows no
single quotes: it would run what is behind an operator, and put a variable in, of which no name
begins with a digit. Behind a colon, what it puts in may be without our quotes: then it would count
others.
"""
_OPERATORS = frozenset("&|<>^")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# curl makes these itself, and the ones of a recorded exchange would be wrong for a new one.
_MADE_BY_CURL = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}


def joined(words: Iterable[str]) -> str:
    """Write words for a POSIX shell, so that no shell runs a part of them: cmd.exe neither.

    All that `shlex` asks for is that a POSIX shell reads them back.
    """
    line: list[str] = []
    opened = False  # for cmd.exe, which counts double quotes and nothing else
    for word in words:
        line.append(_quoted(word, opened=opened))
        opened ^= line[-1].count('"') % 2 == 1
    return " ".join(line)


def _quoted(word: str, *, opened: bool) -> str:
    if _PLAIN_WORD.fullmatch(word):
        return word
    parts, single = [], ""
    for piece in _READ_OTHERWISE.split(word):
        if not _READ_OTHERWISE.fullmatch(piece) or (opened and piece[0] in _OPERATORS):
            single += piece
            opened ^= piece.count('"') % 2 == 1
            continue
        if single:
            parts.append(f"'{single}'")
        parts.append('"' + piece.replace("\\", "\\\\") + '"')
        single = ""
    if single or not parts:
        parts.append(f"'{single}'")
    return "".join(parts)


def command(request: Request) -> str | None:
    """Give the line for `request`; None where its body is too long for one."""
    if len(request.body) > LONGEST:
        return None
    return curl(request) if isinstance(request, HttpRequest) else json_rpc(request)


def json_rpc(request: StdioRequest) -> str | None:
    """Give the message that was written to standard input; None if it is not plain text."""
    text = _text(request.body)
    return None if text is None or "\n" in text else text


def curl(request: HttpRequest) -> str | None:
    """Give a `curl` line for a POSIX shell; None for a URL that is too long, or none at all."""
    if len(request.url) > LONGEST or not is_plain(request.url) or re.search(r"\s", request.url):
        return None
    # -g: brackets and braces are themselves; --path-as-is: `..` stays in the path.
    words = ["curl", "-i", "-g", "--path-as-is", "-X", request.method or "GET"]
    for name, value in request.headers:
        if _TOKEN.fullmatch(name) and name.lower() not in _MADE_BY_CURL and _one_line(value):
            words += ["-H", f"{name}: {value}" if value else f"{name};"]
    before = ""
    if request.body:
        if not any(name.lower() == "content-type" for name, _ in request.headers):
            words += ["-H", "Content-Type:"]
        text = _text(request.body)
        if text is None or "\n" in text:  # cmd.exe would run the second line
            before = f"printf %s {base64.b64encode(request.body).decode('ascii')} | base64 -d | "
            words += ["--data-binary", "@-"]
        else:
            # Not --data-binary: it would take a body that begins with @ for a file to send.
            words += ["--data-raw", text]
    words += ["--url", request.url]
    return before + joined(words)


def _one_line(value: str) -> bool:
    return is_plain(value) and "\n" not in value


def _text(body: bytes) -> str | None:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if is_plain(text) else None


COMMAND = "agent-formats"
_TARGET = "--target"
_BY_CALLS = frozenset(
    f"kit.left_out.{each}"
    for each in (
        "destructive",
        "destructive_elsewhere",
        "method",
        "none",
        "open_world",
        "read_only",
    )
)
"""Why a tool is left out that another `--allow-calls` includes."""


def replay_line(options: Iterable[str], case: str, here: Path | None = None) -> str:
    """The line that plays one case again, in the directory `here` where the session was started.

    A command or a file that the options name is found from that directory alone.
    """
    return _line([*options, "--replay", case], here)


def again_line(report: Report, finding: Finding, here: Path | None = None) -> str | None:
    """The line that sends again what a finding is about: a case, or the scenario of a gateway."""
    if finding.case is not None:
        return replay_line(report.options, finding.case, here)
    exchange = report.exchange(finding.exchange) if finding.exchange is not None else None
    if exchange is None or exchange.step is None or exchange.script in UNPLAYED:
        return None
    if not isinstance(exchange.request, ModelCall):
        return None  # a script of a server is one conversation: no step of it stands alone
    return replay_line(report.options, scenario_id(exchange.run, exchange.step).text, here)


@dataclass(frozen=True, slots=True)
class Wider:
    """The line that calls the tools which a session left out, and the ids of what is said of it."""

    line: str
    before: str = "report.wider"
    after: str = ""


def wider(report: Report, here: Path | None = None) -> Wider | None:
    """Give how to call the tools which this session left out; None if no option does.

    A server that the kit starts is called in the sandbox first, on a system that has one.
    """
    left = [
        run.run
        for run in report.session.runs
        for tool in run.tools_left_out
        if tool.reason.id in _BY_CALLS
    ]
    if not left:
        return None
    started = sys.platform == "linux" and any(traits_of(run).starts_process for run in left)
    words = list(report.options)
    while "--allow-calls" in words:
        del words[(at := words.index("--allow-calls")) : at + 2]
    if started and not report.sandbox:
        line = _line([*words, "--sandbox"], here)
        return Wider(line, "report.wider.sandbox", "report.wider.else")
    return Wider(_line([*words, "--allow-calls", "all"], here))


def explain_line(clause: str, language: str, here: Path | None = None) -> str:
    """The line that says what a clause asks for."""
    spoken = () if language == "en" else ("--language", language)
    return joined([_program(here or Path.cwd()), "explain", clause, *spoken])


def _line(words: Iterable[str], here: Path | None) -> str:
    return joined([_program(here or Path.cwd()), "check", *_targets_first(list(words))])


def _targets_first(words: list[str]) -> Iterator[str]:
    """The words of a command line with its targets as everybody writes them: first, and bare."""
    ats = [at for at, word in enumerate(words[:-1]) if word == _TARGET]
    yield from (words[at + 1] for at in ats)
    yield from (word for at, word in enumerate(words) if not {at, at - 1} & set(ats))


def _program(here: Path) -> str:
    """Our command as it is found from `here`: by its name where a shell finds this one by it."""
    script = Path(sys.executable).with_name(COMMAND)
    on_path = shutil.which(COMMAND)
    if not script.exists() or (on_path is not None and script.samefile(on_path)):
        return COMMAND
    return os.path.relpath(script, here)
