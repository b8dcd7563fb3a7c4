"""The pages about neighbors and registries name only what the source has."""

import re

import pytest

from conformance.spec.vocabulary import META_KEY_NAME, ErrorType, MetaKey
from tests.root import ROOT
from tests.spec.places import find, source

LANGUAGES = ("en", "es", "pt")
_ROW = re.compile(r"^\| \[[a-z-]+\]\(\.\./(\w+)/([a-z-]+)\.md\) \| `([^`]+)` \| (.+) \|$", re.M)
_CLAUSE = re.compile(r"\b[A-Z]{2,4}(?:-[A-Z]+)+-\d{3}\b")


def page(language, name):
    return (ROOT / "docs" / language / "about" / f"{name}.md").read_text(encoding="utf-8")


def rows(language):
    return _ROW.findall(page(language, "neighbors"))


@pytest.mark.parametrize("row", rows("en"), ids=lambda row: f"{row[1]} {row[2]}")
def test_a_field_that_is_mapped_is_one_of_its_document(row):
    spec, document, field, _ = row
    assert find(f"{spec}/{document}", field)[0]


def test_each_language_maps_the_same_fields():
    mapped = {language: [row[:3] for row in rows(language)] for language in LANGUAGES}
    assert len(mapped["en"]) > 30
    assert mapped["es"] == mapped["en"] == mapped["pt"]


def test_every_reserved_key_of_meta_is_registered_with_its_meaning():
    for language in LANGUAGES:
        listed = dict(
            re.findall(r"^\| `([a-z.-]+/[a-z_]+)` \| (.+) \|$", page(language, "registries"), re.M)
        )
        assert list(listed) == [META_KEY_NAME[key] for key in MetaKey]


@pytest.mark.parametrize("name", ["considerations", "registries", "extensions"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_clause_that_a_page_names_exists(language, name):
    ids = {clause.id for clause in source().clauses}
    assert set(_CLAUSE.findall(page(language, name))) <= ids


def test_the_printed_type_is_a_reserved_one():
    printed = re.findall(r"/errors/([a-z-]+)`", page("en", "registries"))
    assert printed
    assert set(printed) <= set(ErrorType)
