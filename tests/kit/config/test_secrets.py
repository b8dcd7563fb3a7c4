"""Secrets: known ones never get out, in whatever form a server echoes them."""

import base64
import json
import re
import tracemalloc

import pytest

from conformance.formats.problem import quoted
from conformance.kit.config import secrets
from conformance.kit.config.given_secrets import in_cookies, in_headers, in_target, in_values
from conformance.kit.config.secrets import Redactor, is_secret_name, tells

TOKEN = "s3cr3t-token"


def test_a_secret_becomes_a_placeholder():
    assert Redactor([TOKEN])(f"x {TOKEN} y") == "x «secret-1» y"


def test_the_placeholder_is_the_same_each_time_so_that_an_echo_is_seen():
    assert Redactor([TOKEN])(f"{TOKEN} {TOKEN}") == "«secret-1» «secret-1»"


def test_each_secret_has_a_placeholder_of_its_own():
    assert Redactor([TOKEN, "another-one"])(f"another-one {TOKEN}") == "«secret-2» «secret-1»"


@pytest.mark.parametrize("end", ["\r\n", "\\r\\n", "%0D%0A", "&#13;&#10;"])
def test_a_secret_of_several_lines_is_found_with_the_line_ends_of_windows(end):
    assert "d4e5f6" not in Redactor(["a1b2c3\nd4e5f6"])(f"x a1b2c3{end}d4e5f6 y")


def test_a_bearer_token_is_found_without_its_scheme():
    redact = Redactor([f"Bearer {TOKEN}"])
    assert TOKEN not in redact(f"token {TOKEN} is not valid")


def test_a_whole_authorization_header_is_found():
    assert TOKEN not in Redactor([f"Bearer {TOKEN}"])(f"Authorization: Bearer {TOKEN}")


@pytest.mark.parametrize("secret", ['with"quote', "back\\slash", "ünïcödé-word", "tab\tinside"])
def test_a_secret_is_found_as_json_writes_it(secret):
    text = json.dumps({"echo": secret})
    assert json.dumps(secret)[1:-1] not in Redactor([secret])(text)


def test_a_secret_is_found_as_an_address_writes_it():
    redact = Redactor(["p@ss word"])
    assert redact("?a=p%40ss%20word&b=p%40ss+word") == "?a=«secret-1»&b=«secret-1»"


def test_with_or_without_its_scheme_a_secret_has_one_placeholder():
    assert Redactor([f"Bearer {TOKEN}"])(f"Bearer {TOKEN}, {TOKEN}") == "«secret-1», «secret-1»"


def test_the_name_of_a_header_or_a_method_has_the_secret_in_other_letters():
    said = Redactor(["Kq9Xsecret"])("x-kq9xsecret: 1, KQ9XSECRET /a")
    assert said == "x-«secret-1»: 1, «secret-1» /a"


def test_a_word_in_other_letters_is_no_secret():
    assert Redactor(["Conformance"])("conformance, Conformance") == "conformance, «secret-1»"


def test_a_lone_surrogate_in_a_secret_is_no_fault():
    assert Redactor(["secret\udc80"])("secret\udc80") == "«secret-1»"


def test_of_two_secrets_the_longer_is_taken_out_first():
    assert Redactor(["secret", "secret-and-more"])("secret-and-more") == "«secret-2»"


def test_a_secret_that_is_in_every_placeholder_is_replaced_once():
    redact = Redactor(["secret-1", "secret"])
    said = redact("\\u0041 s\\u0065cret and secret-1")
    assert said == "\\u0041 «secret-2» and «secret-1»"
    assert redact(said) == said


@pytest.mark.parametrize("short", ["", "1", "true", "12345"])
def test_what_is_too_short_to_be_a_secret_stays(short):
    text = f"12345 is true, 1 and {short}"
    assert Redactor([short])(text) == text


def test_a_secret_learnt_later_is_found_too():
    redact = Redactor()
    redact.add([TOKEN])
    assert redact(TOKEN) == "«secret-1»"


def test_signs_of_regular_expressions_in_a_secret_mean_nothing():
    assert Redactor(["a.b*c(d[e"])("aXbbc a.b*c(d[e") == "aXbbc «secret-1»"


@pytest.mark.parametrize("name", ["API_TOKEN", "my_secret", "AWS_KEY", "Password", "Authorization"])
def test_names_that_speak_of_secrets_are_known(name):
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["HOME", "PATH", "Accept", "LANG", "GIT_AUTHOR_NAME"])
def test_other_names_hold_no_secret(name):
    assert not is_secret_name(name)


@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
def test_a_secret_is_found_inside_base64_wherever_it_begins(before):
    coded = base64.b64encode(f"{before}{TOKEN} and more".encode()).decode()
    assert "«secret-1»" in Redactor([TOKEN])(coded)


def test_the_password_of_a_basic_header_is_a_secret_too():
    coded = base64.b64encode(f"me:{TOKEN}".encode()).decode()
    assert TOKEN in list(in_headers([("Authorization", f"Basic {coded}")]))


@pytest.mark.parametrize("scheme", ["SSWS", "GenieKey", "Api-Token", "DPoP", "Negotiate"])
def test_credentials_are_secret_without_a_scheme_of_any_name(scheme):
    assert TOKEN in list(in_headers([("Authorization", f"{scheme} {TOKEN}")]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Cookie", f"theme=midnight; session={TOKEN}; lang=en"),
        ("Authorization", f'Digest username="me", realm="home", signature="{TOKEN}"'),
        ("Authorization", f"AWS4-HMAC-SHA256 Credential=me/20260101, Signature={TOKEN}"),
        ("X-Auth", f"me:{TOKEN}"),
    ],
)
def test_a_part_of_a_header_that_is_a_secret_is_one_alone(name, value):
    found = list(in_headers([(name, value)]))
    assert TOKEN in found
    assert "midnight" not in found


@pytest.mark.parametrize("made", [base64.urlsafe_b64encode, base64.b64encode])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_basic_header_is_read_in_each_form(made, encoding):
    coded = made("me:pässwörd?>?ÿ".encode(encoding)).decode().rstrip("=")
    assert "pässwörd?>?ÿ" in list(in_headers([("Authorization", f"Basic {coded}")]))


LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (f"postgres://me:{TOKEN}@h/books", TOKEN),
        (f"host=h user=me password={TOKEN}", TOKEN),
        (f"Server=h;User Id=me;Password={TOKEN};", TOKEN),
        (json.dumps({"type": "service", "private_key": TOKEN}), TOKEN),
        (f"-----BEGIN PRIVATE KEY-----\n{LINE}\n-----END PRIVATE KEY-----", LINE),
    ],
)
def test_of_a_variable_each_part_that_is_a_secret_is_one_alone(value, part):
    assert set(in_values([value])) - {f"me:{part}"} == {value, part}


def test_values_of_any_length_are_read_at_once():
    for piece in ("token=", "a", "=", '"', 'a="', "a://", "[", "x:", "\n", "eyJ"):
        assert list(in_values([piece * 50_000]))
        assert list(in_target("stdio:" + piece * 20_000)) is not None


SETTINGS = json.dumps({"apiKey": TOKEN})
CODED = base64.b64encode(SETTINGS.encode()).decode()


@pytest.mark.parametrize(
    ("target", "secrets"),
    [
        ("http://127.0.0.1:8000/mcp?lang=spanish", set()),
        (f"http://h/?token={TOKEN}&page=tomorrow", {TOKEN}),
        (f"http://me:{TOKEN}@h", {TOKEN, f"me:{TOKEN}"}),
        ("https://h/s/a1b2c3d4e5f6a7b8c9d0e1/mcp", {"a1b2c3d4e5f6a7b8c9d0e1"}),
        ("stdio:uvx mcp-server-git --repository /tmp/scratch", set()),
        (f"stdio:npx server --api-key {TOKEN}", {TOKEN}),
        (f"http://h/mcp?page=tomorrow;token={TOKEN}", {TOKEN}),
        (f"http://h/mcp;token={TOKEN}", {TOKEN}),
        (f"http://h/mcp?config={CODED}", {TOKEN, CODED, SETTINGS}),
    ],
)
def test_of_a_target_only_what_is_secret_is_hidden(target, secrets):
    assert set(in_target(target)) == secrets


def test_a_cookie_that_is_no_secret_may_be_read():
    given = [("set-cookie", "theme=midnight; Path=/"), ("set-cookie", f"session={TOKEN}-1234")]
    assert list(in_cookies(given)) == [("session", f"{TOKEN}-1234")]


def test_of_secrets_that_a_target_makes_again_and_again_the_last_are_taken_out():
    redact = Redactor(["given-by-the-user"])
    for n in range(2000):
        redact.learn([("session", f"session-number-{n}-of-many")])
    said = redact("given-by-the-user session-number-1999-of-many session-number-1960-of-many")
    assert said == "«secret-1» «secret-2001» «secret-1962»"
    assert redact("session-number-3-of-many") == "session-number-3-of-many", "it was forgotten"


def test_a_cookie_that_changes_with_each_answer_does_not_push_out_the_session():
    """As some load balancers set one."""
    redact = Redactor()
    redact.learn([("session", "session-of-the-first-answer")])
    for n in range(100):
        redact.learn([("balancer", f"balancer-number-{n}")])
    assert redact("session-of-the-first-answer balancer-number-99") == "«secret-1» «secret-101»"


def test_a_target_with_many_cookies_does_not_push_out_the_session_of_another():
    redact = Redactor()
    redact.learn([("session", "session-of-the-first-target")], "one")
    for n in range(100):
        redact.learn([(f"cookie-{n}", f"cookie-number-{n}")], "two")
    assert redact("session-of-the-first-target cookie-number-99") == "«secret-1» «secret-101»"


def test_a_secret_that_is_given_and_made_is_not_forgotten():
    redact = Redactor(["given-by-the-user"])
    made = ["given-by-the-user", *(f"session-number-{n}" for n in range(100))]
    redact.learn([("session", value) for value in made])
    assert redact("given-by-the-user") == "«secret-1»"


def _escaped(text):
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


@pytest.mark.parametrize("one", [str, _escaped])
@pytest.mark.parametrize("other", [str, _escaped])
@pytest.mark.parametrize("cookie", ["session-of-1234-s", "session-of-1234-" * 3 + "s"])
def test_a_secret_that_a_target_makes_hides_no_part_of_a_given_one(cookie, one, other):
    """A cookie that ends with the first sign of a token: of the token, all but this sign stayed."""
    redact = Redactor(["s3cr3t-given-by-the-user"])
    redact.learn([("session", cookie)])
    said = redact(one(cookie) + other("3cr3t-given-by-the-user"))
    assert not said.endswith((other("user"), other("u")))
    assert redact(f"{cookie} {one(cookie)}") == "«secret-2» «secret-2»"


@pytest.mark.parametrize(
    "command",
    [
        "npx server postgresql://user:hunter2pass@localhost/db",
        "server --url=redis://:hunter2pass@localhost:6379/0",
        "sh -c 'exec server --token hunter2pass'",
        "sh -c 'TOKEN=hunter2pass server'",
        """server --config '{"account": [{"apiKey": "hunter2pass"}]}'""",
        """sh -c "server --header 'Authorization: Bearer hunter2pass'" """,
        "server --header 'Authorization: SSWS hunter2pass'",
        "server --header 'X-Upstream: Bearer hunter2pass'",
        "server --env=API_KEY=hunter2pass",
        "server --pat hunter2pass",
        "server --user me:hunter2pass",
        "server 'Server=h;Password=hunter2pass;'",
        """server --config '{"args": ["--api-key", "hunter2pass"]}'""",
        """server --config '{"headers": ["Authorization: Bearer hunter2pass"]}'""",
    ],
)
def test_a_secret_within_a_word_of_a_command_is_known(command):
    said = Redactor(in_target(f"stdio:{command}"))(command)
    assert "hunter2pass" not in said


def test_a_cookie_that_is_too_long_to_be_sent_back_is_no_secret():
    cookies = [
        ("Set-Cookie", f"session={sign * length}") for sign, length in (("a", 4_000), ("b", 5_000))
    ]
    assert list(in_cookies(cookies)) == [("session", "a" * 4_000)]


def test_of_thousands_of_cookies_in_one_answer_only_the_last_are_secrets():
    cookies = [("Set-Cookie", f"session=session-number-{number}") for number in range(2_000)]
    found = [value for _, value in in_cookies(cookies)]
    assert found == [f"session-number-{number}" for number in range(1_950, 2_000)]


@pytest.mark.parametrize(
    "word",
    ["input_schema", "ATDF-CALL-001", "additionalProperties", "was answered with HTTP 200",
     '"type": "object1"', "mcp-2025-11-25"],
)  # fmt: skip
def test_a_target_hides_no_word_of_the_kit_by_a_cookie(word):
    assert list(in_cookies([("Set-Cookie", f"token={word}; Path=/")])) == []


@pytest.mark.parametrize("short", ["", "x", "proxy"])
def test_a_short_value_is_not_found_in_an_ordinary_word(short):
    assert not tells("check the proxy settings", short)
    assert tells("check the proxy of s3cret", "s3cret")


def test_a_session_around_a_given_secret_is_taken_out_whole():
    redact = Redactor(["admin-01"])
    redact.learn([("session", "admin-01.Zq81hdkslqwe0192")])
    assert redact("Cookie: session=admin-01.Zq81hdkslqwe0192") == "Cookie: session=«secret-2»"
    assert redact("admin-01") == "«secret-1»"


@pytest.mark.parametrize(
    ("value", "is_secret"),
    [
        ("QhVdlbKsTzuErYmXw", True),
        ('"eyJhbGciOiJI,UzI1NiJ9.abc"', True),
        ("additionalProperties", False),
        ("was-answered-with-that", False),
    ],
)
def test_a_session_of_letters_is_a_secret_and_words_of_the_kit_are_none(value, is_secret):
    assert bool([*in_cookies([("set-cookie", f"session={value}")])]) is is_secret


@pytest.mark.parametrize("unit", ["ab\\/", "ab&mu;", "ab\\u4e00", "ab\\"])
def test_a_text_of_escapes_takes_only_a_few_times_its_memory(unit):
    redact, text = Redactor([TOKEN]), unit * (1_000_000 // len(unit))
    tracemalloc.start()
    assert redact(text) == text
    took = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert took < 12_000_000


KEY = "tok-4f9aQ7zLw82mXc51RbN0"


@pytest.mark.parametrize("before", range(290, 320, 3))
def test_no_half_of_a_secret_is_left_where_blanks_made_a_cut_text_short(before):
    said = Redactor([KEY])(quoted(f"no{' ' * (before - 2)}{KEY} and more"))
    assert KEY[:8] not in said


@pytest.mark.parametrize(
    "secret",
    [
        "correct  horse 77 battery",
        "alpha-one\nbravo-two",
        "s3cret-token.",
        "'s3cret-token'",
        "s3cret\U000f0000token-4f9a",
    ],
)
@pytest.mark.parametrize("quote", [quoted, lambda text: " ".join(text.split()).rstrip(". ")])
def test_a_secret_is_found_as_the_kit_quotes_it(secret, quote):
    assert Redactor([secret])(quote(f"bad {secret}")).strip("\"“”.'") == "bad «secret-1»"


MADE = [KEY[:-1], KEY[1:], KEY[4:16], KEY[:8], f"{KEY[:-1]}!", f"!{KEY[:-1]}", KEY.swapcase(),
        KEY[:12] + "a" * 20]  # fmt: skip


@pytest.mark.parametrize("made", MADE)
def test_what_the_kit_makes_of_a_secret_that_it_sent_at_this_place_is_one_too(made):
    redact = Redactor([KEY])
    redact.notice({"key": made})
    assert redact(made) == made
    redact.notice([{"key": f"Token {KEY}", "other": ["another-value-1"]}])
    redact.notice({"key": made, "other": ["another-value"]})
    assert re.fullmatch(r"x !?«secret-2»(!|a*) y", redact(f"x {made} y"))
    assert redact("Token another-value") == "Token another-value"


IN_BASE64 = base64.b64encode(KEY.encode()).decode()
LONG_KEY = "-".join(f"{n:x}z" for n in range(2000))


@pytest.mark.parametrize(
    ("secret", "sent", "made", "repeated"),
    [
        (LONG_KEY, LONG_KEY, LONG_KEY[:-1], LONG_KEY[:-1]),
        (KEY, f"token={KEY}&x=1", f"token={KEY[:-2]}", KEY[:-2]),
        ("sommerregen", "sommerregen", "sommerre", "sommerre"),
        ("MyPasswort", "MyPasswort", "mYpASSWORT", "mYpASSWORT"),
        (KEY, IN_BASE64, IN_BASE64[:15], IN_BASE64[:15]),
    ],
)  # fmt: skip
def test_the_piece_of_a_secret_that_the_kit_sent_is_found_alone(secret, sent, made, repeated):
    redact = Redactor([secret])
    redact.notice({"key": [sent]})
    redact.notice({"key": [made]})
    left = redact(f"is {made}, and {repeated}")
    assert not any(repeated[at : at + 8] in left for at in range(len(repeated) - 7))


@pytest.mark.parametrize(
    ("secret", "place", "word"),
    [
        ("password-4711", "type", "password"),
        ("my-organization-name-1", "type", "organization"),
        ("https://hooks.example.com/T0/abcdef123456", "key", "https://x7.example.com/index"),
        ("https://hooks.example.com/T0/abcdef123456", "key", "https://"),
        ("postgresql://user:pw12345@localhost:5432/db", "host", "localhost:5432"),
    ],
)
def test_a_word_in_a_secret_stays_a_word(secret, place, word):
    redact = Redactor([secret])
    redact.notice({"key": secret})
    redact.notice({place: word})
    assert redact(f"The {word} is wrong") == f"The {word} is wrong"


def test_the_texts_that_are_watched_at_a_place_are_few():
    redact = Redactor([KEY])
    for n in range(200):
        redact.notice({"key": f"{n} {KEY}"})
    redact.learn([("sid", "c00kie-of-the-whole-day")])
    redact.notice({"other": "c00kie-of-the-whole-day"})
    redact.notice({"other": "c00kie-of-the"})
    assert redact("c00kie-of-the") == "c00kie-of-the"


@pytest.mark.parametrize("filling", ["x " * 100, ""])
def test_a_secret_that_begins_another_one_leaves_no_rest_of_a_cut_one(filling):
    short, whole = "admin-key", "admin-key-9f8e7d6c5b4a3210"
    redact = Redactor([short, whole])
    assert redact(f"{filling}bad {whole[:20]}…") == f"{filling}bad «secret-2»…"
    assert redact(f"{filling}bad {short}…") == f"{filling}bad «secret-1»…"
    if filling:
        assert redact(f"{filling}{whole[:20]}") == f"{filling}«secret-2»"
        redact = Redactor(["4a3210-x", f"{whole}4a3210-x"])
        assert redact(f"{whole[9:]}4a3210-x {filling}") == f"«secret-2» {filling}"


@pytest.mark.parametrize("parts", [[KEY[:8]], [KEY[4:12]], [KEY[:16]], [KEY[:6], KEY[14:20]]])
def test_cookies_that_are_parts_of_a_secret_leave_no_rest_of_a_cut_one(parts):
    redact = Redactor([KEY])
    redact.learn([(f"sid{at}", part) for at, part in enumerate(parts)])
    for said in (f"bad {KEY[:-1]}…", f"{'x ' * 100}{KEY[:-1]}", f"{KEY[1:]}{' x' * 100}"):
        left = redact(said)
        assert not any(KEY[at : at + 8] in left for at in range(len(KEY) - 7)), left


def test_a_secret_that_has_the_sign_of_a_cut_or_overlaps_another_one_is_replaced_whole():
    assert Redactor(["abcdefgh…ijklmnop"])("x abcdefgh…ijklmnop y…") == "x «secret-1» y…"
    said = Redactor(["s3cr3t-of-headert", "token-12345678"])(
        f"{'x ' * 100}s3cr3t-of-headertoken-12345"
    )
    assert "s3cr3t" not in said


def test_a_part_beside_a_secret_is_no_piece_of_it():
    said = "wrong colour of the shirt"
    redact = Redactor(["hunter2token9"])
    redact.notice({"a": [f"hunter2token9 {said}", said]})
    assert redact(f"the server says: {said}") == f"the server says: {said}"


def test_a_long_text_that_comes_again_is_searched_once_until_more_secrets_are_known(monkeypatch):
    searched, readings = [], secrets.readings
    monkeypatch.setattr(secrets, "readings", lambda text: searched.append(text) or readings(text))
    redact, text = Redactor(["s3cret-one"]), " ".join(["s3cret-one", "s3cret-two"] * 200)
    assert redact(text) == text.replace("s3cret-one", "«secret-1»")
    assert searched
    searched.clear()
    assert redact(text) == text.replace("s3cret-one", "«secret-1»")
    assert not searched
    redact.learn([("session", "s3cret-two")])
    assert "s3cret" not in redact(text)


@pytest.mark.parametrize(
    "form", ["pass%5C%22word%2B77x", "pass\\u002522word\\u00252B77x", "pass%26quot%3Bword%2B77x"]
)
def test_a_form_inside_another_form_is_replaced(form):
    redact = Redactor(['pass"word+77x'])
    assert redact(f"it says {form}.") == "it says «secret-1»."
    assert redact(f"{form} and more") == "«secret-1» and more"
