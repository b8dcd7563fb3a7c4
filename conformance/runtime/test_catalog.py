"""The toolset catalog (RT-CAT, -TID, -KIND, and what is declared of injected and server data)."""

from __future__ import annotations

from conformance.formats.problem import Problem, shown
from conformance.formats.validate.validate import validate
from conformance.kit.evidence.cache import once
from conformance.kit.evidence.catalog import members
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.verdicts.checks import Checks, broken, clause, holds


@once
def _problems(run: RunEvidence) -> list[Problem]:
    return validate(run.offered.catalog, "toolset-catalog")


def _of(run: RunEvidence, clause_id: str, having: str | None = None) -> Checks:
    """What is wrong with the catalog by one clause; `having` names a member that it is about."""
    found = [each for each in _problems(run) if each.clause == clause_id]
    for problem in found:
        words = problem.message
        at = run.offered.catalog_at
        yield broken(at, words.id, path=problem.path, **dict(words.values))
    entries = members(run.offered.catalog, "tools")
    if not found and (
        having is None or any(isinstance(each, dict) and having in each for each in entries)
    ):
        yield holds()


@clause("RT-CAT-001")
def test_a_toolset_catalog_holds_tools(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-CAT-001")


@clause("RT-CAT-002")
def test_each_tool_of_a_catalog_has_an_id_of_its_own(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-CAT-002")


@clause("RT-CAT-003")
def test_a_tool_id_begins_with_service_and_toolset(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-CAT-003", "id")


@clause("RT-CAT-004")
def test_the_schemas_of_a_catalog_are_valid(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-CAT-004")


@clause("RT-CAT-005")
def test_each_tool_of_a_catalog_has_description_and_payload(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-CAT-005")


@clause("RT-CAT-006")
def test_each_entry_is_about_a_tool_of_the_target(run: RunEvidence) -> Checks:
    """By its id, or by the last part of it."""
    used = {id(entry) for entry in run.offered.entries.values()}
    for index, entry in enumerate(members(run.offered.catalog, "tools")):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            continue  # RT-CAT-001 and RT-TID-001 say so
        if id(entry) in used:
            yield holds()
        else:
            at, path = run.offered.catalog_at, f"$.tools[{index}].id"
            yield broken(at, "finding.runtime.no_tool", path=path, entry=shown(entry["id"]))


@clause("RT-TID-001")
def test_a_tool_id_has_three_parts(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-TID-001", "id")


@clause("RT-KIND-001")
def test_a_toolset_is_of_a_known_kind(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-KIND-001", "kind")


@clause("RT-INJ-001")
def test_an_injected_field_is_not_in_the_schema(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-INJ-001", "injected")


@clause("RT-SD-002")
def test_kinds_of_server_data_are_distinct(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-SD-002", "server_data")


@clause("RT-SD-003")
def test_the_reserved_argument_is_not_declared(run: RunEvidence) -> Checks:
    yield from _of(run, "RT-SD-003", "server_data")
