import json
from collections.abc import Iterator

import pytest
from jsonschema import Draft202012Validator

from conformance.kit.report.data import results_document
from tests.kit.report.sample import sample_words, session
from tests.root import ROOT

SCHEMA = ROOT / "schema" / "bindings" / "1.0" / "results.schema.json"


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


def errors(document: object) -> list[str]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    checker = Draft202012Validator.FORMAT_CHECKER
    return [
        error.json_path
        for error in Draft202012Validator(schema, format_checker=checker).iter_errors(document)
    ]


def test_what_is_written_is_valid_by_the_published_schema():
    assert errors(results_document(session())) == []


@pytest.mark.parametrize(
    ("change", "at"),
    [
        (lambda document: document.update(language="fr"), "$.language"),
        (lambda document: document["runs"][0].update(level="superb"), "$.runs[0].level"),
        (lambda document: document["runs"][0]["repair"].update(rate=2), "$.runs[0].repair.rate"),
        (lambda document: document["runs"][0]["items"][0].pop("clause"), "$.runs[0].items[0]"),
        (
            lambda document: document["runs"][0]["items"][0].update(verdict="great"),
            "$.runs[0].items[0].verdict",
        ),
    ],
)
def test_the_schema_finds_what_is_wrong_where_it_is(change, at):
    document = results_document(session())
    change(document)
    assert errors(document) == [at]


def test_every_field_that_is_written_is_described():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    fields = {
        name for part in (schema, *definitions.values()) for name in part.get("properties", {})
    }
    document = results_document(session())
    run = document["runs"][0]
    used = {*document, *run, *run["items"][0], *run["repair"], *run["explain"]}
    assert used <= fields
