"""What the kit sends for each keyword of JSON Schema, and which clause checks the answer.

The table has what the planner returns for a small schema with the keyword, except what it returns
for the same schema without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from conformance.formats.tool.tool import Tool, ToolForm
from conformance.kit.cases.plan import Plan, plan
from conformance.kit.cases.valid_values import generate
from conformance.kit.model.case import Case, Expectation, Strictness
from conformance.kit.model.run import Run
from conformance.kit.verdicts.sent_words import scenario_words
from conformance.spec.vocabulary import Binding
from scripts.website.pages.context import CONFORMANCE, Context
from scripts.website.pages.markdown import code, escaped, page, table

PAGE: Final = f"{CONFORMANCE}/deviations.md"
_RUN: Final = Run("http", "http://127.0.0.1:1", Binding.HTTP, "http://127.0.0.1:1")
_LONGEST: Final = 44
"""The most characters of a value that are shown."""

CHECKED_BY: Final[Mapping[Strictness | Expectation, str]] = MappingProxyType(
    {
        Strictness.STRICT: "ATDF-CALL-001",
        Strictness.MALFORMED: "ATDF-CALL-001",
        Strictness.NEAR_MISS: "ATDF-CALL-002",
        Strictness.CLOSED: "ATDF-CALL-002",
        Strictness.FORMAT: "ATDF-CALL-003",
        Strictness.OTHER_FORMAT: "ATDF-CALL-011",
        Expectation.ACCEPT: "ATDF-CALL-004",
        Expectation.ANSWER: "ATDF-CALL-005",
    }
)
"""The clause that fails if a broken call is accepted, a valid one refused, or neither answered."""

_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer"}
_NUMBER: Final = {"type": "number"}
_LIST: Final = {"type": "array", "items": _TEXT}
_ANY_LIST: Final = {"type": "array"}
_MAP: Final = {"type": "object", "additionalProperties": _TEXT}
_PAIR: Final = {"type": "object", "properties": {"a": _TEXT, "b": _TEXT}}
_OPEN: Final = {"type": "object"}
_CARD: Final = {"properties": {"card": _TEXT}, "required": ["card"]}
_IBAN: Final = {"properties": {"iban": _TEXT}, "required": ["iban"]}
_NEEDS_B: Final = {"required": ["b"]}
_IF_A_IS_ONE: Final = {
    "type": "object",
    "properties": {"a": {"enum": ["one", "two"]}, "b": _WHOLE},
    "required": ["a"],
    "if": {"properties": {"a": {"const": "one"}}, "required": ["a"]},
}
"""The first call has `one`. So the kit must change `a` to break `else`."""

SAMPLES: Final[Mapping[str, tuple[tuple[Any, Any], ...]]] = MappingProxyType(
    {
        "type": tuple(
            ({}, name) for name in ("string", "integer", "number", "boolean", "array", "object")
        ),
        "enum": (({}, ["aisle", "window"]), ({}, [1, 2]), ({}, [[1], [2]])),
        "const": (({}, "road"), ({}, True), ({}, 3), ({}, {"a": 1})),
        "multipleOf": ((_NUMBER, 0.5),),
        "minimum": ((_WHOLE, 2),),
        "maximum": ((_WHOLE, 9),),
        "exclusiveMinimum": ((_NUMBER, 0),),
        "exclusiveMaximum": ((_NUMBER, 9),),
        "minLength": ((_TEXT, 3),),
        "maxLength": ((_TEXT, 5),),
        "pattern": ((_TEXT, "^[A-Z]{3}$"),),
        "format": tuple(
            (_TEXT, name)
            for name in ("email", "date-time", "date", "uri", "time", "duration", "uuid")
        )
        + tuple(
            (_TEXT, name)
            for name in ("hostname", "ipv4", "ipv6", "uri-reference", "json-pointer", "regex")
        ),
        "minItems": ((_LIST, 2),),
        "maxItems": ((_LIST, 2),),
        "uniqueItems": (({**_LIST, "minItems": 1}, True),),
        "prefixItems": (({**_ANY_LIST, "minItems": 2}, [_TEXT, _WHOLE]),),
        "items": (
            ({**_ANY_LIST, "minItems": 1}, _WHOLE),
            ({**_ANY_LIST, "minItems": 1, "prefixItems": [_TEXT]}, False),
        ),
        "contains": ((_LIST, {"const": "a"}),),
        "minContains": (({**_LIST, "contains": {"const": "a"}}, 2),),
        "maxContains": (({**_LIST, "contains": {"const": "a"}}, 2),),
        "unevaluatedItems": (({**_ANY_LIST, "minItems": 1, "prefixItems": [_TEXT]}, False),),
        "properties": (({**_OPEN, "required": ["a"]}, {"a": _WHOLE}),),
        "patternProperties": ((_OPEN, {"^s_": _WHOLE}),),
        "additionalProperties": ((_PAIR, False), (_OPEN, _WHOLE)),
        "unevaluatedProperties": ((_PAIR, False),),
        "propertyNames": ((_OPEN, {"pattern": "^[a-z]+$"}),),
        "required": ((_PAIR, ["a"]),),
        "minProperties": ((_MAP, 1),),
        "maxProperties": ((_MAP, 1),),
        "dependentRequired": ((_PAIR, {"a": ["b"]}),),
        "dependentSchemas": ((_PAIR, {"a": _NEEDS_B}),),
        "allOf": ((_TEXT, [{"minLength": 3}]),),
        "anyOf": ((_OPEN, [_CARD, _IBAN]),),
        "oneOf": ((_OPEN, [_CARD, _IBAN]), (_WHOLE, [{"multipleOf": 3}, {"multipleOf": 5}])),
        "not": ((_TEXT, {"const": "nobody"}),),
        "then": (({**_PAIR, "required": ["a"], "if": {"required": ["a"]}}, _NEEDS_B),),
        "else": (({**_PAIR, "if": False}, _NEEDS_B), (_IF_A_IS_ONE, _NEEDS_B)),
        "default": ((_TEXT, "Lisbon"),),
        "examples": ((_TEXT, ["Lisbon", "Madrid"]),),
        "$ref": (({"$defs": {"few": {**_WHOLE, "maximum": 9}}}, "#/properties/x/$defs/few"),),
    }
)
"""For each keyword: schemas without it, each with a value for the keyword."""

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "if": "deviations_condition",
        "$dynamicRef": "deviations_elsewhere",
        **dict.fromkeys(
            ("$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs"),
            "deviations_names",
        ),
        **dict.fromkeys(
            ("title", "description", "deprecated", "readOnly", "writeOnly", "$comment",
             "contentEncoding", "contentMediaType", "contentSchema"),
            "deviations_annotation",
        ),
    }
)  # fmt: skip
"""Why the kit sends nothing for a keyword: the id of a message."""

_ANNOTATIONS: Final = ("default", "examples")


def deviations_page(context: Context) -> bytes:
    """Return the page: a row for each keyword, in the order of JSON Schema's groups."""
    head = [context.said(f"deviations_{name}") for name in ("keyword", "refused", "accepted")]
    rows = [_row(context, keyword) for keyword in (*SAMPLES, *REASONS)]
    about = context.said("deviations_about")
    parts = [escaped(about), context.said("deviations_intro"), table(head, rows)]
    return page(context.said("deviations"), "deviations", about, parts, hide="toc")


def _row(context: Context, keyword: str) -> list[str]:
    if keyword in REASONS:
        reason = context.said(REASONS[keyword])
        return [code(keyword), reason, reason]
    sent = deviations_of(keyword)
    refused = _cell(context, [each for each in sent if each.expects is Expectation.REJECT])
    taken = _cell(context, [each for each in sent if each.expects is not Expectation.REJECT])
    words = "deviations_annotation" if keyword in _ANNOTATIONS else "deviations_elsewhere"
    return [
        code(keyword),
        refused or context.said(words),
        taken or context.said("deviations_no_edge"),
    ]


def deviations_of(keyword: str) -> list[Case]:
    """Return the cases that the kit sends only because of a keyword: one of each scenario.

    If some broken calls break the keyword itself, it drops the others.
    """
    found = list(_new(keyword))
    own = [c for c in found if c.violation is not None and keyword in c.violation.keywords]
    return [c for c in found if c.violation is None or not own or c in own]


def _new(keyword: str) -> Iterator[Case]:
    seen: set[tuple[str, object]] = set()
    for without, value in SAMPLES[keyword]:
        schema = {**without, keyword: value}
        before = {_key(case) for case in _planned(without).calls}
        for case in _planned(schema).calls:
            told = (case.scenario, case.strictness)
            if _key(case) not in before and told not in seen and _is_about(case):
                seen.add(told)
                yield case


def _is_about(case: Case) -> bool:
    """Return whether a case deviates at the parameter, and not elsewhere in the arguments."""
    if case.violation is not None:
        return case.violation.pointer.startswith("/x")
    return case.scenario != "open-property" or case.arguments.keys() == {"x"}


def _planned(at_x: Mapping[str, Any]) -> Plan:
    schema = {"type": "object", "properties": {"x": at_x}, "required": ["x"]}
    tool = Tool("tool", schema, ToolForm.CATALOG, {})
    return plan(tool, _RUN, generate(schema))


def _key(case: Case) -> str:
    return json.dumps([case.expects, case.arguments], sort_keys=True)


def _cell(context: Context, cases: list[Case]) -> str:
    """Return each scenario in words, with the first value that is sent, grouped by clause."""
    by_clause: dict[str, list[str]] = {}
    for case in cases:
        told = by_clause.setdefault(checked_by(case), [])
        told.append(f"{_words(context, case)} ({code(_shown(case))})")
    return "<br>".join(
        f"{context.clause_link(context.clauses[id], PAGE)}: {', '.join(told)}"
        for id, told in by_clause.items()
    )


def checked_by(case: Case) -> str:
    """Return the clause that checks the answer to a case."""
    return CHECKED_BY[case.strictness if case.strictness is not None else case.expects]


def _words(context: Context, case: Case) -> str:
    words = scenario_words(case.scenario)
    if words is None:
        raise LookupError(f"no words for the scenario {case.scenario}")
    return escaped(words.words(context.language))


def _shown(case: Case) -> str:
    text = json.dumps(case.arguments, ensure_ascii=False)
    if isinstance(case.arguments, dict) and "x" in case.arguments:
        text = json.dumps(case.arguments["x"], ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
