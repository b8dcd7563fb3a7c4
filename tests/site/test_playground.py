"""The playground's engine gives, for every example, what the validator gives."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from conformance.convert.convert import convert
from conformance.convert.form import Form, form_of
from conformance.formats.problem import HINTS
from conformance.formats.runtime.recognition import RuntimeRow
from conformance.formats.schema.keyword_words import FORMS
from conformance.formats.text.json_text import Notation
from conformance.formats.tool.descriptor import is_descriptor
from conformance.formats.validate.recognize import TABLE, Recognition, recognize
from conformance.formats.validate.validate import DEEPEST, examine, validate
from conformance.kit.report.safe_text import is_plain
from conformance.spec.format_checker import format_checker
from conformance.spec.messages import message
from scripts.generator.build import load_source, read_source
from scripts.generator.keywords import positions
from scripts.website.layout import ROOT
from scripts.website.pages.playground import converter, data, engine, scripts
from tests.cli.test_validate import HELD, NO_RESULTS
from tests.convert.test_forms import MISTAKES
from tests.convert.test_openapi_references import BODY, document
from tests.formats.validate.foreign_samples import DESCRIPTIONS as API_DESCRIPTIONS
from tests.formats.validate.foreign_samples import SCHEMAS, operation
from tests.formats.validate.foreign_samples import parameter as declared
from tests.formats.validate.test_hints import BOUNDS

SCHEMA_CLAUSES = ("ATDF-TOOL-004", "ATDF-TOOL-005", "HTTP-OAS-001", "HTTP-OAS-002")
ALSO = ("ATDF-CAT-002", "ATDF-TOOL-006", "ATDF-TOOL-008", "ATDF-TOOL-009")
"""Clauses of rules that no published schema holds, and that the playground knows all the same."""
WHOLE = re.compile(r"\b(\d+)\.0\b")
"""Python writes a whole number with its fraction; a browser has no other numbers."""
RUN = """
const fs = require("fs"), vm = require("vm");
const { engine, converter, data, texts } = JSON.parse(fs.readFileSync(0, "utf8"));
const page = vm.createContext({});
const names = ";[examine, examineAll, CONDITIONS, KEYWORDS, APPLIED]";
const [examine, examineAll, conditions, keywords, applied] = vm.runInContext(engine + names, page);
const known = [...Object.keys(keywords), ...Object.keys(applied)];
const found = texts.map((text) => examine(text, data));
const inside = texts.map((text) => examineAll(text, data));
const hints = found.map((each) => each.hints);
const [convertible, converted] = vm.runInContext(converter + ";[convertible, converted]", page);
const forms = inside.map(({ subject, form, problems, known: foreign }) => [form,
  problems.length && !foreign ? [] :
  [...data.targets.tools, ...data.targets.errors]
    .filter((to) => convertible(subject, form, to, data))
    .map((to) => [to, converted(subject, form, to, data)])]);
const answer = { found, inside, hints, forms, conditions: Object.keys(conditions), known };
process.stdout.write(JSON.stringify(answer));
"""


@pytest.fixture(scope="module")
def source():
    read, problems = read_source(load_source(ROOT))
    assert problems == []
    return read


@pytest.fixture(scope="module")
def run(source, node):

    def run(texts, language="en"):
        given = {"engine": engine(), "converter": converter(), "data": data(source, language)}
        done = subprocess.run(
            [node, "-e", RUN],
            input=json.dumps(given | {"texts": texts}),
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    return run


def known_to_the_page(value, problems):
    """Those that the playground finds, too. Of a descriptor, it checks no defaults and examples."""
    for each in problems:
        listed = each.place[:1] == ("tools",)
        tool = value["tools"][each.place[1]] if listed and len(each.place) > 1 else value
        ours = "-" not in each.keyword or each.keyword in (*SCHEMA_CLAUSES, "ATDF-CAT-002")
        if ours or (each.keyword in ALSO and not is_descriptor(tool)):
            yield each


def wrong_in(value):
    """The problems of a document that the playground finds, too, without its hints."""
    problems = known_to_the_page(value, validate(value))
    return [each for each in problems if each.keyword not in ALSO[2:]]


def test_each_example_gets_the_verdict_that_python_gives(run, source):
    examples = [(each.document, each.data) for each in source.examples]
    found = run([json.dumps(value, ensure_ascii=False) for _, value in examples])["found"]
    wrong = []
    for (_, value), seen in zip(examples, found, strict=True):
        known = recognize(value)
        if not isinstance(known, Recognition):
            assert seen["row"] is None
            assert seen["problems"][0]["words"] == known.message.words("en")
            continue
        assert seen["row"] == {
            "spec": known.spec, "document": known.document, "version": known.version,
        }  # fmt: skip
        theirs = sorted(
            (each.path, each.keyword, each.clause or "", WHOLE.sub(r"\1", each.message.words("en")))
            for each in wrong_in(value)
        )
        ours = sorted(
            (each["path"], each["keyword"], each["clause"] or "", WHOLE.sub(r"\1", each["words"]))
            for each in seen["problems"]
        )
        if ours != theirs:
            wrong.append((ours, theirs))
    assert wrong == []


@pytest.mark.parametrize(
    "carried", [{"when_to_use": 3, "tags": "x", "examples": [{"name": "a"}, 3]}, ["version"], None]
)
def test_what_a_tool_of_mcp_carries_gets_the_same_verdict(run, carried):
    tool = {"name": "a", "description": "Does a.", "inputSchema": {"type": "object"}}
    tool["_meta"] = {"io.github.agent-formats/atdf": carried}
    values = [tool, {"tools": [{}, tool]}]
    found = run([json.dumps(each) for each in values])["found"]
    for value, seen in zip(values, found, strict=True):
        theirs = {
            (each.path, each.keyword, each.clause, each.message.words("en"))
            for each in wrong_in(value)
        }
        assert len(theirs) > 0
        ours = {(e["path"], e["keyword"], e["clause"], e["words"]) for e in seen["problems"]}
        assert ours == theirs


NO_RETRY = {"strategy": "none"}


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ({"$schema": "https://a.example/x", **NO_RETRY}, []),
        ({"$schema": "https://a.example/x", "strategy": "no"}, ["$.strategy"]),
        ({"retry_policy": NO_RETRY, "$schema": "x"}, []),
        ({"retry_policy": {"strategy": "no"}}, ["$.retry_policy.strategy"]),
        ({"retry_policy": None, "strategy": "no"}, ["$.strategy"]),
    ],
)
def test_the_line_of_an_editor_and_a_policy_in_its_key_are_read_as_python_reads_them(
    run, value, places
):
    (seen,) = run([json.dumps(value)])["found"]
    assert seen["row"]["document"] == recognize(value).document
    assert [each["path"] for each in seen["problems"]] == places
    assert [each.path for each in validate(value)] == places


def descriptor(*inputs, **use):
    outputs = {"success": "s", "failure": []}
    about = {"tool_id": "t", "description": "Does t.", "when_to_use": "When t."}
    return {**about, "how_to_use": {"inputs": [*inputs], "outputs": outputs, **use}}


LIMIT = {"name": "n", "type": "integer", "description": "d"}
POLICY = {"retry": NO_RETRY, "models": {"openai": "o/{nonce}"}}


@pytest.mark.parametrize(
    "value",
    [
        descriptor({**LIMIT, "schema": {"minimum": "1"}}),
        descriptor({**LIMIT, "schema": {"$ref": "#/$defs/x"}}, input_schema={"$defs": {"x": True}}),
        descriptor({**LIMIT, "schema": {"$ref": "#/$defs/y"}}, input_schema={"$defs": {"x": True}}),
        descriptor(LIMIT, input_schema={"required": [3]}),
        {"tools": [descriptor({**LIMIT, "schema": {"items": None}}, LIMIT)]},
        {**POLICY, "models": {"constructor": "x"}},
        {"name": "t", "description": "d", "inputSchema": {"properties": {"toString": 1}}},
    ],
)
def test_inputs_of_descriptors_and_names_that_every_object_has_are_judged_as_python_does(
    run, value
):
    (seen,) = run([json.dumps(value)])["found"]
    ours = sorted((each["path"], each["keyword"]) for each in seen["problems"])
    assert ours == sorted((each.path, each.keyword) for each in wrong_in(value))


@pytest.mark.parametrize("schema", [{"required": 1.5}, {"properties": []}, {"$defs": 3}, "x"])
def test_a_tool_of_a_provider_that_the_command_refuses_is_left_to_it(run, schema):
    tool = {"type": "function", "function": {"name": "t", "parameters": schema}}
    ((form, made),) = run([json.dumps([tool])])["forms"]
    assert (form, made) == ("openai", [])
    assert convert([tool], Form.CATALOG).data is None


def test_a_version_that_has_no_text_is_no_fault_of_the_page(run):
    (seen,) = run(['{"openapi": {"a": 1}, "openapi": {"a": 1}}'])["inside"]
    assert seen["known"]["name"] == "openapi_other"


def test_a_document_that_nobody_knows_gets_the_sentence_that_python_gives(run):
    values = [{"tols": []}, {"Tools": []}, {"toolz": []}, {"tls": []}, {"erorrs": []}, {"x": 1}]
    values += [{"name": "a", "description": "d", "capabilities": {}, "skills": []}, {}]
    found = run([json.dumps(value) for value in values])["found"]
    for value, seen in zip(values, found, strict=True):
        assert seen["problems"][0]["words"] == recognize(value).message.words("en"), value


def test_documents_of_other_standards_get_the_verdict_that_python_gives(run):
    tools = [{"name": "t", "description": "d", "inputSchema": schema} for schema in SCHEMAS]
    values = [*SCHEMAS, *API_DESCRIPTIONS, *({"tools": [each]} for each in tools)]
    found = run([json.dumps(value) for value in values])["inside"]
    for value, seen in zip(values, found, strict=True):
        theirs = sorted(
            (each.path, each.clause or "", each.message.words("en")) for each in wrong_in(value)
        )
        ours = sorted((e["path"], e["clause"] or "", e["words"]) for e in seen["problems"])
        assert ours == theirs, value


def test_near_misses_of_each_valid_example_get_the_same_verdict(run, source):
    drawn = random.Random(7)
    values = [drawn_break(each.data, drawn) for each in source.examples if each.valid] * 1
    found = run([json.dumps(value) for value in values])["found"]
    for value, seen in zip(values, found, strict=True):
        known = recognize(value)
        if not isinstance(known, Recognition):
            assert seen["row"] is None, value
            continue
        theirs = {(each.path, each.keyword, each.clause) for each in wrong_in(value)}
        assert {(e["path"], e["keyword"], e["clause"]) for e in seen["problems"]} == theirs, value


def misspelled(value, drawn):
    """A document with some names misspelled."""
    if isinstance(value, list):
        return [misspelled(each, drawn) for each in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for name, inner in value.items():
        at = drawn.randrange(len(name) + 1)
        slips = [name[:at] + name[at + 1 :], name[:at] + "e" + name[at:], name.upper()]
        written = drawn.choice(slips) if drawn.random() < 0.3 else name
        made[written] = misspelled(inner, drawn)
    return made


def test_the_hints_are_those_of_the_command(run, source):
    drawn = random.Random(3)
    values = [misspelled(each.data, drawn) for each in source.examples for _ in range(3)]
    values += [each.data for each in source.examples]
    values += [misspelled(each, drawn) for each in SCHEMAS for _ in range(3)]
    values += [{"type": "object", "properties": {"a": {}}, "required": ["a", "b"]}]
    bounds = [schema for schema, _ in BOUNDS]
    named = {str(n): each for n, each in enumerate([*bounds, {"type": "strng"}, {"$ref": 7}])}
    values += [operation(parameters=[declared(schema=each)]) for each in bounds]
    values += [misspelled(each, drawn) for each in API_DESCRIPTIONS for _ in range(3)]
    for schema in ({"properties": {"day": {}}}, {"allOf": [{}]}, {"properties": 7}, 7):
        values += [TOOL | {"invocation": {"endpoint": "/{day}/{id}/{id}"}, "inputSchema": schema}]
    for broken in ({}, {"required": ["a", "0", 7]}, {"properties": 7}, {"$defs": [], "title": 7}):
        schema = {"type": "object", "properties": named, "required": ["0", "day"], **broken}
        values += [schema, {"tools": [{**TOOL, "inputSchema": schema}]}, TOOL | {"name": "año"}]
    for language, some, least in (("en", values, 200), ("pt", values[::5], 40)):
        told = 0
        seen = run([json.dumps(each) for each in some], language)["inside"]
        for value, ours in zip(some, [each["hints"] for each in seen], strict=True):
            theirs = {
                (each.path, each.keyword, each.clause, each.message.words(language))
                for each in known_to_the_page(value, examine(json.dumps(value).encode()).problems)
                if each.keyword in (*HINTS, *ALSO[2:])
            }
            found = {(e["path"], e["keyword"], e["clause"], e["words"]) for e in ours}
            assert found == theirs, value
            told += len(theirs)
        assert told > least


VALUES = [None, True, 0, 7, 2.5, "", "north", "2026-02-30", [], [1, 1], {}, {"a": 1}]
PARAMETERS = [
    {"type": "string"}, {"type": ["string", "null"]}, {"type": "integer", "minimum": 3},
    {"enum": ["North", "south"]}, {"const": 7}, {"type": "string", "maxLength": 4},
    {"type": "string", "pattern": "^[a-z]+$"}, {"type": "string", "format": "date"},
    {"type": "number", "exclusiveMaximum": 7, "multipleOf": 0.5}, {"$ref": "#/$defs/list"},
    {"anyOf": [{"type": "integer", "maximum": 3}, {"type": "null"}]},
    {"oneOf": [{"type": "integer"}, {"type": "number"}, {"$ref": "#/$defs/list"}]},
    {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "boolean"}]},
    {"type": "object", "additionalProperties": False, "properties": {"b": {}}, "required": ["b"]},
    {"allOf": [{"minLength": 1}, {"not": {"type": "null"}}]},
    {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "array"}},
    {"type": "string", "format": "constructor", "x-note": 1, "toString": 1},
]  # fmt: skip
"""Parameters for which the playground decides whether a value is valid."""
ONLY_COMMAND = [
    {"prefixItems": [{"type": "string"}]}, {"patternProperties": {"a": False}},
    {"$ref": "#there", "$defs": {"x": {"$anchor": "there"}}}, {"contains": {"const": 2}},
    {"dependentRequired": {"a": ["b"]}}, {"pattern": "(?i)a"}, {"items": False},
]  # fmt: skip


def test_what_a_tool_says_of_its_parameters_gets_the_verdict_that_python_gives(run):
    """Examples, defaults and descriptions, each by the input schema; and two tools of one name."""
    lists = {"list": {"type": "array", "uniqueItems": True, "items": {"type": "integer"}}}
    values = []
    for parameter in PARAMETERS:
        named = {"p": parameter, "q": {"description": " "}, "r": {"$ref": "#/$defs/r"}}
        defs = lists | {"r": {"description": "R."}}
        schema = {"type": "object", "properties": named, "required": ["q"], "$defs": defs}
        tool = TOOL | {"inputSchema": schema}
        for value in VALUES:
            other = schema | {"properties": named | {"p": parameter | {"default": value}}}
            tools = [
                tool | {"examples": [{"name": "a", "input": {"p": value, "q": 1}}, 3]},
                tool | {"inputSchema": other, "examples": [{"name": "a", "inputs": {"p": value}}]},
            ]
            values.append({"tools": tools})
    found = run([json.dumps(each) for each in values])["found"]
    for value, seen in zip(values, found, strict=True):
        ours = [*seen["problems"], *seen["hints"]]
        said = sorted((e["path"], e["clause"] or "", WHOLE.sub(r"\1", e["words"])) for e in ours)
        assert said == sorted(
            (each.path, each.clause or "", WHOLE.sub(r"\1", each.message.words("en")))
            for each in examine(json.dumps(value).encode()).problems
            if each.keyword != "ATDF-TOOL-007"  # which only the command knows
        ), value
    kinds = {each["keyword"] for seen in found for each in (*seen["problems"], *seen["hints"])}
    assert kinds >= set(ALSO)


def test_a_schema_that_only_the_command_reads_gets_no_verdict_on_values(run):
    tools = [
        TOOL | {"inputSchema": {"type": "object", "properties": {"p": each}},
                "examples": [{"name": "a", "input": {"p": [1, {"a": 1}]}}]}
        for each in [*ONLY_COMMAND, {"$ref": "#/properties/p"}]
    ]  # fmt: skip
    found = run([json.dumps(each) for each in tools])["found"]
    assert [each["problems"] for each in found] == [[]] * len(tools)


def test_a_pattern_that_takes_long_is_left_to_the_command(run):
    def of(pattern, value):
        schema = {"type": "object", "properties": {"p": {"pattern": pattern}}}
        return TOOL | {"inputSchema": schema, "examples": [{"name": "a", "input": {"p": value}}]}

    tools = [of("^(a+)+$", "a" * 60 + "!"), of("^(a+)+$", "a!"), of("^a+$", "a" * 60 + "!")]
    found = run([json.dumps(each) for each in tools])["found"]
    wrong = [[each["keyword"] for each in seen["problems"]] for seen in found]
    assert [each.count("ATDF-TOOL-006") for each in wrong] == [0, 1, 1]


def test_a_number_that_has_to_be_in_quotes_keeps_its_digits(run):
    tool = {"name": "t", "description": "d", "inputSchema": {"type": "object"}, "version": 7}
    [seen] = run([json.dumps(tool).replace("7", "1.10")])["found"]
    [problem] = seen["problems"]
    assert problem["words"] == "Expected a value of type `string`; got 1.10. Put it in quotes."
    assert problem["fix"]["text"] == '"1.10"'


def test_a_required_name_that_is_misspelled_is_one_problem(run, source):
    drawn = random.Random(11)
    values = [misspelled(each.data, drawn) for each in source.examples for _ in range(3)]
    seen = run([json.dumps(each) for each in values])["found"]
    once = 0
    for value, ours in zip(values, seen, strict=True):
        examined = examine(json.dumps(value).encode())
        if examined.recognition is None:
            continue
        theirs = sorted(
            (each.path, each.clause or "", WHOLE.sub(r"\1", each.message.words("en")))
            for each in examined.problems
            if each.keyword == "required"
        )
        found = [each for each in ours["problems"] if each["keyword"] == "required"]
        assert sorted((e["path"], e["clause"] or "", e["words"]) for e in found) == theirs, value
        once += sum("fix" in each for each in found)
    assert once > 50


def test_a_hint_offers_the_name_that_was_meant(run):
    head = "HTTP/1.1 200 OK\n\n"
    tool = {name: value for name, value in TOOL.items() if name != "title"}
    text = head + json.dumps(tool | {"titel": "x"}, indent=1)
    [seen] = run([text])["inside"]
    [fix] = [each["fix"] for each in seen["hints"] if "fix" in each]
    assert text[fix["from"] : fix["to"]] == '"titel"'
    assert fix["text"] == '"title"'


def drawn_break(value, drawn):
    """One place of a document, changed."""
    made = json.loads(json.dumps(value))
    at = made
    while True:
        steps = list(at) if isinstance(at, dict) else range(len(at))
        step = drawn.choice(list(steps))
        if isinstance(at[step], dict | list) and at[step] and drawn.random() < 0.8:
            at = at[step]
            continue
        if drawn.random() < 0.3 and isinstance(at, dict):
            del at[step]
        else:
            at[step] = drawn.choice([None, 7, "", "x y", [], {}, True, -1.5])
        return made


def test_a_problem_stands_at_its_line(run):
    text = '{\n  "errors": [\n    {\n      "title": "x"\n    }\n  ]\n}'
    [seen] = run([text])["found"]
    assert {each["line"] for each in seen["problems"]} == {3}


def test_the_words_are_in_the_language_of_the_page(run):
    [seen] = run(['{"errors": []}'], "es")["found"]
    assert "elementos" in seen["problems"][0]["words"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("not json", 1),
        ('{"a": 1,\n}', 2),
        ('{"a": NaN}', 1),
        ("[1, 2", 1),
        ('{"a": "\n"}', 1),
        ('{"a": 01}', 1),
        ("[" * (DEEPEST + 5), 1),
        ('{"errors": 1} x', 1),
        ("42", 1),
        ('{"__proto__": {"tools": []}}', 1),
        ('{"constructor": 1, "toString": 2}', 1),
    ],
)
def test_what_is_no_document_gets_words_and_a_line(run, text, line):
    [seen] = run([text])["found"]
    assert seen["row"] is None
    [problem] = seen["problems"]
    assert problem["line"] == line
    assert problem["words"]


def test_of_very_many_problems_the_first_are_told_and_that_there_are_more(run):
    few, exact, many, twice = run(
        [
            json.dumps({"errors": [1] * 3}),
            json.dumps({"errors": [1] * 1000}),
            json.dumps({"errors": [1] * 100_000}),
            '{"errors": [' + ",".join(['{"a": 1, "a": 2}'] * 1001) + "]}",
        ]
    )["found"]
    assert (len(few["problems"]), few["more"]) == (3, False)
    assert (len(exact["problems"]), exact["more"]) == (1000, False)
    assert (len(many["problems"]), many["more"]) == (1000, True)
    assert sum(each["keyword"] == "duplicate" for each in twice["problems"]) == 1000
    assert twice["more"] is True


@pytest.mark.parametrize(
    ("items", "twice"),
    [
        ([1, "1", True, None, "true"], False),
        ([{"a": 1, "b": [2]}, {"b": [2], "a": 1}], True),
        ([{"a": 1}, {"a": "1"}], False),
        ([[1, 2], [2, 1]], False),
        ([1, 1.0], True),
    ],
)
def test_equal_items_are_found_whatever_the_order_of_their_names(node, items, twice):
    asked = f"; [...KEYWORDS.uniqueItems(true, {json.dumps(items)})].length"
    done = subprocess.run(
        [node, "-p", engine() + asked], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(int(twice))


def test_a_key_that_stands_twice_is_said(run):
    [seen] = run(['{"errors": [],\n "errors": []}'])["found"]
    assert any(each["keyword"] == "duplicate" and each["line"] == 2 for each in seen["problems"])


@pytest.mark.parametrize(
    "text",
    [
        '{"tools": [], "x-a": 1e400}',
        '{"tools": [], "x-a": "\\ud800"}',
        '{"tools": [], "x-\\udfff": [1]}',
        '{"tools": [],\n "x-a": [0, {"a/b": "\\ud83d"}]}',
    ],
)
def test_what_not_every_reader_reads_alike_is_said_as_the_validator_says_it(run, text):
    [seen] = run([text])["found"]
    known = examine(text.encode(), Notation.JSON)
    said = [each.message.words("en") for each in known.problems]
    assert [each["words"] for each in seen["problems"]] == said
    if known.recognition is not None:
        assert [each["pointer"] for each in seen["problems"]] == [
            each.pointer for each in known.problems
        ]


def test_accents_that_would_cover_other_lines_are_shown_as_written_escapes(run):
    tool = {"name": "t", "description": "d", "inputSchema": {"type": "a" + "\u0301" * 9}}
    [seen] = run([json.dumps({"tools": [tool]}, ensure_ascii=False)])["found"]
    shown = " ".join(each["words"] for each in seen["problems"])
    assert "a" + "\u0301" * 6 + r"\u0301" in shown
    assert not re.search("\u0301{7}", shown)


def test_hostile_texts_are_shown_as_written_escapes(run):
    text = json.dumps({"errors": "\u202e\u0000<img src=x onerror=alert(1)>" * 50})
    [seen] = run([text])["found"]
    words = seen["problems"][0]["words"]
    assert "\u202e" not in words
    assert len(words) < 300


def test_no_sign_of_a_name_is_unseen(run):
    """Each that the report of the kit writes out, in the words and in the path of a problem.

    Accents are only written out where there are many on one letter, or none before them.
    """
    unseen = [sign for code in range(sys.maxunicode + 1) if not is_plain(sign := chr(code))]
    parts = ["".join(unseen[at : at + 30]) for at in range(0, len(unseen), 30)]
    texts = [json.dumps({"tools": [{f"{part}!": 1, "name": f"{part}!"}]}) for part in parts]
    texts += [json.dumps({"errors": f"{part}!"}) for part in parts]
    found = [each for seen in run(texts)["found"] for each in seen["problems"]]
    assert len(found) > len(texts)
    assert [each for each in found if not is_plain(each["words"] + each["path"])] == []


def test_the_engine_knows_every_keyword_and_condition(run, source):
    seen = run([])
    used = {
        key
        for schema in source.schemas
        for _, node in positions(schema.source.data)
        if isinstance(node, dict)
        for key in node
    }
    beside = {"$ref", "$defs", "title", "description", "x-clauses", "x-document", "then", "else"}
    assert used - beside <= set(seen["known"])
    conditional = {
        row.document
        for row in TABLE
        if (row.also if isinstance(row, RuntimeRow) else row.when) is not None
    }
    assert conditional == set(seen["conditions"])


LATER = "assets/playground.convert.js"
"""The script that the page fetches when a form to convert to is chosen."""


def test_the_scripts_that_the_page_loads_are_small(source):
    for language in ("en", "es", "pt"):
        files = dict(scripts(source, language))
        later = files.pop(LATER)
        assert sum(len(gzip.compress(each)) for each in files.values()) < 42 * 1024
        assert sum(map(len, files.values())) < 174 * 1024
        assert len(gzip.compress(later)) < 11 * 1024


def test_a_text_is_examined_without_the_script_that_converts(node, source, tmp_path):
    """By the built script, in a worker of a browser without a network."""
    files = dict(scripts(source, "en"))
    tool = json.dumps({"tools": [{"name": "t", "description": "d", "inputSchema": OBJECT}]})
    stand_in = """const heard = []; var self = globalThis;
      self.addEventListener = (_, each) => heard.push(each);
      self.postMessage = (answer) => process.stdout.write(JSON.stringify(answer) + "\\n");
      self.importScripts = () => { throw new Error("no network"); };"""
    asked = [{"id": 1, "text": tool}, {"id": 2, "to": "openai"}]
    ends = f"for (const data of {json.dumps(asked)}) heard[0]({{ data }});"
    (tmp_path / "w.js").write_bytes(
        stand_in.encode() + files["assets/playground.worker.js"] + ends.encode()
    )
    done = subprocess.run(
        [node, str(tmp_path / "w.js")], capture_output=True, text=True, check=True
    )
    found, made = map(json.loads, done.stdout.splitlines())
    assert found["row"]["document"] == "catalog"
    assert "openai" in found["targets"]
    assert made["made"]["command"] == "agent-formats convert document.json --to openai"


INFO = {"title": "t", "version": "1"}
RIGHT = {
    "tool_id": "get_weather",
    "description": "Weather.",
    "when_to_use": "Ask for the weather.",
    "how_to_use": {
        "inputs": [{"name": "city", "type": "string", "required": True}],
        "outputs": {"success": "It.", "failure": [{"code": "none", "description": "None."}]},
    },
}
WRONG = {**RIGHT, "when_to_use": 7}
KIND = [["atdf/descriptor", 2]]


BAD_SCHEMAS = [
    {"type": "object", "required": "city"},
    {"type": "object", "properties": {"a": {"type": "strng"}, "b": {"type": ["int", "null"]}}},
    {"type": "object", "properties": {"a": {"minimum": "3", "pattern": 7, "items": [1]}}},
    {"type": "object", "properties": ["a"], "additionalProperties": "no"},
    {"type": "object", "$defs": {"x": {"type": "text", "maxLength": -1}}},
    {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": "a"},
    {
        "$schema": "http://json-schema.org/draft-07/schema",
        "type": "object",
        "properties": {"a": {"items": [{"type": "str"}]}, "b": {"items": {"enum": 3}}},
        "dependencies": {"a": [1]},
    },
    {"type": "object", "properties": {"a": True, "b": {"type": "string", "minLength": 0}}},
]


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_schema_of_a_tool_that_is_not_valid_gets_the_problems_that_python_gives(run, language):
    tools = [
        {"name": f"t{at}", "description": "D.", "inputSchema": each}
        for at, each in enumerate(BAD_SCHEMAS)
    ]
    output = {**tools[-1], "outputSchema": BAD_SCHEMAS[1]}
    values = [*tools, output, {"tools": tools}]
    found = run([json.dumps(each) for each in values], language)["found"]
    seen = [{(e["path"], e["clause"], e["words"]) for e in each["problems"]} for each in found]
    assert seen == [
        {(e.path, e.clause, e.message.words(language)) for e in wrong_in(each)} for each in values
    ]
    assert [len(each) for each in seen[:-2]] == [1, 2, 3, 2, 2, 1, 3, 0]
    lists = message("documents.schema.list", keyword="required", value='"city"').words(language)
    assert [words for _, _, words in seen[0]] == [lists]


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ({"type": "object", "properties": {"a": {"type": "strng"}}}, "$"),
        ([{"name": "t", "input_schema": BAD_SCHEMAS[1]}], "$[0].input_schema"),
        (
            [{"type": "function", "function": {"name": "t", "parameters": BAD_SCHEMAS[1]}}],
            "$[0].function.parameters",
        ),
        ({"type": "function", "name": "t", "parameters": BAD_SCHEMAS[1]}, "$.parameters"),
    ],
    ids=["alone", "anthropic", "openai-chat", "openai"],
)
def test_a_schema_is_checked_where_no_document_is_known(run, value, at):
    (found,) = run([json.dumps(value, indent=1)])["inside"]
    assert found["row"] is None
    assert found["known"]["words"]
    first = found["problems"][0]
    assert first["path"] == f"{at}.properties.a.type"
    assert "no type" in first["words"]
    assert first["line"] > 1


def test_a_stream_of_unknown_events_is_told_as_a_stream(run):
    text = 'event: message\ndata: {"x": 1}\n\ndata: {"y": 1}\n\ndata: [DONE]\n\n'
    (found,) = run([text])["inside"]
    assert found["documents"] == {"count": 2, "checked": 2, "right": 0, "kinds": []}
    assert [each["line"] for each in found["problems"]] == [2, 4]
    assert all("Unrecognized" in each["words"] for each in found["problems"])


FRAMES = {
    "openai": 'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: {"choices": []}\n\n'
    "data: [DONE]\n\n",
    "anthropic": 'event: message_start\ndata: {"type": "message_start", "message": {}}\n\n',
    "responses": 'event: response.created\ndata: {"type": "response.created", "response": {}}\n\n',
}


@pytest.mark.parametrize("provider", FRAMES)
def test_a_stream_of_a_provider_is_named_and_no_frame_of_it_is_to_be_changed(run, provider):
    [found] = run([FRAMES[provider]])["inside"]
    assert (found["row"], found["known"]["name"]) == (None, "model_api")
    assert found["problems"] == []


@pytest.mark.parametrize("event", [{"x": 1}, {"type": "message_start", "message": {}}])
def test_an_event_that_is_cut_is_named(run, event):
    text = f'event: start\ndata: {json.dumps(event)}\n\nevent: end\ndata: {{"court":\n'
    [found] = run([text])["inside"]
    cut = found["problems"][-1]
    assert (cut["line"], cut["path"], cut["keyword"]) == (5, "$[1]", "json")
    assert "not JSON" in cut["words"]


@pytest.mark.parametrize("value", ["2030-01-02T10:00:00", "2030-02-30T10:00:00", "10:00:00"])
def test_a_moment_gets_the_sentence_that_python_gives(run, value):
    tool = {**RIGHT, "schema_version": "2.0.0", "metadata": {"created_at": value}}
    [found] = run([json.dumps(tool)])["found"]
    ours = {(each["path"], each["words"]) for each in found["problems"]}
    assert ours == {(each.path, each.message.words("en")) for each in wrong_in(tool)}
    assert any(path.endswith("created_at") for path, _ in ours)


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_value_of_another_format_is_told_with_one_that_has_it(run, source, language):
    error = {"type": "no-uri", "title": "t", "detail": "d", "instance": "i", "tool_name": None}
    values = [
        {"errors": [error]},
        {**RIGHT, "schema_version": "2.0.0", "metadata": {"created_at": "today"}},
    ]
    found = run([json.dumps(each) for each in values], language)["found"]
    for value, seen, like in zip(values, found, ('"https:', '"2030-'), strict=True):
        ours = {(each["path"], each["words"]) for each in seen["problems"]}
        assert ours == {(each.path, each.message.words(language)) for each in wrong_in(value)}
        assert any(like in words for _, words in ours)


def test_each_format_of_the_schemas_has_a_value_that_a_message_shows(node, source):
    used = {
        node["format"]
        for schema in source.schemas
        for _, node in positions(schema.source.data)
        if isinstance(node, dict) and "format" in node
    }
    assert used <= set(FORMS)
    asked = "; JSON.stringify(OF_FORMATS)"
    done = subprocess.run(
        [node, "-p", engine() + asked], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == FORMS
    assert all(format_checker(Draft202012Validator).conforms(FORMS[name], name) for name in FORMS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE html>\n<pre>Cannot GET /x</pre>\n", "an HTML page"),
        ("<html><body>Not found</body></html>", "an HTML page"),
        ("Cannot GET /x", 'begins with "Cannot GET /x"'),
        ("$ curl http://127.0.0.1:8000/x\n{}", 'begins with "$ curl http'),
        ('{"a": 1,,}', "This is not JSON from here on"),
        ('"a": 1}', "This is not JSON from here on"),
    ],
)
def test_a_text_that_does_not_begin_as_json_lacks_no_comma(run, text, words):
    [found] = run([text])["inside"]
    assert words in found["problems"][0]["words"]


def lined(*parts):
    return "\n".join(json.dumps(each) for each in parts)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (json.dumps([RIGHT, WRONG], indent=1), {"$[1].when_to_use"}),
        (lined(RIGHT, WRONG), {"$[1].when_to_use"}),
        (
            f"data: {json.dumps(RIGHT)}\r\n\r\ndata: {json.dumps(WRONG)}\r\n\r\n",
            {"$[1].when_to_use"},
        ),
        (
            json.dumps({"jsonrpc": "2.0", "id": 1, "result": [RIGHT, WRONG]}, indent=2),
            {"$.result[1].when_to_use"},
        ),
        (
            json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "result": {
                        "content": [{"type": "text", "text": json.dumps(e)} for e in (RIGHT, WRONG)]
                    },
                }
            ),
            {"$.result.content[1].text.when_to_use"},
        ),
    ],
    ids=["list", "lines", "events", "answer", "texts-of-a-result"],
)
def test_documents_are_found_in_what_people_paste(run, text, places):
    (found,) = run([text])["inside"]
    assert found["documents"] == {"count": 2, "checked": 2, "right": 1, "kinds": KIND}
    assert {each["path"] for each in found["problems"]} == places


def test_a_problem_inside_a_list_is_at_its_own_line(run):
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": [RIGHT, WRONG]}, indent=2)
    (found,) = run([text])["inside"]
    line = found["problems"][0]["line"]
    assert text.splitlines()[line - 1].strip().startswith('"when_to_use": 7')


def test_the_list_of_an_mcp_server_is_a_catalog(run):
    tools = [{"name": "t", "description": "d", "inputSchema": {"type": "object"}}]
    (found,) = run([json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}})])["inside"]
    assert found["documents"]["kinds"] == [["atdf/catalog", 1]]


def test_an_event_has_the_name_of_its_line(run):
    stream = 'event: PartialContentDelta\ndata: {"content": "hi"}\n\ndata: [DONE]\n\n'
    (found,) = run([stream])["inside"]
    assert found["documents"]["kinds"] == [["runtime/stream-event", 1]]


HEADS = {
    "one": ["HTTP/1.1 422 Unprocessable Content\nserver: x\ncontent-type: application/json\n"],
    "after a redirect": ["HTTP/1.1 307 Temporary Redirect\nlocation: /b\n", "HTTP/2 400 \nx: y\n"],
    "after 100": ["HTTP/1.1 100 Continue\n", "HTTP/1.1 400 Bad Request\ndate: Mon, 1 Jan\n"],
    "below the command": [
        "$ curl -i 127.0.0.1:8000/a \\\n  -d '{}'\nHTTP/1.1 400 Bad Request\nx: y\n"
    ],
    "bare": ["HTTP/1.0 400 Bad Request\n"],
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("head", HEADS)
def test_an_answer_is_read_below_its_headers(run, head, end):
    given = json.dumps({**WRONG, "schema_version": 2}, indent=2)
    text = "".join(f"{block}\n" for block in HEADS[head]) + given
    text = text.replace("\n", end)
    [seen] = run([text])["inside"]
    assert seen["row"]["document"] == "descriptor"
    places = {each["path"]: each for each in seen["problems"]}
    assert {"$.when_to_use", "$.schema_version"} <= places.keys()
    for name in ("when_to_use", "schema_version"):
        found = places[f"$.{name}"]
        assert text.split("\n")[found["line"] - 1][found["column"] - 1 :].startswith(f'"{name}"')
    fix = places["$.schema_version"]["fix"]
    fixed = text[: fix["from"]] + fix["text"] + text[fix["to"] :]
    assert '"schema_version": "2"' in fixed


@pytest.mark.parametrize("body", ["", "<html>", "{"])
def test_an_answer_without_a_document_is_told_at_its_line(run, body):
    [seen] = run([f"HTTP/1.1 502 Bad Gateway\nserver: x\n\n{body}"])["inside"]
    assert seen["row"] is None
    assert [each["line"] for each in seen["problems"]] == [4]


def test_a_stream_is_read_below_its_headers(run):
    stream = 'event: PartialContentDelta\ndata: {"content": "hi"}\n\ndata: {"content": 1}\n\n'
    [seen] = run([f"HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n{stream}"])["inside"]
    assert seen["row"]["document"] == "stream-event"
    assert 7 in {each["line"] for each in seen["problems"]}


def test_more_documents_than_a_page_shows_are_all_counted(run):
    [few, many] = run([json.dumps([RIGHT] * 300), lined(*[{**RIGHT}] * 5001)])["inside"]
    assert few["documents"] == {
        "count": 300,
        "checked": 300,
        "right": 300,
        "kinds": [["atdf/descriptor", 300]],
    }
    assert (many["documents"]["count"], many["documents"]["checked"]) == (5001, 5000)
    assert (few["more"], many["more"]) == (False, False)


def test_problems_of_many_documents_are_told_up_to_a_number(run):
    [seen] = run([lined(*[{**RIGHT, "when_to_use": 7}] * 1500)])["inside"]
    assert (len(seen["problems"]), seen["more"]) == (1000, True)
    assert seen["documents"]["right"] == 0


CIRCLE = {"$ref": "#/paths/~1a/get/requestBody"}
ROUND = {
    "requestBody": CIRCLE,
    "parameters": [
        {"$ref": "#/paths/~1a/get/parameters/0"},
        {"$ref": "#/"},
        {"$ref": "#/__proto__"},
    ],
    "responses": {"200": {"$ref": "#/paths/~1a/get/responses/200"}},
}


def test_frames_in_frames_and_references_in_circles_come_to_an_end(run):
    framed = '{"jsonrpc": "2.0", "result": ' * 120 + "{}" + "}" * 120
    streamed = 'data: {"jsonrpc": "2.0", "result": ' + '{"content": [' * 100 + "]}" * 100 + "}\n\n"
    odd = {"constructor": {"get": {}}, "toString": {"get": {"operationId": "hasOwnProperty"}}}
    described = {"openapi": "3.1.0", "info": {}, "paths": {"/a": {"get": ROUND}, **odd}}
    seen = run([framed, streamed, json.dumps(described)])
    assert [each["row"] for each in seen["inside"]] == [None, None, None]
    assert seen["forms"][-1][0] == "openapi"
    assert dict(seen["forms"][-1][1])["catalog"]["data"]["tools"][0]["name"] == "get_a"


@pytest.mark.parametrize("name", ["$&", "$'" * 9, "$`", "$1", "$$"])
def test_an_event_has_any_name_of_its_line(run, name):
    (found,) = run([f'event: {name}\ndata: {{"content": "hi"}}\n\n'])["inside"]
    assert found["documents"]["kinds"] == [["runtime/stream-event", 1]]
    assert any(json.dumps(name) in each["words"] for each in found["problems"])


@pytest.mark.parametrize("text", ["[]", "[1, 2]", "{}", '{"jsonrpc": "2.0", "result": {}}'])
def test_where_no_document_is_inside_the_first_verdict_stays(run, text):
    seen = run([text])
    assert seen["inside"] == seen["found"]


TOOL = {
    "name": "book a room!",
    "title": "Book",
    "description": "Book a room.",
    "inputSchema": {
        "type": "object",
        "properties": {"guests": {"type": "integer", "maximum": 4}, "vip": True, "x": {"type": 7}},
        "required": ["guests"],
    },
    "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
    "_meta": {"other": 1},
}
OBJECT = {"type": "object"}
FUNCTION = {"name": "f", "description": "F.", "parameters": {"properties": {}}, "strict": True}
PASTED = [
    {
        "$schema": "https://example.com/x",
        "tools": [{"name": "t", "description": "d", "inputSchema": OBJECT}],
    },
    TOOL,
    {"tools": [TOOL, {"name": "bare", "title": "T", "inputSchema": {}}], "nextCursor": "x"},
    {"type": "function", "function": FUNCTION},
    {"type": "function", **FUNCTION},
    [{"type": "function", "function": FUNCTION, "cache": 1}],
    {"tools": [{"name": "a", "input_schema": {"type": "object"}, "type": "custom"}], "model": "m"},
    [{"name": "9 lives", "input_schema": {"type": "object"}}],
    {"functionDeclarations": [{"name": "g", "parametersJsonSchema": {"required": ["q"]}}]},
    {"name": "m", "description": "", "when_to_use": "Now.", "inputSchema": {"type": "object"}},
    {
        "name": "n",
        "description": "N.",
        "inputSchema": {"type": "object", "properties": {}, "required": []},
        "metadata": {"version": "1", "owner": "me"},
        "version": "2",
        "outputs": {"schema": {"type": "array"}},
        "invocation": {"endpoint": "/n"},
        "x-own": 1,
    },
]


ROOM = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
NAMED_BADLY = {"$ref": "#/components/schemas/__proto__"}
DESCRIPTIONS = [
    {
        "openapi": "3.1.0",
        "paths": {
            "__proto__": {"get": {"responses": {"200": {"description": "d"}}}},
            "/a": {
                "post": {
                    "parameters": [{"name": "__proto__", "in": "query", "schema": NAMED_BADLY}],
                    "requestBody": {"content": {"application/json": {"schema": NAMED_BADLY}}},
                }
            },
        },
        "components": {"schemas": {"__proto__": {"properties": {"toString": NAMED_BADLY}}}},
    },
    *(
        document(reference, version, s={"$anchor": "a", "items": [{"$ref": "#a"}, {"$ref": "#b"}]})
        for version, reference in (
            ("3.0.3", BODY),
            ("3.0.3", "#/$defs/a"),
            ("3.1.0", "#/components/parameters/P/schema"),
            ("3.1.0", "#/components/schemas/with%60tick"),
            ("3.1.0", "#/components/schemas/s"),
        )
    ),
    {"openapi": "3.1.0", "paths": {}},
    {"openapi": "3.2.0", "paths": {"/a": {"get": {}}, "/b": 1}, "tags": [], "x-own": 1},
    {
        "openapi": "3.1.0",
        "info": {"title": "Hotel", "version": "1"},
        "servers": [{"url": "https://a.example/", "description": "d"}, {"url": "/"}],
        "security": [{"key": []}],
        "paths": {
            "/rooms/{n}": {
                "summary": "Rooms",
                "parameters": [
                    {"name": "n", "in": "path", "schema": {"type": "integer"}},
                    {"name": "lang", "in": "query", "description": "L", "example": "es"},
                    {"$ref": "#/components/parameters/token"},
                ],
                "get": {"summary": "One room", "description": "Gives it.", "tags": ["a", "a", 1]},
                "put": {
                    "operationId": "put room!",
                    "parameters": [
                        {"name": "n", "in": "path", "schema": True, "description": 7},
                        {"name": "force", "in": "query", "required": True, "schema": {}},
                        {"name": "force", "in": "path"},
                        {"$ref": "#/nowhere"},
                        3,
                    ],
                    "requestBody": {"$ref": "#/components/requestBodies/room"},
                    "responses": {
                        "404": {"description": "No"},
                        "200": {"$ref": "#/components/responses/room"},
                        "default": {},
                    },
                    "deprecated": True,
                },
                "delete": {"operationId": "put room!", "parameters": [], "tags": []},
                "trace": None,
            },
            "/rooms": {
                "post": {
                    "summary": "New",
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/Room"},
                                "example": {},
                            },
                            "text/plain": {},
                        },
                    },
                    "responses": {
                        "201": {
                            "description": "Success",
                            "content": {
                                "application/json": {
                                    "schema": {"$ref": "#/components/schemas/Room"}
                                }
                            },
                        }
                    },
                },
                "patch": {
                    "operationId": "post_rooms",
                    "requestBody": {"content": {"application/json": {"schema": {"type": "array"}}}},
                    "responses": {"204": {"description": "Done", "content": {}}, "2XX": {}},
                },
                "query": {"requestBody": {"content": {"text/csv": {}}}, "responses": []},
            },
        },
        "components": {
            "schemas": {
                "Room": {
                    **ROOM,
                    "description": "R",
                    "$defs": {"x": True},
                    "additionalProperties": False,
                },
                "Guest": {"properties": {"room": {"$ref": "#/components/schemas/Room"}}},
                "Unused": {},
            },
            "parameters": {"token": {"name": "token", "in": "header"}},
            "requestBodies": {
                "room": {
                    "description": "B",
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "n": {},
                                    "guest": {"anyOf": [{"$ref": "#/components/schemas/Guest"}]},
                                },
                            }
                        }
                    },
                }
            },
            "responses": {"room": {"content": {"application/json": {"schema": {}}}, "headers": {}}},
            "links": 1,
        },
    },
    {
        "openapi": "3.0.3",
        "paths": {
            "/x": {
                "post": {
                    "operationId": "9x",
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/X"}}
                        },
                    },
                    "responses": {
                        "200": {
                            "description": "ok",
                            "content": {
                                "application/json": {
                                    "schema": {"items": {"$ref": "#/components/schemas/X", "x": 1}}
                                }
                            },
                        }
                    },
                }
            }
        },
        "components": {
            "schemas": {
                "X": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string", "nullable": True, "enum": ["b"], "example": "b"},
                        "c": {"type": "number", "minimum": 1, "exclusiveMinimum": True},
                        "d": {"type": "number", "exclusiveMaximum": True, "nullable": False},
                        "e": {
                            "allOf": [{"$ref": "#/components/schemas/X"}],
                            "maximum": 2,
                            "exclusiveMaximum": False,
                        },
                    },
                }
            }
        },
    },
]
ALIKE = (Form.CATALOG, Form.DESCRIPTOR, Form.MCP, Form.OPENAI, Form.ANTHROPIC, Form.GEMINI)


def drawn_forms(source):
    """What both converters are asked: the examples, those in every form, and what people paste."""
    values = [each.data for each in source.examples] + PASTED + DESCRIPTIONS
    for value in list(values):
        for to in (*ALIKE, Form.OPENAPI, Form.OPENAPI_30):
            made = convert(value, to)
            if made.data is not None and not made.problems:
                values.append(made.data)
    return values


def test_a_conversion_in_the_browser_is_that_of_the_command(run, source):
    values = drawn_forms(source)
    seen = run([json.dumps(value) for value in values])["forms"]
    pairs = set()
    for value, (form, made) in zip(values, seen, strict=True):
        if isinstance(value, dict) and form is not None:
            assert form_of(value) == form, value
        for to, ours in made:
            theirs = convert(value, Form(to))
            if any("-" in each.keyword for each in theirs.problems):
                continue  # a rule that no schema holds
            assert form == Form.OPENAPI or theirs.problems == (), (value, to)
            assert ours["data"] == theirs.data, (value, to)
            for name in ("lost", "changed", "made"):
                assert sorted(ours[name]) == sorted(getattr(theirs, name)), (name, value, to)
            pairs.add((form, to))
    assert pairs == {(form, to) for form in (*ALIKE, Form.OPENAPI) for to in ALIKE}


OF_OURS = {"type": "u:a/b", "title": "T", "detail": "D", "instance": "i", "tool_name": None}
DETAILS = [
    {"type": "about:blank", "title": "x", "status": 400},
    {"type": "https://a.example/probs/out-of-credit/?a#b", "status": 403, "detail": "Low."},
    {"type": "https://a.example/errors/rate-limited", "title": "", "status": 429, "code": 7},
    {"type": "/errors/conflict", "detail": None, "status": 409, "meta": {"a": 1}, "x": [1]},
    {"type": "mailto:", "title": "T", "instance": "", "more_errors": [OF_OURS]},
    {"title": "Not Found", "status": 404, "more_errors": [{**OF_OURS, "x": 1}, 3]},
    {"detail": "No.", "suggested_value": 4, "parameter_name": "n", "$schema": "s"},
    {"status": 503},
]


def test_a_failed_call_becomes_the_error_that_the_command_makes(run):
    values = [*DETAILS, MISTAKES, {"detail": [{"loc": [], "msg": "m"}], "body": 1}]
    for value, (form, made) in zip(
        values, run([json.dumps(e) for e in values])["forms"], strict=True
    ):
        assert form_of(value) == form
        [(to, ours)] = made
        theirs = convert(value, Form(to))
        for mine, other in zip(ours["data"]["errors"], theirs.data["errors"], strict=True):
            assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}|i", mine["instance"])
            mine["instance"] = other["instance"]
        assert (to, ours["data"]) == ("error", theirs.data), value
        for name in ("lost", "changed", "made"):
            assert sorted(ours[name]) == sorted(getattr(theirs, name)), (name, value)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"openapi": "3.1.0", "paths": {"/a": {"get": {}}}, "info": {**INFO, "x": 2**60}},
         "openapi"),
        ({"type": "about:blank", "title": "x", "status": 418}, "problem"),
        ({"name": "t", "description": "d", "inputSchema": {"maxProperties": 2**60} | OBJECT},
         "catalog"),
        ({"functionDeclarations": [{"name": "g", "parameters": {"type": "OBJECT"}}]}, "gemini"),
    ],
)  # fmt: skip
def test_what_the_browser_does_not_convert_is_known_by_its_form(run, value, form):
    seen = run([json.dumps(value)])
    [(known, made)] = seen["forms"]
    assert (known, made) == (form, [])
    assert form_of(value) == form
    assert convert(value, Form.ERROR if form == "problem" else Form.CATALOG).data is not None
    assert seen["inside"][0]["row"] or seen["inside"][0]["known"]["words"]
    assert seen["inside"][0]["problems"] == []


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"swagger": "2.0"}, "openapi_other"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "No."}}, "rpc_error"),
        ({"isError": True, "content": [{"type": "text", "text": "No."}]}, "tool_error"),
        ({"content": [{"type": "text", "text": "Yes."}]}, "tool_result"),
        ({"content": [], "structuredContent": {"degrees": 21}}, "tool_result"),
        ({"content": [{"type": "resource_link", "uri": "a:b"}], "_meta": {}}, "tool_result"),
        ({"detail": [{"loc": ["body"], "msg": "m", "type": "missing"}]}, "error"),
        ({"error": "Bad request"}, "error"),
        ({"error": {"code": 400, "message": "Bad request"}}, "error"),
        ({"success": False, "error": {"code": "INVALID", "message": "No."}}, "error"),
        ({"type": "error", "error": {"type": "invalid_request_error", "message": "No."}}, "error"),
        ({"type": "about:blank", "title": "No"}, "problem"),
        ({"mcpServers": {}}, "configuration"),
        ({"protocolVersion": "2025-11-25", "serverInfo": {}}, "initialize"),
        ({"choices": [{"index": 0, "delta": {"content": "a"}}]}, "model_api"),
        ({"candidates": [{"content": {"parts": []}}], "usageMetadata": {}}, "model_api"),
        ([{"type": "function", "function": FUNCTION}], "provider"),
        ({"tools": [{"type": "function", "function": FUNCTION}]}, "provider"),
        ({"type": "text_delta", "text": "Hola"}, "model_api"),
        ({"find": [{"q": "a"}], "book": [{"room": 1}, {}]}, "calls"),
        ([{"clause": "ATDF-CALL-003", "reason": "r"}], "waivers"),
    ],
)
@pytest.mark.parametrize("frame", ["none", "answer", "events", "lines"])
def test_what_is_none_of_the_documents_is_named(run, value, name, frame):
    framed = {"jsonrpc": "2.0", "id": 1, "result": value}
    text = {
        "none": json.dumps(value, indent=2),
        "answer": json.dumps(framed, indent=2),
        "events": f"event: message\ndata: {json.dumps(framed)}\n\n",
        "lines": json.dumps(framed) + "\n" + json.dumps(framed),
    }[frame]
    if name in ("provider", "waivers") and frame != "none":
        return
    if "structuredContent" in value and frame in ("events", "lines"):
        return  # of each message, only what its result holds is looked at
    seen = run([text])["inside"][0]
    assert (seen["row"], seen["known"]["name"]) == (None, name)


def test_the_error_in_the_result_of_a_call_is_found_where_the_command_finds_it(run):
    seen = run([json.dumps({**result, "isError": True}) for result in HELD.values()])["inside"]
    assert [each["row"]["document"] for each in seen] == ["error"] * len(HELD)
    assert [each["problems"][0]["path"] for each in seen] == list(HELD)


def test_another_object_with_content_is_no_result_of_a_tool(run):
    for seen in run([json.dumps(each) for each in NO_RESULTS])["inside"]:
        assert (seen["row"], seen.get("known")) == (None, None)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'it\\'s \"x\"'}", {"a": 'it\'s "x"'}),
        ("{a: True, b: None}", {"a": True, "b": None}),
        ('{"a": 1\n "b": [1 2]}', {"a": 1, "b": [1, 2]}),
        ('{ // why\n "a": /* one */ 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("HTTP/1.1 400 Bad Request\r\nserver: x\r\n\r\n{'a': 1}", {"a": 1}),
        ('{"a": "// no # comment, "}}', None),
        ('{"a": ', None),
        ("<html>", None),
    ],
)
def test_a_slip_of_notation_is_corrected(run, text, fixed):
    seen = run([text])["inside"][0]
    made = seen.get("repaired")
    assert (json.loads(made) if made is not None else None) == fixed


@pytest.mark.parametrize(
    ("value", "path", "meant"),
    [
        (RIGHT | {"schema_version": 2}, "$.result.schema_version", "2"),
        ({"event": "stream_end"}, "$.result.event", "StreamEnd"),
        (
            {"name": "t", "description": "d", "inputSchema": {"type": "string"}},
            "$.result.inputSchema.type",
            "object",
        ),
    ],
)
def test_a_problem_with_one_right_value_offers_it(run, value, path, meant):
    text = json.dumps({"result": value, "jsonrpc": "2.0", "id": 1}, indent=2)
    [problem] = [each for each in run([text])["inside"][0]["problems"] if "fix" in each]
    assert problem["path"] == path
    fix = problem["fix"]
    assert json.loads(fix["text"]) == meant
    fixed = text[: fix["from"]] + fix["text"] + text[fix["to"] :]
    assert problem["path"] not in {each["path"] for each in run([fixed])["inside"][0]["problems"]}


def test_a_problem_has_its_column(run):
    text = '{"errors": [],\n "errors": []}'
    problem = next(e for e in run([text])["found"][0]["problems"] if e["keyword"] == "duplicate")
    assert (problem["line"], problem["column"]) == (2, 2)
