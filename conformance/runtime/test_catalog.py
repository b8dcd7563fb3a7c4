"""The toolset catalog, with its injected fields and server data (RT-CAT, RT-TID, RT-KIND)."""

from __future__ import annotations

from conformance.formats.problem import Problem, shown
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.cache import cached
from conformance.kit.evidence.catalog import members
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.checks import Checks, broken, by_rules, clause, family, holds
from conformance.spec.clauses import Clause
from conformance.spec.vocabulary import Family


@cached
def _problems(run: RunEvidence) -> list[Problem]:
    return validate(run.offered.catalog, "toolset-catalog")


@family(Family.TOOLSET_CATALOG)
def test_the_catalog(run: RunEvidence, clause: Clause) -> Checks:
    """The catalog follows the rules. A clause about fields needs a tool that has one of them."""
    when, entries = clause.when, members(run.offered.catalog, "tools")
    having = (name in each for each in entries if isinstance(each, dict) for name in when.has)
    counts = when.always or any(having)
    yield from by_rules(run.offered.catalog_at, _problems(run), clause.id, counts=counts)


@clause("RT-CAT-006")
def test_each_entry_is_about_a_tool_of_the_target(run: RunEvidence) -> Checks:
    """Each entry's id, or the last part of it, is the name of a tool of the target."""
    used = {id(entry) for entry in run.offered.entries.values()}
    for index, entry in enumerate(members(run.offered.catalog, "tools")):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            continue  # RT-CAT-001 and RT-TID-001 report it
        if id(entry) in used:
            yield holds()
        else:
            at, path = run.offered.catalog_at, f"$.tools[{index}].id"
            yield broken(at, "finding.runtime.no_tool", path=path, entry=shown(entry["id"]))
