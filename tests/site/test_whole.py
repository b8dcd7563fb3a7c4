"""The editions that hold a whole specification, and the list of pages for programs."""

import re

import pytest

from tests.site.made import made_once
from tests.spec.places import source

SPECS = ("atdf", "ardf", "runtime", "bindings")
LANGUAGES = ("en", "es", "pt")


def whole(language, spec):
    return made_once().files[f"{language}/{spec}/all.md"].decode()


def anchors(text):
    return re.findall(r"\{ #([\w.-]+) \}$", text, re.MULTILINE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("spec", SPECS)
def test_every_clause_has_its_own_anchor_on_the_one_page(language, spec):
    found = anchors(whole(language, spec))
    assert len(found) == len(set(found))
    own = {clause.id.lower() for clause in source().clauses if clause.spec == spec}
    assert own <= set(found)


@pytest.mark.parametrize("spec", SPECS)
def test_a_link_within_the_page_leads_to_an_anchor_of_it(spec):
    text = whole("en", spec)
    rows = re.findall(r"\{ #([\w.-]+)", text) + re.findall(r'id="([\w.-]+)"', text)
    assert set(re.findall(r"\]\(#([\w.-]+)\)", text)) <= set(rows)


@pytest.mark.parametrize("spec", SPECS)
def test_sections_are_numbered_without_a_gap(spec):
    numbers = [int(each) for each in re.findall(r"^## (\d+)\. ", whole("en", spec), re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("spec", SPECS)
def test_a_specification_names_what_binds_it_with_a_date(spec):
    end = whole("en", spec).partition("{ #references }")[2]
    assert "RFC 8174" in end
    assert re.search(r"\| \d{4}-\d{2}(-\d{2})? \|", end)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("spec", SPECS)
def test_a_specification_says_how_its_key_words_are_read_and_what_can_go_wrong(language, spec):
    text = whole(language, spec)
    (words,) = re.findall(r"^.*BCP 14.*$", text, re.MULTILINE)
    assert all(each in words for each in ("MUST NOT", "SHOULD NOT", "MAY", "RFC 2119", "RFC 8174"))
    considered = text.partition("{ #considerations }")[2].partition("{ #references }")[0]
    assert "{ #considerations--privacy }" in considered
    assert not re.search(r"\]\([\w-]+\.md", considered), "these pages are in another directory"
    assert considered.count("| ") > 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_for_programs_has_every_page(language):
    listed = made_once().files[f"{language}/llms.txt"].decode()
    prefix = "" if language == "en" else f"/{language}"
    for path in ("atdf/all", "bindings/http", "conformance/clauses"):
        assert f"(https://agent-formats.github.io{prefix}/{path}/): " in listed


def test_a_clause_about_two_fields_is_linked_from_both_and_not_from_an_inner_field_of_that_name():
    page = made_once().files["en/runtime/runtime-error.md"].decode()
    rows = {
        row.split("`")[1]: row for row in page.splitlines() if row.startswith("| ") and "`" in row
    }
    assert "RT-ERR-003" in rows["error.code"]
    assert "RT-ERR-003" in rows["error.name"]
    assert "RT-ERR-" not in rows["error.provider_error.code"]
