"""What the catalog's clauses say of a list, however it travelled."""

from conformance.atdf.test_catalog import test_a_catalog_is_sound_json as sound_json
from conformance.kit.evidence.catalog import TOOLS_LIST
from conformance.kit.evidence.script import LOOKED
from conformance.kit.model.exchange import Trouble
from conformance.kit.verdicts.checks import Said
from tests.chapters.mcp_evidence import LEGACY_RUN, LEGACY_STDIO, evidence, exchange

LIST = b'{"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}'
TWICE = b'{"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "tools": []}}'
NOTICE = b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}'
STREAM = ("content-type", "text/event-stream; charset=utf-8")


def said(run, body, **more):
    listed = exchange(run, TOOLS_LIST, body, **more)
    return {check.said for check in sound_json(evidence(run, **{LOOKED: [listed]}))}


def streamed(*messages):
    return b"".join(b"event: message\r\ndata: " + message + b"\r\n\r\n" for message in messages)


def test_a_list_that_is_streamed_as_events_is_sound():
    assert said(LEGACY_RUN, streamed(NOTICE, LIST), headers=(STREAM,)) == {Said.HOLDS}


def test_a_doubled_key_is_found_in_an_event_too():
    assert Said.BROKEN in said(LEGACY_RUN, streamed(TWICE), headers=(STREAM,))


def test_a_list_after_a_notice_and_noise_on_stdio_is_sound():
    body = b"starting\n" + NOTICE + b"\n" + LIST + b"\n"
    assert said(LEGACY_STDIO, body, noise=("starting",)) == {Said.HOLDS}


def test_of_a_list_that_is_larger_than_the_kit_reads_nobody_knows_the_rest():
    cut = LIST[:-9]
    assert said(LEGACY_RUN, cut, trouble=Trouble.TOO_LARGE) == {Said.UNKNOWN}
    assert said(LEGACY_RUN, cut) == {Said.BROKEN}


def test_a_doubled_key_is_found_on_stdio_too():
    assert Said.BROKEN in said(LEGACY_STDIO, TWICE + b"\n")
