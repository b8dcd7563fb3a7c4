"""The forms that fields take in a file, where they are not written as they are.

The annotation of a dataclass's field holds the form. pydantic finds it there, and so one
description serves to write and to read. Nothing here imports pydantic before it is needed.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from conformance.formats.text.json_text import MOST_MARKS, has_at_most

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
Redact = Callable[[str], str]

LONG = 16 * 1024
"""Bytes of a body, or of values as JSON, from which on they are compressed."""

_HEAD = 200
"""Characters of a refusal's words: enough to know it again."""

LONGEST_BODY = 32 * 1024 * 1024
"""Bytes read of what was compressed: no answer is as long as this."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What holds for one file. Values in it are taken out and replaced, never added.

    `redact` replaces secrets in every text from outside; None: there are none. A longer text than
    `longest` keeps its head, its length and its hash. With `careful`, values nested too deeply to
    be written are left out: trying takes time.
    """

    redact: Redact | None = None
    longest: int | None = None
    language: str = "en"
    careful: bool = False

    def clean(self, text: str) -> str:
        """A text without secrets."""
        return text if self.redact is None else self.redact(text)

    def text(self, text: str) -> str:
        """A text without secrets, and not too long."""
        clean = self.clean(text)
        if self.longest is None or len(clean) <= self.longest:
            return clean
        digest = sha256(clean.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{clean[: self.longest]}… (+{len(clean) - self.longest}, sha256 {digest})"

    def value(self, value: Any) -> Any:
        """A JSON value whose texts hold no secrets."""
        clean = value if self.redact is None else mapped(value, self.redact)
        if self.careful:
            json.dumps(clean)
        return clean


def unchanged(text: str) -> str:
    """Give the text itself: the redaction where there is no secret."""
    return text


def mapped(value: Any, redact: Redact) -> Any:
    """A JSON value with `redact` applied to every text in it, keys too, however deep it is."""
    return _changed(value, str, redact)


def _changed(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """A JSON value with `change` applied to everything in it that is of a kind."""
    whole: list[Any] = [None]
    left: list[tuple[Any, Any, Any]] = [(value, whole, 0)]
    while left:
        one, holder, place = left.pop()
        made: Any = one
        if isinstance(one, kind):
            made = change(one)
        elif isinstance(one, dict):
            names = [change(name) if kind is str else name for name in one]
            made = dict.fromkeys(names)
            pairs = list(zip(names, one.values(), strict=True))
            left += [(item, made, name) for name, item in reversed(pairs)]
        elif isinstance(one, (list, tuple, frozenset)):
            made = [None] * len(one)
            left += [(item, made, number) for number, item in enumerate(one)]
        holder[place] = made
    return whole[0]


_NO_JSON = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""Numbers that a target may say, for which strict JSON has no word."""
_FLOATS = "floats"
"""The member next to the texts that represent such numbers: what these texts begin with."""


def strict_json(value: dict[str, Any]) -> str:
    """A JSON object as ASCII that every JSON reader can read; `from_strict` undoes it.

    Texts such as `float:NaN` stand for the numbers that JSON has no word for. No other text has
    their beginning: where one has it, a hash becomes part of it.
    """
    try:
        return _dumped(value, allow_nan=False)
    except ValueError:
        text = _dumped(value)
    digest = sha256(text.encode("ascii")).hexdigest()
    prefix = "float:" if "float:" not in text else f"float-{digest}:"

    def told(number: float) -> float | str:
        return number if math.isfinite(number) else prefix + json.dumps(number)

    return _dumped({_FLOATS: prefix, **_changed(value, float, told)}, allow_nan=False)


def from_strict(value: Any) -> Any:
    """What `strict_json` wrote, decoded, with its numbers again."""
    if not isinstance(value, dict) or not isinstance(value.get(_FLOATS), str):
        return value
    prefix = value[_FLOATS]
    numbers = {prefix + word: number for word, number in _NO_JSON.items()}
    own = {name: each for name, each in value.items() if name != _FLOATS}
    return _changed(own, str, lambda text: numbers.get(text, text))


def _dumped(value: Any, *, allow_nan: bool = True) -> str:
    return json.dumps(value, separators=(",", ":"), default=sorted, allow_nan=allow_nan)


@dataclass(frozen=True, slots=True)
class Form:
    """How a field is written, given the file's `Writing`, and how it is read.

    What is `deep` when it is written may be nested deeper than pydantic walks: it is taken as it
    is, and only Python's form of a dump has it.
    """

    write: Callable[[Any, Writing], Any]
    read: Callable[[Any], Any]
    deep: bool = False

    def _safely_read(self, data: Any) -> Any:
        """What `read` gives; a file that a stranger sends may hold anything in its place."""
        try:
            return self.read(data)
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError) as error:
            raise ValueError(f"another form belongs here ({type(error).__name__})") from error

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> Any:
        """What pydantic asks of an annotation."""
        from pydantic_core import core_schema as make  # noqa: PLC0415 - see the module's docstring

        as_it_is = make.to_string_ser_schema(when_used="json")
        return make.no_info_plain_validator_function(
            self._safely_read,
            serialization=make.plain_serializer_function_ser_schema(
                lambda value, info: self.write(value, info.context),
                info_arg=True,
                return_schema=make.any_schema(serialization=as_it_is if self.deep else None),
            ),
        )


_MADE: dict[Any, TypeAdapter[Any]] = {}


def codec(of: type[T]) -> TypeAdapter[T]:
    """What writes and reads values of a type; made when it is first asked for."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - see the module's docstring

    if of not in _MADE:
        _MADE[of] = TypeAdapter(of)
    return _MADE[of]


def _read_text(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError("a text belongs here")  # noqa: TRY004 - pydantic names the place of these
    return text


def _write_value(value: Any, writing: Writing) -> Any:
    try:
        return writing.value(value)
    except RecursionError:
        if writing.careful:
            return None
        raise


def _write_values(values: tuple[Any, ...], writing: Writing) -> Any:
    try:
        clean = writing.value(values)
        packed = _packed(clean).encode("ascii")
    except RecursionError:
        return None
    if len(packed) > LONGEST_BODY:
        return None  # it could not be read back
    return clean if len(packed) <= LONG else {"deflate": _deflated(packed)}


def _packed(values: Any) -> str:
    """Values as JSON: a list; where some are numbers that JSON has no word for, `strict_json`."""
    try:
        return json.dumps(values, allow_nan=False)
    except ValueError:
        return strict_json({"values": values})


def _read_values(data: Any) -> tuple[Any, ...] | None:
    if data is None:
        return None
    if isinstance(data, list):
        return tuple(data)
    packed = json.loads(_bounded(_inflated(data["deflate"])))
    return tuple(from_strict(packed)["values"] if isinstance(packed, dict) else packed)


def _write_body(body: bytes, writing: Writing) -> Any:
    try:
        text, form = body.decode("utf-8"), "text"
    except UnicodeDecodeError:
        text, form = body.decode("latin-1"), "base64"
    clean = writing.clean(text)
    if clean is not text:
        body = clean.encode("utf-8") if form == "text" else clean.encode("latin-1", "replace")
    if len(body) > LONG:
        return {"deflate": _deflated(body)}
    return {form: clean if form == "text" else base64.b64encode(body).decode("ascii")}


def _read_body(data: Any) -> bytes:
    if "text" in data:
        text: str = data["text"]
        return text.encode("utf-8", "surrogatepass")
    if "deflate" in data:
        return _bounded(_inflated(data["deflate"]))
    return base64.b64decode(data["base64"], validate=True)


def _bounded(raw: bytes) -> bytes:
    """The same bytes; raises ValueError if they are JSON of more values than an answer may have."""
    if not has_at_most(MOST_MARKS, raw):
        raise ValueError(f"more than {MOST_MARKS} values")
    return raw


def _deflated(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 1)).decode("ascii")


def _inflated(text: str) -> bytes:
    inflating = zlib.decompressobj()
    try:
        raw = inflating.decompress(base64.b64decode(text, validate=True), LONGEST_BODY)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not inflating.eof:
        raise ValueError(f"more than {LONGEST_BODY} bytes, or not all of them")
    return raw


Foreign = Annotated[str, Form(lambda text, writing: writing.text(text), _read_text)]
"""A text that came from the target or from the command line: it may hold a secret."""

Head = Annotated[str, Form(lambda text, writing: writing.clean(text)[:_HEAD], _read_text)]
"""The head of such a text."""

Value = Annotated[Any, Form(_write_value, lambda value: value, deep=True)]
"""A JSON value that may hold one. None in place of one that is nested too deeply to be written."""

Values = Annotated[tuple[Any, ...], Form(_write_values, _read_values, deep=True)]
"""JSON values that the body holds as well.

None is read where one is nested too deeply, or where they are too long.
"""

Body = Annotated[bytes, Form(_write_body, _read_body)]
"""Bytes, whole: as text where they are UTF-8, else in base64; long ones compressed."""
