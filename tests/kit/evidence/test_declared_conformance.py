"""What a target claims of itself, and how much of it can be read."""

import pytest

from conformance.kit.evidence.declared_conformance import (
    EXTENSION,
    claimed_level,
    claimed_offers,
    claims_in,
    in_capabilities,
    is_discovery,
    link_in,
)
from conformance.spec.vocabulary import Level, Offer

DOCUMENT = {
    "conformance": [
        {"spec": "atdf", "version": "1.0", "classes": ["guarded", "explained"]},
        {"spec": "runtime", "version": "1.0", "classes": ["toolsets", "of-tomorrow", 3]},
        {"spec": "ardf"},
        "atdf",
    ],
    "links": {
        "manifest": "/docs/manifest",
        "openapi": "//elsewhere.example/openapi.json",
        "mcp": 3,
    },
}


def test_claims_that_can_be_read_are_read():
    claims = claims_in(DOCUMENT)
    assert [each.spec for each in claims] == ["atdf", "runtime"]
    assert claimed_level(claims) is Level.EXPLAINED
    assert claimed_offers(claims) == (Offer.TOOLSETS,)


@pytest.mark.parametrize("document", [None, [], "text", {"conformance": "atdf"}])
def test_another_document_claims_nothing(document):
    assert claims_in(document) == ()
    assert claimed_level(()) is None


def test_a_link_to_another_host_is_not_followed():
    assert link_in(DOCUMENT, "manifest") == "/docs/manifest"
    assert [link_in(DOCUMENT, name) for name in ("openapi", "mcp", "toolset_catalog")] == [None] * 3


def test_an_answer_to_any_path_is_not_a_discovery_document():
    assert not is_discovery({"detail": "Welcome"})
    assert not is_discovery(["conformance"])
    assert is_discovery({"links": {}})


@pytest.mark.parametrize("member", ["extensions", "experimental"])
def test_capabilities_of_either_era_hold_the_document(member):
    assert in_capabilities({member: {EXTENSION: DOCUMENT}}) is DOCUMENT
    assert in_capabilities({member: {"com.example/other": {}}}) is None
    assert in_capabilities({member: [EXTENSION]}) is None
