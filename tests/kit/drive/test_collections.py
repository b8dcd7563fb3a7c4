"""Every page and every item of every collection is read, wherever the fault is."""

import json

import pytest

from conformance.kit.evidence import declarations
from conformance.kit.evidence.catalog import offered
from conformance.kit.evidence.declarations import MOST_LISTS, is_cut
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.vocabulary import Verdict
from tests.kit.drive.test_targets import INFO, VERSION
from tests.kit.peers import answering

MANY, PAGES = 22, 21
TOOL = {"name": "book", "description": "D", "inputSchema": {"type": "object"}}


def resource(id):
    return {
        "schema_version": "1.0",
        "resource_id": id,
        "resource_type": "prompt",
        "description": "A prompt.",
        "content": {"type": "prompt/template", "data": {"template": "Hello."}},
    }


def collections(method, path, body, headers, *, broken=""):
    """A server with many collections of many pages, and two resources a page."""
    path, _, query = path.partition("?")
    own = [f"/c{n}" for n in range(MANY)]
    if path == "/manifest":
        listed = [{"type": "tool", "path": "/tools"}]
        return 200, {"resources": listed + [{"type": "prompt", "path": each} for each in own]}
    if path == "/tools":
        return 200, {"tools": [{**TOOL, "name": f"t{n}"} for n in range(3)]}
    place, _, id = path.removeprefix("/").partition("/")
    if path.startswith("/tools/"):
        return (404, None) if broken == path or "such" in id else (200, {"name": id})
    if f"/{place}" not in own:
        return 404, None
    if id:
        return (404, None) if broken == path or "such" in id else (200, resource(id))
    page = int(query.removeprefix("cursor=") or 0) if "cursor" in query else 0
    if broken == f"{path}?{page}":
        return 500, None
    items = [resource(f"{place}-{page}-{n}") for n in range(2)]
    more = {"nextCursor": str(page + 1)} if page < PAGES - 1 else {}
    return 200, {"resources": items, **more}


def judged(clause, broken):
    """The verdict on a server with one fault."""
    found = results(clause, lambda *asked: collections(*asked, broken=broken))
    return [item.verdict for item in found]


def results(clause, server):
    """What the kit says of a server about one clause."""
    with answering(server) as url:
        session = Session(Settings(targets=(url,), profiles=("http",), allow_calls=AllowCalls.NONE))
        session.discover((url,))
        chapters = [load(f"conformance.{name}") for name in ("http", "ardf")]
        session.scripts = [script for chapter in chapters for script in chapter.scripts]
        tests = [each for chapter in chapters for each in chapter.tests if each[1].id == clause]
        session.drive()
        asked = session.questions(tests)
        return list(session.judge(asked).values())


@pytest.mark.parametrize(
    ("path", "answer", "said"),
    [
        ("/more", {"items": []}, "finding.http.no_list"),
        ("/more", [TOOL], "finding.http.bare_list"),
        ("/prompts", "words", "finding.http.collection"),
        ("/more", (201, {"tools": [TOOL]}), "finding.http.collection_status"),
        ("/prompts", (201, []), "finding.http.collection_status"),
    ],
)
def test_the_remedy_for_a_collection_is_what_the_kit_accepts(path, answer, said):
    """A list of tools is in an object. Another collection may be any JSON object or list."""
    good = {
        "/manifest": {
            "resources": [
                {"type": "tool", "path": "/tools"},
                {"type": "tool", "path": "/more"},
                {"type": "prompt", "path": "/prompts"},
            ]
        },
        "/tools": {"tools": [TOOL]},
        "/more": {"resources": []},
        "/prompts": [resource("hello")],
    }

    def serving(answers):
        def serve(method, path, body, headers):
            found = answers.get(path)
            return found if isinstance(found, tuple) else (200 if found else 404, found)

        return results("HTTP-DISC-003", serve)

    assert [item.verdict for item in serving(good)] == [Verdict.PASS]
    (item,) = serving({**good, path: answer})
    assert item.verdict is Verdict.FAIL
    assert [finding.message.id for finding in item.findings] == [said]


LAST = f"/c{MANY - 1}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clause", "broken"),
    [
        ("HTTP-DISC-003", f"{LAST}?{PAGES - 1}"),
        ("HTTP-DISC-004", "/tools/t2"),
        ("HTTP-RES-001", f"{LAST}/c{MANY - 1}-1-1"),
    ],
)
def test_a_fault_on_the_last_page_or_of_the_last_item_is_found(clause, broken):
    assert judged(clause, "") == [Verdict.PASS]
    assert judged(clause, broken) != [Verdict.PASS]


@pytest.mark.parametrize("more", [0, 3])
def test_a_manifest_names_as_many_lists_of_tools_as_are_read(more):
    paths = [f"/c{n}" for n in range(MOST_LISTS + more)]
    asked = set()

    def listing(method, path, body, headers):
        if path == "/manifest":
            return 200, {"resources": [{"type": "tool", "path": each} for each in paths * 2]}
        asked.add(path)
        return (200, {"tools": [{**TOOL, "name": path[1:]}]}) if path in paths else (404, None)

    with answering(listing) as url:
        settings = Settings(targets=(url,), profiles=("http",), allow_calls=AllowCalls.NONE)
        session = Session(settings)
        session.discover((url,))
    assert asked & set(paths) == set(paths[:MOST_LISTS])
    (found,) = session.found
    assert is_cut(found.left_out) == bool(more)
    words = [reason.words("en") for _, reason in found.left_out]
    assert words == ["only 100 lists of tools are read, and the manifest names"
                     f" {more} more; name fewer in the manifest"] * bool(more)  # fmt: skip


@pytest.mark.parametrize("more", [0, 3])
def test_of_more_collections_than_are_read_the_report_says_so(more, monkeypatch):
    monkeypatch.setattr(declarations, "MOST_COLLECTIONS", 10)
    paths = [f"/c{n}" for n in range(10 + more)]
    asked = set()

    def listing(method, path, body, headers):
        if path == "/manifest":
            kinds = [("tool", "/tools"), *(("prompt", each) for each in paths)]
            return 200, {"resources": [{"type": kind, "path": each} for kind, each in kinds * 2]}
        asked.add(path)
        if path == "/tools":
            return 200, {"tools": [TOOL]}
        return (200, {"resources": [resource(path[1:])]}) if path in paths else (404, None)

    with answering(listing) as url:
        settings = Settings(targets=(url,), profiles=("http",), allow_calls=AllowCalls.NONE)
        session = Session(settings)
        session.discover((url,))
    assert asked & set(paths) == set(paths[:10])
    (found,) = session.found
    assert is_cut(found.left_out) == bool(more)
    assert offered(session.recorder.by_id.held, ()).whole == (not more)
    words = [reason.words("en") for _, reason in found.left_out]
    said = "only 10 collections of other resources are read, and the manifest names"
    assert words == [f"{said} {more} more; name fewer in the manifest"] * bool(more)


def test_every_resource_of_mcp_is_read():
    uris = [f"ardf://{n}" for n in range(250)]

    def listing(method, path, body, headers):
        if method != "POST" or "id" not in body:
            return 405 if method != "POST" else 202, None
        first = int(body.get("params", {}).get("cursor", 0))
        listed = [{"uri": uri, "name": uri, "mimeType": "application/vnd.ardf+json"}
                  for uri in uris[first : first + 10]]  # fmt: skip
        more = {"nextCursor": str(first + 10)} if first + 10 < len(uris) else {}
        text = json.dumps(resource("r"))
        results = {
            "initialize": {"protocolVersion": VERSION, **INFO, "capabilities": {"resources": {}}},
            "resources/list": {"resources": listed, **more},
            "resources/read": {"contents": [{"uri": "ardf://0", "text": text}]},
        }
        said = {"jsonrpc": "2.0", "id": body["id"]}
        if body["method"] not in results:
            return 200, {**said, "error": {"code": -32601, "message": "no such method"}}
        return 200, {**said, "result": results[body["method"]]}

    with answering(listing) as url:
        session = Session(Settings(targets=(f"{url}/mcp",), spec_versions=(VERSION,)))
        session.discover((f"{url}/mcp",))
    found = offered(session.recorder.by_id.held, ())
    assert (len(found.resources), found.whole) == (len(uris), True)
