"""Decides which tools are called at all, because the kit fuzzes other people's servers."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePath

from conformance.formats.catalog.routes import route_of
from conformance.formats.tool.declared import warns_of_destruction
from conformance.formats.tool.tool import Tool, ToolForm, changes_things
from conformance.kit.cases.baseline import REMOVALS
from conformance.kit.evidence.disguise import words_in
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.loopback import is_loopback
from conformance.kit.model.run import Run
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.transport.bindings import binding_of, traits_of
from conformance.kit.transport.http import HttpBinding
from conformance.spec.messages import Message, message

_OURS = "fixtures.servers."
_HOME = Path(__file__).parents[3] / "fixtures" / "servers"
"""The directory of these servers; an installed kit has none."""
_PYTHON = re.compile(r"python[\d.]*(?:\.exe)?")


def why_left_out(tool: Tool, run: Run, settings: Settings) -> Message | None:
    """Return why a tool is not called in this run; None if it is called.

    The message names the option that would include it.
    """
    if not settings.selects(tool.name):
        return message("kit.left_out.not_selected")
    if not _is_replayed(tool, run, settings):
        return message("kit.left_out.not_replayed")
    if tool.task_required:
        return message("kit.left_out.task_required")
    if not binding_of(run, settings).stays_at_target(tool):
        return message("kit.left_out.other_host")
    if settings.allow_calls is AllowCalls.NONE:
        return message("kit.left_out.none")
    if settings.allow_calls is AllowCalls.ALL or in_sandbox(run, settings):
        return None
    if _destroys(tool):
        return _why_destructive(tool, run, settings)
    if settings.allow_calls is AllowCalls.AUTO and _own_server(run):
        return None
    if not _reads_only(tool):
        return _why_not_read_only(tool, run, settings)
    if settings.allow_calls is AllowCalls.READ_ONLY and _opens_world(tool):
        return message("kit.left_out.open_world")
    return None


def has_sandbox(run: Run) -> bool:
    """Return whether a run's server can be started in the sandbox of this system."""
    return sys.platform == "linux" and traits_of(run).starts_process


def _included(choice: AllowCalls, run: Run, settings: Settings) -> Message | str:
    """Return the options that would include a tool; the sandbox comes first."""
    auto = settings.allow_calls is AllowCalls.AUTO
    if auto and has_sandbox(run):
        return message("kit.include.sandbox", choice=choice)
    return f"--allow-calls {choice}"


def _why_destructive(tool: Tool, run: Run, settings: Settings) -> Message:
    called, how = tool.invocation, _included(AllowCalls.ALL, run, settings)
    if not tool.annotations.destructive:
        return message("kit.left_out.destructive_elsewhere", how=how)
    if called is not None and changes_things(called.method) and not warns_of_destruction(tool.raw):
        return message("kit.left_out.method", method=called.method)
    if called is not None and tool.form is ToolForm.OPENAPI:
        return message("kit.left_out.other_method")
    return message("kit.left_out.destructive", how=how)


def _why_not_read_only(tool: Tool, run: Run, settings: Settings) -> Message:
    """Return why a tool that may change something is not called, with the least that includes it.

    The operations of an OpenAPI document cannot be marked: their method tells.
    """
    choice, called = AllowCalls.ALL, tool.invocation
    if settings.allow_calls is not AllowCalls.AUTO:
        auto = replace(settings, allow_calls=AllowCalls.AUTO)
        choice = AllowCalls.AUTO if why_left_out(tool, run, auto) is None else choice
    if tool.form is not ToolForm.OPENAPI or called is None:
        return message("kit.left_out.read_only", how=_included(choice, run, settings))
    return message("kit.left_out.may_change", method=called.method, choice=choice)


def may_be_called(tool: Tool, run: Run, settings: Settings) -> bool:
    """Return whether a tool may be called, apart from its need for a task."""
    return why_left_out(replace(tool, task_required=False), run, settings) is None


def off_limits(
    tools: Iterable[Tool], run: Run, settings: Settings
) -> tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the names over MCP, and the routes over HTTP, that no request may reach.

    They belong to the destructive tools that are left out. The last list has the addresses of the
    others. A server may offer a tool in more ways than it lists: by its name, or at the default
    route.
    """
    binding = binding_of(run, settings)
    kept, others = _parted(tools, run, settings)
    names = [name for tool in kept for name in (tool.name, *tool.other_names)]
    if isinstance(binding, HttpBinding):
        own = [binding.route(each) for each in others]
        return names, [binding.route(each) for each in kept], own
    return names, [route_of(name, None) for name in names], []


def called_names(tools: Iterable[Tool], run: Run, settings: Settings) -> set[str]:
    """Return the names of a run's tools that are not off limits there, whatever other runs offer.

    Such a tool may deny what an operation's method suggests, or it is called in the sandbox.
    """
    kept, others = _parted(tools, run, settings)
    left = {name for tool in kept for name in (tool.name, *tool.other_names)}
    return {name for tool in others for name in (tool.name, *tool.other_names)} - left


def _parted(tools: Iterable[Tool], run: Run, settings: Settings) -> tuple[list[Tool], list[Tool]]:
    """Return the destructive tools that are left out, and the other tools.

    A replay leaves out no more of them: its run may still have another name here.
    """
    settings = replace(settings, replay=None)
    kept: list[Tool] = []
    others: list[Tool] = []
    for tool in tools:
        is_kept = _destroys(tool) and not may_be_called(tool, run, settings)
        (kept if is_kept else others).append(tool)
    return kept, others


def is_spared(tool: Tool, run: Run, settings: Settings) -> bool:
    """Return whether a tool gets few and slow calls, because it may reach beyond its server.

    By MCP's default, a tool does. On a developer's own server, only a tool that says so is spared:
    most tools there say nothing, and the developer sees what they do.
    """
    if settings.allow_calls is not AllowCalls.AUTO or in_sandbox(run, settings):
        return False
    return tool.annotations.open_world is True or (_opens_world(tool) and not _own_server(run))


def turn_of(tool: Tool) -> int:
    """Return a tool's turn. A tool that may remove what others need is called after them.

    Over MCP, a tool that says nothing may be destructive: then its name tells.
    """
    called = tool.invocation
    if called is not None and called.method.upper() == "DELETE":
        return 2
    if _destroys(tool):
        return 1
    silent = called is None and tool.annotations.destructive is None and not _reads_only(tool)
    return int(silent and not REMOVALS.isdisjoint(words_in(tool.name)))


def promises_no_change(tool: Tool) -> bool:
    """Return whether a tool says that a call of it changes nothing."""
    return tool.annotations.read_only is True or tool.safe is True


def is_harmless(tool: Tool, run: Run, settings: Settings) -> bool:
    """Return whether a tool that gets the ids of what exists harms nothing."""
    return (promises_no_change(tool) or in_sandbox(run, settings)) and turn_of(tool) == 0


def _destroys(tool: Tool) -> bool:
    return tool.annotations.destructive is True or tool.destructive_elsewhere


def is_called_unasked(tool: Tool, run: Run, settings: Settings) -> bool:
    """Return whether a tool is called that does not say whether it destroys something.

    On a developer's own server it is, if `--allow-calls` is `auto`.
    """
    if in_sandbox(run, settings):
        return False
    if settings.allow_calls is not AllowCalls.AUTO or why_left_out(tool, run, settings) is not None:
        return False
    return tool.annotations.destructive is None and not _reads_only(tool)


def _is_replayed(tool: Tool, run: Run, settings: Settings) -> bool:
    """Return whether `--replay` includes this tool."""
    wanted = settings.replay
    return wanted is None or CaseId(run.id, tool.name).is_above(wanted)


def in_sandbox(run: Run, settings: Settings) -> bool:
    """Return whether any tool may be called, because the server can reach nothing."""
    auto = settings.allow_calls is AllowCalls.AUTO
    return auto and settings.sandbox and traits_of(run).starts_process


def _own_server(run: Run) -> bool:
    """Return whether this is a developer's own server on this machine, or one of this project's."""
    if traits_of(run).starts_process:
        return _is_ours(run.endpoint)
    return is_loopback(run.endpoint)


def _is_ours(command: str) -> bool:
    """Return whether a command is `python -m fixtures.servers.x …`, a server of this project.

    The name alone proves nothing: any command may have it in an argument, and any project may have
    a package of that name. Python takes the one in the current directory.
    """
    try:
        words = shlex.split(command)
    except ValueError:  # an unclosed quote
        return False
    program, rest = (PurePath(words[0]).name, words[1:3]) if words else ("", [])
    by_name = len(rest) == 2 and rest[0] == "-m" and rest[1].startswith(_OURS)
    return by_name and _PYTHON.fullmatch(program) is not None and _is_at_home()


def _is_at_home() -> bool:
    try:
        return Path("fixtures", "servers").samefile(_HOME)
    except OSError:
        return False


def _reads_only(tool: Tool) -> bool:
    """Return whether a tool says that a call changes nothing.

    It can say so in three ways, and must not say the opposite in any of them.
    """
    if _destroys(tool) or tool.annotations.read_only is False or tool.safe is False:
        return False
    return tool.safe is True or _gets(tool) or tool.annotations.read_only is True


def _gets(tool: Tool) -> bool:
    return tool.invocation is not None and tool.invocation.method.upper() == "GET"


def _opens_world(tool: Tool) -> bool:
    """Return whether a tool may reach beyond its server.

    It may if it says so. It also may if it says nothing, and only a hint says that it reads.
    """
    said = tool.annotations.open_world
    return said is True or (said is None and tool.safe is not True and not _gets(tool))
