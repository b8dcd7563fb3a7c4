"""The files to copy: what they say of places, unions, secrets and many mistakes, in every way."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from fixtures.guides.joined import JOINED
from tests.guides.test_values import WAYS, by_way, refused
from tests.root import ROOT

COPIED = tuple(way for way in WAYS if way != "fastapi")


def an(properties, **more):
    required = [*properties]
    return {"type": "object", "properties": properties, "required": required, **more}


CLOSED = {"additionalProperties": False}
PERSON = an({"name": {"type": "string"}, "age": {"type": "integer", "maximum": 150}}, **CLOSED)
PEOPLE = {"type": "array", "items": PERSON}
ANA = {"name": "Ana", "age": 30}
CARD = an({"kind": {"const": "card"}, "month": {"type": "integer", "maximum": 12}}, **CLOSED)
TRANSFER = an({"kind": {"const": "transfer"}, "iban": {"type": "string"}}, **CLOSED)
PAY = {"oneOf": [CARD, TRANSFER]}
CUSTOMER = {"anyOf": [{"type": "integer", "minimum": 1000}, {"type": "string", "minLength": 3}]}
SERIES = {"anyOf": [an({"times": {"type": "integer", "minimum": 2}}), {"enum": ["once"]}]}
PLACES = [
    (PEOPLE, [ANA, {**ANA, "age": 200}], {"x[1].age": "150"}),
    (PEOPLE, [{"name": "Ana"}, {**ANA, "more": 1}], {"x[0].age": None, "x[1].more": None}),
    (PEOPLE, [{"name": 7, "age": "30"}], {"x[0].name": "7", "x[0].age": "30"}),
    (PEOPLE, ANA, {"x": json.dumps([ANA])}),
    (PEOPLE, None, {"x": None}),
    (an({"a": an({"b": {"enum": ["on", "off"]}})}), {"a": {"b": "Of"}}, {"x.a.b": "off"}),
    (PAY, {"kind": "card", "month": 13}, {"x.month": "12"}),
    (PAY, {"kind": "card", "month": 5, "more": 1}, {"x.more": None}),
    (PAY, {"kind": "transfr", "iban": "DE02"}, {"x.kind": "transfer"}),
    (PAY, {"kind": "transfer"}, {"x.iban": None}),
    (PAY, "card", {"x": None}),
    (CUSTOMER, 5, {"x": "1000"}),
    (CUSTOMER, True, {"x": "1000"}),
    (SERIES, {"times": 1}, {"x.times": "2"}),
    (SERIES, "Once", {"x": "once"}),
    ({"type": "array", "items": PAY}, [{"kind": "card", "month": "5"}], {"x[0].month": "5"}),
    ({"type": "object", "additionalProperties": {"maxLength": 3, "type": "string"}},
     {"a/b~c": "long"}, {"x.a/b~c": "lon"}),
]  # fmt: skip


@pytest.fixture(scope="module", params=by_way(*COPIED))
def ask(request, tmp_path_factory):
    """What a way makes of many (schema, value) pairs together."""
    return lambda cases: refused(request.param, tmp_path_factory.mktemp(request.param), cases)


def plain(text):
    return None if text is None else text.replace(" ", "")


def test_each_refused_place_is_named_with_a_value_that_works(ask):
    wrong = {}
    for (schema, value, wanted), errors in zip(PLACES, ask(PLACES), strict=True):
        found = {error["parameter_name"]: plain(error["suggested_value"]) for error in errors}
        if found != {place: plain(value) for place, value in wanted.items()}:
            wrong[json.dumps([schema, value])] = found
    assert wrong == {}


SECRETS = [
    (an({"password": {"type": "string", "maxLength": 4}}), {"password": "hunter2"}),
    (an({"api_key": {"type": "integer"}}), {"api_key": "hunter2"}),
    (an({"accessToken": {"enum": ["a"]}}), {"accessToken": "hunter2"}),
    (an({"a": an({"secret": {"type": "string"}})}), {"a": {"secret": 7.125}}),
    ({"type": "array", "maxItems": 1, "items": an({"password": {"type": "string"}})},
     [{"password": "hunter2"}, {"password": "b"}]),
    ({"type": "object", "minProperties": 2}, {"password": "hunter2"}),
    *((an({name: {"type": "string", "maxLength": 4}}), {name: "hunter2"})
      for name in ("pin", "login_pin", "otp", "totp", "cvv", "pass", "passkey", "Authorization",
                   "bearer", "cookie", "jwt", "contraseña", "senha", "userPin", "pinCode",
                   "cardCVV", "SMSOtp", "OTPCode")),
]  # fmt: skip
HIDDEN = {"writeOnly": True}
PIN = {"type": "string", "minLength": 3, **HIDDEN}
GUEST = {"type": "object", "properties": {"pin": PIN}}
LOGIN = {"type": "object", "properties": {"password": {"type": "string"}}}
INSIDE = [
    ({"type": "array", "items": GUEST}, {"pin": "hunter2"}),
    ({"type": "array", "items": LOGIN}, {"password": "hunter2"}),
    ({"type": "array", "items": GUEST, "uniqueItems": True}, [{"pin": "hunter2"}] * 2),
    ({"type": "array", "items": GUEST, "maxItems": 1}, [{"pin": "hunter2"}, {"pin": "b"}]),
    ({"type": "array", "items": PIN}, "hunter2"),
    ({"type": "array", "items": PIN, "maxItems": 1}, ["hunter2", "hunter"]),
    ({"type": "array", "prefixItems": [PIN]}, "hunter2"),
    (GUEST, '{"pin": "hunter2"}'),
    (LOGIN, '{"password": "hunter2"}'),
    ({"type": "object"}, '{"password": "hunter2"}'),
    ({"anyOf": [PIN, {"type": "array", "items": PIN}]}, 7.125),
    ({"allOf": [PIN, {"maxLength": 4}]}, "hunter2"),
    ({"type": "object", "patternProperties": {"^p": PIN}}, {"pin": 7.125}),
    ({"type": "object", "writeOnly": True, "properties": {"pin": {"type": "string"}}},
     {"pin": 7.125}),
    ({"$ref": "#/properties/x/$defs/Short", "writeOnly": True,
      "$defs": {"Short": {"type": "string", "maxLength": 3}}}, "hunter2"),
    ({"$ref": "#/properties/x/$defs/Guest",
      "$defs": {"Guest": {"type": "object", "properties": {"pin": PIN, "with": {
          "$ref": "#/properties/x/$defs/Guest"}}}}}, {"with": [{"pin": "hunter2"}]}),
    ({"allOf": [{"if": {"type": "string"}, "then": HIDDEN}], "maxLength": 4}, "hunter2"),
    ({"allOf": [{"if": {"type": "array"}, "else": HIDDEN}], "maxLength": 4}, "hunter2"),
    ({"allOf": [{"dependentSchemas": {"a": {"properties": {"a": HIDDEN}}}}],
      "properties": {"a": {"type": "string", "maxLength": 4}}}, {"a": "hunter2"}),
    ({"allOf": [{"patternProperties": {"^a$": HIDDEN}}],
      "properties": {"a": {"type": "string", "maxLength": 4}}}, {"a": "hunter2"}),
    ({"$ref": "#short", "$defs": {"a": {"$anchor": "short", "writeOnly": True, "maxLength": 4}}},
     "hunter2"),
    ({"$ref": "#/properties/x/$defs/a%20b", "$defs": {"a b": {"writeOnly": True, "maxLength": 4}}},
     "hunter2"),
]  # fmt: skip
"""The schema of a part, or of the whole, says that it is a secret."""


@pytest.mark.parametrize("way", by_way(*WAYS))
def test_no_secret_is_sent_back(way, tmp_path):
    asked = SECRETS + INSIDE
    if WAYS[way][1] == "zod":  # it reads neither such references nor conditions of all kinds
        asked = [each for each in asked if not {"$ref", "allOf"} & each[0].keys()]
    for (schema, _), errors in zip(asked, refused(way, tmp_path, asked), strict=True):
        said = json.dumps(errors)
        assert "hunter2" not in said, schema
        assert "7.125" not in said, schema


def test_a_word_that_only_contains_the_name_of_a_secret_hides_nothing(ask):
    names = (
        "author",
        "passenger",
        "shipping",
        "opinion",
        "spin",
        "compass",
        "hotPink",
        "isPinned",
        "PINNED",
        "myOpinion",
        "shipPassenger",
    )
    for errors in ask(
        [(an({name: {"type": "integer", "maximum": 4}}), {name: 9}) for name in names]
    ):
        assert errors[0]["suggested_value"] == "4", errors


def test_what_is_beside_a_secret_is_repeated_and_corrected(ask):
    login = an({"password": {"type": "string"}, "age": {"type": "integer"}})
    [[error]] = ask([(an({"login": login}), {"login": {"password": "a", "age": "42"}})])
    assert (error["parameter_name"], error["suggested_value"]) == ("x.login.age", "42")
    assert '"42"' in error["detail"]


WORDS = [f"w{number}" for number in range(30)]
WORD = {"type": "string", "pattern": "^q$", "enum": WORDS, "examples": WORDS}
PLACE = an({"number": {"type": "integer"}, "name": {"type": "string"}})
SLOW = {
    "type": "object",
    "properties": {
        "places": {"type": "array", "items": PLACE},
        **{f"word{number}": WORD for number in range(19)},
    },
}


@pytest.mark.timeout(100)
def test_few_mistakes_in_a_long_call_are_answered_soon(ask):
    places = [{"number": number % 10, "name": "x"} for number in range(5_000)]
    [errors] = ask([(SLOW, {"places": places, **{f"word{n}": "1,5" for n in range(19)}})])
    assert len(errors) == 19


@pytest.mark.timeout(100)
def test_of_thousands_of_mistakes_a_few_are_reported_and_soon(ask):
    ages = {"type": "array", "items": {"type": "integer", "maximum": 9}}
    [errors] = ask([(ages, [10] * 20_000)])
    assert 1 < len(errors) <= 20


ODD = [
    ({"type": "integer"}, {"__proto__": 1}),
    (PERSON, json.loads('{"__proto__": {"name": 1}, "constructor": 2}')),
    ({"enum": ["a", "b"]}, [[[["a"]]]]),
    ({"enum": [1, 2]}, {"toString": 1}),
    ({"type": "string", "pattern": "^a+$"}, "b" * 5000),
    ({"type": "string"}, "x" * 5000),
    ({"type": "number", "multipleOf": 0.1}, 1e308),
]


def test_odd_values_are_refused_like_any_other(ask):
    for (_, value), errors in zip(ODD, ask(ODD), strict=True):
        assert errors or value == "x" * 5000
        for error in errors:
            assert (error["tool_name"], error["type"][-17:]) == ("book", "/validation-error")
            assert len(json.dumps(error)) < 1000


def test_the_file_for_fastapi_needs_no_framework_above_its_dependency(tmp_path):
    """As the guide for any other framework says: cut there, without three imports."""
    whole, _, _ = JOINED.read_text(encoding="utf-8").partition("\n\n\ndef checked(")
    frameworks = re.compile(r"^from (?:fastapi|starlette|pydantic)(?:\.\w+)* import .*\n", re.M)
    (tmp_path / "cut.py").write_text(frameworks.sub("", whole), encoding="utf-8")
    code = """
import sys
for name in ("fastapi", "starlette", "pydantic"):
    sys.modules[name] = None
from cut import Refused, parsed, refusals, validator_of, values
validator = validator_of({"properties": {"id": {"type": "integer"}}, "required": ["id"]})
assert values(validator, [("id", "3")]) == {"id": 3}
assert refusals(validator, parsed(b'{"id": "3"}'), "get")[0]["suggested_value"] == "3"
assert Refused(422).status == 422
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_file_for_express_needs_no_express_before_its_waiting_tools():
    """As the guide for any other framework says: cut there, except `ofAjv`, without the import."""
    copied = ROOT / "fixtures" / "guides" / "express" / "step-2" / "atdf-errors.ts"
    whole, _, rest = copied.read_text(encoding="utf-8").partition("\nconst waiting = new Map")
    kept = whole + "".join(re.findall(r"\nexport function ofAjv\(.*?\n}\n", rest, re.DOTALL))
    kept = re.sub(r"^import express, .*\n", "", kept, flags=re.MULTILINE)
    exported = re.findall(r"^export (?:async )?function (\w+)", kept, re.MULTILINE)
    assert {*exported} == {"refusals", "error", "ofAjv", "ofStandard"}
    assert re.findall(r"\b(?:express|Express|\w*RequestHandler)\b", kept) == []
