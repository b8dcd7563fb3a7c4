"""Looks for the tools that options name among those that the targets have."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence

from conformance.kit.config.command_words import nearest
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.declarations import Declared, Discovered
from conformance.kit.model.settings import EVERY_OTHER_TOOL, Settings, is_pattern
from conformance.spec.messages import message


def need_named_tools(
    settings: Settings, found: Sequence[Discovered], declared: Mapping[str, Declared]
) -> None:
    """Raise `TargetUnusable` if an option names a tool that no target has.

    This is before the first call: a misspelled name would leave out every tool, or none. Where a
    list of tools cannot be read, the verdicts say so. `declared` is by the id of the run.
    """
    if settings.replay is not None or not all(one.listed for one in found):
        return
    names = dict.fromkeys(name for one in found for name in _names(one, declared[one.run.id]))
    for option, name in _named(settings):
        if name in names or (is_pattern(name) and fnmatch.filter(names, name)):
            continue
        said = message("kit.option.no_tool", option=option, name=name)
        raise TargetUnusable(said if is_pattern(name) else nearest(said, name, names))


def _names(found: Discovered, declared: Declared) -> Iterator[str]:
    yield from (tool.name for tool in found.tools)
    yield from (tool.name for tool in declared.unusable)
    yield from (name for name, _ in found.left_out)


def _named(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield each option, and a name or a pattern of it. A pattern may exclude no tool."""
    yield from (("--include-tool", each) for each in settings.include_tools)
    yield from (("--exclude-tool", each) for each in settings.exclude_tools if not is_pattern(each))
    yield from (("--invoke", each) for each in settings.invoke if each != EVERY_OTHER_TOOL)
