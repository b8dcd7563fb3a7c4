import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.kit.model.results import Finding
from conformance.kit.report.data import RESULTS, ResultsError, read_results, results_document
from conformance.kit.report.reporter import Report
from conformance.kit.report.write import write_files
from conformance.spec.messages import message
from conformance.spec.vocabulary import Level, Verdict
from tests.kit.report.sample import TOOLS, many_tools, run_result, said, sample_words, session


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


def test_what_is_written_is_read_back_as_the_same_session():
    document = json.loads(json.dumps(results_document(session())))
    assert read_results(document) == session()


def test_words_within_words_are_read_back():
    sample = session()
    told = replace(
        sample.runs[0].items[0],
        verdict=Verdict.FAIL,
        findings=(Finding(message("finding.http.dead", step=message("step.deep"))),),
    )
    changed = replace(sample, runs=(replace(sample.runs[0], items=(told,)), *sample.runs[1:]))
    document = json.loads(json.dumps(results_document(changed, "es")))
    item = document["runs"][0]["items"][0]
    assert item["message"].startswith("Después de listas anidadas en mil niveles")
    assert item["values"]["step"]["message_id"] == "step.deep"
    assert read_results(document) == changed


def test_a_protocol_run_has_no_level_and_is_read_back():
    sample = session()
    protocol = run_result(replace(sample.runs[0].run, id="mcp-2025-06-18"), level=None)
    changed = replace(sample, runs=(*sample.runs, protocol))
    document = results_document(changed)
    assert document["runs"][2]["level"] is None
    assert read_results(document) == changed


def test_messages_are_in_the_language_asked_for():
    items = results_document(session(), "es")["runs"][0]["items"]
    said_words = {item["message"] for item in items}
    assert "El error nombra room_type, y lo incorrecto era `guests`." in said_words


def test_an_item_with_two_findings_keeps_both():
    items = results_document(session())["runs"][0]["items"]
    item = next(item for item in items if item["clause"] == "ATDF-ERR-007")
    assert (item["parameter"], [more["parameter"] for more in item["more"]]) == (
        "guests",
        ["check_out"],
    )


def test_counts_name_every_verdict():
    counts = results_document(session())["runs"][0]["counts"]
    assert set(counts) == {verdict.value for verdict in Verdict}
    assert counts["fail"] == 3


def test_rates_are_plain_numbers_and_null_where_nothing_was_counted():
    sample = session()
    empty = replace(sample.runs[0], repair=type(sample.runs[0].repair)())
    document = results_document(replace(sample, runs=(empty,)))
    assert document["runs"][0]["repair"]["rate"] is None
    assert document["runs"][0]["explain"]["names_parameter"] == 70 / 84


def test_a_secret_in_a_name_a_message_and_a_target_does_not_get_out():
    sample = session()
    run = sample.runs[0]
    item = replace(
        run.items[0],
        tool="hunter2hunter2",
        findings=(replace(run.items[9].findings[0], message=said("is hunter2hunter2")),)
        if run.items[9].findings
        else (),
    )
    target = replace(run.run, target="http://u:hunter2hunter2@h", endpoint="http://hunter2hunter2")
    leaky = replace(run, run=target, items=(item,), tools_called=("hunter2hunter2",))
    document = results_document(
        replace(sample, runs=(leaky,)), redact=lambda text: text.replace("hunter2hunter2", "«s»")
    )
    assert "hunter2" not in json.dumps(document)


def test_a_secret_in_a_refusal_does_not_get_out_where_its_words_are_cut():
    sample = session()
    run = sample.runs[0]
    said = "." * 195 + "hunter2hunter2"
    few = tuple(replace(each, said=said, named=("hunter2hunter2",)) for each in run.explain.unnamed)
    leaky = replace(run, explain=replace(run.explain, unnamed=few))
    document = results_document(
        replace(sample, runs=(leaky,)), redact=lambda text: text.replace("hunter2hunter2", "«s»")
    )
    assert few
    assert "hunt" not in json.dumps(document)


def test_a_name_of_ten_megabytes_is_cut():
    sample = session()
    run = sample.runs[0]
    items = tuple(replace(item, tool="x" * 10_000_000) for item in run.items)
    document = results_document(replace(sample, runs=(replace(run, items=items),)))
    assert len(json.dumps(document)) < 1_000_000


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (lambda document: document.pop("runs"), "'runs'"),
        (lambda document: document["runs"][0].update(level="superb"), "superb"),
        (lambda document: document.update(runs=3), "wrong value"),
    ],
)
def test_a_bad_document_is_named_as_such(break_it, says):
    document = results_document(session())
    break_it(document)
    with pytest.raises(ResultsError, match=says):
        read_results(document)


def test_levels_are_read_back_as_levels():
    read = read_results(results_document(session()))
    assert read.runs[0].level is Level.GUARDED
    assert read.runs[0].tools_called == TOOLS


def test_items_are_made_as_they_are_written_and_the_file_holds_them_all(tmp_path):
    many, asked = many_tools(20), []

    def redact(text):
        asked.append(text)
        return text

    items = results_document(many, redact=redact, to_write=True)["runs"][0]["items"]
    before = len(asked)
    made = iter(items)
    assert next(made)["tool"] == "tool_0000"
    assert 0 < len(asked) - before < len(items)
    write_files(Report(many), tmp_path)
    assert json.loads((tmp_path / RESULTS).read_bytes()) == results_document(many)
