"""The forms of fields in a file, if they differ from the fields themselves.

The annotation of a dataclass's field holds the form. pydantic finds it there, so that one
description serves for writing and reading. pydantic is imported only when it is needed.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from conformance.formats.text.json_text import MOST_MARKS, has_at_most

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import SchemaValidator

T = TypeVar("T")
Redact = Callable[[str], str]

LONG = 16 * 1024
"""The length in bytes from which a body, or values as JSON, are compressed."""

_SHORTEST = 6
"""The shortest secret, in characters. Most numbers are shorter."""

_LONGEST_TIME = 1e9
"""The most seconds of a time: thirty years. No sum of such times is infinite."""

_HEAD = 200
"""The most characters of a refusal's text that are kept: enough to recognize it."""

LONGEST_BODY = 32 * 1024 * 1024
"""The most bytes that decompression may give. Every answer is shorter."""


@dataclass(frozen=True, slots=True)
class Writing:
    """The rules for writing one file. Values may be removed or replaced, never added.

    `redact` replaces secrets in every foreign text; None means that there are none. A text longer
    than `longest` is replaced by its head, its length and its hash. With `careful`, values that are
    nested too deeply are left out. Finding them takes time.
    """

    redact: Redact | None = None
    longest: int | None = None
    language: str = "en"
    careful: bool = False

    def clean(self, text: str) -> str:
        """Return the text with secrets replaced."""
        return text if self.redact is None else self.redact(text)

    def text(self, text: str) -> str:
        """Return the text with secrets replaced, shortened to `longest`."""
        clean = self.clean(text)
        if self.longest is None or len(clean) <= self.longest:
            return clean
        digest = sha256(clean.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{clean[: self.longest]}… (+{len(clean) - self.longest}, sha256 {digest})"

    def value(self, value: Any) -> Any:
        """Return a JSON value with secrets replaced in its texts."""
        clean = value if self.redact is None else mapped(value, self.redact)
        if self.careful:
            json.dumps(clean)
        return clean


def unchanged(text: str) -> str:
    """Return the text itself: the redaction if there are no secrets."""
    return text


def mapped(value: Any, redact: Redact) -> Any:
    """Return a JSON value with `redact` applied to every text in it, keys too, at any depth.

    A number that holds a secret becomes a text.
    """

    def clean(part: Any) -> Any:
        if isinstance(part, str):
            return redact(part)
        text = json.dumps(part)
        if isinstance(part, bool) or len(text) < _SHORTEST:
            return part
        return part if (safe := redact(text)) == text else safe

    return _changed(value, (str, int, float), clean)


def _changed(value: Any, kind: type | tuple[type, ...], change: Callable[[Any], Any]) -> Any:
    """Return a JSON value with `change` applied to every part of a type, and to names if they are
    of it.
    """
    whole: list[Any] = [None]
    left: list[tuple[Any, Any, Any]] = [(value, whole, 0)]
    while left:
        one, holder, place = left.pop()
        made: Any = one
        if isinstance(one, kind):
            made = change(one)
        elif isinstance(one, dict):
            names = [change(name) if isinstance(name, kind) else name for name in one]
            made = dict.fromkeys(names)
            pairs = list(zip(names, one.values(), strict=True))
            left += [(item, made, name) for name, item in reversed(pairs)]
        elif isinstance(one, (list, tuple, frozenset)):
            made = [None] * len(one)
            left += [(item, made, number) for number, item in enumerate(one)]
        holder[place] = made
    return whole[0]


_NO_JSON = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""Numbers that a target may send but strict JSON cannot express."""
_FLOATS = "floats"
"""The member that holds the prefix of the texts that represent such numbers."""


def strict_json(value: dict[str, Any]) -> str:
    """Return a JSON object as ASCII that every JSON parser can read. `from_strict` reverses it.

    Texts such as `float:NaN` stand for numbers that JSON cannot express. If the object already has
    such a text, the prefix gets a hash.
    """
    try:
        return _dumped(value, allow_nan=False)
    except ValueError:
        text = _dumped(value)
    digest = sha256(text.encode("ascii")).hexdigest()
    prefix = "float:" if "float:" not in text else f"float-{digest}:"
    told = partial(_told, prefix)
    return _dumped({_FLOATS: prefix, **_changed(value, float, told)}, allow_nan=False)


def strict_parts(value: dict[str, Any]) -> Iterator[str]:
    """Yield the same in parts, so that a value with thousands of tools is never one long text."""
    try:
        for _ in _parts(value, allow_nan=False):
            pass
    except ValueError:
        digest, taken = sha256(), False
        for part in _parts(value, allow_nan=True):
            digest.update(part.encode("ascii"))
            taken = taken or "float:" in part
        prefix = f"float-{digest.hexdigest()}:" if taken else "float:"
        value = {_FLOATS: prefix, **_changed(value, float, partial(_told, prefix))}
    yield from _parts(value, allow_nan=False)


def _told(prefix: str, number: float) -> float | str:
    return number if math.isfinite(number) else prefix + json.dumps(number)


def _parts(value: Any, *, allow_nan: bool, depth: int = 6) -> Iterator[str]:
    """Yield a value as JSON: one part for each item of its outer lists and objects."""
    if not depth or not isinstance(value, dict | list | tuple):
        yield _dumped(value, allow_nan=allow_nan)
        return
    begins, ends = "{}" if isinstance(value, dict) else "[]"
    for each in value:
        inner = value[each] if isinstance(value, dict) else each
        yield begins + _dumped({each: 0})[1:-2] if isinstance(value, dict) else begins
        yield from _parts(inner, allow_nan=allow_nan, depth=depth - 1)
        begins = ","
    yield ends if value else f"{begins}{ends}"


def from_strict(value: Any) -> Any:
    """Return what `strict_json` wrote, decoded, with its numbers restored."""
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

    A `deep` field may be nested deeper than pydantic can walk. Its value is taken as it is, and
    only a dump in Python mode has it.
    """

    write: Callable[[Any, Writing], Any]
    read: Callable[[Any], Any]
    deep: bool = False

    def _safely_read(self, data: Any) -> Any:
        """Return what `read` returns; a file from a stranger may hold anything here."""
        try:
            return self.read(data)
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError) as error:
            raise ValueError(f"another form belongs here ({type(error).__name__})") from error

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> Any:
        """Return what pydantic asks of an annotation."""
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
    """Return the cached object that writes and reads values of a type."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - see the module's docstring

    if of not in _MADE:
        _MADE[of] = TypeAdapter(of)
        _MADE[of].validator = ending(_MADE[of])
    return _MADE[of]


def ending(model: TypeAdapter[Any]) -> SchemaValidator:
    """Return a model's reader, in which each list and map ends at its first wrong item.

    All faults of a million items would fill the memory.
    """
    from pydantic_core import SchemaValidator  # noqa: PLC0415 - see the module's docstring

    return SchemaValidator(_ending(model.core_schema), _use_prebuilt=False)


def _ending(schema: Any) -> Any:
    if isinstance(schema, list | tuple):
        return type(schema)(map(_ending, schema))
    if not isinstance(schema, dict):
        return schema
    ends = {"fail_fast": True} if schema.get("type") in ("list", "dict", "tuple") else {}
    return {**{name: _ending(part) for name, part in schema.items()}, **ends}


def _read_text(text: Any) -> str:
    if not isinstance(text, str):
        raise ValueError("a text belongs here")  # noqa: TRY004 - pydantic names the place of these
    return text


def _read_seconds(seconds: Any) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ValueError("a number belongs here")  # noqa: TRY004 - see above
    if not abs(seconds) <= _LONGEST_TIME:  # also of no number
        raise ValueError("a time of a session belongs here")
    return float(seconds)


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
    """Write values as a JSON list, or with `strict_json` if JSON cannot express some numbers."""
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
    """Return the same bytes. Raises `ValueError` if they are JSON with too many values for an
    answer.
    """
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
"""A text from the target or from the command line, which may contain a secret."""

Seconds = Annotated[float, Form(lambda seconds, _: seconds, _read_seconds)]
"""A time in seconds. A stranger's file may have any number here."""

Head = Annotated[str, Form(lambda text, writing: writing.clean(text)[:_HEAD], _read_text)]
"""The beginning of such a text."""

Value = Annotated[Any, Form(_write_value, lambda value: value, deep=True)]
"""A JSON value that may contain a secret. It becomes None if it is nested too deeply to write."""

Values = Annotated[tuple[Any, ...], Form(_write_values, _read_values, deep=True)]
"""JSON values that the body holds as well.

They are read as None if they are too long, or one is nested too deeply.
"""

Body = Annotated[bytes, Form(_write_body, _read_body)]
"""All bytes: as text if they are UTF-8, else in base64. Long ones are compressed."""
