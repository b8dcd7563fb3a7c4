"""One line that sends a request again: `curl` for HTTP, the JSON-RPC message itself for stdio.

People paste the line into a shell, and its bytes come from a target. Text with special characters
is sent as base64, and `curl` cannot take any part of the line for a file name.
"""

from __future__ import annotations

import base64
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from conformance.kit.evidence.safety import has_sandbox
from conformance.kit.evidence.script import UNPLAYED, scenario_id
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import HttpRequest, ModelCall, Request, StdioRequest
from conformance.kit.model.results import Finding
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import is_plain

LONGEST = 8_000
"""The most bytes of a body in a line that people can paste."""

_PLAIN_WORD = re.compile(r"(?!=)(?:%[0-9][0-9A-Fa-f]|[\w@+=:,./-])++", re.ASCII)
_READ_OTHERWISE = re.compile(
    r"((?:\\{2,}|\\(?=['\u2018-\u201b%&|<>^]|\Z)|['\u2018-\u201b])+|%(?![0-9][0-9A-Fa-f])|[&|<>^]+)"
)
"""Characters that end single quotes, or that another shell reads differently inside them.

fish reads a backslash before a backslash or a quote as an escape. PowerShell takes four other
characters for the quote. cmd.exe has no single quotes: it would run the text after an operator, and
replace variables, whose names never begin with a digit. After a colon, its replacement may be
unquoted, so that its later quotes would be counted wrong.
"""
_OPERATORS = frozenset("&|<>^")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MADE_BY_CURL = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}
"""Headers that curl writes itself. Recorded values would be wrong for a new request."""


def joined(words: Iterable[str]) -> str:
    """Quote words for a POSIX shell, so that no shell runs any part of them, not even cmd.exe.

    `shlex.join` ensures only that a POSIX shell reads the words back.
    """
    line: list[str] = []
    opened = False  # for cmd.exe, which counts only double quotes
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
    """Return the line for `request`; None if its body is too long."""
    if len(request.body) > LONGEST:
        return None
    return curl(request) if isinstance(request, HttpRequest) else json_rpc(request)


def json_rpc(request: StdioRequest) -> str | None:
    """Return the message that was written to standard input; None if it is not plain text."""
    text = _text(request.body)
    return None if text is None or "\n" in text else text


def curl(request: HttpRequest) -> str | None:
    """Return a `curl` line for a POSIX shell; None if the URL is too long or not plain text."""
    if len(request.url) > LONGEST or not is_plain(request.url) or re.search(r"\s", request.url):
        return None
    # -g takes brackets and braces literally; --path-as-is keeps `..` in the path.
    words = ["curl", "-i", "-g", "--path-as-is", "-X", request.method or "GET"]
    for name, value in own_headers(request):
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
            # Not --data-binary: it reads a file if the body begins with @.
            words += ["--data-raw", text]
    words += ["--url", request.url]
    return before + joined(words)


def own_headers(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yield the headers that the kit chose, if they are one line of plain text each."""
    for name, value in request.headers:
        if _TOKEN.fullmatch(name) and name.lower() not in _MADE_BY_CURL and _one_line(value):
            yield name, value


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
_CLAIM = ("--profile", "atdf")
_BY_CALLS = frozenset(
    f"kit.left_out.{each}"
    for each in (
        "destructive",
        "destructive_elsewhere",
        "may_change",
        "method",
        "none",
        "open_world",
        "other_method",
        "read_only",
    )
)
"""Reasons to leave out a tool that another value of `--allow-calls` would include."""


def replay_line(options: Iterable[str], case: str, here: Path | None = None) -> str:
    """Return the line that replays one case, for the directory `here` of the session's start.

    Commands and files in the options are relative to that directory.
    """
    return _line([*options, "--replay", case], here)


def again_line(report: Report, finding: Finding, here: Path | None = None) -> str | None:
    """Return the line that replays a finding's case, or the scenario of a gateway.

    None if neither can be replayed alone. If only the errors of other cases claim ATDF, the line
    says that the target claims it.
    """
    if finding.case is not None:
        return replay_line([*report.options, *_claim(report, finding.case)], finding.case, here)
    exchange = report.exchange(finding.exchange) if finding.exchange is not None else None
    if exchange is None or exchange.step is None or exchange.script in UNPLAYED:
        return None
    if not isinstance(exchange.request, ModelCall):
        return None  # a server's script is one conversation, so one step cannot be replayed
    return replay_line(report.options, scenario_id(exchange.run, exchange.step).text, here)


def _claim(report: Report, case: str) -> tuple[str, ...]:
    """Return the option that claims ATDF for the run of a case; empty if the line needs none."""
    if _CLAIM in pairwise(report.options):
        return ()
    runs = (run for run in report.session.runs if CaseId(run.run.id).is_above(case))
    undeclared = any(run.claims_atdf and not run.declares_atdf for run in runs)
    return _CLAIM if undeclared else ()


@dataclass(frozen=True, slots=True)
class Wider:
    """The line that calls the left-out tools, and the ids of the messages around it."""

    line: str
    before: str = "report.wider"
    after: str = ""


def wider(report: Report, here: Path | None = None) -> Wider | None:
    """Return how to call the tools that this session left out; None if no option does.

    On Linux, a server that the kit starts is called in the sandbox first.
    """
    left = [
        run.run
        for run in report.session.runs
        for tool in run.tools_left_out
        if tool.reason.id in _BY_CALLS
    ]
    if not left:
        return None
    started = any(map(has_sandbox, left))
    words = list(report.options)
    while "--allow-calls" in words:
        del words[(at := words.index("--allow-calls")) : at + 2]
    if started and not report.sandbox:
        line = _line([*words, "--sandbox"], here)
        return Wider(line, "report.wider.sandbox", "report.wider.else")
    return Wider(_line([*words, "--allow-calls", "all"], here))


def explain_line(clause: str, language: str, here: Path | None = None) -> str:
    """Return the line that explains a clause."""
    spoken = () if language == "en" else ("--language", language)
    return joined([_program(here or Path.cwd()), "explain", clause, *spoken])


def _line(words: Iterable[str], here: Path | None) -> str:
    return joined([_program(here or Path.cwd()), "check", *_targets_first(list(words))])


def _targets_first(words: list[str]) -> Iterator[str]:
    """Yield the arguments with the targets first, without their option, as people write them."""
    ats = [at for at, word in enumerate(words[:-1]) if word == _TARGET]
    yield from (words[at + 1] for at in ats)
    yield from (word for at, word in enumerate(words) if not {at, at - 1} & set(ats))


def _program(here: Path) -> str:
    """Return our command by its name, or by its path.

    The name is enough if the shell finds this installation by it. A path below `here` starts from
    there, as the files in the options do. Any other path is whole, so that it works after a `cd`.
    """
    script = Path(sys.executable).with_name(COMMAND)
    on_path = shutil.which(COMMAND)
    if not script.exists() or (on_path is not None and script.samefile(on_path)):
        return COMMAND
    return str(script.relative_to(here) if script.is_relative_to(here) else script)
