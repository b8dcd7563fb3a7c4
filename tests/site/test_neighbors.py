"""The page about neighbors: what its tables say is so in documents that the neighbors accept."""

import json
import re
import shutil
import subprocess

import pytest

from conformance.formats.validate.validate import validate
from conformance.spec.vocabulary import Requirement
from fixtures.implementations.corpus import Registry
from fixtures.implementations.install import InstallError, installed
from fixtures.neighbors.neighbors import accepting, neighbors, there
from tests.needs import lacking
from tests.root import ROOT
from tests.site.test_about_pages import page, rows

NAMES = list(neighbors().neighbors)
CACHE = ROOT / ".cache" / "neighbors" / "env"
_SECTION = re.compile(r"^## [^\n]+\{ #([a-z0-9-]+) \}$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS = dict(_SECTION.findall(page("en", "neighbors")))
_NAMED = re.compile(r"`([^`]+)`")


def read(name):
    return json.loads(there(name).read_text("utf-8"))


def values(document, member):
    """The values of a member, anywhere in a document."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == member:
                yield value
            yield from values(value, member)
    elif isinstance(document, list):
        for each in document:
            yield from values(each, member)


def at(document, path):
    """The values at a path such as `steps[].order`."""
    head, _, rest = path.partition(".")
    found = document.get(head.removesuffix("[]")) if isinstance(document, dict) else None
    listed = found if head.endswith("[]") and isinstance(found, list) else [found]
    listed = [each for each in listed if each is not None]
    return [value for each in listed for value in at(each, rest)] if rest else listed


def scalars(value):
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from scalars(each)
    else:
        yield value


def of(name, document, field):
    """The values of a field in the documents of a neighbor's example."""
    listed = [o for o in neighbors().neighbors[name].ours if o.document == document]
    return [value for each in listed for value in at(each.read(), field)]


def mapped(name):
    """The rows of a neighbor's table that say where a field is there: document, field, names."""
    for spec, document, field, said in rows("en"):
        row = f"({'../' + spec}/{document}.md) | `{field}` | {said} |"
        if row in SECTIONS[name] and not said.startswith("nothing") and _NAMED.search(said):
            yield f"{spec}/{document}", field, _NAMED.findall(said)


def shown(name, names):
    """What the neighbor's form has under these names; an event's type tells the event."""
    document = read(name)
    if name == "ag-ui":
        kind, *names = names
        document = [event for event in document if event["type"] == kind]
        names = names or ["value"]
    return [v for each in names for v in values(document, each.rpartition(".")[2])] + [
        v for each in names for v in values(document, each)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_our_side_of_an_example_is_valid(name):
    for each in neighbors().neighbors[name].ours:
        kind = each.document.partition("/")[2]
        found = validate(each.read(), kind)
        assert [p for p in found if p.requirement is Requirement.MUST] == [], each


@pytest.mark.parametrize("name", NAMES)
def test_each_row_of_a_table_is_shown_by_an_example(name):
    told = list(mapped(name))
    assert len(told) > 2
    for document, field, names in told:
        ours = of(name, document, field)
        assert ours, (document, field)
        found = shown(name, names)
        assert found, (field, names)
        if field.endswith(".order"):
            assert ours == sorted(ours)
            assert len(found[0]) == len(ours)
            continue
        texts = [str(each) for each in scalars(found)]
        for value in map(str, scalars(ours)):
            assert any(text.endswith(value) or value in text for text in texts), (field, value)


def test_every_neighbor_with_a_format_has_an_example_and_the_pages_show_it():
    assert SECTIONS.keys() == {*NAMES, "trace-context"}
    for language in ("en", "es", "pt"):
        for name in NAMES:
            assert f'--8<-- "fixtures/neighbors/{name}.json"' in page(language, "neighbors")


def home(name):
    environment = neighbors().environment(name)
    if environment.registry is Registry.NPM and shutil.which("node") is None:
        lacking("Node")
    try:
        return installed(environment, CACHE)
    except InstallError as error:
        pytest.skip(f"the registry does not give the neighbors' packages: {error}")


def accepts(name, file):
    command = accepting(name, home(name), file)
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_neighbor_accepts_its_side_of_the_example(name):
    ended = accepts(name, there(name))
    assert ended.returncode == 0, ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "known", "strange"),
    [
        ("opentelemetry", "gen_ai.tool.name", "gen_ai.tool.label"),
        ("cloudevents", "source", "origin_of"),
        ("arazzo", "operationId", "operation"),
        ("a2a", "examples", "samples"),
        ("ag-ui", "toolCallName", "toolName"),
    ],
)
def test_the_neighbor_refuses_another_name(name, known, strange, tmp_path):
    file = tmp_path / "other.json"
    file.write_text(there(name).read_text("utf-8").replace(f'"{known}"', f'"{strange}"'))
    assert accepts(name, file).returncode != 0
