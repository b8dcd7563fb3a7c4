"""The kit's benchmarks from `fixtures/benchmarks`: its speed, its findings, what it survives."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from conformance.kit.report.words import decimal, number
from scripts.peers.speed import GOAL
from scripts.website.layout import ROOT
from scripts.website.pages.charts import Bar, Part, bars
from scripts.website.pages.context import CONFORMANCE, Context, up
from scripts.website.pages.markdown import code, escaped, folded, heading, link, page, table
from scripts.website.pages.measured import made
from scripts.website.pages.speed import speed
from scripts.website.pages.survival import survival

BENCHMARKS = ROOT / "fixtures" / "benchmarks"
_METHOD = ("servers", "found", "chance")
_OURS = "agent-formats"
_NAMES = {
    _OURS: "Agent Formats",
    "schemathesis": "Schemathesis",
    "mcp-conformance": "MCP conformance kit",
}
"""The name of each kit."""
_OVER = {name: name for name in ("reference", "reference over MCP")} | {
    "furnished": "reference over MCP"
}
"""The transport to each server without a fault."""
_OWN, _PEER = 2, 0
"""The shades of a chart."""


def benchmarks_page(context: Context, folder: Path = BENCHMARKS) -> bytes | None:
    """Return the page with every saved benchmark; None if there is none."""
    files = sorted(folder.glob("*.json"))
    if not files:
        return None
    about = context.said("benchmarks_about")
    parts = [escaped(about)]
    kept = {file.name: json.loads(file.read_text(encoding="utf-8")) for file in files}
    for name, held in kept.items():
        if not isinstance(held, dict) or held.get("kind") not in _KINDS:
            raise ValueError(f"{name} is not a benchmark of a kind that is known")
    for kind, told in _KINDS.items():
        for held in kept.values():
            parts += told(context, held) if held["kind"] == kind else ()
    return page(context.said("benchmarks"), "benchmarks", about, parts, hide="toc")


def _mutants(context: Context, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many of the mutants of each module the tests notice."""
    yield heading(2, context.said("mutants"), "mutants")
    yield context.said("mutants_about", goal=held["goal"])
    names = ("module", "noticed", "changes", "share", "all", "date")
    head = [context.said(f"mutants_{name}") for name in names]
    rows = [
        [
            code(path),
            str(of["noticed"]),
            str(of["checked"]),
            _share(context, of["noticed"], of["checked"]),
            str(of.get("mutants", "–")),
            escaped(f"{of['date']}, mutmut {of['mutmut']}"),
        ]
        for path, of in held["modules"].items()
    ]
    yield table(head, rows)


def _coverage(context: Context, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many branches and lines of each area the tests reach."""
    yield heading(2, context.said("coverage"), "coverage")
    yield context.said(
        "coverage_about",
        goal=held["goal"],
        date=held["date"],
        versions=f"coverage.py {escaped(held['coverage'])}, Python {escaped(held['python'])}",
    )
    if not held["whole"]:
        yield context.said("coverage_part")
    names = ("area", "files", "branches", "share", "lines", "share")
    head = [context.said(f"coverage_{name}") for name in names]
    rows = []
    for area, of in held["areas"].items():
        shares = []
        for each in ("branches", "lines"):
            reached, all_of = of[f"{each}_reached"], of[each]
            counts = {"found": _whole(context, reached), "all": _whole(context, all_of)}
            shares += [context.said("peers_of", **counts), _share(context, reached, all_of)]
        rows.append([code(area), str(of["files"]), *shares])
    yield table(head, rows)


def _pairs(context: Context, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kit's speed and that of an earlier commit: medians of pairs of measurements."""
    yield heading(2, context.said("pairs"), "pairs")
    yield made(context, held, f"python -m scripts.compare {held['before']}")
    yield context.said("pairs_about", before=code(held["before"]), after=code(held["after"]))
    head = [context.said(f"pairs_{name}") for name in ("measure", "before", "after", "ratio")]
    rows = []
    for name, of in held["measures"].items():
        before, after = (statistics.median(of[when]) for when in ("before", "after"))
        rows.append(
            [
                context.said(f"pairs_{name}"),
                _whole(context, before),
                _whole(context, after),
                decimal(after / before, 2, context.language),
            ]
        )
    yield table(head, rows)


def _peers(context: Context, held: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the kit and its peers find, and how fast each is."""
    yield heading(2, context.said("peers"), "peers")
    yield context.said("peers_charts_about")
    yield _found_chart(context, held["pairs"])
    yield _alarms_chart(context, held["sound"])
    yield made(context, held, "make bench ARGS=--peers")
    if held["speed"] is not None:
        yield _speed_chart(context, held["speed"])
        if "date" in held["speed"]:  # measured after the rest
            machine = {**held["machine"], "load": held["speed"]["load"]}
            own = {**held, "date": held["speed"]["date"], "machine": machine}
            yield made(context, own, "python -m scripts.peers --speed")
    if held["processes"] > 1:
        yield context.said("peers_parts", count=held["processes"])
    yield heading(3, context.said("peers_found"), "peers-found")
    yield context.said("peers_method_claimed")
    yield _found(context, held["pairs"])
    if held["speed"] is not None:
        yield heading(3, context.said("peers_speed"), "peers-speed")
        yield _speed(context, held["speed"])
        yield context.said("peers_speed_load")
    yield heading(3, context.said("peers_sound"), "peers-sound")
    yield context.said("peers_sound_about")
    yield _sound(context, held["sound"])
    yield heading(3, context.said("peers_method"), "peers-method")
    yield from (context.said(f"peers_method_{each}") for each in _METHOD)
    yield heading(3, context.said("peers_each"), "peers-each")
    here = f"{CONFORMANCE}/benchmarks.md"
    yield link(context.said("faults"), f"{up(here)}{CONFORMANCE}/faults.md")
    count = sum(len(pair["tried"]) for pair in held["pairs"])
    yield folded(
        context.said("table_rows", count=count), _each(context, held["pairs"]), "peers-all"
    )


def _found_chart(context: Context, pairs: Sequence[Mapping[str, Any]]) -> str:
    """Return a chart of the faults that each kit found, of those that were tried on each server."""
    rows = []
    for pair in pairs:
        tried = len(pair["tried"])
        for kit, who in ((_OURS, "ours"), (pair["peer"], "theirs")):
            found = sum(each[who] for each in pair["tried"])
            value = context.said("peers_of", found=found, all=tried)
            rows.append(_bar(context, kit, found / max(tried, 1), value, pair["server"]))
    return bars(context.said("peers_found_chart"), rows)


def _alarms_chart(context: Context, runs: Sequence[Mapping[str, Any]]) -> str:
    """Return a chart of each kit's false alarms on a server that has what the kit needs."""
    most = max((run["alarms"] for run in runs), default=0) or 1
    rows = [
        _bar(context, run["kit"], run["alarms"] / most, str(run["alarms"]), _OVER[run["server"]])
        for run in sorted(runs, key=lambda run: (run["server"] != "reference", run["kit"]))
        if not run["lacking"]
    ]
    return bars(context.said("peers_alarms_chart"), rows)


def _speed_chart(context: Context, speed: Mapping[str, Any]) -> str:
    """Return a chart of the median speeds of both kits that speak HTTP."""
    of = {
        _OURS: statistics.median(speed["ours"]),
        "schemathesis": statistics.median(speed["theirs"]),
    }
    most = max(of.values())
    rows = [
        _bar(context, kit, value / most, _whole(context, value), "reference")
        for kit, value in of.items()
    ]
    return bars(context.said("peers_speed_chart"), rows)


def _bar(context: Context, kit: str, share: float, value: str, server: str) -> Bar:
    name = _NAMES[kit]
    part = Part(share, _OWN if kit == _OURS else _PEER, f"{name}: {value}")
    return Bar(name, (part,), value, _server(context, server))


def _found(context: Context, pairs: Sequence[Mapping[str, Any]]) -> str:
    found = ("peers_ours", "peers_theirs")
    names = ("server", "peers_peer", "peers_visible", "peers_tried", *found)
    claimed = context.said("peers_claimed_found")
    head = [context.said(name) for name in names]
    head += [f"{claimed}: {context.said(name)}" for name in found]
    rows = []
    for pair in pairs:
        tried, known = pair["tried"], [each for each in pair["tried"] if each["claimed"]]
        counts = [
            context.said("peers_of", found=sum(each[who] for each in own), all=len(own))
            for own in (tried, known)
            for who in ("ours", "theirs")
        ]
        server = _server(context, pair["server"])
        rows.append([server, code(pair["peer"]), str(pair["visible"]), str(len(tried)), *counts])
    return table(head, rows)


def _speed(context: Context, speed: Mapping[str, Any]) -> str:
    ours, theirs = (statistics.median(speed[who]) for who in ("ours", "theirs"))
    said = context.said(
        "peers_speed_about",
        turns=len(speed["ours"]),
        ours=_whole(context, ours),
        theirs=_whole(context, theirs),
        ratio=decimal(ours / theirs, 1, context.language),
    )
    if ours / theirs >= GOAL:
        return said
    return f"{said}\n\n{context.said('peers_speed_missed', goal=GOAL)}"


def _sound(context: Context, runs: Sequence[Mapping[str, Any]]) -> str:
    names = ("kit", "alarms", "lacking", "requests", "seconds", "speed", "busy")
    head = [context.said(f"peers_{name}") for name in names]
    rows = [
        [
            code(run["kit"]),
            _server(context, run["server"]),
            str(run["alarms"]),
            str(run["lacking"]),
            _whole(context, run["requests"]),
            _whole(context, run["seconds"]),
            _whole(context, run["requests"] / run["seconds"]),
            _whole(context, run["requests"] / run["processor"]),
        ]
        for run in runs
    ]
    return table([head[0], context.said("server"), *head[1:]], rows)


def _each(context: Context, pairs: Sequence[Mapping[str, Any]]) -> str:
    names = ("fault", "peers_peer", "peers_claimed", "peers_ours", "peers_theirs", "peers_said")
    head = [context.said(name) for name in names]
    rows = []
    for pair in pairs:
        for tried in pair["tried"]:
            found = [_yes(context, tried[each]) for each in ("claimed", "ours", "theirs")]
            said = ", ".join(code(each) for each in tried["by"])
            rows.append([code(tried["fault"]), code(pair["peer"]), *found, said or "–"])
    return table(head, rows)


def _whole(context: Context, value: float) -> str:
    return number(round(value), context.language)


def _share(context: Context, part: int, whole: int) -> str:
    share = decimal(100 * part / whole, 1, context.language)
    return context.said("report.percent", number=share)


def _yes(context: Context, holds: object) -> str:
    return context.said("yes" if holds else "no")


def _server(context: Context, name: str) -> str:
    return context.said(f"peers_server_{name.replace(' ', '_').lower()}")


_KINDS: Final[Mapping[str, Callable[[Context, Mapping[str, Any]], Iterable[str]]]] = {
    "peers": _peers,
    "speed": speed,
    "survival": survival,
    "pairs": _pairs,
    "mutants": _mutants,
    "coverage": _coverage,
}
"""The function for each kind of benchmark, in the order of the page: findings come first."""
