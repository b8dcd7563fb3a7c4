"""Discovery: what a target is found to be, or the one sentence why it cannot be judged."""

import asyncio
import json
import time

import pytest

from conformance.kit.config.secrets import Redactor
from conformance.kit.drive.channel import Context
from conformance.kit.drive.discovery.discover import discover
from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.evidence.declarations import declared
from conformance.kit.evidence.recorder import Recorder
from conformance.kit.model.run import MODERN
from conformance.kit.model.settings import AllowCalls, Settings
from conformance.spec.vocabulary import OPENAPI_PLACE_PATH, Binding, RunKind
from tests.kit.peers import always, answering, close, hang, offering, serving, unused_url, whole
from tests.kit.tls import self_signed

TOOL = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}
JSON = "Content-Type: application/json"
LEGACY = "2025-11-25"


def look(target, **more):
    """What is found at a target."""
    settings = Settings(**{"request_timeout": 30.0, **more})
    context = Context(settings, Recorder(), time.monotonic() + 600)
    return asyncio.run(discover(target, context))


def looked(answer, path="", **more):
    """What is found at a server that answers so."""

    async def main():
        async with serving(answer) as peer:
            settings = Settings(**{"request_timeout": 30.0, **more})
            context = Context(settings, Recorder(), time.monotonic() + 600)
            return await discover(peer.url + path, context), peer

    return asyncio.run(main())


def refusal(answer, path="", **more):
    """The id of the sentence with which a server is refused."""
    with pytest.raises(TargetUnusable) as refused:
        looked(answer, path, **more)
    return refused.value.words.id.removeprefix("kit.target.")


def mcp(*, versions=(LEGACY,), get=b"", tools=(TOOL,), path="/mcp", lists=None, able=None):
    """A server of MCP at one path, in the handshake era or the modern one; 404 elsewhere.

    Where it is asked for a version that it does not know, it offers the first of its versions.
    """
    known = [version for version in versions if version != MODERN]

    def reply(asked):
        method = asked.get("method")
        if method == "initialize" and known:
            wanted = asked["params"]["protocolVersion"]
            agreed = wanted if wanted in known else known[0]
            return {"result": {"protocolVersion": agreed, "capabilities": able or {"tools": {}},
                               "serverInfo": {"name": "s", "version": "1"}}}  # fmt: skip
        if method == "server/discover" and MODERN in versions:
            return {"result": {"supportedVersions": [MODERN], "capabilities": {"tools": {}},
                               "serverInfo": {"name": "s", "version": "1"}}}  # fmt: skip
        if method == "tools/list":
            cursor = asked.get("params", {}).get("cursor")
            return {"result": (lists or {None: {"tools": list(tools)}})[cursor]}
        return {"error": {"code": -32601, "message": "no such method"}}

    async def answer(writer, peer):
        head, body = peer.requests[-1]
        method, asked_path, _ = head.split(" ", 2)
        if asked_path != path or (method != "POST" and not get):
            writer.write(whole(b"{}", JSON, status="404 X" if asked_path != path else "405 X"))
        elif method != "POST":
            writer.write(get)
        else:
            asked = json.loads(body)
            if "id" not in asked:
                writer.write(whole(b"", status="202 X"))
                return
            message = {"jsonrpc": "2.0", "id": asked["id"], **reply(asked)}
            writer.write(whole(json.dumps(message).encode(), JSON))

    return answer


def runs(found):
    return [one.run.id for one in found]


def test_the_http_binding_is_found_by_its_list_of_tools():
    with offering([TOOL], lambda *_: (200, {})) as url:
        (only,) = look(url)
    assert (only.run.binding, [tool.name for tool in only.tools]) == (Binding.HTTP, ["t"])


def test_the_http_binding_is_found_by_its_manifest():
    with offering([TOOL], lambda *_: (200, {}), manifest=True) as url:
        (only,) = look(url)
    assert only.tools_path == "/tools"


def test_mcp_is_found_at_its_usual_path():
    found, _ = looked(mcp())
    assert runs(found) == ["mcp-2025-11-25"]


def test_mcp_is_found_at_the_address_that_was_given():
    found, _ = looked(mcp(path="/deep/endpoint"), "/deep/endpoint")
    assert runs(found) == ["mcp-2025-11-25"]


def test_both_eras_of_one_server_are_two_runs():
    found, _ = looked(mcp(versions=(LEGACY, MODERN)))
    assert sorted(runs(found)) == ["mcp-2025-11-25", "mcp-2026-07-28"]


def test_of_the_versions_that_a_server_agrees_to_the_newest_is_checked_in_full():
    """Also where it offers an older one in place of one that it does not know."""
    found, peer = looked(mcp(versions=("2025-03-26", "2025-06-18")))
    assert runs(found) == ["mcp-2025-06-18", "mcp-2025-03-26"]
    assert [one.run.kind for one in found] == [RunKind.FULL, RunKind.PROTOCOL]
    listed = [head for head, body in peer.requests if b"tools/list" in body]
    assert len(listed) == 1
    assert "mcp-protocol-version: 2025-06-18" in listed[0].lower()


def test_a_server_of_one_old_version_is_checked_in_that_one():
    found, _ = looked(mcp(versions=("2024-11-05",)))
    assert runs(found) == ["mcp-2024-11-05"]


def test_a_get_that_never_answers_does_not_hide_mcp():
    """Servers of the handshake era may keep a GET open without a word, as a stream."""

    async def silent_get(writer, peer):
        if peer.requests[-1][0].startswith("GET"):
            await hang(writer, peer)
        else:
            await mcp()(writer, peer)

    found, _ = looked(silent_get, "/mcp", request_timeout=2.0)
    assert runs(found) == ["mcp-2025-11-25"]


@pytest.mark.parametrize("status", ["401 X", "302 Found"])
def test_a_front_page_that_refuses_or_redirects_does_not_hide_mcp(status):
    async def front(writer, peer):
        if peer.requests[-1][0].startswith("GET / "):
            writer.write(whole(b"", "Location: https://example.org/", status=status))
        else:
            await mcp()(writer, peer)

    found, _ = looked(front)
    assert runs(found) == ["mcp-2025-11-25"]


def test_html_at_the_address_does_not_hide_mcp():
    async def front(writer, peer):
        if peer.requests[-1][0].startswith("GET "):
            writer.write(whole(b"<html>", "Content-Type: text/html"))
        else:
            await mcp()(writer, peer)

    found, _ = looked(front)
    assert runs(found) == ["mcp-2025-11-25"]


def test_only_the_binding_that_was_asked_for_is_looked_for():
    assert refusal(mcp(), profiles=("http",)) == "nothing_found"


def test_a_server_of_json_rpc_that_does_not_know_the_handshake_is_quoted():
    with pytest.raises(TargetUnusable) as refused:
        looked(mcp(versions=()), "/mcp")
    words = refused.value.words
    assert words.id == "kit.target.no_handshake"
    assert "-32601" in words.words("en")
    assert "no such method" in words.words("en")


def test_a_server_whose_handshake_fails_is_quoted():
    async def fails(writer, peer):
        status = "500 Oops" if peer.requests[-1][0].startswith("POST / ") else "404 Not Found"
        writer.write(whole(b"no database", status=status))

    with pytest.raises(TargetUnusable) as refused:
        looked(fails)
    assert refused.value.words.id == "kit.target.failed"
    assert '500 "no database"' in refused.value.words.words("en")


@pytest.mark.parametrize("spoken", ["2025-06-18", "2024-11-05"])
def test_a_server_that_refuses_newer_versions_is_asked_for_older_ones(spoken):
    async def older(writer, peer):
        asked = json.loads(peer.requests[-1][1] or b"{}")
        version = (asked.get("params") or {}).get("protocolVersion")
        if asked.get("method") != "initialize" or version == spoken:
            await mcp(versions=(spoken,))(writer, peer)
            return
        error = {"code": -32602, "message": "Unsupported protocol version"}
        told = {"jsonrpc": "2.0", "id": asked["id"], "error": error}
        writer.write(whole(json.dumps(told).encode(), JSON))

    found, _ = looked(older, "/mcp")
    assert runs(found) == [f"mcp-{spoken}"]


def test_pages_are_followed_to_the_last():
    pages = {
        None: {"tools": [TOOL], "nextCursor": "2"},
        "2": {"tools": [{**TOOL, "name": "u"}], "nextCursor": ""},
    }
    found, _ = looked(mcp(lists=pages))
    assert [tool.name for tool in found[0].tools] == ["t", "u"]


def test_a_cursor_that_comes_again_ends_the_list():
    pages = {None: {"tools": [TOOL], "nextCursor": "2"}, "2": {"tools": [], "nextCursor": "2"}}
    found, _ = looked(mcp(lists=pages))
    assert len(found[0].documents) == 2


def test_a_server_that_offers_no_tools_is_not_asked_for_them():
    async def none(writer, peer):
        asked = json.loads(peer.requests[-1][1] or b"{}")
        result = {"protocolVersion": LEGACY, "capabilities": {"prompts": {}}, "serverInfo": {}}
        found = {"result": result} if asked.get("method") == "initialize" else {"error": {}}
        message = {"jsonrpc": "2.0", "id": asked.get("id"), **found}
        writer.write(whole(json.dumps(message).encode(), JSON))

    found, _ = looked(none, "/mcp", profiles=("mcp",))
    assert (found[0].listed, found[0].tools) == (False, ())


def test_a_catalog_whose_path_is_on_another_server_is_not_fetched():
    manifest = {"resources": [{"type": "tool", "path": "http://127.0.0.2:9/tools"}]}

    async def elsewhere(writer, peer):
        known = peer.requests[-1][0].startswith("GET /manifest")
        body = json.dumps(manifest).encode() if known else b"{}"
        writer.write(whole(body, JSON, status="200 X" if known else "404 X"))

    found, _ = looked(elsewhere)
    assert found[0].tools == ()


def test_nothing_listens():
    with pytest.raises(TargetUnusable) as refused:
        look(unused_url())
    assert refused.value.words.id == "kit.target.unreachable"
    assert "the connection was refused" in refused.value.words.words()
    assert "se rechazó la conexión" in refused.value.words.words("es")


def test_no_such_host():
    with pytest.raises(TargetUnusable) as refused:
        look("http://no-such-host.invalid")
    assert refused.value.words.id == "kit.target.unreachable"


@pytest.mark.parametrize("words", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"+OK ready\r\n\r\n"])
def test_not_http(words):
    assert refusal(always(words, then=close)) == "not_http"


def test_a_server_that_only_closes_has_a_reason_too():
    with pytest.raises(TargetUnusable) as refused:
        looked(close)
    reason = dict(refused.value.words.values)["reason"]
    assert reason
    assert not reason.endswith(".")


def test_silence():
    assert refusal(hang, "/mcp", request_timeout=1.0) == "silent"


def test_html():
    page = always(whole(b"<!doctype html>", "Content-Type: text/html; charset=utf-8"))
    with pytest.raises(TargetUnusable) as refused:
        looked(page)
    assert refused.value.words.id == "kit.target.html"
    assert "/guides/#http" in refused.value.words.words()


@pytest.mark.parametrize(
    ("status", "body", "headers", "expected"),
    [
        ("403 X", b"Invalid Host header", (), "address"),
        ("421 X", b"", (), "address"),
        ("403 X", b'{"error": "wrong port"}', (), "address"),
        ("400 X", b"Invalid host header", (), "address"),
        ("403 X", b"", (), "forbidden"),
        ("403 X", b"no", (), "forbidden"),
        ("403 X", b"", ("WWW-Authenticate: Bearer",), "credentials"),
    ],
)
def test_a_server_that_checks_the_address_does_not_ask_for_credentials(
    status, body, headers, expected
):
    assert refusal(always(whole(body, *headers, status=status))) == expected


@pytest.mark.parametrize("status", ["401 X", "407 X"])
def test_credentials_are_asked_for(status):
    assert refusal(always(whole(b"", status=status))) == "credentials"


def test_credentials_are_asked_for_at_the_endpoint_alone():
    async def guarded(writer, peer):
        endpoint = " /mcp " in peer.requests[-1][0]
        writer.write(whole(b"", status="401 X" if endpoint else "404 X"))

    assert refusal(guarded) == "credentials"


@pytest.mark.parametrize("name", ["authorization", "X-API-Key"])
def test_credentials_were_sent_and_are_refused(name):
    refuses = always(whole(b"", status="401 X"))
    assert refusal(refuses, headers=((name, "Bearer x"),)) == "credentials_refused"


@pytest.mark.parametrize(
    ("body", "headers", "told"),
    [
        (b"Send X-API-Key.", (), '401 "Send X-API-Key."'),
        (b"", ("WWW-Authenticate: Basic",), '401 "Basic"'),
        (b"", (), "answers with 401. "),
    ],
)
def test_who_is_asked_for_credentials_reads_what_the_server_says(body, headers, told):
    with pytest.raises(TargetUnusable) as refused:
        looked(always(whole(body, *headers, status="401 X")))
    assert told in refused.value.words.words()


@pytest.mark.parametrize("before", [270, 285, 291])
def test_where_a_refusal_is_cut_no_piece_of_a_secret_is_left(before):
    secret = "qwertzuiop1234567890abcdef"
    with pytest.raises(TargetUnusable) as refused:
        looked(always(whole(b"host" + b"a" * (before - 4) + secret.encode(), status="421 X")))
    assert secret[:8] not in Redactor([secret])(refused.value.words.words())


def test_a_redirect_elsewhere():
    away = always(whole(b"", "Location: https://example.org/a", status="302 Found"))
    with pytest.raises(TargetUnusable) as refused:
        looked(away)
    assert refused.value.words.id == "kit.target.redirects"
    assert "https://example.org/a" in refused.value.words.words()


def listing(body, path="/tools"):
    """A server that answers this at one path, and that has nothing else."""

    async def serve(writer, peer):
        known = f" {path} " in peer.requests[-1][0]
        said, status = (body, "200 X") if known else (b"{}", "404 X")
        writer.write(whole(said, JSON, status=status))

    return serve


def test_a_bare_list_of_tools_is_judged_and_is_no_catalog():
    found, _ = looked(listing(json.dumps([TOOL]).encode()))
    assert [one.name for one in found[0].tools] == ["t"]
    judged = declared(found[0])
    assert [problem.clause for problem in judged.catalog] == ["ATDF-CAT-001"]
    assert judged.unusable == ()


def test_a_bare_list_of_other_things():
    with pytest.raises(TargetUnusable) as refused:
        looked(listing(b'[{"name": "a"}]'))
    assert refused.value.words.id == "kit.target.bare_list"
    assert "/tools answers with a bare list" in refused.value.words.words()


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": [{"id": "small", "object": "model"}]}',
        b'{"object": "list", "data": [{"id": "a"}]}',
    ],
)
def test_a_list_of_models_is_known_by_its_kind_or_by_theirs(body):
    assert refusal(listing(body, "/v1/models")) == "model_api"


@pytest.mark.parametrize("path", ["", "/v1", "/v1/chat/completions", "/v1/models/"])
@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_model_api_is_told_the_option_for_gateways(path, language):
    models = b'{"object": "list", "data": [{"id": "small", "object": "model"}]}'
    with pytest.raises(TargetUnusable) as refused:
        looked(listing(models, "/v1/models"), path, language=language)
    assert refused.value.words.id == "kit.target.model_api"
    told = refused.value.words.words(language)
    assert "`--gateway openai+http://127.0.0.1:" in told
    assert "/v1`: https://" in told
    assert "/v1/chat" not in told.split("--gateway")[1]


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": [{"name": "x"}]}',
        b'{"data": {}}',
        b"[]",
        b'{"data": []}',
        b'{"object": "list", "data": []}',
        b'{"data": [{"id": "corolla", "doors": 5}]}',
    ],
)
def test_another_answer_at_the_place_of_models_is_no_model_api(body):
    assert refusal(listing(body, "/v1/models")) == "nothing_found"


def test_a_description_of_before_openapi_is_called_by_its_name():
    with pytest.raises(TargetUnusable) as refused:
        looked(listing(b'{"swagger": "2.0"}', "/swagger.json"))
    assert refused.value.words.id == "kit.target.swagger"
    assert dict(refused.value.words.values)["url"].endswith("/swagger.json")


def test_a_catalog_that_is_larger_than_the_kit_reads(monkeypatch):
    for room in ("http_connection", "kept_connections"):
        monkeypatch.setattr(f"conformance.kit.transport.{room}.BODY_CAP", 40, raising=False)
    with pytest.raises(TargetUnusable) as refused:
        looked(listing(json.dumps({"tools": [TOOL]}).encode()))
    assert refused.value.words.id == "kit.target.too_large"
    assert dict(refused.value.words.values)["url"].endswith("/tools")


def test_a_catalog_that_is_not_json():
    with pytest.raises(TargetUnusable) as refused:
        looked(listing(b'{"tools": ['))
    assert refused.value.words.id == "kit.target.not_json"
    assert dict(refused.value.words.values)["url"].endswith("/tools")


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"tools": {"a": 1}}', b'"tools"', b"null"])
def test_json_that_is_no_catalog(body):
    assert refusal(always(whole(body, JSON))) == "nothing_found"


def test_plain_http_where_tls_was_asked_for():
    with offering([TOOL], lambda *_: (200, {})) as url, pytest.raises(TargetUnusable) as refused:
        look(url.replace("http:", "https:"))
    assert refused.value.words.id == "kit.target.tls"


@pytest.mark.needs
def test_a_certificate_that_nobody_vouches_for(tmp_path):
    with self_signed(tmp_path) as url, pytest.raises(TargetUnusable) as refused:
        look(url)
    assert refused.value.words.id == "kit.target.tls"
    assert "self-signed" in refused.value.words.words()
    assert "SSL_CERT_FILE" in refused.value.words.words()


@pytest.mark.needs
def test_a_file_of_certificates_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with self_signed(tmp_path) as url, pytest.raises(TargetUnusable) as refused:
        look(url)
    assert refused.value.words.id == "kit.target.tls"
    assert "names a file that cannot be read" in refused.value.words.words()


@pytest.mark.needs
def test_tls_where_plain_http_was_asked_for(tmp_path):
    with self_signed(tmp_path) as url, pytest.raises(TargetUnusable) as refused:
        look(url.replace("https:", "http:"))
    assert refused.value.words.id == "kit.target.not_http"


@pytest.mark.parametrize("path", OPENAPI_PLACE_PATH.values())
def test_a_description_is_found_where_frameworks_serve_it(path):
    body = {"openapi": "3.1.0", "info": {}, "paths": {"/a": {"get": {"operationId": "read"}}}}
    found, _ = looked(listing(json.dumps(body).encode(), path))
    assert [one.name for one in found[0].tools] == ["read"]
    assert found[0].tools_path.endswith(path)


def test_where_nothing_is_found_the_option_for_a_description_is_named():
    with pytest.raises(TargetUnusable) as refused:
        looked(listing(b"{}", "/elsewhere"))
    assert "`--openapi`" in refused.value.words.words()


HALF = "\ud800"
"""Half of a character: JSON can name it, and UTF-8 has no bytes for it."""


@pytest.mark.parametrize("path", ["/tools", "/workflows"])
def test_a_cursor_with_half_a_character_is_asked_for_by_its_bytes(path):
    seen = []

    def answer(method, asked, body, headers):
        seen.append(asked)
        place, _, query = asked.partition("?")
        if place == "/manifest":
            kinds = (("tool", "/tools"), ("workflow", "/workflows"))
            return 200, {"resources": [{"type": kind, "path": at} for kind, at in kinds]}
        if place not in ("/tools", "/workflows"):
            return 404, None
        listed = {"tools": [TOOL]} if place == "/tools" else {"resources": []}
        return 200, listed | ({"nextCursor": HALF} if place == path and not query else {})

    with answering(answer) as url:
        assert [each.name for each in look(url)[0].tools] == ["t"]
    assert f"{path}?cursor=%ED%A0%80" in seen


@pytest.mark.parametrize("tasks", [None, {}, {"call": {}}])
def test_a_tool_has_to_be_called_as_a_task_only_where_calls_can_be_tasks(tasks):
    tool = {**TOOL, "execution": {"taskSupport": "required"}}
    able = {"tools": {}, **({"tasks": {"requests": {"tools": tasks}}} if tasks is not None else {})}
    found, _ = looked(mcp(tools=(tool,), able=able), "/mcp")
    assert [each.tools[0].task_required for each in found] == [bool(tasks)]


def test_a_tool_of_plain_http_never_has_to_be_called_as_a_task():
    tool = {**TOOL, "execution": {"taskSupport": "required"}}
    found, _ = looked(listing(json.dumps({"tools": [tool]}).encode()))
    assert [each.tools[0].task_required for each in found] == [False]


@pytest.mark.parametrize("allow", [AllowCalls.AUTO, AllowCalls.ALL])
def test_discovery_asks_for_nothing_that_the_catalog_calls_destructive(allow):
    shut = {
        ("GET", "/tool_schemas.json"),
        ("GET", "/prompts"),
        ("GET", "/openapi.json"),
        ("POST", "/mcp"),
    }
    asked = []

    def answer(method, path, body, headers):
        asked.append((method, path))
        if path == "/manifest":
            kinds = [("tool", "/tools"), ("prompt", "/prompts"), ("workflow", "/workflows")]
            return 200, {"resources": [{"type": kind, "path": at} for kind, at in kinds]}
        if path == "/tools":
            hints = {"annotations": {"destructiveHint": True}}
            return 200, {"tools": [
                {**TOOL, **hints, "name": f"t{n}", "invocation": {"endpoint": at, "method": how}}
                for n, (how, at) in enumerate(shut)
            ]}  # fmt: skip
        return 404, None

    with answering(answer) as url:
        look(url, allow_calls=allow)
    reached = set(asked)
    assert {how for how, _ in reached} == {"GET", "POST"}
    assert {("GET", "/workflows"), ("POST", "/")} <= reached
    assert reached & shut == (shut if allow is AllowCalls.ALL else set())


def test_no_redirect_leads_discovery_to_what_the_catalog_calls_destructive():
    asked = []
    hints = {**TOOL, "annotations": {"destructiveHint": True}}

    def answer(method, path, body, headers):
        asked.append((method, path))
        if path == "/manifest":
            kinds = [("tool", "/tools"), ("workflow", "/workflows")]
            return 200, {"resources": [{"type": kind, "path": at} for kind, at in kinds]}
        if path == "/tools":
            called = [{"endpoint": "/purge", "method": how} for how in ("GET", "POST")]
            return 200, {"tools": [
                {**hints, "name": f"t{n}", "invocation": each} for n, each in enumerate(called)
            ]}  # fmt: skip
        hops = path in ("/workflows", "/tool_schemas.json", "/openapi.json", "/mcp")
        return (307, {}, {"Location": "/x/../%70urge"}) if hops else (404, None)

    with answering(answer) as url:
        look(url)
    assert {("GET", "/workflows"), ("GET", "/openapi.json"), ("POST", "/mcp")} <= set(asked)
    assert not [path for _, path in asked if "urge" in path]
