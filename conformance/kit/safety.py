"""Which tools are called at all: the kit fuzzes other people's servers."""

from __future__ import annotations

from conformance.formats.messages import Message, message
from conformance.formats.tool import Tool
from conformance.formats.vocabulary import Binding
from conformance.kit.bindings.http import HttpSpeaker
from conformance.kit.loopback import is_loopback, same_server
from conformance.kit.run import Run
from conformance.kit.settings import AllowCalls, Settings
from conformance.kit.slug import slug

_OURS = "fixtures.servers."


def why_left_out(tool: Tool, run: Run, settings: Settings) -> Message | None:
    """Why this tool is not called in this run; None if it is.

    The message names the option that would include it.
    """
    if not settings.selects(tool.name) or not _is_replayed(tool, run, settings):
        return message("kit.left_out.not_selected")
    if tool.task_required:
        return message("kit.left_out.task_required")
    if run.binding is Binding.HTTP and not _has_own_route(tool, run, settings):
        return message("kit.left_out.other_host")
    if settings.allow_calls is AllowCalls.NONE:
        return message("kit.left_out.none")
    if settings.allow_calls is AllowCalls.ALL:
        return None
    if settings.allow_calls is AllowCalls.READ_ONLY:
        return None if _harmless(tool, remote=True) else message("kit.left_out.read_only")
    if _own_server(run):
        return message("kit.left_out.destructive") if tool.annotations.destructive else None
    return None if _harmless(tool, remote=_is_remote(run)) else message("kit.left_out.read_only")


def _is_replayed(tool: Tool, run: Run, settings: Settings) -> bool:
    """Whether `--replay` leaves this tool in."""
    wanted = settings.replay
    return wanted is None or wanted.startswith(f"{run.id}/{slug(tool.name)}/")


def _own_server(run: Run) -> bool:
    """A developer's own server on this machine, or one of this project's."""
    if run.binding is Binding.STDIO:
        return _OURS in run.endpoint
    return is_loopback(run.endpoint)


def _is_remote(run: Run) -> bool:
    return run.binding is not Binding.STDIO and not is_loopback(run.endpoint)


def _harmless(tool: Tool, *, remote: bool) -> bool:
    if tool.safe is True:
        return True
    if tool.invocation is not None and tool.invocation.method.upper() == "GET":
        return True
    hints = tool.annotations
    opens_world = hints.open_world is True or (hints.open_world is None and remote)
    return hints.read_only is True and not opens_world


def _has_own_route(tool: Tool, run: Run, settings: Settings) -> bool:
    """Whether the tool's route stays on the target's host: no other host is ever called."""
    _, url = HttpSpeaker(run, settings.invoke).route(tool)
    return same_server(url, run.endpoint)
