"""Finds the secrets in what a user or a target gives: addresses, commands, headers, cookies."""

from __future__ import annotations

import base64
import binascii
import json
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from conformance.kit.config.secrets import is_secret_name

_ALSO_SECRET = re.compile(r"PASS|PWD|CREDENTIAL|SIGNATURE|\bSIG\b|SESS|\bSID\b|JWT", re.IGNORECASE)
"""Further names that hold secrets, in addresses, options and cookies."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s\"']+")
LONGEST_COOKIE: Final = 4096
"""Upper limit, in bytes, of a cookie with its attributes (RFC 6265, section 6.1). Longer ones are
not sent back.
"""
_MADE_UP = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[\w.~%+/=-]{20,}")
"""A long piece of letters and digits. It is not a word, so it may be a key."""


def in_target(target: str) -> tuple[str, ...]:
    """Return the secrets in a target: in its address, or in the command that starts it."""
    if target.startswith("stdio:"):
        return tuple(_in_command(target.removeprefix("stdio:")))
    return tuple(_in_url(target.removeprefix("native+").removeprefix("openai+")))


def in_headers(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the values of headers, and the credentials that a Basic header encodes."""
    for _, value in headers:
        yield value
        scheme, _, encoded = value.partition(" ")
        if scheme.lower() == "basic":
            yield from _in_basic(encoded.strip())


def in_cookies(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the values of `Set-Cookie` headers whose name or form is that of a secret."""
    for name, value in headers:
        if name.lower() == "set-cookie" and len(value) <= LONGEST_COOKIE:
            cookie, _, held = value.partition(";")[0].partition("=")
            if _is_secret(cookie.strip(), held.strip()):
                yield held.strip()


def _is_secret(name: str, value: str) -> bool:
    named = is_secret_name(name) or _ALSO_SECRET.search(name) is not None
    return named or _MADE_UP.fullmatch(value) is not None


def _in_basic(encoded: str) -> Iterator[str]:
    try:
        pair = base64.b64decode(encoded, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return  # not valid Basic credentials; the header's value itself is replaced anyway
    yield pair
    yield pair.partition(":")[2]


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
    for pair in parts.query.split("&"):
        name, _, raw = pair.partition("=")
        for _, value in parse_qsl(pair):
            if _is_secret(unquote(name), value):
                yield from (raw, value)
    yield from (part for part in parts.path.split("/") if _MADE_UP.fullmatch(part))


def _in_command(command: str, deeper: bool = True) -> Iterator[str]:
    """Yield X of `--token X`, `--token=X`, `TOKEN=X`, `Authorization: X`, and secrets in URLs."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if deeper and re.search(r"[\s{]", word):
            yield from _in_words(word)
        for url in _URL.findall(word):
            yield from _in_url(url)
        name, sign, value = word.partition("=")
        if sign and _is_secret(name, value) and " " not in name and "://" not in name:
            yield value
        name, sign, value = word.partition(":")
        if sign and " " not in name and is_secret_name(name):
            yield from in_headers([(name, value.strip())])
        option = word.startswith("-") and "=" not in word
        if option and _is_secret(word, "") and not following.startswith("-"):
            yield following


def _in_words(word: str) -> Iterator[str]:
    """Yield the secrets in a word with words in it: a shell command, or settings in JSON."""
    try:
        waiting = [json.loads(word)]
    except (ValueError, RecursionError):
        yield from _in_command(word, deeper=False)
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            named = ((name, each) for name, each in value.items() if isinstance(each, str))
            yield from (each for name, each in named if _is_secret(name, each))
        if isinstance(value, dict | list):
            waiting.extend(value.values() if isinstance(value, dict) else value)
