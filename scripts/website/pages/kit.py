"""The pages about the kit's options and the faulty servers, from the code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from conformance.kit.config.options import OPTIONS, Option
from conformance.spec.vocabulary import Binding
from fixtures.gateways.faults import FAULTS as GATEWAY_FAULTS
from fixtures.servers.faults import FAULTS
from scripts.generator.clauses import Clause
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.exchanges import fault_sentence
from scripts.website.pages.facets import facets_of
from scripts.website.pages.markdown import anchored, code, escaped, filtered, heading, page, table


@cache
def catches() -> Mapping[str, list[str]]:
    """Return the planted faults that each clause catches, by the id of the clause."""
    found: dict[str, list[str]] = {}
    for name, fault in sorted(FAULTS.items()):
        for clause in fault.clauses:
            found.setdefault(clause, []).append(name)
    for name, planted in sorted(GATEWAY_FAULTS.items()):
        found.setdefault(planted.clause, []).append(name)
    return found


def options_page(context: Context) -> bytes:
    """Return the page with every option of the kit, as the code defines it."""
    about = context.said("options_about")
    parts = [escaped(about), context.said("options_help")]
    for option in OPTIONS.values():
        facts = option.facts
        metavar = facts.get("metavar")
        parts += [heading(2, option.flag, f"option-{option.name}")]
        usage = ", ".join(f"{each} {metavar}" if metavar else each for each in option.flags)
        said = [_help(context, option)]
        if "choices" in facts:
            values = ", ".join(code(str(each)) for each in facts["choices"])
            said.append(context.said("option_values", values=values))
        if facts.get("action") == "append" and _AGAIN.search(said[0]) is None:
            said.append(context.said("option_again"))
        parts += [code(usage), " ".join(said)]
    return page(context.said("options"), "options", about, parts)


_AGAIN = re.compile(r"repe(?:ated|tir|tida)\b")
"""Matches an option's text if it already says that the option can be repeated."""


def _help(context: Context, option: Option) -> str:
    sentence = escaped(option.help.words(context.language))
    return f"{sentence[0].upper()}{sentence[1:].rstrip('.')}."


def faults_page(context: Context) -> bytes:
    """Return the page with the table of the faulty servers."""
    here = f"{CONFORMANCE}/faults.md"
    head = [context.said(name) for name in ("fault", "caught_by", "shows_over", "fault_said")]
    rows = []
    about_clauses: list[list[Clause]] = []
    shown_over: list[list[str]] = []
    for fault in sorted(FAULTS.values(), key=lambda each: each.name):
        clauses = [context.clause_link(context.clauses[each], here) for each in fault.clauses]
        over = ", ".join(code(each) for each in fault.bindings)
        said = fault_sentence(context, fault.name, fault.clauses[0])
        rows.append([anchored(fault.name, "fault"), ", ".join(clauses), over, said])
        about_clauses.append([context.clauses[each] for each in fault.clauses])
        shown_over.append(list(fault.bindings))
    for name, planted in sorted(GATEWAY_FAULTS.items()):
        link = context.clause_link(context.clauses[planted.clause], here)
        said = fault_sentence(context, name, planted.clause)
        rows.append([anchored(name, "fault"), link, code(Binding.NATIVE), said])
        about_clauses.append([context.clauses[planted.clause]])
        shown_over.append([Binding.NATIVE])
    about = context.said("faults_about")
    parts = [
        escaped(about),
        context.said("faults_intro", count=len(rows)),
        filtered(facets_of(context, about_clauses, shown_over), context.filter_words()),
        table(head, rows),
    ]
    return page(context.said("faults"), "faults", about, parts, hide="toc")
