"""The documents of the runtime vocabulary: each is known for what it is; no rule ever raises."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from conformance.formats.runtime.recognition import RUNTIME_ROWS
from conformance.formats.validate.recognize import Recognition, recognize
from conformance.formats.validate.validate import validate
from tests.root import ROOT

EXAMPLES = ROOT / "fixtures" / "examples" / "runtime"
INDEX = json.loads((EXAMPLES / "index.json").read_text(encoding="utf-8"))
VALID = [
    (entry, json.loads((EXAMPLES / entry["file"]).read_text(encoding="utf-8")))
    for entry in INDEX["valid"]
]
ODD: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], {}, [None], [{}], {"": None}, 10**400]


@pytest.mark.parametrize(("entry", "data"), VALID, ids=lambda each: each.get("id", ""))
def test_each_valid_example_is_recognised_as_its_document(entry, data):
    recognised = recognize(data)
    assert isinstance(recognised, Recognition)
    assert (recognised.spec, recognised.document) == ("runtime", entry["document"])


def test_each_document_has_a_valid_example():
    assert {entry["document"] for entry, _ in VALID} == {row.document for row in RUNTIME_ROWS}


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("classified-by-guess", "neither its code, its message nor its status says what it is"),
        ("classified-by-status-first", "its code says so"),
    ],
)
def test_a_wrong_class_is_told_with_what_decides_it(example, said):
    (path,) = (each["file"] for each in INDEX["invalid"] if each["id"] == example)
    record = json.loads((EXAMPLES / path).read_text(encoding="utf-8"))
    (found,) = validate(record, "classification-record")
    assert said in found.message.words("en")


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("retry-too-early", "The delay here is 1000 ms, but the policy gives 2000."),
        ("retry-impatient", "a wait of 20000 ms, and this retry waited 1000 ms."),
        ("retry-beyond-the-limit", "a wait of 20000 ms, more than the 10000 of the policy."),
    ],
)
def test_whole_milliseconds_have_no_decimal_point(example, said):
    record = json.loads((EXAMPLES / "invalid" / f"{example}.json").read_text(encoding="utf-8"))
    (found,) = validate(record, "retry-record")
    assert said in found.message.words("en")


def test_a_record_of_retries_is_corrected_by_what_the_runtime_does():
    """Not by another policy, or by another answer of the provider: these are given."""
    read = {each["id"]: json.loads((EXAMPLES / each["file"]).read_text("utf-8"))
            for kind in ("valid", "invalid") for each in INDEX[kind]}  # fmt: skip
    wrong = [each for each in INDEX["invalid"] if each["document"] == "retry-record"]
    runs = [
        (read[each["id"]], read[each["from"]]) for each in wrong if each["breaks"] > "RT-RTY-007"
    ]
    assert len(runs) > 7
    for bad, good in runs:
        assert bad["policy"] == good["policy"]
        for one, other in zip(bad["attempts"], good["attempts"], strict=False):
            assert [one.get(of) for of in ("error", "streamed")] == [
                other.get(of) for of in ("error", "streamed")
            ]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    for key, item in enumerate(value) if isinstance(value, list) else inner:
        yield from _paths(item, (*path, key))


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = _put(value[path[0]], path[1:], new)
    return changed


@pytest.mark.parametrize(("entry", "data"), VALID, ids=lambda each: each.get("id", ""))
def test_an_odd_value_anywhere_is_judged_and_never_raises(entry, data):
    paths = list(_paths(data))
    for path in paths[:: len(paths) // 40 + 1]:
        for odd in ODD:
            for problem in validate(_put(data, path, odd), entry["document"]):
                assert problem.message.words("es")
                assert problem.clause is not None


@pytest.mark.parametrize(
    ("data", "document"),
    [
        ({"id": "a", "endpoint": {}, "protocol_version": "1"}, "provider-manifest"),
        ({"id": "a", "endpoint": {}, "error_classification": {}}, "provider-manifest"),
        ({"tools": [{"toolset": "a"}]}, "toolset-catalog"),
        ({"tools": [{"name": "a", "inputSchema": {}}]}, "catalog"),
        ({"tools": []}, "catalog"),
        ({"event": "tool_start", "tool_call_id": "a", "tool_name": "b"}, "tool-event"),
        ({"event": "ToolCallStarted", "tool_call_id": "a", "tool_name": "b"}, "stream-event"),
        ({"event": "Unheard"}, "stream-event"),
        ({"error": {"code": "E1001"}}, "runtime-error"),
        ({"name": "a", "tool_call_id": "b", "error": None}, "tool-result"),
        ({"message": "a"}, "tool-error"),
    ],
)
def test_the_members_decide_which_document_it_is(data, document):
    recognised = recognize(data)
    assert isinstance(recognised, Recognition)
    assert recognised.document == document


def test_a_member_too_many_makes_a_closed_document_unknown():
    assert isinstance(recognize({"returned": 1, "truncated": False}), Recognition)
    assert not isinstance(recognize({"returned": 1, "truncated": False, "x": 1}), Recognition)


def test_an_error_without_a_code_is_no_runtime_error():
    assert not isinstance(recognize({"error": "it broke"}), Recognition)


def test_an_object_in_the_place_of_a_list_is_not_taken_for_one_of_its_tools():
    by_name = {"tools": {"list_devices": {"service": "plant", "toolset": "devices"}}}
    assert [each.clause for each in validate(by_name, "toolset-catalog")] == ["RT-CAT-001"]
