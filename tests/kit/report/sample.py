"""A session as a real one would look: a hotel server over HTTP and MCP, with its faults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from conformance.kit.model.case import Case, CaseKind, Expectation, Strictness, Violation
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.exchange import Answer, Exchange, HttpRequest, StdioRequest, Trouble
from conformance.kit.model.results import (
    Explain,
    Finding,
    Item,
    LeftOut,
    LevelState,
    Rate,
    Repair,
    RunResult,
    SessionResult,
    Shortage,
    Unnamed,
)
from conformance.kit.model.run import Run
from conformance.kit.model.step import Step
from conformance.spec import messages
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Binding, Level, Missing, Requirement, Verdict

TARGET = "http://127.0.0.1:8000"
TOOLS = ("hotel_reservation", "flight_search", "search_database", "validate_data")

WORDS = {
    "sample.parameter": {
        "en": "The error names {named}, and {parameter} was broken.",
        "es": "El error nombra {named}, y lo incorrecto era {parameter}.",
        "pt": "O erro nomeia {named}, e o incorreto era {parameter}.",
    },
    "sample.suggestion": {
        "en": "The suggested value {value} is not valid for {parameter}.",
        "es": "El valor sugerido {value} no es válido para {parameter}.",
        "pt": "O valor sugerido {value} não é válido para {parameter}.",
    },
    "sample.accepted": {
        "en": "{value} was accepted for {parameter}, which takes {right}.",
        "es": "Se aceptó {value} para {parameter}, que admite {right}.",
        "pt": "{value} foi aceito para {parameter}, que admite {right}.",
    },
    "sample.status": {
        "en": "A refusal of an input was answered {status}; 400 or 422 fits.",
        "es": "El rechazo de una entrada se respondió con {status}; corresponde 400 o 422.",
        "pt": "A recusa de uma entrada foi respondida com {status}; o adequado é 400 ou 422.",
    },
    "sample.silent": {
        "en": "The connection was closed before an answer came.",
        "es": "La conexión se cerró antes de que llegara una respuesta.",
        "pt": "A conexão foi encerrada antes de chegar uma resposta.",
    },
    "sample.baseline": {
        "en": "not verified: no call of this tool was accepted; give one with --examples",
        "es": "sin verificar: no se aceptó ninguna llamada; indique una con --examples",
        "pt": "não verificado: nenhuma chamada foi aceita; indique uma com --examples",
    },
    "sample.destructive": {
        "en": "It says that it is destructive: --include-tool '{tool}' calls it.",
        "es": "Declara que es destructiva: --include-tool '{tool}' la llama.",
        "pt": "Declara que é destrutiva: --include-tool '{tool}' a chama.",
    },
    "sample.raw": {"en": "{text}", "es": "{text}", "pt": "{text}"},
}

CLAUSES = (
    "ATDF-CAT-001",
    "ATDF-TOOL-001",
    "ATDF-TOOL-006",
    "ATDF-CALL-001",
    "ATDF-CALL-003",
    "ATDF-CALL-004",
    "ATDF-CALL-005",
    "ATDF-ERR-001",
    "ATDF-ERR-006",
    "ATDF-ERR-007",
    "ATDF-ERR-009",
    "ATDF-ERR-012",
)
BASELINE = {
    "guest_name": "Ada Lovelace",
    "room_type": "suite",
    "guests": 2,
    "check_in": "2027-03-14T15:00:00+00:00",
    "check_out": "2027-03-18T11:00:00+00:00",
}
ERROR = {
    "errors": [
        {
            "type": "https://example.org/errors/validation-error",
            "title": "Too many guests",
            "detail": "At most 8 guests can stay in one room.",
            "instance": "urn:uuid:0f7d6c52-5f0e-4e0a-9a51-0c1f6d9f9b51",
            "tool_name": "hotel_reservation",
            "parameter_name": "room_type",
            "suggested_value": "9",
            "context": {"maximum": 8},
        }
    ]
}


@contextmanager
def sample_words() -> Iterator[None]:
    """Let the sample's own messages be said."""
    original = messages.catalog
    messages.catalog = lambda: {**original(), **WORDS}  # type: ignore[assignment]
    try:
        yield
    finally:
        messages.catalog = original


def case(
    scenario: str = "above-maximum",
    pointer: str = "/guests",
    sent: object = 9,
    tool: str = TOOLS[0],
) -> Case:
    """A call of the hotel tool that is broken in one place."""
    name = pointer[1:]
    return Case(
        id=CaseId("http", tool, scenario, name),
        kind=CaseKind.BROKEN,
        scenario=scenario,
        arguments={**BASELINE, name: sent},
        expects=Expectation.REJECT,
        violation=Violation(pointer, name, ("maximum",), was=BASELINE.get(name), sent=sent),
        strictness=Strictness.STRICT,
        repairable=True,
        neighbour=CaseId("http", tool, "baseline"),
    )


def exchange(id: int = 17, *, of: Case | None = None, body: bytes | None = None) -> Exchange:
    """A refused call over HTTP."""
    made = case() if of is None else of
    return Exchange(
        id=id,
        run="http",
        request=HttpRequest(
            method="POST",
            url=f"{TARGET}/tools/{made.tool}/invoke",
            headers=(("Content-Type", "application/json"), ("Accept", "application/json")),
            body=json.dumps(made.arguments).encode(),
        ),
        answer=Answer(
            status=422,
            headers=(("content-type", "application/json"), ("server", "uvicorn")),
            body=json.dumps(ERROR).encode() if body is None else body,
        ),
        trouble=None,
        started=1.25,
        elapsed=0.0184,
        case=made,
    )


def exchanges() -> dict[int, Exchange]:
    """The exchanges that the sample's findings point to, by id."""
    absent = replace(
        case("missing-required", "/check_out", None),
        arguments={key: value for key, value in BASELINE.items() if key != "check_out"},
        violation=Violation(
            "/check_out", "check_out", ("required",), was=BASELINE["check_out"], sent_absent=True
        ),
    )
    closed = exchange(20, of=case("too-long", "/guest_name", "A" * 300))
    line = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "flight_search"}}
    stdio = Exchange(
        id=21,
        run="mcp-2026-07-28",
        request=StdioRequest(json.dumps(line).encode(), answer_to=4),
        answer=Answer(messages=({"jsonrpc": "2.0", "id": 4, "result": {"isError": True}},)),
        trouble=None,
        started=4.0,
        elapsed=1.9,
        script="unknown-tool",
        step=Step("call"),
    )
    made = (
        exchange(17),
        exchange(18, of=absent),
        exchange(19, of=case("format-near-miss", "/check_in", "2027-02-30T15:00:00Z")),
        replace(closed, answer=None, trouble=Trouble.CLOSED, trouble_detail="peer closed"),
        stdio,
    )
    return {each.id: each for each in made}


def far_down() -> dict[int, Exchange]:
    """The first exchange with its broken spot below thirty other parameters."""
    of = case()
    many = {f"note_{n:02d}": "x" for n in range(30)} | {"guests": 9}
    return exchanges() | {17: exchange(17, of=replace(of, arguments=many))}


def finding(id: str, shown: int | None = None, **values: object) -> Finding:
    """A finding with its exchange's case, if it has one."""
    of = exchanges()[shown].case if shown else None
    return Finding(
        message=message(id, **values),
        exchange=shown,
        case=of.id.text if of else None,
        scenario=of.scenario if of else None,
        parameter=of.violation.parameter if of and of.violation else None,
    )


def _items(run: str) -> Iterator[Item]:
    must = Requirement.MUST
    failing: dict[tuple[str, str | None], tuple[Verdict, tuple[Finding, ...]]] = {
        ("ATDF-ERR-007", TOOLS[0]): (
            Verdict.FAIL,
            (
                finding("sample.parameter", 17, named="room_type", parameter="guests"),
                finding("sample.parameter", 18, named="null", parameter="check_out"),
            ),
        ),
        ("ATDF-ERR-007", TOOLS[1]): (
            Verdict.FAIL,
            (finding("sample.parameter", 21, named="date", parameter="passengers[0].name"),),
        ),
        ("ATDF-ERR-009", TOOLS[0]): (
            Verdict.FAIL,
            (finding("sample.suggestion", 17, value="9", parameter="guests"),),
        ),
        ("ATDF-CALL-003", TOOLS[0]): (
            Verdict.WARN,
            (
                finding(
                    "sample.accepted",
                    19,
                    value="2027-02-30T15:00:00Z",
                    parameter="check_in",
                    right="a date-time",
                ),
            ),
        ),
        ("ATDF-CALL-005", TOOLS[0]): (Verdict.FLAKY, (finding("sample.silent", 20),)),
        ("ATDF-ERR-012", TOOLS[2]): (Verdict.WAIVED, (finding("sample.status", 17, status=409),)),
    }
    for clause in CLAUSES:
        for tool in (None,) if clause == "ATDF-CAT-001" else TOOLS:
            verdict, findings = failing.get((clause, tool), (Verdict.PASS, ()))
            if tool == TOOLS[3] and clause.startswith(("ATDF-CALL", "ATDF-ERR")):
                verdict, findings = Verdict.NOT_VERIFIED, (Finding(message("sample.baseline")),)
            if tool == TOOLS[2] and clause == "ATDF-TOOL-006":
                verdict = Verdict.NOT_APPLICABLE
            reason = "The vendor repairs it in March." if verdict is Verdict.WAIVED else None
            requirement = Requirement.SHOULD if verdict is Verdict.WARN else must
            yield Item(clause, requirement, run, tool, verdict, findings, 12, reason)


def run_result(run: Run, level: Level | None = Level.GUARDED) -> RunResult:
    """One run's result."""
    missing = ("ATDF-ERR-007",)
    return RunResult(
        run=run,
        level=level,
        levels={
            Level.DESCRIBED: LevelState(reached=True),
            Level.GUARDED: LevelState(reached=True),
            Level.EXPLAINED: LevelState(reached=False, missing=missing),
            Level.RECOVERABLE: LevelState(
                reached=False, missing=(*missing, "ATDF-ERR-009", "ATDF-ERR-012")
            ),
        },
        repair=Repair(
            rate=Rate(41, 52),
            by_keyword={
                "enum": Rate(12, 12),
                "format": Rate(7, 10),
                "maximum": Rate(5, 8),
                "minLength": Rate(6, 6),
                "required": Rate(0, 5),
                "type": Rate(11, 11),
            },
            stuck=4,
            wrong=2,
            none_given=5,
        ),
        explain=Explain(
            names_parameter=Rate(70, 84),
            says_what_is_right=Rate(51, 84),
            by_keyword={
                "enum": (Rate(12, 12), Rate(12, 12)),
                "format": (Rate(12, 14), Rate(7, 14)),
                "maximum": (Rate(9, 12), Rate(6, 12)),
                "minLength": (Rate(9, 9), Rate(9, 9)),
                "required": (Rate(12, 17), Rate(0, 17)),
                "type": (Rate(16, 20), Rate(17, 20)),
            },
            unnamed=(
                Unnamed(
                    "format",
                    "hotel_reservation",
                    f"{run.id}/hotel_reservation/no-date/check_in",
                    "check_in",
                    ("guest_name",),
                    "guest_name <b>is wrong</b>",
                ),
                Unnamed(
                    "type",
                    "validate_data",
                    f"{run.id}/validate_data/integer/email",
                    "email",
                    (),
                    "Bad request",
                ),
            ),
        ),
        items=tuple(_items(run.id)),
        tools_called=TOOLS,
        tools_left_out=(
            LeftOut("cancel_booking", message("sample.destructive", tool="cancel_booking")),
        ),
        baseline_accepted=TOOLS[:3],
        claims_atdf=True,
        requests=1843,
        shortages=(Shortage(Missing.NETWORK, "EAI_AGAIN <b>", TOOLS[-1:]),),
    )


def session() -> SessionResult:
    """A session of two full runs."""
    http = Run("http", TARGET, Binding.HTTP, TARGET)
    mcp = Run("mcp-2026-07-28", TARGET, Binding.MCP, f"{TARGET}/mcp", "2026-07-28")
    return SessionResult(
        kit="0.1.0",
        started="2026-11-21T09:40:12+00:00",
        duration=7.42,
        seed=0,
        runs=(run_result(http), run_result(mcp)),
    )


def said(text: str) -> Message:
    """A message whose words are `text`."""
    return message("sample.raw", text=text)


CONFTEST = """
import pytest
from conformance.kit.plugin.html_report import HtmlReport, ReportState
from tests.kit.report import sample

state = ReportState(language={language!r})

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.pluginmanager.register(HtmlReport("report.html", config, state))

def pytest_runtestloop(session):
    state.session = sample.{session}
    state.exchange = sample.{exchanges}.get
    {more}
"""

TESTS = """
import pytest

@pytest.mark.parametrize("item", ["a", "b", "c"])
def test_clause(item):
    if item == "b":
        pytest.fail("one")
    if item == "c":
        pytest.skip("two")
"""


def make_report(
    pytester,
    language: str = "en",
    *,
    session: str = "session()",
    exchanges: str = "exchanges()",
    more: str = "pass",
    tests: str = TESTS,
):
    """Run pytest with the plugin alone, and give the path of the page that it wrote.

    `session` and `exchanges` are calls of this module; `more` is a statement about `state`.
    """
    pytester.makeconftest(
        CONFTEST.format(language=language, session=session, exchanges=exchanges, more=more)
    )
    pytester.makepyfile(tests)
    # Loading every plugin that is installed would take longer than all the rest.
    with sample_words(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        pytester.runpytest_inprocess(
            "-pno:cacheprovider",
            "-ppytest_metadata.plugin",
            "-ppytest_html.plugin",
        )
    return pytester.path / "report.html"


EVIL = (
    "</script><img src=x onerror=alert(1)><svg onload=alert(2)>",
    "\"><script>alert(3)</script>' onmouseover='alert(4)",
    "</template></td></table><!-- --><iframe src=http://192.0.2.1/></iframe>",
    "\x1b[31m\x07\u202egnp.exe\u2066 \ud800 \x00",
    "<!--/masthead--><link rel=stylesheet href=http://192.0.2.1/a.css>",
    '<div id="data-container" data-jsonblob="{}">${{7*7}}{{7*7}}{% raw %}',
)


def hostile_session(name_length: int = 10_000_000, texts: tuple[str, ...] = EVIL) -> SessionResult:
    """A session in which everything that a target can say is an attack."""
    sample = session()
    run = sample.runs[0]
    evil = " ".join(texts)
    tools = (*texts, "x" * name_length)
    items = [
        Item(
            clause=clause,
            requirement=Requirement.MUST,
            run=run.run.id,
            tool=tool,
            verdict=verdict,
            findings=(
                Finding(
                    said(f"{tool[:500]} {evil}"),
                    exchange=exchange_id,
                    case=evil,
                    scenario=evil,
                    parameter=evil,
                    path="$.errors[0].<b>",
                ),
            ),
            waiver_reason=evil,
        )
        for tool in tools
        for clause, verdict, exchange_id in (
            ("ATDF-ERR-001", Verdict.FAIL, 1),
            ("ATDF-ERR-007", Verdict.WAIVED, 2),
            ("ATDF-CALL-001", Verdict.PASS, 3),
        )
    ]
    changed = replace(
        run,
        run=replace(run.run, target=evil, endpoint=evil),
        items=tuple(items),
        tools_called=tools,
        tools_left_out=tuple(LeftOut(tool, said(evil)) for tool in tools),
        shortages=(Shortage(Missing.SERVICE, evil, tools),),
        repair=replace(run.repair, by_keyword={evil: Rate(1, 2)}),
        explain=replace(run.explain, by_keyword={evil: (Rate(1, 2), Rate(1, 2))}),
    )
    return replace(sample, runs=(changed,), kit_errors=(evil,), interrupted=True)


def hostile_exchanges(texts: tuple[str, ...] = EVIL) -> dict[int, Exchange]:
    """The evidence of the hostile session."""
    evil = " ".join(texts)
    raw = evil.encode("utf-8", "surrogatepass")
    of = case()
    violation = replace(of.violation, was=evil, sent=evil) if of.violation else None
    nasty = replace(of, arguments={evil: [evil], "guests": evil}, violation=violation)
    request = HttpRequest("POST", f"http://h/{evil}", ((evil, evil),), raw)
    answer = Answer(200, (("content-type", evil),), raw, ({evil: evil},), (evil,))
    first = replace(exchange(1), request=request, answer=answer, case=nasty)
    return {
        1: first,
        2: replace(
            first, id=2, answer=Answer(500, (), raw), case=None, script=evil, step=Step(evil)
        ),
        3: replace(
            first,
            id=3,
            request=StdioRequest(raw),
            answer=None,
            trouble=Trouble.GARBLED,
            trouble_detail=evil,
        ),
    }


def many_tools(count: int) -> SessionResult:
    """A session of `count` tools, every tenth with a failure of its own."""
    sample = session()
    run = sample.runs[0]
    names = [f"tool_{n:04d}" for n in range(count)]
    items = [
        Item(
            clause,
            Requirement.MUST,
            run.run.id,
            name,
            Verdict.FAIL if n % 10 == 0 and clause == "ATDF-ERR-007" else Verdict.PASS,
            (finding("sample.parameter", 17, named=name, parameter="guests"),)
            if n % 10 == 0 and clause == "ATDF-ERR-007"
            else (),
        )
        for n, name in enumerate(names)
        for clause in CLAUSES
    ]
    return replace(sample, runs=(replace(run, items=tuple(items), tools_called=tuple(names)),))
