"""The filters for rows about clauses, such as specification, level, binding and method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from conformance.kit.model.run import Role
from conformance.kit.verdicts.run_result import REPAIR_CLAUSE
from conformance.spec.vocabulary import Binding, NeededFor, Requirement, Scope
from scripts.generator.clauses import Clause
from scripts.website.pages.context import Context
from scripts.website.pages.markdown import Facet

_SHORT: Final = ("atdf", "ardf")
"""Specifications whose names are acronyms."""
_OF_SERVERS: Final = (Binding.HTTP, Binding.MCP, Binding.STDIO)
_OF_ROLE: Final = {
    Role.SERVER: _OF_SERVERS,
    Role.GATEWAY: tuple(each for each in Binding if each not in _OF_SERVERS),
}


def facets_of(
    context: Context,
    rows: Sequence[Sequence[Clause]],
    bindings: Sequence[Iterable[str]] | None = None,
) -> list[Facet]:
    """Return the filters for a table whose rows are about these clauses.

    `bindings` has the bindings of each row, if they are not those of its clauses.
    """

    def facet(name: str, of: Callable[[Clause], Iterable[str]], order: Sequence[str] = ()) -> Facet:
        values = [sorted({value for each in row for value in of(each)}) for row in rows]
        return Facet(name, context.said(f"filter_{name}"), values, order)

    none = context.said("ecosystem_no_level")
    levels = [*filter(None, (context.level(each.value) for each in NeededFor)), none]
    over = facet("binding", _bindings, list(Binding))
    return [
        facet("spec", lambda each: [_spec(context, each.spec)]),
        facet("group", lambda each: [group(each)]),
        facet("level", lambda each: [level_of(context, each) or none], levels),
        over if bindings is None else Facet(over.key, over.label, bindings, over.order),
        facet("method", lambda each: [_method(context, each)]),
        facet("requirement", lambda each: [context.requirement(each.facts["requirement"])]),
    ]


def group(clause: Clause) -> str:
    """Return the common part of the ids of related clauses."""
    return clause.id.rpartition("-")[0]


def _spec(context: Context, spec: str) -> str:
    return spec.upper() if spec in _SHORT else context.spec_title(spec)


def level_of(context: Context, clause: Clause) -> str:
    """Return the name of the level that a clause blocks when it is broken; empty if none."""
    of_run = clause.excluded is None and clause.facts["scope"] != Scope.DOCUMENT
    must = Requirement.MUST in (clause.facts["requirement"], clause.facts.get("where_claimed"))
    if not of_run or not (must or clause.id == REPAIR_CLAUSE):
        return ""
    return context.level(clause.facts["needed_for"])


def _bindings(clause: Clause) -> Sequence[str]:
    """Return the bindings of a clause: without a limit, all bindings of its role."""
    named: Sequence[str] = clause.facts.get("applies_to", {}).get("bindings", ())
    needed = NeededFor(clause.facts["needed_for"])
    return named or next(over for role, over in _OF_ROLE.items() if role.has(needed))


def _method(context: Context, clause: Clause) -> str:
    if clause.excluded is not None:
        return context.said("filter_not_checked")
    return context.said(f"filter_{clause.facts['verified']}")
