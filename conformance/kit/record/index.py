"""Converts between a session and the first and last lines of `exchanges.ndjson`.

The first line says what discovery found and what the user asked for. The last line says to which
tool or script each exchange belongs, and what happened to each run and tool. Writing and reading
are in one file so that they stay in step. A file that was cut has no last line; each exchange then
says where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, get_type_hints

from conformance.formats.tool.tool import Tool
from conformance.kit.confirm.confirm import Repeats
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import MOST_TOOLS, Declared, Discovered, declared
from conformance.kit.evidence.evidence import Call, RunEvidence, ToolEvidence, call_of
from conformance.kit.evidence.recorder import MOST_WRITTEN, Recorder
from conformance.kit.evidence.script import LOOKED
from conformance.kit.evidence.spill import Kept, cost
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.fault import Fault
from conformance.kit.model.settings import Settings
from conformance.kit.model.slug import slug
from conformance.kit.model.written import Writing, codec

Json = dict[str, Any]

_ASKED = frozenset({"profiles", "allow_calls", "sandbox", "replay", "seed"})
"""The settings that `--judge` takes from the record."""
_OF_RUN = frozenset(
    {"run", "tools", "problems", "documents", "by_tool", "scripts", "known_scripts", "offered"}
)
_OF_TOOL = frozenset({"run", "tool", "problems", "calls", "scripts", "known_scripts", "faults"})
"""Fields that are not written, because they follow from the exchanges and the declarations."""


MALFORMED = (
    AssertionError, AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError,
)  # fmt: skip
"""What a changed record can raise when its values are read."""

_MOST_TOOLS_TOGETHER = 2 * MOST_TOOLS
"""The most tools of all runs together. Each takes the time and memory of about fifty verdicts."""
_AS_MANY_AS = 10
"""A run takes as much as these tools."""
MOST_TOGETHER = 256 * 1024 * 1024
"""The most bytes, by an estimate, of exchanges that are read into memory together: of a tool."""
MOST_LISTED = 2 * MOST_WRITTEN
"""The most bytes of all exchanges that the last line lists, each as often as it is listed there."""


class Unreadable(Exception):
    """The line lacks something that this kit needs; the text says what."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A session as recorded. `interrupted` says that it was stopped before its end."""

    found: tuple[Discovered, ...]
    declared: Mapping[str, Declared]
    evidence: Mapping[str, RunEvidence]
    repeats: Repeats
    asked: Mapping[str, Any]
    interrupted: bool
    time_up: bool
    whole: bool = True
    """False if the file was cut, so that nothing is known about the end of its session."""


def first_line(found: Iterable[Discovered], settings: Settings) -> Json:
    """Return what is known before any call. `asked` holds the settings that verdicts depend on."""
    asked = {
        "profiles": settings.profiles,
        "allow_calls": settings.allow_calls,
        "sandbox": settings.sandbox,
        "replay": settings.replay,
        "seed": settings.seed,
        "credentials": settings.credentials,
    }
    return {"found": [_found(one) for one in found], "asked": asked}


def as_asked(settings: Settings, asked: Mapping[str, Any]) -> Settings:
    """Return these settings with those of the recorded session. Raises one of `MALFORMED`."""
    own = {name: value for name, value in asked.items() if name in _ASKED}
    read = _fields(Settings, {"sandbox": False, **own})
    return replace(settings, **{**read, "profiles": settings.profiles or read["profiles"]})


def last_line(
    evidence: Mapping[str, RunEvidence],
    repeats: Repeats,
    scripts: Iterable[str],
    *,
    interrupted: bool,
    time_up: bool,
) -> Json:
    """Return where each exchange belongs, and what happened to each run and tool."""
    return {
        "interrupted": interrupted,
        "time_up": time_up,
        "scripts": sorted(scripts),
        "evidence": {name: _run(one) for name, one in evidence.items()},
        "repeats": {
            "cases": [[*key, _ids(made)] for key, made in repeats.cases.items()],
            "scripts": [[*key, [_ids(p) for p in made]] for key, made in repeats.scripts.items()],
            "smallest": [[*key, _ids(made)] for key, made in repeats.smallest.items()],
            "stateless": sorted(map(list, repeats.stateless)),
            "gone": sorted(repeats.gone),
            "faults": [
                [*key, codec(Fault).dump_python(fault, context=Writing())]
                for key, fault in repeats.faults.items()
            ],
        },
    }


def recalled(
    first: Mapping[str, Any], last: Mapping[str, Any] | None, recorder: Recorder
) -> Recalled:
    """Return the session that the first and last lines describe. The recorder already has the
    exchanges.

    Raises `Unreadable`.
    """
    try:
        found = tuple(codec(Discovered).validate_python(each) for each in first["found"])
        if any(slug(one.run.id) != one.run.id for one in found):  # it is printed as it is
            raise Unreadable("a run has an id that the kit never gives")
        judged = {one.run.id: declared(one) for one in found}
        tools = sum(len(one.tools) + len(judged[one.run.id].unusable) for one in found)
        if tools + _AS_MANY_AS * len(found) > _MOST_TOOLS_TOGETHER:
            raise Unreadable(f"its runs have more than {_MOST_TOOLS_TOGETHER} tools together")
        looked = {one.run.id: _looked(one, recorder) for one in found}
        bare = {
            id: _bare(one, judged[id], looked[id], first["asked"])
            for id, one in ((one.run.id, one) for one in found)
        }
        if last is None or "evidence" not in last:
            calls = _calls_by_tool(recorder)
            evidence = {name: _gathered(one, calls, recorder) for name, one in bare.items()}
            return Recalled(found, judged, evidence, Repeats(), first["asked"], True, False, False)
        listed = _Listed(recorder)
        evidence = {
            name: _recalled_run(one, last["evidence"][name], last["scripts"], listed)
            for name, one in bare.items()
        }
        repeats = _read_repeats(last["repeats"], listed)
        ended = bool(last["interrupted"]), bool(last["time_up"])
        return Recalled(found, judged, evidence, repeats, first["asked"], *ended)
    except MALFORMED as error:
        raise Unreadable(" ".join(str(error).split())[:200]) from error


class _Listed:
    """Reads the exchanges that the last line lists by their ids.

    Raises `Unreadable` for a record that lists the same long ones again and again: they would fill
    the memory or the disk.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._left = MOST_LISTED
        self._left_in_memory = MOST_TOGETHER

    def played(self, ids: Iterable[int]) -> tuple[Exchange, ...]:
        """Return exchanges that stay in memory. Those of no call are there already."""
        found = []
        for one in _of(ids, self._recorder):
            self._left_in_memory -= cost(one) if one.case is not None else 0
            if self._left_in_memory < 0:
                raise _too_much(MOST_TOGETHER)
            found.append(one)
        return tuple(found)

    def together(self, ids: Iterable[int]) -> list[Exchange]:
        """Return exchanges that are put away right after this."""
        found, size = [], 0
        for one in _of(ids, self._recorder):
            size += cost(one)
            if size > min(MOST_TOGETHER, self._left):
                raise _too_much(size)
            found.append(one)
        self._left -= size
        return found

    def kept(self, ids: Iterable[int]) -> Sequence[Exchange]:
        """Return exchanges that are read back when they are needed."""
        return self._recorder.keep(self.together(ids))

    def calls(self, tool: Tool, ids: Iterable[int]) -> Sequence[Call]:
        """Return the calls of a tool, which are read back too."""
        made = [call_of(exchange, tool) for exchange in self.together(ids)]
        return self._recorder.keep_calls(made, tool)


def _too_much(size: int) -> Unreadable:
    return Unreadable(f"the last line lists exchanges of {size >> 20} MB or more together")


def _looked(found: Discovered, recorder: Recorder) -> list[Exchange]:
    """Return the exchanges of discovery in a run."""
    return [e for e in recorder.by_id.held if e.run == found.run.id and e.script == LOOKED]


def _bare(
    found: Discovered, judged: Declared, looked: Iterable[Exchange], asked: Mapping[str, Any]
) -> RunEvidence:
    """Return a run's evidence that holds only what was declared."""
    tools = {tool.name: tool for tool in (*found.tools, *judged.unusable)}
    return RunEvidence(
        found.run,
        found.tools,
        judged.catalog,
        found.documents,
        by_tool={
            name: ToolEvidence(found.run, tool, problems=judged.by_tool.get(name, ()), cut=True)
            for name, tool in tools.items()
        },
        capabilities=found.capabilities,
        cut=True,
        credentials=_fields(Settings, {"credentials": asked.get("credentials", ())})["credentials"],
        offered=offered(looked, found.tools),
        left_out=found.left_out,
    )


def _calls_by_tool(recorder: Recorder) -> dict[tuple[str, str], list[int]]:
    """Return the ids of calls by run and tool, without repetitions."""
    found: dict[tuple[str, str], list[int]] = {}
    for exchange in recorder.by_id.values():
        if exchange.case is not None and exchange.confirms is None:
            found.setdefault((exchange.run, exchange.case.tool), []).append(exchange.id)
    return found


def _gathered(
    bare: RunEvidence, calls: Mapping[tuple[str, str], list[int]], recorder: Recorder
) -> RunEvidence:
    """Return the evidence of a file that was cut: each exchange says where it belongs."""
    scripts: dict[str, list[Exchange]] = {}
    for exchange in recorder.by_id.held:
        own = exchange.run == bare.run.id and exchange.confirms is None
        if own and exchange.script is not None:
            scripts.setdefault(exchange.script, []).append(exchange)
    listed = _Listed(recorder)
    by_tool = {
        name: replace(tool, calls=listed.calls(tool.tool, calls.get((bare.run.id, name), ())))
        for name, tool in bare.by_tool.items()
    }
    played = {name: tuple(steps) for name, steps in scripts.items()}
    return replace(bare, by_tool=by_tool, scripts=played, known_scripts=frozenset())


def _run(evidence: RunEvidence) -> Json:
    return {
        "is": _values(RunEvidence, evidence, _OF_RUN),
        "scripts": {name: _ids(steps) for name, steps in evidence.scripts.items()},
        "tools": {
            name: {
                "is": _values(ToolEvidence, tool, _OF_TOOL),
                "calls": _ids(tool.calls),
            }
            for name, tool in evidence.by_tool.items()
        },
    }


def _recalled_run(
    bare: RunEvidence,
    line: Mapping[str, Any],
    known: Iterable[str],
    listed: _Listed,
) -> RunEvidence:
    by_tool = dict(bare.by_tool)
    for name, own in line["tools"].items():
        if name not in by_tool:
            continue
        calls = listed.calls(by_tool[name].tool, own["calls"])
        by_tool[name] = replace(by_tool[name], calls=calls, **_fields(ToolEvidence, own["is"]))
    scripts = {name: listed.played(ids) for name, ids in line["scripts"].items()}
    return replace(
        bare,
        by_tool=by_tool,
        scripts=scripts,
        known_scripts=frozenset(known),
        **_fields(RunEvidence, line["is"]),
    )


def _read_repeats(line: Mapping[str, Any], listed: _Listed) -> Repeats:
    return Repeats(
        {(run, case): listed.kept(ids) for run, case, ids in line["cases"]},
        {
            (run, script): [listed.played(ids) for ids in playings]
            for run, script, playings in line["scripts"]
        },
        {
            (run, clause, case): listed.kept(ids)
            for run, clause, case, ids in line.get("smallest", ())
        },
        stateless={(run, case) for run, case in line.get("stateless", ())},
        gone=set(line["gone"]),
        faults={
            (run, what): codec(Fault).validate_python(fault)
            for run, what, fault in line.get("faults", ())
        },
    )


def _ids(exchanges: Sequence[Exchange] | Sequence[Call]) -> list[int]:
    """Return the ids of exchanges. Exchanges that are stored in a file are not read for it."""
    if isinstance(exchanges, Kept):
        return list(exchanges.ids)
    return [each.exchange.id if isinstance(each, Call) else each.id for each in exchanges]


def _of(ids: Iterable[int], recorder: Recorder) -> Iterable[Exchange]:
    return (recorder.by_id[id] for id in ids)


def _values(of: type, evidence: Any, left_out: frozenset[str]) -> Json:
    """Return the fields of evidence as JSON, except those in `left_out`."""
    return {
        name: codec(hint).dump_python(getattr(evidence, name), context=Writing())
        for name, hint in _hints(of).items()
        if name not in left_out
    }


def _fields(of: type, values: Mapping[str, Any]) -> Json:
    """Return the fields of a dataclass from JSON. Fields that this kit doesn't know are ignored."""
    hints = _hints(of)
    return {k: codec(hints[k]).validate_python(v) for k, v in values.items() if k in hints}


@cache
def _hints(of: type) -> dict[str, Any]:
    return get_type_hints(of, include_extras=True)


def _found(found: Discovered) -> Json | None:
    """Return what discovery found as JSON; None if it is nested too deeply to write."""
    try:
        made: Json = codec(Discovered).dump_python(found, context=Writing(), exclude={"exchanges"})
    except ValueError:
        return None
    return made
