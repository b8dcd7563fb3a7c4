import html
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.kit.model.exchange import Answer
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.run import Role
from conformance.kit.model.step import Step
from conformance.kit.report.html.detail import Answered, evidence
from conformance.kit.report.html.json_layout import layout, pointer_of
from conformance.kit.report.html.matrix import matrix
from conformance.kit.report.html.page import STYLE, in_comment, render
from conformance.kit.report.html.rows import fold
from conformance.kit.report.reporter import Report
from conformance.spec.messages import LANGUAGES, message
from conformance.spec.vocabulary import Requirement, Verdict
from tests.kit.report.sample import exchange, make_report, many_tools, sample_words, session

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _words() -> Iterator[None]:
    with sample_words():
        yield


def item(clause="A-B-001", tool="t", verdict=Verdict.FAIL, *messages: str, run="http") -> Item:
    findings = tuple(Finding(message("sample.raw", text=text)) for text in messages)
    return Item(clause, Requirement.MUST, run, tool, verdict, findings)


def rows(page: str) -> dict[str, str]:
    """The verdict of each row of a page, by its anchor."""
    return dict(re.findall(r'<tbody [^>]*id="([^"]*)">.*?data-verdict="([^"]*)"', page, re.S))


# --- Folding


def test_tools_with_the_same_clause_and_message_share_a_row():
    folded = fold([item(tool="a"), item(tool="b"), item(tool="b", run="mcp-2026-07-28")])
    assert [(row.tools, row.runs) for row in folded.rows] == [
        (("a", "b"), ("http", "mcp-2026-07-28"))
    ]


def test_an_item_with_two_messages_stands_in_two_rows():
    two = Item(
        "A-B-001",
        Requirement.MUST,
        "http",
        "t",
        Verdict.FAIL,
        (Finding(message("sample.status", status=1)), Finding(message("sample.silent"))),
    )
    assert len(fold([two]).rows) == 2


def test_a_finding_about_a_document_begins_with_its_place():
    found = Finding(message("documents.keyword.empty"), path="$.tools[1].description")
    broken = Item("A-B-001", Requirement.MUST, "http", "t", Verdict.FAIL, (found,))
    runs = tuple(replace(run, items=(broken,)) for run in session().runs)
    made = Report(replace(session(), runs=runs))
    for part in ("top.html", "findings.html"):
        page = render(part, made, own=[])
        assert "$.tools[1].description: The text is empty." in page, part


def test_messages_that_differ_in_their_values_alone_share_a_row():
    folded = fold(
        [item("A-B-001", "a", Verdict.FAIL, "x"), item("A-B-001", "b", Verdict.FAIL, "y")]
    )
    assert len(folded.rows) == 1


def test_what_did_not_pass_comes_first():
    verdicts = [Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.NOT_APPLICABLE, Verdict.KIT_ERROR]
    rows = fold([item(verdict=verdict) for verdict in verdicts]).rows
    assert [row.verdict for row in rows] == [
        Verdict.KIT_ERROR,
        Verdict.FAIL,
        Verdict.WARN,
        Verdict.NOT_APPLICABLE,
        Verdict.PASS,
    ]


def test_rows_past_the_limit_are_counted_and_the_gravest_kept():
    items = [item(f"A-B-{n:03d}", verdict=Verdict.PASS) for n in range(600)]
    folded = fold([*items, item("Z-Z-001")])
    assert (len(folded.rows), folded.rest) == (500, 101)
    assert folded.rows[0].clause == "Z-Z-001"


@pytest.mark.parametrize(("body", "said"), [(b"", True), (b'{"guests": 9}', False)])
def test_arguments_in_an_address_are_not_shown_as_a_body(body, said):
    sent = exchange(17)
    sent = replace(sent, request=replace(sent.request, method="GET", body=body))
    report = Report(session(), exchange={17: sent}.get)
    finding = Finding(message("sample.raw", text=""), exchange=17)
    (row,) = fold([Item("A-B-001", Requirement.MUST, "http", "t", Verdict.FAIL, (finding,))]).rows
    inside = render("detail.html", report, row=row, shown=list(evidence(row, report)))
    assert ("which this request has in its address" in inside) is said


@pytest.mark.parametrize(("name", "has_words"), [("jitter", False), ("empty-body", True)])
def test_a_step_shows_the_headers_that_it_may_be_about_and_no_name_without_words(name, has_words):
    sent = replace(exchange(17), case=None, script="mcp_origin", step=Step(name))
    headers = (("Origin", "http://<a>"), ("Host", "h"), ("Content-Length", "2"))
    sent = replace(sent, request=replace(sent.request, headers=headers))
    report = Report(session(), exchange={17: sent}.get)
    finding = Finding(message("sample.raw", text=""), exchange=17)
    (row,) = fold([Item("A-B-001", Requirement.MUST, "http", None, Verdict.FAIL, (finding,))]).rows
    inside = render("detail.html", report, row=row, shown=list(evidence(row, report)))
    told = inside[: inside.index("</section>")]
    assert "<br><code>Origin: http://&lt;a&gt;</code></p>" in told
    assert "Host" not in told
    assert (f"<code>{name}</code>" in told) is has_words


@pytest.mark.parametrize(
    ("id", "values", "begins"),
    [
        ("kit.not_verified.good_call", {"said": "404"}, "Its baseline call"),
        ("kit.not_verified.silent", {}, "The server stopped"),
        ("finding.http.one", {"url": "http://h/x", "status": 500}, "http://h/x"),
        ("documents.keyword.required", {"name": "a"}, "`a` is missing"),
    ],
)
def test_a_reason_in_a_row_of_its_own_begins_with_a_capital_letter(id, values, begins):
    assert Finding(message(id, **values)).row("en").startswith(begins)


# --- A JSON value


def laid_out(value, mark=None, absent="") -> str:
    """What the page shows of a value as an answer."""
    sent = replace(exchange(17), case=None, answer=Answer(messages=(value,)))
    report = Report(session(), exchange={17: sent}.get)
    finding = Finding(message("sample.raw", text=""), exchange=17)
    (row,) = fold([Item("A-B-001", Requirement.MUST, "http", "t", Verdict.FAIL, (finding,))]).rows
    (shown,) = evidence(row, report)
    pair = replace(shown.pairs[0], answered=Answered(layout(value, report, mark, absent), ()))
    inside = render("detail.html", report, row=row, shown=[replace(shown, pairs=(pair,))])
    return inside.split("<pre")[2].partition("</code>")[0].partition("<code>")[2]


@pytest.mark.parametrize(
    ("value", "pointer", "marked"),
    [
        ({"a": 1, "b": 2}, "/b", "2"),
        ({"a": [{"b~/": "x"}]}, "/a/0/b~0~1", "&#34;x&#34;"),
        ({"a": 1}, "/c", '<span class="x">'),
        ([1], "", None),
        ({}, "/c", None),
        ({"a": 1}, "/a/b/c", ""),
    ],
)
def test_the_broken_spot_is_marked(value, pointer, marked):
    shown = laid_out(value, pointer, "left out")
    if marked == "":
        assert "<mark>" not in shown
    else:
        assert shown.count("<mark>") == shown.count("</mark>") == 1
    if pointer == "/c":
        assert "<mark>&#34;c&#34;: <i>left out</i></mark>" in shown
    elif marked:
        assert f"<mark>{marked}</mark>" in shown


def test_the_broken_spot_is_shown_even_far_down_a_large_value():
    value = {"list": list(range(100_000)), "deep": {"x": {"y": "broken"}}}
    shown = laid_out(value, "/list/99999")
    assert "<mark>99999</mark>" in shown
    assert len(shown) < 20_000


def test_deep_and_huge_values_are_cut():
    deep: list = []
    for _ in range(900):
        deep = [deep]
    assert "…" in laid_out(deep)
    assert len(laid_out({str(n): "x" * 5_000 for n in range(5_000)})) < 30_000
    assert laid_out(10**5_000) == "…"


def test_nothing_is_called_cut_that_is_whole():
    assert "…" not in laid_out({"a": [1, {"b": []}]})


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("$.errors[0].type", "/errors/0/type"),
        ("$", ""),
        ("$['a']", "/a"),
        ("content-type", None),
    ],
)
def test_a_json_path_becomes_a_pointer(path, pointer):
    assert pointer_of(path) == pointer


# --- The matrix


def shown_matrix(made):
    return render("matrix.html", Report(made), shown=matrix(made))


def test_the_matrix_is_open_for_few_tools_and_folded_past_twenty():
    for count, is_folded in ((20, False), (21, True)):
        assert shown_matrix(many_tools(count)).startswith("<details>") is is_folded


def test_a_matrix_of_many_tools_shows_one_hundred_that_are_broken():
    table = shown_matrix(many_tools(1_100))
    assert table.count('<th scope="row">') == 100
    assert "in the 110 tools" in table
    assert "and 10 more" in table


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("Tool", "Tools")), ("es", ("Herramienta", "Herramientas")),
     ("pt", ("Ferramenta", "Ferramentas"))],
)  # fmt: skip
@pytest.mark.parametrize("names", [("book",), ("book", "charge")])
def test_what_to_fix_first_says_that_names_are_tools(language, words, names):
    items = tuple(item("A-B-001", name, Verdict.FAIL, "broken") for name in names)
    only = replace(session().runs[0], items=items)
    page = render("top.html", Report(replace(session(), runs=(only,)), language))
    first = page[page.index('id="h-first"') :]
    assert f'<span class="meta">{words[len(names) - 1]}: ' in first[: first.index("</ul>")]


def test_a_matrix_of_many_tools_has_the_gravest_first():
    made = many_tools(30)
    run = made.runs[0]
    warned = tuple(
        replace(each, verdict=Verdict.WARN if each.tool == "tool_0005" else each.verdict)
        for each in run.items
    )
    table = shown_matrix(replace(made, runs=(replace(run, items=warned),)))
    assert re.findall(r'"row">.*?(tool_\d+)', table) == [
        "tool_0000", "tool_0010", "tool_0020", "tool_0005"
    ]  # fmt: skip


def test_a_matrix_of_many_tools_has_no_cell_of_what_nothing_breaks():
    made = many_tools(30)
    broken, rest = shown_matrix(made).split("</details>")[:2]
    assert re.findall(r'"col"><span>([^<]+)', broken) == ["ATDF-ERR-007"]
    assert broken.count('<th scope="row">') == 3
    others = {each.clause for each in made.runs[0].items} - {"ATDF-ERR-007"}
    assert f"{len(others)} clauses without a failure" in rest
    assert {each: rest.count(each) for each in others} == dict.fromkeys(others, 1)


# --- The page


def test_the_inside_of_a_row_cannot_end_the_comment_that_holds_it():
    for words in ("a --> b", "--!>", "<!-- x", "---->", "--path-as-is"):
        assert "--" not in in_comment(words)
        assert html.unescape(in_comment(words)) == words


def test_each_row_has_its_verdict_and_its_anchor(pytester):
    shown = rows(make_report(pytester).read_text(encoding="utf-8"))
    assert list(shown) == [f"r{n + 1}" for n in range(len(shown))]
    assert list(dict.fromkeys(shown.values())) == [
        "fail", "flaky", "warn", "not_verified", "waived", "not_applicable", "pass",
    ]  # fmt: skip


BROKEN = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("hunter2 <b>")

def test_x(broken):
    pass
"""


def test_an_error_in_setting_up_keeps_its_row_without_secrets(pytester):
    redact = "state.redact = lambda text: text.replace('hunter2', 'hidden')"
    page = make_report(pytester, more=redact, tests=BROKEN).read_text(encoding="utf-8")
    assert rows(page)["own-1"] == "kit_error"
    log = page.partition('<div class="log">')[2].partition("</div>")[0]
    assert "hunter2" not in page
    assert "hidden &lt;b&gt;" in log


def test_an_error_of_an_item_that_was_judged_has_no_second_row(pytester):
    judged = "state.judged = {item.nodeid for item in session.items}"
    path = make_report(pytester, more=judged, tests=BROKEN)
    assert not any(id.startswith("own-") for id in rows(path.read_text(encoding="utf-8")))


def test_where_no_session_was_reached_pytests_own_rows_stay(pytester):
    page = make_report(pytester, more="state.session = None").read_text(encoding="utf-8")
    assert list(rows(page).values()) == ["pass", "fail", "not_verified"]
    assert "Nothing was checked in this session" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_its_language_and_keeps_none_of_pytest_htmls_words(pytester, language):
    page = make_report(pytester, language).read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in page
    body = page[: page.index("<script>")]
    for words in (
        "Report generated",
        "Environment",
        "Summary",
        "took",
        "(Un)check",
        "Show all details",
        "Hide all details",
        "Failed",
        "Passed",
        "Skipped",
        "Expected failures",
        "Unexpected passes",
        "Errors",
        "Reruns",
        "Retried",
        "No results found",
        "still tests running",
        "expand [+]",
        "show details",
    ):
        assert words not in body.replace("Took", ""), words


def test_the_page_has_a_wall_that_lets_only_its_own_script_run(pytester):
    page = make_report(pytester).read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert policy[1].count("sha256-") == 2
    assert "unsafe" not in policy[1]


# --- Colors


def _luminance(colour: str) -> float:
    digits = colour if len(colour) == 6 else "".join(digit * 2 for digit in colour)
    parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _tokens() -> list[dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\n\s*\}", STYLE, re.S)[:2]
    find = re.compile(r"--([a-z0-9-]+): #([0-9a-f]{3,6});")
    first = dict(find.findall(light))
    return [first, first | dict(find.findall(dark))]


@pytest.mark.parametrize("theme", [0, 1])
def test_every_text_has_enough_contrast_light_and_dark(theme):
    tokens = _tokens()[theme]
    pairs = [(name, f"{name}-bg") for name in tokens if f"{name}-bg" in tokens]
    pairs += [
        (name, on) for name in ("text", "muted", "accent") for on in ("bg", "surface", "sunken")
    ]
    pairs += [("mark-text", "mark"), ("fail", "sunken"), ("pass", "surface")]
    assert len(pairs) > 16
    weak = [pair for pair in pairs if _contrast(tokens[pair[0]], tokens[pair[1]]) < 4.5]
    assert weak == []


def test_the_page_says_what_is_missing_around_the_server_as_plain_text(pytester):
    page = make_report(pytester).read_text(encoding="utf-8")
    (section,) = re.findall(r'id="h-shortages".*?</section>', page, re.S)
    assert "the network (the server said EAI_AGAIN &lt;b&gt;)" in section
    assert "validate_data" in section


def test_a_gateway_has_no_rates_and_no_count_of_tools():
    runs = tuple(replace(run, level=None) for run in session().runs)
    made = replace(session(), runs=runs, selection=True)
    gateways = tuple(replace(run, run=replace(run.run, role=Role.GATEWAY)) for run in runs)
    for of, there in ((made, True), (replace(made, runs=gateways), False)):
        top = render("top.html", Report(of))
        assert ("How well it helps an agent" in top, "Tools called" in top) == (there, there)
