"""The guide for editors: what the language service of Visual Studio Code makes of the schemas."""

from __future__ import annotations

import json

import pytest

from conformance.formats.validate.recognize import recognize
from conformance.formats.validate.validate import validate
from scripts.generator.downloads import downloads
from scripts.generator.editors import ENDINGS
from tests.guides.booking import node
from tests.root import ROOT
from tests.spec.places import source

BASE = "https://agent-formats.github.io/"
LANGUAGES = {"en": "", "es": "es/", "pt": "pt/"}


@pytest.fixture(scope="module")
def served():
    return {each.path: each.content.decode() for each in downloads(source()) if is_text(each.path)}


def is_text(path):
    return path.endswith(".json") and "/examples/" not in path


def shown(served, language, document, rest):
    spec, name = document.split("/")
    address = f"{BASE}{LANGUAGES[language]}schema/{spec}/latest/{name}.schema.json"
    text = f'{{"$schema": "{address}", {rest}'
    schemas = {BASE + path: content for path, content in served.items()}
    return node("editor.mjs", given={"text": text, "schemas": schemas})


@pytest.mark.needs
@pytest.mark.parametrize(
    ("language", "help"),
    [
        ("en", "What the tool does, in words for the agent that chooses it."),
        ("es", "Qué hace la herramienta, explicado al agente que la elige."),
        ("pt", "O que a ferramenta faz, em palavras para o agente que a escolhe."),
    ],
)
def test_help_and_completion_are_in_the_language_of_the_schema(served, language, help):
    found = shown(served, language, "atdf/catalog", '"tools": [{"descri|ption": "d"}]}')
    assert found["help"] == [help]
    found = shown(served, language, "atdf/catalog", '"tools": [{"name": "a", |}]}')
    assert found["choices"]["description"] == help
    assert "inputSchema" in found["choices"]


@pytest.mark.needs
def test_the_values_of_a_vocabulary_are_offered(served):
    found = shown(served, "en", "ardf/resource", '"resource_type": |}')
    assert '"workflow"' in found["choices"]


@pytest.mark.needs
@pytest.mark.parametrize("document", ENDINGS)
def test_each_schema_is_read_with_all_that_it_refers_to(served, document):
    found = shown(served, "en", document, "|}")
    assert found["choices"]
    assert not [each for each in found["faults"] if "load" in each or "reference" in each]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_for_editors_names_schemas_that_the_site_serves(served, language):
    listed = json.loads(served[f"{LANGUAGES[language]}schema/catalog.json"])
    assert listed["version"] == 1
    assert len(listed["schemas"]) == len(ENDINGS)
    matches = [match for each in listed["schemas"] for match in each["fileMatch"]]
    assert len(set(matches)) == len(matches)
    for each in listed["schemas"]:
        assert set(each) == {"name", "description", "fileMatch", "url"}
        title = json.loads(served[each["url"].removeprefix(BASE)])["title"]
        assert each["name"] == title


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_each_ending_and_shows_its_picture(language):
    folder = ROOT / "docs" / language / "guides"
    page = (folder / "editor.md").read_text(encoding="utf-8")
    assert all(f"`*.{ending}.json`" in page for ending in ENDINGS.values())
    assert "(editor.png)" in page and (folder / "editor.png").stat().st_size < 200_000


@pytest.mark.parametrize("document", ENDINGS)
def test_a_document_may_name_its_schema(document):
    spec, name = document.split("/")
    given = [e for e in source().examples if (e.spec, e.document) == (spec, name) and e.valid]
    line = {"$schema": f"{BASE}schema/{spec}/latest/{name}.schema.json"}
    assert given
    for example in given:
        with_line = {**line, **example.data}
        assert recognize(with_line) == recognize(example.data), example.id
        assert validate(with_line) == validate(example.data), example.id
