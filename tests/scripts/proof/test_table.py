"""The table of faults: each clause that a judge serves has one, and each names what there is."""

from __future__ import annotations

from collections import Counter

from conformance.kit.model.run import Run
from conformance.kit.verdicts.checks import load, packages
from conformance.kit.verdicts.judge import belongs
from conformance.spec.clauses import clauses
from conformance.spec.vocabulary import Binding, Requirement
from fixtures.gateways import faults as gateways
from fixtures.servers.faults import FAULT_CHAPTERS, FAULTS
from fixtures.servers.tools import TOOLS
from scripts.prove import trials_of

JUDGED = {clause.id for package in packages() for _, clause in load(package).tests}
PLANTED = {clause for fault in FAULTS.values() for clause in fault.clauses}
PLANTED |= {fault.clause for fault in gateways.FAULTS.values()}
UNPLANTABLE = {
    **dict.fromkeys(
        ("HTTP-OAS-001", "HTTP-OAS-002", "HTTP-OAS-003", "HTTP-OAS-004"),
        "the reference has a manifest; fixtures/servers/rest.py has the defects, and "
        "tests/kit/drive/test_openapi_target.py sees each caught by its clauses alone",
    ),
}
"""Clauses without a fault, each with the reason."""

BINDINGS = {"http": Binding.HTTP, "mcp": Binding.MCP, "stdio": Binding.STDIO}
VERSIONS = {"": "", "legacy": "2025-11-25", "modern": "2026-07-28"}


def is_must(id):
    clause = clauses()[id]
    return Requirement.MUST in (clause.requirement, clause.where_claimed)


def test_each_must_has_a_fault_that_breaks_it():
    assert {id for id in JUDGED - PLANTED if is_must(id)} == {*filter(is_must, UNPLANTABLE)}


def test_each_recommendation_has_a_fault_that_breaks_it():
    assert {id for id in JUDGED - PLANTED - {*UNPLANTABLE} if not is_must(id)} == set()


def test_each_fault_breaks_clauses_that_are_judged():
    named = {name: {*fault.clauses, *fault.collateral} for name, fault in FAULTS.items()}
    assert {name: ids - JUDGED for name, ids in named.items() if ids - JUDGED} == {}
    assert [name for name, fault in FAULTS.items() if not fault.clauses] == []


def test_a_fault_has_three_collaterals_at_most_each_with_a_reason():
    assert [name for name, fault in FAULTS.items() if len(fault.collateral) > 3] == []
    reasons = [reason for fault in FAULTS.values() for reason in fault.collateral.values()]
    assert all(reason.strip() for reason in reasons)


def test_a_fault_is_tried_only_where_its_clauses_hold():
    lost = []
    for fault in FAULTS.values():
        for trial in trials_of(fault, full=True):
            for version in fault.versions or (VERSIONS[trial.era],):
                run = Run("run", "target", BINDINGS[trial.binding], "", version)
                lost += [(trial, id) for id in fault.clauses if not belongs(clauses()[id], run)]
    assert lost == []


def test_a_fault_names_tools_of_the_reference():
    named = {tool for fault in FAULTS.values() for tool in fault.tools}
    assert named <= {tool.name for tool in TOOLS}


def test_each_fault_has_a_name_of_its_own():
    names = Counter(fault.name for chapter in FAULT_CHAPTERS for fault in chapter.FAULTS)
    assert [name for name, count in names.items() if count > 1] == []
