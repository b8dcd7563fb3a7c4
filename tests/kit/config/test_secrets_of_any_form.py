"""For all secrets, and for each form that docs/en/conformance/safety.md lists: none gets out."""

import base64
import html
import json
from html.entities import html5
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from jsonpointer import escape

from conformance.formats.problem import quoted, shown
from conformance.kit.config.secrets import Redactor
from conformance.kit.model.settings import Settings
from conformance.spec.messages import as_code
from fixtures.servers.hostility.fresh import nested
from fixtures.servers.hostility.secrets import CANARY
from tests.counting import counting
from tests.kit.transport.test_stdio_connection import ask, use_binding

SIGNS = "+/=_-.~!*'()&<>\"\\%#:;@?"
INNER = st.text("abcXYZ0189" + SIGNS + " \n\t" + "é☃😀", min_size=18, max_size=58)
SECRETS = INNER.map("a{}b".format)
NAMES = {meant: name for name, meant in html5.items() if name.endswith(";")}


def utf16(character):
    raw = character.encode("utf-16-be")
    return "".join(f"\\u{raw[n : n + 2].hex()}" for n in range(0, len(raw), 2))


ONE = {
    "as it is": lambda c: c,
    "JSON, in hexadecimal": utf16,
    "JSON, in capital hexadecimal": lambda c: "\\u" + utf16(c)[2:].upper().replace("\\U", "\\u"),
    "JSON, a slash": lambda c: "\\/" if c == "/" else json.dumps(c, ensure_ascii=False)[1:-1],
    "an address": lambda c: "".join(f"%{octet:02X}" for octet in c.encode()),
    "an address, small": lambda c: "".join(f"%{octet:02x}" for octet in c.encode()),
    "a form": quote_plus,
    "HTML, a number": lambda c: f"&#{ord(c)};",
    "HTML, in hexadecimal": lambda c: f"&#x{ord(c):X};",
    "HTML, a name": lambda c: "&" + NAMES[c] if c in NAMES else c,
}
WHOLE = {
    "as it is": lambda s: s,
    "small letters": str.lower,
    "capital letters": str.upper,
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON that is not ASCII": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "JSON in JSON": lambda s: json.dumps(json.dumps(s))[1:-1],
    "JSON in JSON in JSON": lambda s: json.dumps(json.dumps(json.dumps(s)))[1:-1],
    "JSON in JSON, with escapes": lambda s: json.dumps(json.dumps(s)).replace("+", "\\u002B"),
    "an address": lambda s: quote(s, safe=""),
    "a form": quote_plus,
    "a form in a form": lambda s: quote_plus(quote_plus(s)),
    "HTML": html.escape,
    "hexadecimal": lambda s: s.encode().hex(),
    "capital hexadecimal": lambda s: s.encode().hex().upper(),
}


@st.composite
def written(draw, secrets=SECRETS):
    """A secret, and one of the forms in which a server may repeat it."""
    secret = draw(secrets)
    if draw(st.booleans()):
        return secret, WHOLE[draw(st.sampled_from(sorted(WHOLE)))](secret)
    form = ONE[draw(st.sampled_from(sorted(ONE)))]
    # What escapes one sign by another way escapes backslashes and escape signs itself, too.
    signs = "\\%& " if form is quote_plus else "\\%&"
    plain = [c if c not in signs and draw(st.booleans()) else form(c) for c in secret]
    return secret, "".join(plain)


def readable(text):
    """All that someone can read in it, who undoes every escape."""
    found = [text]
    for undo in (html.unescape, unquote, unquote_plus, unescaped):
        found += [undo(each) for each in list(found)]
    return found


def unescaped(text):
    try:
        return json.loads(f'"{text}"', strict=False)
    except ValueError:
        return text


@settings(max_examples=100, deadline=None)
@given(written())
@example(("abc+def/ghi+jkl/mno", "abc\\u002Bdef\\/ghi\\u002bjkl\\/mno"))
@example(("two words+\nand a\ttab", json.dumps(json.dumps("two words+\nand a\ttab"))[1:-1]))
@example(("abc\\édef\\\\ghi", json.dumps(json.dumps("abc\\édef\\\\ghi"))[1:-1]))
def test_a_secret_is_found_in_every_form(given):
    secret, form = given
    redact = Redactor([secret])
    said = redact(f"before <{form}> after")
    assert form not in said
    assert not any(secret in each for each in readable(said))
    assert "«secret-1»" in said


@settings(max_examples=100, deadline=None)
@given(
    written(st.just("abXc+de/fg=h1_i-j.kél☃m&n")),
    st.integers(0, 79),
    st.sampled_from([shown, quoted, as_code]),
)
@example(("abc+def/ghi+jkl/mno", "abc+def/ghi+jkl/mno"), 62, shown)
def test_no_piece_is_left_where_a_sentence_quotes_a_text_that_was_cut(given, before, quote):
    secret, form = given
    assume(form not in {secret.lower(), secret.upper()})
    text = "x" * before + form + "y" * 200
    said = Redactor([secret])(f"It says {quote(text)}, and {shown(['z' * before + form * 9])}.")
    # Of an escape that was cut, someone may still read the ninth character.
    assert not any(secret[:9] in each for each in readable(said))


def test_a_target_that_writes_many_signs_of_a_cut_keeps_the_kit_busy_for_seconds_only():
    piece = "correct-horse-battery"
    with counting(2_000_000):
        said = Redactor([f"{piece}-staple"])(f"{piece}… " * 200_000)
    assert piece[:8] not in said


@settings(max_examples=50, deadline=None)
@given(SECRETS, st.integers(0, 2), st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]))
def test_a_secret_is_found_in_base64_wherever_it_begins(secret, shift, encode):
    coded = encode(b"\xff" * shift + secret.encode() + b"\xff\xff").decode()
    said = Redactor([secret])(coded)
    assert "«secret-1»" in said


@settings(max_examples=50, deadline=None)
@given(SECRETS, st.integers(0, 2), st.sampled_from(sorted(ONE)))
@example("abc?def>ghi~jkl/mno~~~~", 0, "JSON, a slash")
def test_a_secret_is_found_in_base64_with_its_signs_escaped(secret, shift, form):
    coded = base64.b64encode(b"\xff" * shift + secret.encode() + b"\xff\xff").decode()
    text = "".join(c if c.isalnum() else ONE[form](c) for c in coded)
    said = Redactor([secret])(text)
    assert "«secret-1»" in said
    assert not any(coded[4:-4] in each for each in readable(said))


@pytest.mark.parametrize(
    "quoted",
    [lambda raw: repr(raw)[2:-1], lambda raw: raw.decode("latin-1")],
    ids=["as a library quotes bytes", "as a header is read"],
)
@settings(max_examples=50, deadline=None)
@given(SECRETS)
@example("c4n4ry-pässwörd-of-bytes")
def test_a_secret_beyond_ascii_is_found_where_the_kit_reads_bytes(quoted, secret):
    text = quoted(secret.encode())
    assert text not in Redactor([secret])(f"illegal line: <{text}>")


@settings(max_examples=50, deadline=None)
@given(SECRETS)
@example("c4n4ry/of~the/kit")
def test_a_secret_is_found_in_a_json_pointer(secret):
    assert Redactor([secret])(f"/properties/{escape(secret)}/x") == "/properties/«secret-1»/x"


@settings(max_examples=100, deadline=None)
@given(written(), st.integers(0, 400), st.booleans())
@example(("0" * 30 + "☃" + "0" * 24, "%30" * 30 + "%E2%98%83" + "0" * 24), 107, False)
def test_a_cut_leaves_no_half_of_a_secret(given, at, from_the_end):
    secret, form = given
    text = "~ " * 100 + form + " ~" * 100
    at = 200 + at % len(form)
    cut = text[-at:] if from_the_end else text[:at]
    said = Redactor([secret])(cut)
    halves = [secret[n : n + 9] for n in range(len(secret) - 8)]
    edge = halves[-1] if from_the_end else halves[0]
    assert not any(edge in each for each in readable(said)), "nine signs of it can be read"


@settings(max_examples=100, deadline=None)
@given(SECRETS, st.text(max_size=300))
def test_a_text_without_the_secret_stays_as_it_is(secret, text):
    if not any(secret[n : n + 6] in each for each in readable(text) for n in range(len(secret))):
        assert Redactor([secret])(text) == text


def test_a_secret_on_standard_error_in_two_writes_is_taken_out_before_it_is_cut():
    secret = "s3cr3t-of-two-writes"
    code = f"""
import sys, os
sys.stdin.readline()
os.write(2, b"x" * 390 + {secret[:9].encode()!r}); sys.stdout.flush()
os.write(2, {secret[9:].encode()!r} + b"y" * 390)
"""
    received = use_binding(code, Settings(secrets=(secret,)), lambda one: one.send(ask()))
    assert received.trouble is not None
    assert len(received.detail) == 400
    assert not any(secret[:n] in received.detail for n in range(4, len(secret)))


@pytest.mark.parametrize("form", WHOLE)
def test_a_secret_in_any_form_in_two_writes_is_taken_out(form):
    secret = "s3cr3t/of+two=writes&<x>é"
    text = WHOLE[form](secret)
    half = len(text) // 2
    code = f"""
import sys, os
sys.stdin.readline()
os.write(2, b"x" * 385 + {text[:half].encode()!r}); sys.stdout.flush()
os.write(2, {text[half:].encode()!r} + b"y" * 390)
"""
    received = use_binding(code, Settings(secrets=(secret,)), lambda one: one.send(ask()))
    assert received.detail.startswith("x" * 385)
    assert text[:9] not in received.detail
    assert not any(secret[:9] in each for each in readable(received.detail))


def test_a_secret_on_a_noisy_line_is_taken_out_before_it_is_cut():
    secret = "s3cr3t-on-a-noisy-line"
    code = f"""
import sys, json
sys.stdin.readline()
print("x" * 1990 + {secret!r} + "y" * 500)
print(json.dumps({{"jsonrpc": "2.0", "id": 1, "result": {{}}}}), flush=True)
sys.stdin.read()
"""
    received = use_binding(code, Settings(secrets=(secret,)), lambda one: one.send(ask()))
    assert secret[:5] not in received.answer.noise[0]
    assert len(received.answer.noise[0]) == 2000


@pytest.mark.parametrize("steps", [60, 900])
def test_a_text_is_left_out_that_holds_a_secret_behind_escapes_again_and_again(steps):
    said = " ".join(nested(CANARY, step) for step in range(3, steps, 3))
    assert Redactor([CANARY])(said) == "«secret-1»"


LONG = "".join(f"{number:05x}" for number in range(2_000))
"""A secret of ten thousand characters, in which no part comes twice."""


@pytest.mark.parametrize("signs", [60, 300, 3_000, 9_900])
def test_a_cut_leaves_no_half_of_a_long_secret(signs):
    begin, end = (
        "".join(f"\\u{ord(sign):04x}" for sign in part) for part in (LONG[:signs], LONG[-signs:])
    )
    assert Redactor([LONG])("~ " * 100 + begin) == "~ " * 100 + "«secret-1»"
    assert Redactor([LONG])(end + " ~" * 100) == "«secret-1»" + " ~" * 100


def test_a_long_secret_that_a_target_makes_costs_little_behind_escapes():
    redact = Redactor()
    redact.learn([("session", LONG)])
    with counting(1_000_000):
        said = redact('{"echo": "' + "".join(f"\\u{ord(sign):04x}" for sign in LONG) + '"}')
    assert said == '{"echo": "«secret-1»"}'


def test_a_cut_leaves_no_half_of_a_secret_behind_whole_ones_of_thousands_of_characters():
    secret = "".join(f"{number:04x}" for number in range(0, 60_000, 60))
    said = Redactor([secret])((secret * 5)[: 4 * len(secret) + 60])
    assert said == "«secret-1»" * 5
