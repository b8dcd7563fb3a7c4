"""What is missing around the server is said once, with the tools that lack it."""

from dataclasses import replace

from conformance.kit.evidence.declarations import Declared
from conformance.kit.model.case import CaseKind
from conformance.kit.model.results import Shortage
from conformance.kit.model.settings import Settings
from conformance.kit.verdicts.run_result import run_result
from conformance.spec.vocabulary import Missing
from tests.kit.samples import (
    MCP,
    TOOL,
    accepted,
    called,
    case,
    result,
    rpc,
    run_evidence,
    tool_evidence,
    web,
)


def lacking(name, *said):
    tool = replace(TOOL, name=name)
    of = case(CaseKind.BASELINE, run=MCP)
    calls = [called(rpc(result(text, isError=True), of=of)) for text in said]
    return tool_evidence(*calls, tool=tool, run=MCP)


def test_it_is_said_once_with_all_tools_that_lack_it():
    evidence = run_evidence(
        lacking("one", "fetch failed", "getaddrinfo EAI_AGAIN"),
        lacking("two", "getaddrinfo EAI_AGAIN", "connect ECONNREFUSED 127.0.0.1:9200"),
        run=MCP,
    )
    made = run_result(evidence, [], Declared({}, (), ()), Settings(), 1)
    assert made.shortages == (
        Shortage(Missing.NETWORK, "fetch failed", ("one", "two")),
        Shortage(Missing.SERVICE, "ECONNREFUSED", ("two",)),
    )


def test_what_only_a_broken_call_lacks_is_not_missing():
    offline = called(web(500, {"detail": "getaddrinfo ENOTFOUND host.example"}))
    for calls, missing in (((offline,), 1), ((accepted(), offline), 0)):
        evidence = run_evidence(tool_evidence(*calls))
        made = run_result(evidence, [], Declared({}, (), ()), Settings(), 1)
        assert len(made.shortages) == missing
