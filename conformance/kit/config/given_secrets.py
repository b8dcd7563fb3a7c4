"""Finds the secrets in what a user or a target gives: addresses, commands, headers, cookies."""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qsl, unquote

from conformance.formats.schema.uri import urlsplit
from conformance.kit.config.secrets import is_secret_name

_ALSO_SECRET = re.compile(
    r"PASS|PWD|CREDENTIAL|SIGNATURE|\b(?:SIG|SID)\b|(?:\b|_)PAT\b|SESS|JWT", re.IGNORECASE
)
"""Further names that hold secrets, in addresses, options and cookies."""
_NEAR_SCHEME = re.compile(r"\A[A-Za-z][A-Za-z0-9+.-]{0,30}:?/{1,3}")
"""A scheme that lacks a sign, such as `http:/` and `https//`."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s\"']+")
LONGEST_COOKIE: Final = 4096
"""Upper limit, in bytes, of a cookie with its attributes (RFC 6265, section 6.1). Longer ones are
not sent back.
"""
MOST_COOKIES: Final = 50
"""The most cookies that a client must accept (the same section). Further ones of an answer are not
sent back.
"""
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?:[A-Za-z][\w.-]*\s+|[^\s:;=]+:)(\S+)")
"""Credentials behind their scheme, or a password behind the name of a user."""
_PAIR = re.compile(r"""(?<![\w.-])([\w.-]{1,64})"?\s?[=:]\s?(?:"([^"]*)"|([^\s,;"']+))""")
_SEPARATOR = re.compile("[&;]")
_USER = frozenset({"-u", "-U", "--user", "--proxy-user", "--basic-auth"})
"""Options whose value is the name of a user and a password."""
_ENCODED_OBJECT = ("eyI", "eyJ", "eyA", "ewo", "ew0")
"""How an object in JSON begins in base64."""
_MADE_UP = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[\w.~%+/=-]{20,}")
"""A long piece of letters and digits. It is not a word, so it may be a key."""


_COOKIE = re.compile(
    r"""(?!"?[a-z]+(?:[A-Z][a-z]+|[-_][a-z]+)+"?\Z)(?:"[^\s"';]{16,}"|[^\s"',;]{16,})"""
)
"""The value of a cookie that may be a secret. A shorter one, or words, would hide what the kit
itself writes, such as the name of a member in its record.
"""


def in_target(target: str) -> tuple[str, ...]:
    """Return the secrets in a target: in its address, or in the command that starts it.

    A user may have forgotten or mistyped the scheme or `stdio:`. The message about that shows the
    target.
    """
    if target.startswith("stdio:"):
        return tuple(_in_command(target.removeprefix("stdio:")))
    address = target.removeprefix("native+").removeprefix("openai+")
    if "://" in address and " " not in address:
        return tuple(_in_url(address))
    near = _NEAR_SCHEME.sub("", address)
    return (*_in_url(f"http://{address}"), *_in_url(f"http://{near}"), *_in_command(address))


def in_headers(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the values of headers, and the secrets within them.

    Of a header with credentials, those are secret without their scheme too, whatever it is called.
    """
    for name, value in headers:
        yield from in_values([value])
        scheme, _, encoded = value.partition(" ")
        if scheme.lower() == "basic":
            yield from _in_basic(encoded.strip())
        elif is_secret_name(name) and (found := _CREDENTIALS.fullmatch(value.strip())):
            yield found[1]


def in_values(values: Iterable[str]) -> Iterator[str]:
    """Yield values, and the secrets within them: passwords in addresses, members, cookies, lines.

    A server may repeat one of these alone.
    """
    for value in values:
        yield value
        for url in _URL.findall(value):
            yield from _in_url(url)
        yield from _in_pairs(value)
        yield from _in_json(value)
        lines = map(str.strip, value.splitlines())
        yield from (line for line in lines if line != value and _MADE_UP.fullmatch(line))


def _in_pairs(text: str) -> Iterator[str]:
    """Yield the secret values of `name=value` and `name: "value"`."""
    pairs = ((found[1], found[2] or found[3] or "") for found in _PAIR.finditer(text))
    yield from (value for name, value in pairs if _is_secret(name, value))


def in_cookies(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the cookies of `Set-Cookie` headers whose name or form is that of a secret.

    Of thousands in one answer, only the last count.
    """
    said = (value for name, value in headers if name.lower() == "set-cookie")
    for value in deque((each for each in said if len(each) <= LONGEST_COOKIE), MOST_COOKIES):
        cookie, _, held = value.partition(";")[0].partition("=")
        if _COOKIE.fullmatch(held.strip()) and _is_secret(cookie.strip(), held.strip()):
            yield cookie.strip(), held.strip()


def _is_secret(name: str, value: str) -> bool:
    named = is_secret_name(name) or _ALSO_SECRET.search(name) is not None
    return named or _MADE_UP.fullmatch(value) is not None


def _in_basic(encoded: str) -> Iterator[str]:
    raw = _decoded(encoded)
    if raw is None:
        return  # not valid Basic credentials; the header's value itself is replaced anyway
    try:
        pair = raw.decode("utf-8")
    except UnicodeDecodeError:
        pair = raw.decode("latin-1")
    yield pair
    yield pair.partition(":")[2]


def _decoded(coded: str) -> bytes | None:
    """Return what a text in base64 encodes, in either alphabet and also without padding."""
    plain = coded.rstrip("=").replace("-", "+").replace("_", "/")
    with suppress(ValueError):
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    return None


def _in_url(url: str) -> Iterator[str]:
    """Yield the userinfo, secret values of the query, and parts of the path that look like keys."""
    authority = url.partition("://")[2].partition("/")[0].partition("?")[0]
    user_info, at, _ = authority.rpartition("@")
    if at:
        yield from (user_info, unquote(user_info))
        password = user_info.partition(":")[2] or user_info
        yield from (password, unquote(password))
    try:
        parts = urlsplit(url)
    except ValueError:  # an incomplete IPv6 address: the rest cannot be parsed
        return
    for pair in _SEPARATOR.split(f"{parts.query};{parts.path.replace('/', ';')}"):
        name, _, raw = pair.partition("=")
        for _, value in parse_qsl(pair):
            if _is_secret(unquote(name), value):
                yield from (raw, value)
            yield from _in_settings(value)
    for part in parts.path.split("/"):
        if _MADE_UP.fullmatch(part):
            yield from (part, unquote(part))


def _in_command(command: str, deeper: bool = True) -> Iterator[str]:
    """Yield the secrets in the words of a command."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    yield from _in_words(words, deeper)


def _in_words(words: Sequence[str], deeper: bool) -> Iterator[str]:
    """Yield X of `--token X`, `--token=X`, `TOKEN=X`, `-u name:X`, `Authorization: X`, and secrets
    in URLs and in words with words in them: a shell command, or settings in JSON.
    """
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if deeper and re.search(r"[\s{]", word):
            as_json = word.lstrip()[:1] in ("{", "[")
            yield from _in_json(word) if as_json else _in_command(word, deeper=False)
        yield from _in_settings(word)
        for url in _URL.findall(word):
            yield from _in_url(url)
        if ";" in word:
            yield from _in_pairs(word)
        for pair in (word, word.partition("=")[2]):  # --env=TOKEN=X has two
            name, equal, value = pair.partition("=")
            if equal and _is_secret(name, value) and " " not in name and "://" not in name:
                yield value
        name, sign, value = word.partition(":")
        if sign and " " not in name and (is_secret_name(name) or _SCHEME.match(value.strip())):
            yield from in_headers([(name, value.strip())])
        option = word.startswith("-") and "=" not in word
        if option and _is_secret(word, "") and not following.startswith("-"):
            yield following
        if word in _USER:
            yield following.partition(":")[2]


def _in_settings(word: str) -> Iterator[str]:
    """Yield the secrets in settings in JSON that are encoded in base64, as hosts of servers do."""
    if word.startswith(_ENCODED_OBJECT) and (raw := _decoded(unquote(word))) is not None:
        yield from in_values([raw.decode("utf-8", "replace")])


def _in_json(text: str) -> Iterator[str]:
    """Yield the secrets in settings in JSON: members and lists of arguments. Skip other text."""
    try:
        waiting = [json.loads(text)] if text.lstrip()[:1] in ("{", "[") else []
    except (ValueError, RecursionError):
        waiting = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            named = ((name, each) for name, each in value.items() if isinstance(each, str))
            yield from (each for name, each in named if _is_secret(name, each))
        if isinstance(value, list):
            yield from _in_words([each for each in value if isinstance(each, str)], False)
        if isinstance(value, dict | list):
            waiting.extend(value.values() if isinstance(value, dict) else value)
