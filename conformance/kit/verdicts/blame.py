"""Finds the parameters that a refusal without an envelope blames. A bare word is not enough.

A refusal blames a parameter in one of two ways. A member of its errors names the place: `loc`,
`path`, `instancePath`, or a key with the parameter's name. Or its text has the name in quotes, at
the start of a line, or after a word such as "parameter".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.formats.text.json_text import read_json
from conformance.kit.evidence.disguise import blames
from conformance.kit.evidence.response import Reading

_PLACES: Final = frozenset({
    "loc", "path", "instancepath", "pointer", "field", "param", "parameter", "property",
    "parametername", "parameter_name", "argument", "datapath",
})  # fmt: skip
"""Members of an error that name a place."""
_ECHOES: Final = frozenset({"input", "value", "received", "body", "args", "arguments", "ctx"})
"""Members of an error that repeat what was sent."""
_STEPS: Final = re.compile(r"[^./\[\]\s]+")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_ADVICE: Final = re.compile(
    r"\W{0,4}(?:(?:please|or|then|instead),? )?"
    r"(?:add|call|give|name|pass|provide|set|specify|supply|try|use)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says what to do."""
_READ: Final = 20_000


def blamed_parameters(schema: Mapping[str, Any], reading: Reading) -> tuple[str, ...]:
    """Return the declared parameters that a refusal blames, each once."""
    declared = schema.get("properties")
    names = tuple(declared) if isinstance(declared, Mapping) else ()
    text = reading.text[:_READ]
    document = _document(text)
    placed = tuple(dict.fromkeys(_placed(document, names)))
    if placed:
        return placed
    said = _said(text, document)
    return tuple(name for name in names if blames(name, said))


def only_advises(name: str, reading: Reading) -> bool:
    """Return whether a refusal first says what is wrong, and then only advises to give a parameter.

    "No board found. Pass `board`." is about a board, and not about the call without it.
    """
    text = reading.text[:_READ]
    first, *rest = _SENTENCE.split(_said(text, _document(text)).strip())
    naming = [sentence for sentence in rest if blames(name, sentence)]
    return bool(naming) and not blames(name, first) and all(map(_ADVICE.match, naming))


def _document(text: str) -> Any:
    held = read_json(text)
    return held.data if held.readable else None


def _said(text: str, document: Any) -> str:
    """Return the sentences of a refusal: of its JSON, if it is that."""
    return "\n".join(_sentences(document)) if isinstance(document, dict | list) else text


def _placed(document: Any, names: tuple[str, ...]) -> Iterator[str]:
    """Yield each parameter that a member of an error names as its place."""
    if isinstance(document, list):
        for inner in document:
            yield from _placed(inner, names)
    elif isinstance(document, dict):
        for member, value in document.items():
            if member.lower() in _PLACES:
                steps = value if isinstance(value, list) else _STEPS.findall(str(value))
                yield from (step for step in steps[:2] if step in names)
            elif member in names and _is_told(value):
                yield member
            elif member.lower() not in _ECHOES:
                yield from _placed(value, names)


def _is_told(value: Any) -> bool:
    """Return whether a member with a parameter's name holds sentences that say what is wrong."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _sentences(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, list):
        for inner in document:
            yield from _sentences(inner)
    elif isinstance(document, dict):
        for member, value in document.items():
            if member.lower() not in _ECHOES:
                yield from _sentences(value)
