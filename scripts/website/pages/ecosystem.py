"""The state of the ecosystem: what the kit found in the corpus, as `make field` saved it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Level
from fixtures.gateways.strangers import outcome
from fixtures.gateways.strangers.strangers import strangers
from fixtures.implementations.corpus import Kind
from fixtures.implementations.outcome import read
from fixtures.implementations.tried import Tried, tried
from scripts.website.pages.charts import Bar, Part, bars
from scripts.website.pages.clauses import clause_versions
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.found import said
from scripts.website.pages.markdown import code, escaped, heading, page, table

ECOSYSTEM = f"{CONFORMANCE}/ecosystem.md"
IMPLEMENTATIONS = f"{CONFORMANCE}/implementations.md"
_REGISTRIES = {"pypi": "PyPI", "npm": "npm"}
_LADDER = [None, Level.DESCRIBED, Level.GUARDED, Level.EXPLAINED]
_BY_HAND = "by hand"
_VERDICTS = ("report.verdict.pass", "report.verdict.fail", "report.verdict.warn")
_COLUMNS = (*_VERDICTS, "report.verdict.not_verified")
_COMMONEST = 10
_SHORT = 300


def ecosystem_page(context: Context) -> bytes:
    """Return the page: levels, how much errors help, and the commonest defects with their fixes."""
    servers = read()
    about = context.said("ecosystem_about")
    parts = [
        context.said(
            "ecosystem_intro",
            servers=len(servers),
            stacks=len({each["framework"] for each in servers} - {_BY_HAND}),
        ),
        heading(2, context.said("ecosystem_levels"), "levels"),
        _levels(context, servers),
        heading(2, context.said("ecosystem_names"), "names"),
        context.said("ecosystem_names_about"),
        _named(context, servers),
        heading(2, context.said("ecosystem_defects"), "defects"),
        _defects(context, servers),
        context.said("ecosystem_more"),
    ]
    return page(context.said("ecosystem"), "ecosystem", about, parts, hide="toc")


def implementations_page(context: Context) -> bytes:
    """Return the page with each server of the corpus, and what did not pass."""
    about = context.said("implementations_about")
    names = ("server", "reached", "run", *_COLUMNS, "names_parameter", "says_right")
    head = [context.said(name) for name in names]
    servers = read()
    rows = [row for each in servers for row in _runs(context, each)]
    parts = [context.said("implementations_intro"), table(head, rows)]
    for each in servers:
        parts.append(heading(2, each["name"], f"server-{each['name']}"))
        parts.append(_described(context, each))
        parts.append(_findings(context, each))
    parts += [heading(2, context.said("tried"), "tried"), context.said("tried_about")]
    parts.append(_tried(context))
    parts += [heading(2, context.said("gateways"), "gateways"), context.said("gateways_about")]
    parts.append(_gateways(context))
    return page(context.said("implementations"), "implementations", about, parts, hide="toc")


def _tried(context: Context) -> str:
    head = [context.said(name) for name in ("tried_package", "reached", "findings")]
    head.append(context.said("tried_mistaken"))
    rows = []
    for each in tried():
        level = context.level(each.reached.value) if each.reached else _ended(context, each)
        rows.append(
            [
                f"{code(each.package)} {each.version}, {_REGISTRIES[each.registry.value]}",
                level or context.said("ecosystem_no_level"),
                *(
                    ", ".join(_clause(context, clause, IMPLEMENTATIONS) for clause in of) or "–"
                    for of in (each.found, each.mistaken)
                ),
            ]
        )
    return table(head, rows)


def _ended(context: Context, each: Tried) -> str:
    return context.said(f"tried_{each.ended}") if each.ended else ""


def _gateways(context: Context) -> str:
    names = ("tried_package", "reached", _VERDICTS[0], "gateways_broken", "gateways_unverified")
    head = [context.said(name) for name in (*names, "gateways_retries", "findings")]
    rows, outcomes = [], outcome.read()
    for each in strangers():
        seen = outcomes[each.name]
        name, version = each.package
        registry = _REGISTRIES[each.environment.registry.value]
        clauses = (_clause(context, clause, IMPLEMENTATIONS) for clause in sorted(each.pinned))
        rows.append(
            [
                f"{code(name)} {version}, {registry}",
                context.level(seen.level) or context.said("ecosystem_no_level"),
                *(str(count) for count in (seen.held, seen.broken, seen.unverified)),
                ", ".join(f"{family} {count}" for family, count in sorted(seen.retries.items())),
                ", ".join(clauses),
            ]
        )
    return table(head, rows)


def _described(context: Context, server: Mapping[str, Any]) -> str:
    framework = f"{_framework(context, server)} {server['framework_version']}".strip()
    package = f"{code(server['package'])} {server['version']}, {_REGISTRIES[server['registry']]}"
    return f"{package}; {escaped(framework)}, {server['language']}. {server['date']}."


def _full(server: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [run for run in server["runs"] if run["level"] is not None]


def _reached(server: Mapping[str, Any]) -> int:
    """Return the lowest level of a server's full runs, as an index of the ladder."""
    names = [None if level is None else level.value for level in _LADDER]
    places = [names.index(run["level"]) if run["level"] in names else 0 for run in _full(server)]
    return min(places, default=0)


def _levels(context: Context, servers: Sequence[Mapping[str, Any]]) -> str:
    kinds: dict[str, Counter[int]] = {}
    for each in servers:
        kinds.setdefault(each["kind"], Counter())[_reached(each)] += 1
    legend = [context.said("ecosystem_no_level")]
    legend += [context.level(level.value) for level in _LADDER if level is not None]
    rows = []
    for kind, counts in sorted(kinds.items()):
        whole = counts.total()
        parts = tuple(
            Part(counts[place] / whole, place, f"{legend[place]}: {counts[place]}")
            for place in range(len(_LADDER))
            if counts[place]
        )
        numbers = " · ".join(str(counts[place]) for place in range(len(_LADDER)))
        rows.append(Bar(context.said(f"ecosystem_{kind.replace('-', '_')}"), parts, numbers))
    return bars(context.said("ecosystem_levels_title"), rows, legend)


def _framework(context: Context, server: Mapping[str, Any]) -> str:
    """Return the name of the framework, or that there is none."""
    name = str(server["framework"])
    return context.said("ecosystem_by_hand") if name == _BY_HAND else name


def _stacks(
    context: Context, servers: Sequence[Mapping[str, Any]]
) -> dict[str, list[Mapping[str, Any]]]:
    """Return the servers of each framework and major version."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for each in servers:
        major = each["framework_version"].partition(".")[0]
        version = f"{major}.x" if major else ""
        found.setdefault(f"{_framework(context, each)} {version}".strip(), []).append(each)
    return found


def _named(context: Context, servers: Sequence[Mapping[str, Any]]) -> str:
    shares = []
    for stack, listed in _stacks(context, servers).items():
        hits, of = zip(*map(_refusals, listed), strict=True)
        if any(of):
            shares.append((sum(hits) / sum(of), stack, sum(map(bool, of))))
    rows = []
    for share, stack, count in sorted(shares, reverse=True):
        value = percent(context, share)
        rows.append(Bar(f"{stack} ({count})", (Part(share, 2, f"{stack}: {value}"),), value))
    return bars(context.said("ecosystem_names_title"), rows)


def _refusals(server: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many refusals of a server name the parameter, and of how many.

    If it speaks HTTP and MCP, its framework writes only what it says over MCP, which has versions.
    """
    both = server["kind"] == Kind.BOTH
    own = [run for run in _full(server) if run["version"] or not both]
    counted = [each for run in own if (each := run["explain"].get("names_parameter"))]
    return sum(each["hits"] for each in counted), sum(each["of"] for each in counted)


def _defects(context: Context, servers: Sequence[Mapping[str, Any]]) -> str:
    of: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for server in servers:
        for each in server["findings"]:
            of.setdefault((each["clause"], each["cause"]), []).append(each)
    commonest = sorted(of.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:_COMMONEST]
    head = [context.said(name) for name in ("clause", "requirement", "ecosystem_servers", "seen")]
    rows = []
    for (clause, _), found in commonest:
        first = found[0]
        rows.append(
            [
                _clause(context, clause, ECOSYSTEM),
                _held_to(context, first),
                str(len(found)),
                escaped(_short(said(context, first))),
            ]
        )
    most = max((len(found) for _, found in commonest), default=1)
    chart = [
        Bar(name, (Part(len(found) / most, 2, f"{name}: {len(found)}"),), str(len(found)))
        for name, found in ((_defect(context, *key), found) for key, found in commonest)
    ]
    return f"{bars(context.said('ecosystem_defects_title'), chart)}\n\n{table(head, rows)}"


def _defect(context: Context, clause: str, cause: str) -> str:
    """Return a defect in a few words; `cause` is a kind of finding, and at times a detail."""
    kind, _, detail = cause.partition(" ")
    return f"{clause}: {context.said(f'defect_{kind}', detail=detail)}"


def _held_to(context: Context, found: Mapping[str, Any]) -> str:
    """Return MUST or SHOULD, and the versions of MCP that say so, if others do not."""
    word, known = context.requirement(found["requirement"]), context.clauses.get(found["clause"])
    versions = clause_versions(context, known) if known else ""
    return f"{word} ({versions})" if versions else word


def _runs(context: Context, server: Mapping[str, Any]) -> Iterator[list[str]]:
    for run in _full(server):
        shares = (run["explain"].get(each) for each in ("names_parameter", "says_what_is_right"))
        yield [
            code(server["name"]),
            context.level(run["level"]) or context.said("ecosystem_no_level"),
            code(run["run"]),
            *(str(run["counts"][each]) for each in ("pass", "fail", "warn", "not_verified")),
            *(
                percent(context, share["hits"] / share["of"] if share and share["of"] else None)
                for share in shares
            ),
        ]


def _findings(context: Context, server: Mapping[str, Any]) -> str:
    if not server["findings"]:
        unverified = max(run["counts"]["not_verified"] for run in _full(server))
        return context.said("nothing_broken" if unverified else "nothing_found", number=unverified)
    head = [context.said(name) for name in ("clause", "requirement", "tool", "seen")]
    rows = []
    for each in server["findings"]:
        rows.append(
            [
                _clause(context, each["clause"], IMPLEMENTATIONS),
                _requirement(context, server, each),
                ", ".join(code(tool) for tool in each["tools"]) or "–",
                escaped(_short(said(context, each))),
            ]
        )
    return table(head, rows)


def _requirement(context: Context, server: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return MUST or SHOULD, and that no counted version of MCP has the clause, if that is so."""
    word, known = context.requirement(found["requirement"]), clauses().get(found["clause"])
    until = known.applies_to.until if known else None
    versions = [run["version"] for run in _full(server) if run["version"]]
    if until is None or any(version <= until for version in versions):
        return word
    alone = known is not None and known.applies_to.since == until
    said = "only_superseded" if alone else "up_to_superseded"
    return context.said(said, requirement=word, version=until)


def _clause(context: Context, clause: str, here: str) -> str:
    known = context.clauses.get(clause)
    return context.clause_link(known, here) if known else clause


def percent(context: Context, share: float | None) -> str:
    """Return a share as a whole percentage; 100 and 0 only if it is exactly that."""
    if share is None:
        return "–"
    whole = round(share * 100)
    if 0 < share < 1:
        whole = min(max(whole, 1), 99)
    return context.said("report.percent", number=whole)


def _short(message: str) -> str:
    if len(message) <= _SHORT:
        return message
    return message[:_SHORT].rpartition(" ")[0] + " …"
