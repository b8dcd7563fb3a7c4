"""Keeps secrets out of every file, the report and the terminal: each becomes a stable placeholder.

A server may repeat a secret in another form. docs/*/conformance/safety.md lists the known forms:
plain, escaped as in JSON, in addresses or in HTML, in hexadecimal, and in base64.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any

from conformance.kit.config.escapes import (
    SHORT_PATTERN,
    WIDEST,
    half_at_beginning,
    half_at_end,
    readings,
    with_one_backslash,
)
from conformance.kit.config.secret_forms import (
    PART,
    SHORTEST,
    any_form,
    any_forms,
    coded,
    in_small,
    made_of,
    texts_at,
    written,
)

# GIT_AUTHOR_NAME is not secret: a report without a common name in it would be unreadable.
_SECRET_NAME = re.compile(r"TOKEN|SECRET|KEY|PASSWORD|AUTH(?!OR(?!I))|COOKIE", re.IGNORECASE)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)
"""The scheme before the credentials in an Authorization header. Servers may drop it."""
_SCHEME_OF_URL = re.compile(r"\A[a-z][a-z0-9+.-]*:/{1,3}", re.IGNORECASE)
"""The start of an address, which is not secret: a report without `https://` would be unreadable."""
_MOST_LEARNED = 50
"""The most secrets made by a target that are kept."""
_MOST_WHOLES = 50
"""The most texts with secrets that are watched for at one place."""
_LONG = 150
"""The shortest text, in characters, that may have been cut without a sign of it."""
_CUT = "…"
"""What the kit writes where it cuts a text."""
_MOST_CUTS = 1000
"""The most of these signs in a text before which only the piece of a secret is taken out. Before
further ones, which a target wrote, all that begins like a secret is taken out.
"""
_MOST_ROUNDS, _MOST_READ = 8, 1_000_000
"""The most rounds of this for one text, and the most characters that all rounds read together. Two
rounds are always allowed.
"""
_KEPT = 8
"""The most texts without their secrets that are kept. A server may send one answer to all calls."""
_WORTH_KEEPING = range(2_000, 1_000_001)
"""The lengths, in characters, of these texts. Shorter ones are quick; longer ones take memory."""
_AROUND = " .:,;'\"`"
"""What the kit takes off a word that it quotes."""
_PLACEHOLDER = re.compile(r"(«secret-\d+»)")
_LONGEST_PATTERN = 4096
"""The longest secret, in characters, that gets a pattern: a longer pattern takes seconds."""


def tells(text: str, *secrets: str) -> bool:
    """Return whether a text contains one of these secrets, in any form that the kit knows.

    A short value, such as that of a variable for a test, tells nothing: ordinary words contain it.
    """
    whole = any(len(secret) >= SHORTEST and secret in text for secret in secrets)
    return whole or _finder(secrets)(text) != text


@lru_cache(maxsize=64)
def _finder(secrets: tuple[str, ...]) -> Redactor:
    return Redactor(secrets)


def is_secret_name(name: str) -> bool:
    """Return whether a header or variable of this name holds a secret."""
    return _SECRET_NAME.search(name) is not None


Forms = Mapping[str, str]
"""Forms of secrets, with their placeholders."""


class Redactor:
    """Replaces each known secret by «secret-1», «secret-2», … in the order given."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._placeholders: dict[str, str] = {}
        self._bare: dict[str, str] = {}
        self._known = 0
        self._watched: dict[str, dict[str, list[tuple[int, int]]]] = {}
        """The texts with secrets that were sent, by place, and where in them the secrets are."""
        self._learned: dict[str, tuple[str, str]] = {}
        """The maker and the name of each secret of a target, by placeholder, oldest first."""
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._longest = 0
        self._around: tuple[dict[str, str], dict[str, str]] | None = None
        self._parts: dict[tuple[bool, bool], list[str]] = {}
        """The forms by whether they are bare, and whether a target made their secrets."""
        self._kept = lru_cache(_KEPT)(self._without_secrets)
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Learn more secrets. Short secrets and known secrets are skipped.

        A program may write the lines of a secret with the ends that Windows has.
        """
        for secret in secrets:
            self._add(secret)
            if "\n" in secret and "\r" not in secret:
                self._add(secret.replace("\n", "\r\n"))

    def notice(self, sent: Any) -> None:
        """Learn the pieces of secrets in the arguments of a call.

        The kit cuts a valid value, changes the case of its letters, or adds a character again and
        again. What was sent whole is watched for at its place only: elsewhere, a word is a word.
        """
        for place, text in texts_at(sent) if self._placeholders else ():
            wholes = self._watched.setdefault(place, {})
            cuts = [(cut, spans) for each, spans in wholes.items() if (cut := made_of(each, text))]
            for (at, begin, end), spans in cuts:
                for start, stop in spans:
                    first, last = max(start, begin), max(min(stop, end), begin)
                    piece = text[at + first - begin : at + last - begin]
                    piece = _SCHEME_OF_URL.sub("", piece, count=1)
                    if len(piece) >= PART:
                        self._add(piece)
            few = len(wholes) < _MOST_WHOLES and len(text) <= _MOST_READ
            if not cuts and few and (spans := self._spans(text)):
                wholes[in_small(text)] = spans

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the secrets in a text begin and end, without those that a target made."""
        given = {*self._made(self._placeholders, False), *self._made(self._bare, False)}
        forms = [form for form in given if form in text]
        return [found.span() for form in forms for found in re.finditer(re.escape(form), text)]

    def learn(self, secrets: Iterable[tuple[str, str]], maker: str = "") -> None:
        """Learn the names and values of secrets that a target makes. Each answer may have new ones.

        Only some are kept, because each secret makes the search in every text slower.
        """
        for name, secret in secrets:
            if placeholder := self._add(secret):
                self._learned[placeholder] = maker, name
                self._renew()
            if len(self._learned) > _MOST_LEARNED:
                self._forget(self._least_needed())

    def _renew(self) -> None:
        self._parts.clear()
        self._kept.cache_clear()
        self._around = None

    def _least_needed(self) -> str:
        """Return the oldest learned secret whose name has a newer value, or else the oldest of the
        maker with the most: a load balancer may set a new cookie with every answer.
        """
        names = Counter(self._learned.values())
        if max(names.values()) > 1:
            return next(each for each, name in self._learned.items() if names[name] > 1)
        makers = Counter(maker for maker, _ in self._learned.values())
        most = max(makers.values())
        return next(each for each, (by, _) in self._learned.items() if makers[by] == most)

    def _forget(self, gone: str) -> None:
        del self._learned[gone]
        for known in (self._placeholders, self._bare):
            for form in [form for form, each in known.items() if each == gone]:
                del known[form]
                self._patterns.pop(form, None)
        self._renew()

    def _add(self, secret: str) -> str:
        """Return the placeholder of a new secret; empty if the secret is short or known."""
        scheme = _SCHEME.match(secret)
        bare = secret[scheme.end() :] if scheme else secret
        if len(bare.strip()) < SHORTEST or bare in self._placeholders:
            return ""
        self._known += 1
        placeholder = f"«secret-{self._known}»"
        core = with_one_backslash(bare.strip())
        # The kit quotes a text on one line, without the full stop or the quotes around it.
        quoted = (" ".join(core.split()), core.strip(_AROUND))
        for form in (core, core.replace(" ", "+"), *quoted):  # `+` is the blank in a form of HTML
            if len(form) >= SHORTEST:
                self._bare.setdefault(form, placeholder)
        in_base64 = list(coded(bare))
        for form in (secret, bare, bare.strip(), *quoted, *written(bare), *in_base64):
            if len(form) < SHORTEST:
                continue
            self._placeholders.setdefault(form, placeholder)
            self._longest = max(self._longest, len(form))
        # `+` and `/` are escaped in the JSON of .NET and PHP, and in addresses.
        for form in in_base64:
            if not form.isalnum():
                self._bare.setdefault(form, placeholder)
        self._renew()
        return placeholder

    @property
    def knows_any(self) -> bool:
        """Whether there is anything to replace."""
        return bool(self._placeholders)

    def __call__(self, text: str) -> str:
        """Return `text` without the secrets."""
        if not self._placeholders:
            return text
        return (self._kept if len(text) in _WORTH_KEEPING else self._without_secrets)(text)

    def _without_secrets(self, text: str) -> str:
        may_be_cut = len(text) >= _LONG  # before whole secrets are replaced, and it gets shorter
        # First what was given: a target may make a secret that ends with the start of another one.
        for made in (False, True) if self._learned else (False,):
            text = _between(text, partial(self._without_plain, made))
            text = self._without_escaped(text, made)
            if may_be_cut or _CUT in text:
                text = self._without_cut(text, made, may_be_cut)
        return text

    def _without_cut(self, text: str, made: bool, may_be_cut: bool) -> str:
        """Return a text without the pieces that a cut left of secrets: of those that were given,
        or with `made` of all.
        """
        plain, bare = self._placeholders, self._bare
        if self._learned and not made:
            plain = {form: plain[form] for form in self._made(plain, False)}
            bare = {form: bare[form] for form in self._made(bare, False)}
        if _CUT in text:
            text = self._without_cut_ends(text, plain, bare)
        return self._without_halves(text, plain, bare) if may_be_cut else text

    def _rests(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return what follows and what precedes a secret within a longer one that was given.

        The placeholder of the shorter one is in it: that one is replaced first, also if the longer
        one was cut.
        """
        if self._around is None:
            after: dict[str, str] = {}
            before: dict[str, str] = {}
            given = self._made(self._bare, False)
            for whole in given:
                for part in [each for each in given if each in whole and each != whole]:
                    head, _, tail = whole.partition(part)
                    inner = self._bare[part]
                    for rest in (inner + tail, head + inner + tail):
                        after[rest] = self._bare[whole]
                    for rest in (head + inner, head + inner + tail):
                        before[rest] = self._bare[whole]
            self._around = after, before
        return self._around

    def _made(self, forms: Mapping[str, str], made: bool) -> list[str]:
        """Return the forms of the secrets that a target made, or of the others.

        A secret that a target made around another one, such as a session of a user, is with those.
        """
        key = forms is self._bare, made
        if key not in self._parts:
            given = [form for form, known in forms.items() if known not in self._learned]
            others = (form for form, known in forms.items() if known in self._learned)
            around = [form for form in others if any(each in form for each in given)]
            first = {*given, *around}
            self._parts[key] = [form for form in forms if (form not in first) is made]
        return self._parts[key]

    def _without_plain(self, made: bool, text: str) -> str:
        """Return a text without the secrets that are plain or in a form prepared in advance."""
        # Most texts have no secret. A search for each form is much quicker than a pattern of all.
        found = [form for form in self._made(self._placeholders, made) if form in text]
        if not found:
            return text
        found.sort(key=len, reverse=True)
        pattern = "|".join(map(re.escape, found))
        return re.sub(pattern, lambda each: self._placeholders[each.group()], text)

    def _without_escaped(self, text: str, made: bool) -> str:
        """Return a text without secrets in which some characters are escaped and others are not.

        If every round finds a secret again, return its placeholder in place of the whole text.
        """
        found: list[str] = []
        bare = self._made(self._bare, made)
        if not bare:
            return text
        for _ in range(max(2, min(_MOST_ROUNDS, _MOST_READ // (len(text) + 1)))):
            text, found = self._with_escapes_undone(text, bare)
            if not found:
                return text
        return self._bare[found[0]]

    def _with_escapes_undone(self, text: str, bare: list[str]) -> tuple[str, list[str]]:
        """Return a text without the escaped secrets that a pattern finds.

        If no pattern fits some escaped secrets, return the text with its escapes undone, and name
        them.
        """
        for plain in readings(text):
            open_text = _PLACEHOLDER.sub("\0", plain)
            found = sorted((one for one in bare if one in open_text), key=len, reverse=True)
            for secret in found:
                is_made = self._bare[secret] in self._learned
                if len(secret) > (SHORT_PATTERN if is_made else _LONGEST_PATTERN):
                    continue
                if secret not in self._patterns:
                    self._patterns[secret] = any_forms(secret)
                replaced = partial(self._patterns[secret].sub, self._bare[secret])
                text = _between(text, replaced)
            rest = _PLACEHOLDER.sub("\0", text)
            if found and any(secret in each for each in readings(rest) for secret in found):
                for secret in found:
                    shown = partial(re.sub, re.escape(secret), self._bare[secret])
                    plain = _between(plain, shown)
                return plain, found
        return text, []

    def _without_cut_ends(self, text: str, forms: Forms, secrets: Forms) -> str:
        """Return a text without the piece of a secret that is left before each sign of a cut.

        A sentence quotes several texts, and each of them may have been cut.
        """
        *cut, rest = text.split(_CUT)
        longest = max(self._longest, WIDEST * max(map(len, secrets), default=0))
        tails = "\0".join(each[-longest:] for each in cut)
        plain = list(readings(tails))
        after, _ = self._rests()
        known = {**forms, **after}
        found = {each: known[each] for each in known if each[:PART] in tails}
        bare = [each for each in secrets if any(each[:PART] in one for one in plain)]
        if not found and not bare:
            return text
        few, many = cut[:_MOST_CUTS], cut[_MOST_CUTS:]
        begun = {re.escape(each[:PART]) for each in found if each not in after}
        begun |= {"".join(map(any_form, each[:PART])) for each in bare}
        behind = re.compile(f"(?:{'|'.join(sorted(begun))})(?s:.*)")
        return _CUT.join(
            (
                *(self._without_end(each, found, bare) for each in few),
                *(behind.sub("", each) for each in many),
                rest,
            )
        )

    def _without_halves(self, text: str, forms: Forms, secrets: Forms) -> str:
        """Return a cut text without the piece of a secret that is left at its end or start."""
        after, before = self._rests()
        text = self._without_end(text, {**forms, **after}, secrets)
        begins = [(0, "")]
        head = text[: self._longest]
        for form, placeholder in {**forms, **before}.items():
            if form[-PART:] in head:
                cut = next((n for n in _halves(form) if text.startswith(form[-n:])), 0)
                begins.append((cut, placeholder))
        first = list(readings(text[: WIDEST * max(map(len, secrets), default=0)]))
        for secret, placeholder in secrets.items():
            if any(secret[-PART:] in plain for plain in first):
                begins.append((half_at_beginning(text, secret), placeholder))
        begin, shown = max(begins, key=itemgetter(0))
        return shown + text[begin:]

    def _without_end(self, text: str, forms: Forms, bare: Iterable[str]) -> str:
        """Return a text without the piece of one of these secrets that is left at its end."""
        ends = [(0, "")]
        tail = text[-self._longest :]
        for form in forms:
            if form[:PART] in tail:
                cut = next((n for n in _halves(form) if text.endswith(form[:n])), 0)
                ends.append((cut, forms[form]))
        last = list(readings(text[-WIDEST * max(map(len, self._bare), default=0) :]))
        for secret in bare:
            if any(secret[:PART] in plain for plain in last):
                ends.append((half_at_end(text, secret), self._bare[secret]))
        end, behind = max(ends, key=itemgetter(0))
        return text[: len(text) - end] + behind


def _between(text: str, change: Callable[[str], str]) -> str:
    """Apply `change` to a text, except to the placeholders: "secret" may itself be a secret."""
    pieces = _PLACEHOLDER.split(text)
    pieces[::2] = map(change, pieces[::2])
    return "".join(pieces)


def _halves(form: str) -> range:
    """Return the lengths that a piece of a secret may have after a cut, longest first."""
    inner = sum(map(len, _PLACEHOLDER.findall(form)))
    return range(len(form) - (not inner), inner + PART - 1, -1)
