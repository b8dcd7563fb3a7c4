"""Older versions of MCP: found, spoken as they were, judged by their own differences, no level."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import RunKind, Verdict
from fixtures.servers.start import FAULTY, REFERENCE, command, listening

pytestmark = pytest.mark.usefixtures("forked")

SETTINGS = Settings(
    profiles=("mcp",), allow_calls=AllowCalls.ALL, include_tools=("get_booking",)
)  # fmt: skip
QUIET = {Verdict.PASS, Verdict.NOT_APPLICABLE}
OVER_HTTP = ["mcp-2025-06-18", "mcp-2025-03-26"]
OVER_STDIO = ["stdio-2025-06-18", "stdio-2025-03-26", "stdio-2024-11-05"]


def judged(target, settings=SETTINGS):
    session = Session(settings)
    chapter = load("conformance.mcp")
    session.scripts = list(chapter.scripts)
    session.discover((target,))
    asked = session.questions(list(chapter.tests))
    session.drive()
    return session.results(asked, session.judge(asked))


@pytest.fixture(scope="module", params=["http", pytest.param("stdio", marks=pytest.mark.slow)])
def session(request):
    if request.param == "stdio":
        return judged("stdio:" + shlex.join(command(REFERENCE, "--stdio")))
    with listening() as url:
        return judged(f"{url}/mcp")


@pytest.mark.slow
def test_two_addresses_of_one_server_give_no_finding():
    chapters = [load(f"conformance.{name}") for name in ("atdf", "ardf", "http", "mcp")]
    session = Session(replace(SETTINGS, profiles=()))
    session.scripts = [script for chapter in chapters for script in chapter.scripts]
    with listening() as url:
        session.discover((url, f"{url}/mcp"))
        asked = session.questions([test for chapter in chapters for test in chapter.tests])
        session.drive()
        found = session.results(asked, session.judge(asked))
    ids = [run.run.id for run in found.runs]
    assert sorted(ids) == ["http", "mcp-2025-03-26", "mcp-2025-06-18", "mcp-2025-11-25",
                           "mcp-2026-07-28"]  # fmt: skip
    findings = {Verdict.FAIL, Verdict.WARN, Verdict.FLAKY}
    assert not [item for run in found.runs for item in run.items if item.verdict in findings]


def test_older_versions_are_checked_too_where_no_call_is_allowed():
    none = replace(SETTINGS, allow_calls=AllowCalls.NONE)
    with listening(FAULTY, "--fault", "batch-refused") as url:
        found = judged(f"{url}/mcp", none)
    assert [run.run.id for run in older(found)] == OVER_HTTP
    assert not any(run.tools_called for run in found.runs)
    failed = {(item.clause, item.run) for run in found.runs for item in run.items
              if item.verdict is Verdict.FAIL}  # fmt: skip
    assert failed == {("MCP-RPC-008", "mcp-2025-03-26")}


@pytest.fixture
def mixed_up():
    """A server that agrees to another version than was asked for."""
    with listening(FAULTY, "--fault", "versions-mixed-up") as url:
        yield url


def older(session):
    return [run for run in session.runs if run.run.kind is RunKind.PROTOCOL]


def test_each_older_version_that_is_agreed_to_is_a_run_without_a_level(session):
    found = [run.run.id for run in older(session)]
    assert found in (OVER_HTTP, OVER_STDIO)
    assert [(run.level, dict(run.levels)) for run in older(session)] == [(None, {})] * len(found)


def test_a_correct_server_has_no_finding_in_any_version_and_all_is_verified(session):
    said = [(r.run.id, i.clause) for r in older(session) for i in r.items if i.verdict not in QUIET]
    assert said == []


def test_a_protocol_run_makes_one_good_call_and_few_requests(session):
    for run in older(session):
        assert run.tools_called == ("get_booking",)
        assert run.requests < 25


def test_a_batch_is_judged_in_the_one_version_that_has_them(session):
    where = [
        run.run.version
        for run in session.runs
        for item in run.items
        if item.clause == "MCP-RPC-008" and item.verdict is Verdict.PASS
    ]
    assert where == ["2025-03-26"]


def test_a_version_that_is_asked_for_gets_the_full_run_of_its_era():
    with listening() as url:
        found = discovered(f"{url}/mcp", spec_versions=("2025-06-18", "2025-03-26"))
    found = [(one.run.id, one.run.kind) for one in found]
    assert found == [("mcp-2025-06-18", RunKind.FULL), ("mcp-2025-03-26", RunKind.PROTOCOL)]


def discovered(url, **settings):
    session = Session(Settings(profiles=("mcp",), **settings))
    session.discover((url,))
    return session.found


def test_a_version_that_is_not_spoken_is_said_in_one_sentence(mixed_up):
    with pytest.raises(TargetUnusable) as unusable:
        discovered(f"{mixed_up}/mcp", spec_versions=("2025-06-18",))
    assert "2025-06-18" in unusable.value.words.words()
