import json

import pytest

from conformance.kit.model.run import KNOWN_VERSIONS, MODERN
from conformance.spec import clauses as module
from conformance.spec.clauses import Clause, clause_url, clauses, newest
from conformance.spec.messages import catalog
from conformance.spec.vocabulary import (
    ArdfBlock,
    Binding,
    Era,
    Family,
    NeededFor,
    Requirement,
    ResourceType,
    Scope,
    ToolTrait,
    Verified,
)


def test_each_clause_stands_under_its_own_id_with_text_in_three_languages():
    assert len(clauses()) > 50
    for name, clause in clauses().items():
        assert clause.id == name
        assert set(clause.text) == {"en", "es", "pt"}


def test_a_clause_has_what_the_source_says_of_it():
    clause = clauses()["ATDF-TOOL-001"]
    assert (clause.spec, clause.document, clause.at) == ("atdf", "tool", ("/properties/name",))
    assert (clause.requirement, clause.needed_for) == (Requirement.MUST, NeededFor.DESCRIBED)
    assert (clause.scope, clause.verified) == (Scope.TOOL, Verified.SCHEMA)
    assert clause.applies_to.claimed


def test_a_requirement_may_rise_where_atdf_is_claimed():
    clause = clauses()["ATDF-CALL-002"]
    assert (clause.requirement, clause.where_claimed) == (Requirement.SHOULD, Requirement.MUST)


def test_a_clause_about_repetition_is_not_confirmed():
    assert not clauses()["ATDF-ERR-005"].confirm
    assert clauses()["ATDF-ERR-006"].confirm


def test_a_clause_of_one_binding_says_which():
    assert clauses()["HTTP-ERR-001"].applies_to.bindings == (Binding.HTTP,)


def test_a_declared_clause_says_its_family_and_what_it_is_about():
    known = clauses()
    assert known["ARDF-RES-001"].family is Family.RESOURCE
    assert known["ARDF-RES-001"].when.always
    referring = known["ARDF-COL-003"].when
    assert (referring.has, referring.block) == (("prerequisites",), (ArdfBlock.COMPOSITION,))
    assert referring.whole and not referring.always
    assert known["ARDF-RES-006"].when.type == (ResourceType.TOOL,)
    assert known["ATDF-TOOL-005"].when.schema_uses == ("$ref", "$dynamicRef")
    assert known["RT-BND-006"].when.tool is ToolTrait.BOUNDED


def test_a_clause_with_a_test_of_its_own_has_no_family():
    assert clauses()["ATDF-ERR-001"].family is None


def test_clauses_are_read_once():
    assert clauses() is clauses()


def test_a_clause_cannot_be_changed():
    with pytest.raises(AttributeError):
        clauses()["ATDF-TOOL-001"].id = "x"
    with pytest.raises(TypeError):
        clauses()["X"] = None


def test_the_address_of_a_clause_ends_in_its_id():
    clause = clauses()["ATDF-TOOL-001"]
    assert clause_url(clause).endswith("/clauses/atdf-tool-001/")
    assert "/es/" in clause_url(clause, "es")


def test_the_newest_version_is_found_by_number_and_not_by_letter(tmp_path):
    for name in ("1.9", "1.10", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "clauses.json").touch()
    (tmp_path / "2.0").mkdir()
    assert newest(tmp_path).name == "1.10"


def test_a_tree_without_clauses_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"scripts/generate\.py"):
        module.clauses_of(tmp_path)


def test_what_an_entry_leaves_out_has_a_default(tmp_path):
    folder = tmp_path / "x" / "1.0"
    folder.mkdir(parents=True)
    entry = {
        "id": "X-A-001",
        "requirement": "MAY",
        "needed_for": "protocol",
        "scope": "target",
        "text": {"en": "a", "es": "b", "pt": "c"},
        "excluded": {"en": "a", "es": "b", "pt": "c"},
        "also_at": [],
        "at": None,
    }
    held = {"spec": "x", "version": "1.0", "clauses": [entry]}
    (folder / "clauses.json").write_text(json.dumps(held), encoding="utf-8")
    clause = module.clauses_of(tmp_path)["X-A-001"]
    assert isinstance(clause, Clause)
    assert (clause.verified, clause.source, clause.at, clause.confirm) == (None, None, (), True)
    assert not clause.applies_to.claimed


def versions_of(clause):
    """The versions of MCP that a clause is checked in."""
    limits = clause.applies_to
    for version in KNOWN_VERSIONS:
        era = Era.MODERN if version >= MODERN else Era.LEGACY
        within = (limits.since or version) <= version <= (limits.until or version)
        if within and (not limits.eras or era in limits.eras):
            yield version


WITHOUT_A_SENTENCE = {
    ("MCP-ANN-001", "2025-03-26"): "its schema says it in a comment alone",
    ("MCP-RPC-007", "2024-11-05"): "it names no encoding",
    ("MCP-CALL-001", "2024-11-05"): "its form is in the schema alone",
    ("MCP-CALL-001", "2025-03-26"): "its form is in the schema alone",
    # That version has another transport over HTTP, with two endpoints.
    **{(id, "2024-11-05"): "it has no such transport" for id in (
        "MCP-HTTP-001", "MCP-HTTP-002", "MCP-HTTP-003", "MCP-ORIG-001", "MCP-SESS-001",
        "MCP-SESS-002", "MCP-SESS-003",
    )},
    ("MCP-RPC-007", "2026-07-28"): "the pages on its transports do not repeat the sentence",
    ("MCP-CALL-003", "2026-07-28"): "the change that it rests on was made in the version before",
}  # fmt: skip


def test_what_is_quoted_is_of_the_version_that_is_checked():
    lacking = set()
    for clause in clauses().values():
        if clause.source is None or "modelcontextprotocol.io" not in clause.source.url:
            continue
        for version in versions_of(clause):
            quoted = clause.source.of(version)
            if quoted is None:
                lacking.add((clause.id, version))
            else:
                assert f"/{version}/" in quoted.url and quoted.quote
                assert "{" not in quoted.url
    assert lacking == set(WITHOUT_A_SENTENCE)


def test_a_sentence_of_a_standard_without_versions_holds_in_each():
    rpc = clauses()["MCP-RPC-004"].source
    assert rpc.version == "" and rpc.of("2025-06-18") is rpc


def test_words_of_a_clause_of_its_own_are_of_a_clause_that_there_is():
    own = [each.split(".")[2].upper() for each in catalog() if each.startswith("documents.of.")]
    assert own
    assert set(own) <= set(clauses())
