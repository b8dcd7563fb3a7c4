"""What the code knows of itself: the kit's options, the faulty servers, what it found elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.kit.config.options import OPTIONS, Option
from fixtures.servers.faults import FAULTS
from scripts.website.layout import ROOT
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.found import sentences
from scripts.website.pages.markdown import code, escaped, heading, page, table

_RESULTS = ROOT / "fixtures" / "implementations"


def options_page(context: Context) -> bytes:
    """Every option of the kit, as the code defines it."""
    about = context.said("options_about")
    parts = [escaped(about)]
    for option in OPTIONS.values():
        facts = option.facts
        metavar = facts.get("metavar")
        parts += [heading(2, option.flag, f"option-{option.name}")]
        usage = ", ".join(f"{each} {metavar}" if metavar else each for each in option.flags)
        said = [_help(context, option)]
        if "choices" in facts:
            values = ", ".join(code(str(each)) for each in facts["choices"])
            said.append(context.said("option_values", values=values))
        if facts.get("action") == "append":
            said.append(context.said("option_again"))
        parts += [code(usage), " ".join(said)]
    return page(context.said("options"), "options", about, parts)


def _help(context: Context, option: Option) -> str:
    sentence = escaped(option.help.words(context.language))
    return f"{sentence[0].upper()}{sentence[1:].rstrip('.')}."


def faults_page(context: Context) -> bytes:
    """The table of the faulty servers."""
    here = f"{CONFORMANCE}/faults.md"
    head = [context.said(name) for name in ("fault", "caught_by", "shows_over")]
    rows = []
    for fault in sorted(FAULTS.values(), key=lambda each: each.name):
        clauses = [context.clause_link(context.clauses[each], here) for each in fault.clauses]
        over = ", ".join(code(each) for each in fault.bindings)
        rows.append([code(fault.name), ", ".join(clauses), over])
    about = context.said("faults_about")
    parts = [escaped(about), context.said("faults_intro", count=len(rows)), table(head, rows)]
    return page(context.said("faults"), "faults", about, parts, hide="toc")


def implementations_page(context: Context) -> bytes:
    """What the kit says of servers that others wrote."""
    here = f"{CONFORMANCE}/implementations.md"
    about = context.said("implementations_about")
    names = ("server", "run", "reached", "passed", "failed", "warned", "names_parameter")
    head = [context.said(name) for name in (*names, "says_right")]
    results = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(_RESULTS.glob("*.results.json"))
    ]
    rows = [row for each in results for row in _runs(context, each)]
    parts = [context.said("implementations_intro"), table(head, rows)]
    for each in results:
        known = each["implementation"]
        parts.append(heading(2, known["name"], f"server-{known['name'].lower()}"))
        parts.append(
            f"{code(known['package'])} {known['version']}, {known['registry']}, {known['date']}."
        )
        parts.append(_findings(context, each, here))
    return page(context.said("implementations"), "implementations", about, parts, hide="toc")


def _runs(context: Context, results: Mapping[str, Any]) -> Iterator[list[str]]:
    for run in results["runs"]:
        if run["level"] is None:
            continue
        counts, explain = run["counts"], run["explain"] or {}
        shares = (explain.get("names_parameter"), explain.get("says_what_is_right"))
        yield [
            code(results["implementation"]["name"]),
            code(run["run"]),
            context.level(run["level"]),
            *(str(counts[each]) for each in ("pass", "fail", "warn")),
            *(_percent(context, share) for share in shares),
        ]


def _percent(context: Context, share: float | None) -> str:
    """A share as whole per cent; 100 and 0 only where it is exactly that."""
    if share is None:
        return "–"
    whole = round(share * 100)
    if 0 < share < 1:
        whole = min(max(whole, 1), 99)
    return context.said("report.percent", number=whole)


def _findings(context: Context, results: Mapping[str, Any], here: str) -> str:
    found: dict[tuple[str, str], list[str]] = {}
    said = sentences(context, results)
    for each in results["findings"]:
        found.setdefault((each["clause"], each["message"]), []).append(each["tool"] or "–")
    if not found:
        return context.said("nothing_found")
    head = [context.said(name) for name in ("clause", "requirement", "tool", "seen")]
    rows = []
    for (clause, message), tools in found.items():
        known = context.clauses.get(clause)
        named = context.clause_link(known, here) if known else clause
        requirement = context.requirement(known.facts["requirement"]) if known else ""
        listed = ", ".join(code(each) for each in dict.fromkeys(tools))
        rows.append([named, requirement, listed, escaped(_short(said.get(message, message)))])
    return table(head, rows)


def _short(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else message[:limit] + "…"
