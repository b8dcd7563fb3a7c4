import json
import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.model.exchange import HttpRequest, StdioRequest
from conformance.kit.report.html.page import ticked
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import command, json_rpc
from conformance.kit.report.safe_text import in_json, in_markdown, is_plain, visible
from tests.kit.report.sample import exchange, session


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\u202eb", r"a\u202eb"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("\ud800", r"\ud800"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\U000e0041", r"\U000e0041"),
        (
            "a\U0001bca0\U0001d159\U00016fe4\U00013437b",
            r"a\U0001bca0\U0001d159\U00016fe4\U00013437b",
        ),
        ("ñ é 日本 🙂", "ñ é 日本 🙂"),
        ("a\u0301\u0323, בְּרֵאשִׁ֖ית, བསྒྲུབས, ที่นี่", "a\u0301\u0323, בְּרֵאשִׁ֖ית, བསྒྲུབས, ที่นี่"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text, shown):
    assert visible(text) == shown


def test_accents_that_would_cover_other_lines_are_written_out():
    assert visible("a" + "\u0301" * 8) == "a" + "\u0301" * 6 + r"\u0301" * 2
    assert visible("日" + "\u0489" * 7, lines=True) == "日" + "\u0489" * 6 + r"\u0489"


def test_an_accent_that_the_sign_before_a_name_would_carry_is_written_out():
    assert visible("\u0338name") == r"\u0338name"


def test_a_text_with_too_many_accents_is_not_part_of_a_line_to_paste():
    assert is_plain("Añadir, בְּרֵאשִׁ֖ית\n")
    assert not is_plain("a" + "\u0301" * 8)


def test_line_ends_stay_where_lines_are_wanted():
    assert visible("a\n\tb\x07", lines=True) == "a\n\tb\\x07"


def test_a_long_text_is_cut_and_a_report_says_by_how_much():
    assert visible("x" * 250, 200) == "x" * 200 + "…"
    assert Report(session()).text("x" * 250, 200) == "x" * 200 + "… (50 more characters)"


def test_html_is_escaped_in_content_and_attributes():
    assert ticked("</script><img src=x onerror='a' title=\"`b`\">") == (
        "&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39; title=&#34;<code>b</code>&#34;&gt;"
    )


def test_several_spaces_stay_several_in_html():
    assert ticked("a `b  c` d") == "a <code>b<span class=spaces>  </span>c</code> d"


def test_markdown_has_no_meaning_left():
    shown = in_markdown("[a](http://b) | <b> *c* `d` @e\n# f").replace("<!-- -->", "")
    for mark in ("](", "|", "<", " *c*", "http:", "@", "\n"):
        assert mark not in shown


@pytest.mark.parametrize("text", ["- x", "+ x", "1. x", "12) x", "     x", "---", "==="])
def test_a_text_at_the_start_of_a_line_begins_nothing(text):
    assert re.match(r"[0-9]*(?:&#[0-9]+;|\\)", in_markdown(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@octocat", "&#64;<!-- -->octocat"),
        ("it fixes org/repo#1", r"it fixes org/repo\#<!-- -->1"),
        ("GH-12", "GH-<!-- -->12"),
        ("GL-12", "GL-<!-- -->12"),
        ("[issue:12]", r"\[<!-- -->issue:12\]"),
        ("[work_item:a/b#1]", r"\[<!-- -->work\_item:a/b\#<!-- -->1\]"),
        ('%1 $2 ~3 ~"bug"', '%<!-- -->1 \\$<!-- -->2 \\~<!-- -->3 \\~<!-- -->"bug"'),
        ("100% of [a] $x", r"100% of \[a\] \$x"),
        (":white_check_mark:", r":<!-- -->white\_check\_mark:"),
        ("a :+1: at 12:30:45", "a :<!-- -->+1: at 12:30:45"),
        ("see !7, group/p!8 and &9", r"see \!<!-- -->7, group/p\!<!-- -->8 and &#38;<!-- -->9"),
        ("it works! 7 & 9", r"it works\! 7 &#38; 9"),
        ("WWW.example.org", "WWW&#46;example.org"),
        ("C# 8, high-10", r"C\# 8, high-10"),
        ("&#64;octocat", r"&#38;\#<!-- -->64;octocat"),
        ("&amp;#64;octocat", r"&#38;amp;\#<!-- -->64;octocat"),
        ("x[^1]", r"x\[^1\]"),
        ("- [x] done", r"&#45; \[x\] done"),
        ("http://x.org", "http&#58;<!-- -->//x.org"),
        ("[[a|b.png]]", r"\[<!-- -->\[a&#124;b.png\]\]"),
        ("{+PASS+} [-FAIL-]", r"\{<!-- -->+PASS+\} \[<!-- -->-FAIL-\]"),
    ],
)
def test_what_a_code_host_makes_a_link_of_is_none(text, shown):
    """It does so when Markdown is undone: `\\@octocat` and `&#64;octocat` tell that person."""
    assert in_markdown(text) == shown


def run_curl_line(line: str, tmp_path) -> list[bytes]:
    """Run the line in a POSIX shell with a `curl` that notes its arguments and standard input."""
    fake = tmp_path / "curl"
    fake.write_text('#!/bin/sh\nfor a; do printf "%s\\0" "$a"; done > args\ncat > stdin\n')
    fake.chmod(0o755)
    subprocess.run(
        ["sh", "-c", line],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        check=True,
    )
    arguments = (tmp_path / "args").read_bytes().split(b"\0")[:-1]
    return [*arguments, (tmp_path / "stdin").read_bytes()]


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1}',
        b'it\'s $(touch owned) `touch owned` \\ "q"',
        b"@/etc/passwd",
        b"\x00\xff\x1b[31m",
        "\u202e".encode(),
        b"two\nlines\n",
        b"-n",
    ],
)
def test_the_curl_line_sends_the_very_bytes_and_runs_nothing_else(body, tmp_path):
    made = exchange().request
    request = HttpRequest(made.method, made.url, made.headers, body)
    *arguments, stdin = run_curl_line(command(request) or "", tmp_path)
    sent = stdin if b"@-" in arguments else arguments[arguments.index(b"--data-raw") + 1]
    assert sent == body
    assert not (tmp_path / "owned").exists()
    assert arguments[-2:] == [b"--url", made.url.encode()]


def test_headers_that_curl_would_read_as_files_or_lines_are_left_out(tmp_path):
    headers = (("@/etc/passwd", "x"), ("X-A", "b\r\nX-C: d"), ("X-Empty", ""), ("Host", "h"))
    request = HttpRequest("GET", "http://h/", headers)
    arguments = run_curl_line(command(request) or "", tmp_path)
    assert arguments[arguments.index(b"-H") + 1] == b"X-Empty;"
    assert arguments.count(b"-H") == 1


def test_a_url_with_a_line_end_has_no_line():
    assert command(HttpRequest("GET", "http://h/\n-o x")) is None


def test_a_body_too_long_to_paste_has_no_line():
    assert command(HttpRequest("POST", "http://h/", body=b"x" * 9_000)) is None


def test_a_stdio_request_is_its_message():
    assert json_rpc(StdioRequest(b'{"id": 1}')) == '{"id": 1}'
    assert command(StdioRequest(b'{"id": "\xe2\x80\xae"}')) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::stop-commands::x", r"\x3a:stop-commands::x"),
        ("  ::error file=a::b", r"  \x3a:error file=a::b"),
        ("##[error]x", r"\x23#[error]x"),
        ("a ##vso[task.setvariable variable=a]b", r"a \x23#vso[task.setvariable variable=a]b"),
        ("##teamcity[a]", r"\x23#teamcity[a]"),
        ("a ##octopus[setVariable name='YQ==']", r"a \x23#octopus[setVariable name='YQ==']"),
        ("std::vector, ## a heading, C::D", "std::vector, ## a heading, C::D"),
    ],
)
def test_a_command_to_a_ci_system_is_disarmed(text, shown):
    assert visible(text) == shown
    assert visible(text, lines=True) == shown


SIGNS = st.text(
    "\n\r\t :#[]vsoteamcity\x00\x1b\x9b\u202e\ud800<>&|`*_\\!$~@(){}/wW.abc", max_size=80
)
COMMAND = re.compile(r"^\s*::|##[a-z]*\[", re.MULTILINE)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")


@settings(deadline=None)
@given(st.one_of(SIGNS, st.text(max_size=80)), st.one_of(st.none(), st.integers(0, 80)))
def test_no_text_that_is_shown_moves_the_cursor_or_commands_the_ci_system(text, limit):
    for lines in (False, True):
        shown = visible(text, limit, lines=lines)
        assert not UNSEEN.search(shown)
        assert not COMMAND.search(shown)
    assert "\n" not in visible(text, limit)


@settings(deadline=None)
@given(st.one_of(SIGNS, st.text(max_size=80)))
def test_no_text_has_a_meaning_in_markdown_or_html(text):
    told = in_markdown(text)
    assert not re.search(r"(?i)(&#64;|(?<!&)#|\bgh-)(?=[0-9]|(?<=;)\w)", told), "a reference"
    shown = told.replace("<!-- -->", "")
    assert not set("<>|@\n") & set(shown)
    assert not re.search(r"&(?!#\d+;)", shown), "an ampersand that is no entity of ours"
    bare = re.sub(r"\\[\\`*_{}\[\]()#!~$]", "", shown)
    assert not set("`*_{}[]()!~$\\") & set(bare), "a mark without its backslash"
    assert "://" not in shown
    page = ticked(text)
    tags = r"/?code>|span class=spaces>|/span>"
    assert not re.search(rf"<(?!{tags})|[\"']|&(?!#?\w+;)", page)


def test_a_million_empty_lines_are_looked_at_once():
    text = "\n" * 3_000_000  # read again for each of them, they would take a day
    assert visible(text, None, lines=True) == text


@settings(deadline=None)
@given(st.recursive(st.one_of(SIGNS, st.text()), lambda inner: st.dictionaries(SIGNS, inner)))
def test_json_that_is_printed_means_the_same_and_commands_nothing(value):
    shown = in_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(shown) == value
    assert not UNSEEN.search(shown)
    assert not COMMAND.search(shown)
    shown.encode("utf-8")
