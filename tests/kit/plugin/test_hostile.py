"""Hostile targets: each ends in a verdict, and in a report that opens and is inert."""

import json

import pytest

from tests.kit.peers import always, hang, head, offering, whole
from tests.kit.plugin.test_bad_input import accepts, listening

pytestmark = pytest.mark.slow

SCRIPT = "</script><script>alert(1)</script>"


def tool(schema=None, **more):
    own = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    return {"name": "good", "description": "d", "inputSchema": schema or own, **more}


def one(place):
    """A tool whose one parameter has this schema."""
    return tool({"type": "object", "properties": {"n": place}, "required": ["n"]})


def nested(depth):
    schema = {"type": "object"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"n": schema}, "required": ["n"]}
    return schema


CATALOGS = {
    "a pattern without end": [one({"type": "string", "pattern": "^(a+)+$"})],
    "a pattern that is none": [one({"type": "string", "pattern": "(("})],
    "a reference to itself": [tool({"$ref": "#", "type": "object"})],
    "a value that contains itself": [
        tool({"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]})
    ],
    "a deep schema": [tool(nested(300))],
    "a long name": [tool(name="x" * 1_000_000)],
    "a name that is a script": [tool(name=SCRIPT, description=SCRIPT)],
    "a name of half a character": [tool(name="a\ud800b", description="\ud800")],
    "a large enum": [one({"enum": [str(n) for n in range(20_000)]})],
    "a string too long to be": [one({"type": "string", "minLength": 10**12})],
    "a list too long to be": [one({"type": "array", "minItems": 10**9})],
    "a number too large to be": [one({"type": "number", "minimum": 1e308, "maximum": 1e400})],
    "many tools": [tool(name=f"t{n}") for n in range(300)],
}


def judged(kit, tmp_path, url, *args):
    """What a session ends with; checks what holds for every one of them."""
    ran = kit("conformance", "--target", url, "--report", str(tmp_path), *args)
    assert ran.code in {0, 1, 2, 5}, ran.said
    assert "Traceback" not in ran.said
    assert SCRIPT not in (tmp_path / "report.html").read_text()
    results = json.loads((tmp_path / "results.json").read_text())
    verdicts = {item["verdict"] for run in results["runs"] for item in run["items"]}
    assert "kit_error" not in verdicts
    return ran, results


@pytest.mark.parametrize("kind", list(CATALOGS))
def test_a_hostile_catalog_ends_in_a_verdict(kit, tmp_path, kind):
    limits = ("--allow-calls", "none") if kind == "many tools" else ()
    with offering(CATALOGS[kind], accepts, manifest=True) as url:
        judged(kit, tmp_path, url, *limits)


def answering_calls(answer):
    """A server with a sound catalog, and this answer to every call."""
    catalog = whole(json.dumps({"tools": [tool()]}).encode(), "Content-Type: application/json")

    async def own(writer, peer):
        request = peer.requests[-1][0]
        if request.startswith("GET /tools "):
            writer.write(catalog)
        elif request.startswith("POST /tools/good/invoke"):
            await answer(writer, peer)
        else:
            writer.write(whole(b"{}", status="404 X"))

    return own


async def pour(writer, peer):
    writer.write(head("Content-Length: 999999999999"))
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


ANSWERS = {
    "nothing": hang,
    "a body without end": pour,
    "half a body": always(head("Content-Length: 100") + b"half", then=lambda w, p: _close(w)),
    "another protocol": always(b"\x00\xff\r\n\r\n", then=lambda w, p: _close(w)),
    "a redirect elsewhere": always(whole(b"", "Location: https://example.org/", status="307 X")),
}


async def _close(writer):
    writer.close()


@pytest.mark.parametrize("kind", list(ANSWERS))
def test_hostile_answers_to_calls_end_in_a_verdict(kit, tmp_path, kind):
    with listening(answering_calls(ANSWERS[kind])) as url:
        judged(kit, tmp_path, url, "--request-timeout", "1", "--max-time", "60")
