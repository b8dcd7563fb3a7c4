"""Secrets of every origin, against servers that echo all they see: no written byte holds one."""

import base64
import json
import re
import shlex
import sys
import textwrap
import zlib

import pytest

from tests.kit.peers import offering
from tests.kit.plugin.test_bad_input import listening

pytestmark = pytest.mark.slow

PASSWORD = "pa55-w0rd-of-url"
QUERY = "qu3ry-s3cret"
BASIC = "user:b4sic-s3cret"
HEADER = "h3ader-s3cret"
COMMAND = "c0mmand-s3cret"
COOKIE = "c00kie-of-the-day"
FILLING = ""
"""What the server says before the secrets: much of it makes its answers long enough to compress."""
TOOL = {
    "name": "echo",
    "description": "Says it again.",
    "inputSchema": {
        "type": "object",
        "properties": {"n": {"type": "integer", "description": "A number."}},
        "required": ["n"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}

ANSWERING = textwrap.dedent(
    """
    def answer(message, told, tool):
        method, id = message.get("method"), message.get("id")
        if id is None:
            return None
        if method == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "echo", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [dict(tool, title=told)]}
        elif method == "tools/call":
            bad = not isinstance(message["params"].get("arguments", {}).get("n"), int)
            result = {"content": [{"type": "text", "text": told}], "isError": bad}
        else:
            return {"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": told}}
        return {"jsonrpc": "2.0", "id": id, "result": result}
    """
)
space = {}
exec(ANSWERING, space)  # the same code runs in the process of the stdio server


def told_of(text):
    """All that a server was told, plain and in base64, whole and shifted by one and two bytes."""
    raw = text.encode()
    coded = [base64.b64encode(b"x" * shift + raw).decode() for shift in range(3)]
    return " ".join([text, *coded, base64.urlsafe_b64encode(raw).decode()])


async def echo(writer, peer):
    head, body = peer.requests[-1]
    basic = [line.split()[-1] for line in head.split("\r\n") if "Basic" in line]
    told = FILLING + told_of(head + "".join(base64.b64decode(each).decode() for each in basic))
    try:
        said = space["answer"](json.loads(body), told, TOOL)
    except (ValueError, AttributeError, TypeError, RecursionError):
        said = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": told}}
    data = json.dumps(said).encode() if said else b""
    status = "200 OK" if data else "202 Accepted"
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"X-Told: {len(told)}",
             f"Set-Cookie: sid={COOKIE}; Path=/", f"Content-Length: {len(data)}"]  # fmt: skip
    writer.write("\r\n".join([*lines, "", ""]).encode() + data)


STDIO = ANSWERING + textwrap.dedent(
    f"""
    import base64, json, sys
    raw = " ".join(sys.argv).encode()
    told = raw.decode() + " " + base64.b64encode(raw).decode()
    print("started with " + told, file=sys.stderr)
    for line in sys.stdin:
        said = answer(json.loads(line), told, {TOOL!r})
        if said:
            print(json.dumps(said), flush=True)
    """
)


def forms(secret):
    """What would give a secret away: itself, and its middle in each alignment of base64."""
    cores = [base64.b64encode(b"\0" * shift + secret.encode()).decode()[4:-4] for shift in range(3)]
    return [secret, *cores]


def unfolded(text):
    """The text, and all that is compressed in it."""
    packed = re.findall(r'"deflate":"([^"]+)"', text)
    return "\n".join([text, *(zlib.decompress(base64.b64decode(p)).decode() for p in packed)])


def leaks(ran, folder, *secrets):
    """The places that hold a secret, in any of its forms."""
    texts = {path.name: unfolded(path.read_text("utf-8")) for path in folder.iterdir()}
    texts["terminal"] = ran.said
    return [
        (name, form) for name, text in texts.items()
        for secret in secrets for form in forms(secret) if form in text
    ]  # fmt: skip


@pytest.mark.parametrize("verbosity", ["-q", "-vv"])
def test_no_written_file_holds_a_secret_of_address_header_or_cookie(
    kit, tmp_path, verbosity, monkeypatch
):
    monkeypatch.setattr(sys.modules[__name__], "FILLING", " " * 20_000 * (verbosity == "-vv"))
    with listening(echo) as url:
        where = url.replace("http://", f"http://me:{PASSWORD}@") + f"/mcp?api_key={QUERY}"
        ran = kit(
            "conformance", "--target", where, "--report", str(tmp_path / "out"), verbosity,
            "-H", f"X-Api-Key: {HEADER}", "--profile", "mcp",
            "-H", f"Authorization: Basic {base64.b64encode(BASIC.encode()).decode()}",
        )  # fmt: skip
    assert ran.code in (0, 1), ran.said
    secrets = [PASSWORD, QUERY, HEADER, BASIC.split(":")[1], COOKIE]
    assert leaks(ran, tmp_path / "out", *secrets) == []
    written = (tmp_path / "out" / "exchanges.ndjson").read_text("utf-8")
    assert "\\u00absecret-" in written
    packed = unfolded(written)[len(written) :]
    assert ("«secret-" in packed) is (verbosity == "-vv")


def test_no_written_file_holds_a_secret_of_a_command(kit, tmp_path):
    secrets = [f"{COMMAND}-{n}" for n in range(6)]
    words = [
        "--token", secrets[0],
        f"--api-key={secrets[1]}",
        f"SECRET_THING={secrets[2]}",
        "--header", f"Authorization: Bearer {secrets[3]}",
        f"https://u:{secrets[4]}@example.org/mcp",
        f"--url=https://example.org/mcp?token={secrets[5]}",
    ]  # fmt: skip
    target = "stdio:" + shlex.join([sys.executable, "-c", STDIO, *words])
    ran = kit(
        "conformance", "--target", target, "--report", str(tmp_path / "out"), "-k", "MCP-CALL"
    )
    assert ran.code in (0, 1, 5), ran.said
    assert leaks(ran, tmp_path / "out", *secrets) == []


@pytest.mark.slow
def test_the_last_words_of_a_process_hold_no_secret_in_any_file(kit, tmp_path):
    ends = '    if "tools/call" in line: sys.exit("No entry with " + sys.argv[2])'
    code = STDIO.replace("    said = answer", f"{ends}\n    said = answer")
    target = "stdio:" + shlex.join([sys.executable, "-c", code, "--token", COMMAND])
    ran = kit(
        "conformance", "--target", target, "--report", str(tmp_path / "out"), "-k", "ATDF-CALL-005"
    )
    assert "No entry with «secret-1»" in ran.said
    assert (tmp_path / "out" / "test_replay.py").exists()
    assert leaks(ran, tmp_path / "out", COMMAND) == []


def test_a_target_that_cannot_be_read_is_named_without_its_password(kit, tmp_path):
    ran = kit("conformance", "--target", f"http://me:{PASSWORD}@127.0.0.1:99999")
    assert ran.code == 4
    assert PASSWORD not in ran.said
    assert "127.0.0.1:99999" in ran.said


LOGIN = {
    "name": "login",
    "description": "Logs in.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "key": {"type": "string", "minLength": 20, "pattern": "^[a-zA-Z0-9-]{15,}$"},
        },
        "required": ["key"],
    },
}


def test_nothing_that_the_kit_makes_of_a_key_in_the_calls_of_the_user_is_written(kit, tmp_path):
    key = "k3y-4f9aQ7zLw82mXc51RbN0"
    (tmp_path / "calls.yaml").write_text("login: [{key: '${LOGIN_KEY}'}]\n")
    seen = []

    def take(name, arguments):
        seen.append(arguments)
        return 200, {"you_sent": arguments}

    with offering([LOGIN], take) as url:
        ran = kit(
            "conformance", "--target", url, "--report", str(tmp_path / "out"), "-vv",
            "--env", "LOGIN_KEY", "--examples", str(tmp_path / "calls.yaml"),
            env={"LOGIN_KEY": key},
        )  # fmt: skip
    assert ran.code == 1, ran.said
    assert any(key[:10] in str(each) and key not in str(each) for each in seen)
    pieces = {key[at : at + 8] for at in range(len(key) - 7)}
    assert leaks(ran, tmp_path / "out", *pieces) == []
