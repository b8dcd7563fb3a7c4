"""Secrets never reach a file, the report or the terminal: each becomes a stable placeholder.

A server may repeat a secret in another form. docs/*/conformance/safety.md promises which are known:
as it is, escaped as in JSON, in addresses and in HTML, in hexadecimal, and in base64.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from html.entities import html5
from itertools import takewhile
from operator import itemgetter
from urllib.parse import quote, quote_plus, unquote_to_bytes

# GIT_AUTHOR_NAME holds no secret: a report without a common name in it could not be read.
_SECRET_NAME = re.compile(r"TOKEN|SECRET|KEY|PASSWORD|AUTH(?!OR(?!I))|COOKIE", re.IGNORECASE)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)
"""What stands before the credentials in an Authorization header: servers echo them without it."""
_SHORTEST = 6
"""Shorter values would be found in ordinary words."""
_PART = 8
"""Characters of a secret's beginning or end that are taken out where a long text was cut."""
_MOST_LEARNED = 50
"""Secrets that are kept of those that a target makes."""
_LONG = 150
"""Characters from which on a text may have been cut."""
_JSON = r"\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[/\"'\\])"
_ADDRESS = r"(?:%[0-9a-fA-F]{2})+"
_HTML = r"&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});"
_ESCAPES = (
    ("\\", re.compile(_JSON)),
    ("\\", re.compile(_JSON.replace("+", "", 1))),
    ("%", re.compile(_ADDRESS)),
    ("&", re.compile(_HTML)),
)
"""Each kind of escape behind its sign. A run of backslashes is one, or is read sign by sign: a
secret with a backslash may be escaped more than once.
"""
_ANY = re.compile(f"{_JSON}|{_ADDRESS}|{_HTML}")
"""All kinds at the same time. Each alone is tried too: a secret may itself look like an escape."""
_DEEPEST = 4
"""Escapes within escapes that are undone: JSON as text in JSON, of an address, in HTML."""
_MOST_ROUNDS, _MOST_READ = 8, 1_000_000
"""Times that this is done to one text, and the characters that are read in all after the second."""
_PLACEHOLDER = re.compile(r"(«secret-\d+»)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_PATTERN = 4096
"""Characters of a secret of which a pattern is made: that of a longer one takes seconds."""
_SHORT_PATTERN = 256
"""The same of a secret that a target makes, and of a half: there may be another in each answer."""
_WIDEST = 24
"""Characters of one that is escaped."""
_REST = r"[\\%#;&\w\ufffd]{0,24}?"
"""What may be left of an escape that was cut."""
_RUN = r"\\{1,32}"
"""What escapes a character of JSON within JSON: without a bound, a long run would take hours."""
_BACKSLASHES = re.compile(r"\\+")
_ENTITIES: dict[str, list[str]] = {}


def is_secret_name(name: str) -> bool:
    """Whether a header or variable of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None


class Redactor:
    """Replaces each known secret by «secret-1», «secret-2», … in the order they were given."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._placeholders: dict[str, str] = {}
        self._bare: dict[str, str] = {}
        self._known = 0
        self._learned: deque[str] = deque()
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._longest = 0
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Learn more secrets; short ones and those known already are passed over."""
        for secret in secrets:
            self._add(secret)

    def learn(self, secrets: Iterable[str]) -> None:
        """Learn secrets that a target makes, which may be a new one in each answer.

        Only the last of them are kept: each makes every text take longer.
        """
        for secret in secrets:
            if placeholder := self._add(secret):
                self._learned.append(placeholder)
            if len(self._learned) > _MOST_LEARNED:
                gone = self._learned.popleft()
                for known in (self._placeholders, self._bare):
                    for form in [form for form, each in known.items() if each == gone]:
                        del known[form]
                        self._patterns.pop(form, None)

    def _add(self, secret: str) -> str:
        """The placeholder of a secret that is new; empty for any other."""
        scheme = _SCHEME.match(secret)
        bare = secret[scheme.end() :] if scheme else secret
        if len(bare.strip()) < _SHORTEST or bare in self._placeholders:
            return ""
        self._known += 1
        placeholder = f"«secret-{self._known}»"
        self._bare.setdefault(_BACKSLASHES.sub(r"\\", bare.strip()), placeholder)
        for form in (secret, bare, bare.strip(), *_written(bare), *_coded(bare)):
            self._placeholders.setdefault(form, placeholder)
            self._longest = max(self._longest, len(form))
        return placeholder

    @property
    def knows_any(self) -> bool:
        """Whether there is anything to replace at all."""
        return bool(self._placeholders)

    def __call__(self, text: str) -> str:
        """`text` without the secrets."""
        if not self._placeholders:
            return text
        text = self._without_escaped(_between(text, self._without_plain))
        return self._without_halves(text) if len(text) >= _LONG else text

    def _without_plain(self, text: str) -> str:
        """A text without secrets as they are, or in one of the forms that were made in advance."""
        # Most texts hold none: looking for each is much quicker than a pattern of all.
        found = [form for form in self._placeholders if form in text]
        if not found:
            return text
        found.sort(key=len, reverse=True)
        pattern = "|".join(map(re.escape, found))
        return re.sub(pattern, lambda each: self._placeholders[each.group()], text)

    def _without_escaped(self, text: str) -> str:
        """A text without secrets of which some characters are escaped, and others are not.

        A text is left out if it holds the secret again each time that its escapes are undone.
        """
        found: list[str] = []
        for _ in range(max(2, min(_MOST_ROUNDS, _MOST_READ // (len(text) + 1)))):
            text, found = self._with_escapes_undone(text)
            if not found:
                return text
        return self._bare[found[0]]

    def _with_escapes_undone(self, text: str) -> tuple[str, list[str]]:
        """A text without the escaped secrets that a pattern finds.

        If some are escaped in a way that no pattern has, the text is given without escapes, and
        they are named.
        """
        for plain in _readings(text):
            open_text = _PLACEHOLDER.sub("\0", plain)
            found = sorted((one for one in self._bare if one in open_text), key=len, reverse=True)
            for secret in found:
                made = self._bare[secret] in self._learned
                if len(secret) > (_SHORT_PATTERN if made else _LONGEST_PATTERN):
                    continue
                if secret not in self._patterns:
                    self._patterns[secret] = _any_forms(secret)
                replaced = partial(self._patterns[secret].sub, self._bare[secret])
                text = _between(text, replaced)
            rest = _PLACEHOLDER.sub("\0", text)
            if found and any(secret in each for each in _readings(rest) for secret in found):
                for secret in found:
                    shown = partial(re.sub, re.escape(secret), self._bare[secret])
                    plain = _between(plain, shown)
                return plain, found
        return text, []

    def _without_halves(self, text: str) -> str:
        """A long text without the part of a secret at which it was cut, at its end or beginning."""
        ends, begins = [(0, "")], [(0, "")]
        head, tail = text[: self._longest], text[-self._longest :]
        for form, placeholder in self._placeholders.items():
            if form[:_PART] in tail:
                cut = next((n for n in _halves(form) if text.endswith(form[:n])), 0)
                ends.append((cut, placeholder))
            if form[-_PART:] in head:
                cut = next((n for n in _halves(form) if text.startswith(form[-n:])), 0)
                begins.append((cut, placeholder))
        widest = _WIDEST * max(map(len, self._bare), default=0)
        last, first = list(_readings(text[-widest:])), list(_readings(text[:widest]))
        for secret, placeholder in self._bare.items():
            if any(secret[:_PART] in plain for plain in last):
                ends.append((_escaped_half_at_end(text, secret), placeholder))
            if any(secret[-_PART:] in plain for plain in first):
                begins.append((_escaped_half_at_beginning(text, secret), placeholder))
        end, behind = max(ends, key=itemgetter(0))
        begin, before = max(begins, key=itemgetter(0))
        return f"{before}{text[begin : len(text) - end]}{behind}"


def _between(text: str, change: Callable[[str], str]) -> str:
    """A text of which all but the placeholders is changed: "secret" may be a secret, too."""
    pieces = _PLACEHOLDER.split(text)
    pieces[::2] = map(change, pieces[::2])
    return "".join(pieces)


def _halves(form: str) -> range:
    """How much of a secret may be left at a cut: all but a character, down to too little."""
    return range(len(form) - 1, _PART - 1, -1)


def _escaped_half_at_end(text: str, secret: str) -> int:
    """How many characters of a text's end are the beginning of a secret, some of it escaped, and
    perhaps one in half.
    """
    tail = text[-_WIDEST * len(secret) :]
    if count := max(_at_end(plain, secret) for plain in _readings(tail)):
        rest = _REST if count <= _SHORT_PATTERN else "(?s:.*)"
        half = "".join(map(_any_form, secret[: min(count, _SHORT_PATTERN)])) + rest + r"\Z"
        if found := re.search(half, tail):
            return len(found.group())
    return 0


def _escaped_half_at_beginning(text: str, secret: str) -> int:
    """How many characters of a text's beginning are the end of a secret in the same way."""
    head = text[: _WIDEST * len(secret)]
    if count := max(_at_end(plain[::-1], secret[::-1]) for plain in _readings(head)):
        rest = _REST if count <= _SHORT_PATTERN else "(?s:.*)"
        half = rest + "".join(map(_any_form, secret[-min(count, _SHORT_PATTERN) :]))
        if found := re.match(half, head):
            return found.end()
    return 0


def _at_end(text: str, secret: str) -> int:
    """How many characters of a secret's beginning are at the end of a text; 0 for too few.

    What is left of an escape that was cut may follow.
    """
    place = text.find(secret[:_PART])
    while place >= 0:
        pairs = zip(text[place:], secret, strict=False)
        count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if re.fullmatch(_REST, text[place + count :]):
            return count
        place = text.find(secret[:_PART], place + 1)
    return 0


def _readings(text: str) -> Iterator[str]:
    """What is read of a text by someone who undoes its escapes, of one kind or of all, level by
    level, and of the text itself. A run of backslashes is one.
    """
    yield _BACKSLASHES.sub(r"\\", text)
    kinds = [escape for sign, escape in _ESCAPES if sign in text]
    for escape in (*kinds, *([_ANY] if len(kinds) > 1 else [])):
        plain = text
        for _ in range(_DEEPEST):
            before, plain = plain, escape.sub(_unescaped, plain)
            if plain == before:
                break
            if _SURROGATE.search(plain):  # two of them are one character
                plain = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            yield _BACKSLASHES.sub(r"\\", plain)


def _unescaped(found: re.Match[str]) -> str:
    """The character of an escape, and of several that are the bytes of one."""
    text = found.group()
    if text[0] == "%":
        return unquote_to_bytes(text).decode("utf-8", "replace")
    if text[0] == "&":
        return html.unescape(text)
    own = text.lstrip("\\")
    if not own:
        return "\\"
    return chr(int(own[1:], 16)) if own[0] in "ux" else own


def _any_forms(secret: str) -> re.Pattern[str]:
    """A pattern of a secret, each character in any form. It begins at no backslash but the first of
    a run: a million would be tried one by one.
    """
    return re.compile(r"(?!(?<=\\)\\)" + "".join(map(_any_form, secret)))


def _any_form(character: str) -> str:
    """A pattern of one character of a secret, in each way in which it may be escaped."""
    code = ord(character)
    forms = [re.escape(character)]
    if character in "/\"'":
        forms = [rf"(?:{_RUN})?{re.escape(character)}"]
    if character == "\\":
        forms = [r"\\(?:u(?i:005c)|x(?i:5c))?"]  # not \\+: a run would be read in too many ways
    elif code < 0x10000:
        forms.append(rf"{_RUN}u(?i:{code:04x})")
    else:
        high, low = divmod(code - 0x10000, 0x400)
        forms.append(rf"{_RUN}u(?i:{0xD800 + high:04x}){_RUN}u(?i:{0xDC00 + low:04x})")
    if code < 0x100 and character != "\\":
        forms.append(rf"{_RUN}x(?i:{code:02x})")
    octets = character.encode("utf-8", "surrogatepass")
    forms.append("(?i:" + "".join(f"%(?:25)*{octet:02x}" for octet in octets) + ")")
    names = [str(code), f"(?i:x0*{code:x})"]
    forms += [rf"&(?:amp;)*\#0*{name};" for name in names]
    forms += [rf"&(?:amp;)*{name}" for name in _entities(character)]
    return f"(?:{'|'.join(forms)})" + ("{1,64}" if character == "\\" else "")


def _entities(character: str) -> list[str]:
    """The names that HTML has for a character, with their semicolons."""
    if not _ENTITIES:
        for name, meant in html5.items():
            if name.endswith(";"):
                _ENTITIES.setdefault(meant, []).append(name)
    return _ENTITIES.get(character, [])


def _written(secret: str) -> Iterator[str]:
    """How a secret with quotes, accents or spaces is written inside JSON text, in an address and
    in HTML; and in hexadecimal.
    """
    yield from (json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (False, True))
    as_bytes = secret.encode("utf-8", "surrogatepass")  # variables need not hold UTF-8
    quoted = quote(as_bytes, safe="")
    yield from (quoted, re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), quoted))
    yield quote_plus(as_bytes)
    yield html.escape(secret)
    yield from (as_bytes.hex(), as_bytes.hex().upper())


def _coded(secret: str) -> Iterator[str]:
    """How a secret is written inside base64, wherever in the encoded text it begins.

    Three bytes make four signs, so that there are three ways; signs that also hold bits of what
    stands before or behind are left out.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        first, last = -(-8 * before // 6), 8 * (before + len(raw)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            core = encode(b"\0" * before + raw).decode("ascii")[first:last]
            if len(core) >= _SHORTEST:
                yield core
