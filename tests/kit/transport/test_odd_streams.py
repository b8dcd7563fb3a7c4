"""Odd streams and frames before an answer: the answer to the request is read, and no other one."""

import asyncio
import json

import pytest

from conformance.kit.evidence.response import response_of
from conformance.kit.model.exchange import Exchange, HttpRequest
from conformance.kit.transport.http_connection import HttpConnection
from tests.kit.peers import always, head, serving

OWN = {"jsonrpc": "2.0", "id": 1040, "result": {"own": True}}
EVENT = b"data: " + json.dumps(OWN).encode() + b"\n\n"
STREAM = head("Content-Type: Text/Event-Stream; charset=UTF-8")


def events(*messages):
    return b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in messages)


def others():
    return [{**OWN, "id": id, "result": {}} for id in range(1000, 1080) if id != OWN["id"]]


def cancellations():
    name = "notifications/cancelled"
    return [{"jsonrpc": "2.0", "method": name, "params": {"requestId": id}}
            for id in range(1000, 1080)]  # fmt: skip


ODD = {
    "ids that are commands": b"id: \x00\x1b[2J::stop-commands::x\n",
    "times to come back after": b"retry: 9999999999999999999\nretry: -1\nretry: 1e309\nretry\n",
    "a comment without an end": b":" + b"c" * 200_000 + b"\n",
    "a mark within": b"\xef\xbb\xbfdata\n",
    "a name of a megabyte": b"event: " + b"e" * 1_000_000 + b"\n",
    "answers to other requests": events(*others()),
    "ids that are nearly its own": events(*({**OWN, "id": id, "result": {}}
                                            for id in ("1040", [1040], None, 1040.5, True))),
    "cancellations of other requests": events(*cancellations()),
    "requests for the words of a model": events(
        {"jsonrpc": "2.0", "id": 1040, "method": "sampling/createMessage", "params": {"a": [[]]}}
    ),
}  # fmt: skip


def answered(data):
    request = HttpRequest("POST", "", body=b"{}", answer_to=OWN["id"])

    async def main():
        async with serving(always(data)) as peer:
            made = HttpConnection(peer.url, timeout=30.0, headers=(), width=4)
            own = HttpRequest("POST", peer.url + "/mcp", body=b"{}", answer_to=OWN["id"])
            received = await made.send(own)
            await made.close()
            return received

    received = asyncio.run(main())
    return response_of(
        Exchange(1, "mcp", request, received.answer, received.trouble, 0.0, received.elapsed)
    )


@pytest.mark.parametrize("odd", [*ODD])
def test_the_own_answer_is_read_behind_what_is_odd(odd):
    assert answered(STREAM + ODD[odd] + EVENT) == OWN


def test_of_two_answers_to_one_request_the_first_is_read():
    assert answered(STREAM + EVENT + events({**OWN, "result": {"own": False}})) == OWN


def test_parts_with_extensions_of_thirty_kilobytes_are_one_answer():
    body = json.dumps(OWN).encode()
    parts = b"".join(b"1;" + b"x" * 30_000 + b"\r\n" + bytes([each]) + b"\r\n" for each in body)
    framed = head("Content-Type: application/json", "Transfer-Encoding: chunked")
    assert answered(framed + parts + b"0\r\n\r\n") == OWN
