"""Clauses for which the reference cannot be made to err: their judges, on answers made by hand."""

from __future__ import annotations

import pytest

from conformance.spec.vocabulary import Verdict
from tests.chapters.mcp_evidence import MODERN_RUN, error, evidence, exchange, result, said

GOOD = result(resultType="complete")


def asked(reply, **more):
    """The same request twice: headers as usual, then with their names in other letters."""
    other = exchange(MODERN_RUN, "other-case", reply, **more)
    return evidence(MODERN_RUN, mcp_headers=[exchange(MODERN_RUN, "plain", GOOD), other])


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        pytest.param(asked(GOOD), Verdict.PASS, id="answered alike"),
        pytest.param(asked(error(-32020), status=400), Verdict.FAIL, id="refused"),
        pytest.param(asked(error(0), status=429), Verdict.NOT_VERIFIED, id="refused for load"),
    ],
)
def test_the_case_of_a_header_must_not_matter(run, verdict):
    assert said("MCP-HEAD-004", run) is verdict
