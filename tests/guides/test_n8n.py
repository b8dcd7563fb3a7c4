"""The flows for n8n: what they hold, and what they do, with n8n itself where it is installed."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from scripts.n8n import FLOWS, N8nUnusable, Ran, install, installed, run_flow, version
from tests.guides.booking import BOOKING, NAMELESS, node
from tests.root import ROOT
from tests.thorough import FULL

FILES = sorted(FLOWS.glob("*.json"))
HOTEL = FLOWS / "hotel.json"


def played(file, base, arguments=None):
    """Run a flow by the few nodes that it uses, without n8n."""
    code = None
    if arguments is not None:
        code = f"return [{{ json: {{ input: {json.dumps(arguments)} }} }}];"
    ran = node("n8n_flow.mjs", file, base, given=code)
    return Ran(tuple(ran["statuses"]), ran["end"], ran["error"])


def by_n8n(file, base, arguments=None):
    """Run a flow by n8n itself, which is installed only where everything is asked for."""
    if not installed() and not FULL:
        pytest.skip("n8n is not installed (3 GB, ten minutes): run `python -m scripts.n8n`")
    try:
        install()
    except N8nUnusable as unusable:
        pytest.skip(f"n8n cannot be installed here: {unusable}")
    return run_flow(file, base, arguments)


RUNNERS = [
    pytest.param(played, marks=pytest.mark.needs, id="played"),
    pytest.param(by_n8n, marks=[pytest.mark.slow, pytest.mark.timeout(1800)], id="n8n"),
]


@pytest.mark.parametrize("run", RUNNERS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_call_of_a_flow_is_refused_then_repaired_by_the_suggestions(file, run, server):
    ran = run(file, server)
    assert (ran.statuses[0], ran.statuses[-1], ran.end) == (422, 200, "Done")


@pytest.mark.parametrize("run", RUNNERS)
def test_a_good_call_is_made_once(run, server):
    later = {"check_in": "2032-05-20T14:00:00Z", "check_out": "2032-05-22T12:00:00Z"}
    ran = run(HOTEL, server, BOOKING | later)
    assert (ran.statuses, ran.end) == ((200,), "Done")


@pytest.mark.parametrize("run", RUNNERS)
def test_a_flow_stops_with_the_words_of_a_refusal_that_suggests_nothing(run, server):
    ran = run(HOTEL, server, BOOKING | {"pets": 1})
    assert (ran.statuses, ran.end) == ((422,), "Apply suggestions")
    assert "pets" in ran.error


@pytest.mark.parametrize("run", RUNNERS)
@pytest.mark.parametrize(
    "given",
    [BOOKING | {"guests": "9"}, BOOKING | {"guests": [9]}, NAMELESS],
    ids=["text", "list", "missing"],
)
def test_a_suggestion_is_read_by_what_the_parameter_takes(given, run, server):
    ran = run(HOTEL, server, given)
    assert (ran.statuses[0], ran.statuses[-1], ran.end) == (422, 200, "Done")


def played_against(schema, *names, first=()):
    """Run the flow against a server whose tool has this schema, and whose errors name these.

    `first` has what the first answer suggests: pairs of a name and a value.
    """
    answers = [first or [(name, "x") for name in names], [(name, "x") for name in names]]
    tool = {"name": "hotel_reservation", "inputSchema": schema}

    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(200, {"tools": [tool]})

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            told = answers.pop(0) if len(answers) > 1 else answers[0]
            errors = [
                {"tool_name": "hotel_reservation", "parameter_name": name, "suggested_value": value}
                for name, value in told
            ]
            self.answer(422, {"errors": errors})

        def answer(self, status, document):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ran = node("n8n_flow.mjs", HOTEL, f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    return ran


@pytest.mark.needs
def test_a_name_that_every_object_inherits_is_no_name_of_a_parameter():
    names = ("__proto__.a", "constructor.prototype.b", "guests.__proto__.c", "__proto__[d]")
    ran = played_against({"properties": {"guests": {}}}, *names)
    assert (ran["everywhere"], set(ran["statuses"])) == ([], {422})


@pytest.mark.needs
@pytest.mark.parametrize("name", ["guests[200000000]", "guests[200000000].a", "guests.length.a"])
def test_a_list_does_not_grow_by_millions_of_empty_places(name):
    schema = {"properties": {"guests": {"type": "array", "items": {"type": "string"}}}}
    ran = played_against(schema, name, first=[("guests", "[]")])
    assert (ran["statuses"], ran["end"]) == ([422, 422], "Apply suggestions")
    assert ran["error"].startswith("The list has no place ")


@pytest.mark.needs
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/properties/guests"},
        {"anyOf": [{"$ref": "#/properties/guests"}, {"$ref": "#/properties/guests"}]},
        {"$ref": "#/$defs/25"},
    ],
    ids=["itself", "branches of itself", "branches of branches"],
)
def test_a_schema_that_takes_for_ever_to_read_ends_the_flow(schema):
    half = {"anyOf": [{"type": "integer"}, {"type": "integer"}]}
    parts = {"0": half} | {
        str(n): {"anyOf": [{"$ref": f"#/$defs/{n - 1}"}] * 2} for n in range(1, 26)
    }
    ran = played_against({"properties": {"guests": schema}, "$defs": parts}, "guests")
    assert (ran["statuses"], ran["end"]) == ([422], "Apply suggestions")
    assert ran["error"] == "The schema of the tool is too large to read."


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_flow_hangs_together(file):
    flow = json.loads(file.read_text(encoding="utf-8"))
    names = {node["name"] for node in flow["nodes"]}
    assert len(names) == len(flow["nodes"])
    reached = {
        link["node"] for out in flow["connections"].values() for one in out["main"] for link in one
    }
    assert set(flow["connections"]) <= names
    assert reached | {"Start"} == names


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_flow_holds_the_script_that_its_page_shows(file):
    flow = json.loads(file.read_text(encoding="utf-8"))
    [node] = [node for node in flow["nodes"] if node["name"] == "Apply suggestions"]
    script = (FLOWS / "apply-suggestions.js").read_text(encoding="utf-8")
    assert node["parameters"]["jsCode"] == script


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_the_page_names_the_version_that_runs(language):
    assert version() in (ROOT / "docs" / language / "guides" / "n8n.md").read_text(encoding="utf-8")
