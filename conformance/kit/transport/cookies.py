"""The cookies of a target: those that can be sent back, and only so many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from typing import Any

from conformance.kit.config.given_secrets import LONGEST_COOKIE, MOST_COOKIES, in_cookies

_LEARN: list[Callable[[Iterable[tuple[str, str]], str], None]] = []


def learned_by(learn: Callable[[Iterable[tuple[str, str]], str], None]) -> None:
    """Set the function that gets the secrets among the cookies of each answer, and their host.

    No record has all answers: one that leads elsewhere or asks to come back later sets cookies too.
    """
    _LEARN[:] = [learn]


def cookies() -> CookieJar:
    """Return a jar for cookies that can be sent back: only ASCII, as RFC 6265 requires."""
    return _Jar(_Ascii())


class _Jar(CookieJar):
    """Keeps only as many cookies as clients must accept. The oldest ones make room."""

    def make_cookies(self, response: Any, request: Any) -> Sequence[Cookie]:
        """Return the cookies of an answer; none if they are more or longer than clients must
        accept.

        A year of thousands of digits would cause a warning with a traceback.
        """
        said = response.info().get_all("Set-Cookie", ())
        for learn in _LEARN:
            learn(in_cookies(("set-cookie", each) for each in said), request.host)
        if len(said) > MOST_COOKIES or any(len(each) > LONGEST_COOKIE for each in said):
            return []
        return super().make_cookies(response, request)

    def set_cookie(self, cookie: Cookie) -> None:
        """Keep a cookie."""
        super().set_cookie(cookie)
        if len(self) > MOST_COOKIES:
            oldest = next(iter(self))
            self.clear(oldest.domain, oldest.path, oldest.name)


class _Ascii(DefaultCookiePolicy):
    def set_ok(self, cookie: Cookie, request: Any) -> bool:
        return f"{cookie.name}{cookie.value}".isascii() and super().set_ok(cookie, request)
