"""The source holds nothing that nobody says, names or shows."""

from __future__ import annotations

import ast
import json
import re
from functools import cache

from scripts.generator.build import Source, load_source, read_source
from tests.root import ROOT

CODE = ("conformance", "scripts", "fixtures", "docs")
TEMPLATES = ROOT / "conformance" / "kit" / "report" / "templates"
GENERATED = ROOT / "conformance" / "spec" / "vocabulary.py"


@cache
def source() -> Source:
    return read_source(load_source(ROOT))[0]


@cache
def said() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The texts of all code, the beginnings of those that are put together, and the names in it."""
    texts: set[str] = set()
    begun: set[str] = set()
    names: set[str] = set()
    for folder in CODE:
        for file in (ROOT / folder).rglob("*.py"):
            if file == GENERATED:
                continue
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    texts.add(node.value)
                elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                    begun.add(str(node.values[0].value))
                elif isinstance(node, ast.Name | ast.alias):
                    names.add(node.id if isinstance(node, ast.Name) else node.name)
    for template in TEMPLATES.glob("*.html"):
        for quoted in re.findall(r'"([\w.-]+)"', template.read_text("utf-8")):
            (begun if quoted.endswith((".", "-")) else texts).add(quoted)
    return frozenset(texts), frozenset(begun), frozenset(names)


def unsaid(messages: set[str]) -> list[str]:
    """Those of the messages that no code says, whole or by putting their id together."""
    texts, begun, _ = said()
    prefixes = tuple(each for each in begun if "." in each)
    return sorted(each for each in messages - texts if not each.startswith(prefixes))


def test_every_message_is_said_by_code():
    assert unsaid(set(source().messages)) == []


def test_a_message_that_nobody_says_is_found():
    assert unsaid({"validate.nobody_says_this"}) == ["validate.nobody_says_this"]


def unnamed(vocabularies: dict[str, str]) -> list[str]:
    """Those of the vocabularies, by name and enum, that no schema, column, clause or code names."""
    text = json.dumps([schema.source.data for schema in source().schemas])
    named = set(re.findall(r'"\$vocabulary": "(\w+)"', text))
    named |= {column.type for each in source().vocabularies.values() for column in each.columns}
    generator = "".join(f.read_text("utf-8") for f in (ROOT / "scripts/generator").glob("*.py"))
    named |= set(re.findall(r'vocabularies\["(\w+)"\]', generator))
    _, _, names = said()
    return sorted(
        name for name, enum in vocabularies.items() if name not in named and enum not in names
    )


def test_every_vocabulary_is_named_by_a_schema_a_column_or_code():
    assert unnamed({name: each.enum for name, each in source().vocabularies.items()}) == []


def test_a_vocabulary_that_nothing_names_is_found():
    assert unnamed({"nothing_names_this": "NothingNamesThis"}) == ["nothing_names_this"]


def test_every_valid_example_is_shown_by_itself_or_begins_an_invalid_one():
    index = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in (ROOT / "fixtures/examples").glob("*/index.json")
    ]
    listed = {(each["spec"], entry["id"]) for each in index for entry in each["valid"]}
    assert listed == {(e.spec, e.id) for e in source().examples if e.valid}
    begun = {(each["spec"], entry["from"]) for each in index for entry in each["invalid"]}
    assert begun <= listed


def test_every_document_has_an_example_that_passes_and_one_that_fails():
    known = {(schema.spec, schema.name) for schema in source().schemas if schema.spec != "bindings"}
    for valid in (True, False):
        shown = {(e.spec, e.document) for e in source().examples if e.valid is valid}
        assert known - shown == set()
