"""What the texts of real servers explain: the parameter, and what would be right."""

from __future__ import annotations

import pytest

from conformance.kit.model.case import Violation
from conformance.kit.verdicts.explanations import explains, parameters_in

SCHEMA = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 40},
        "ratio": {"type": "number", "exclusiveMinimum": 0},
        "name": {"type": "string", "minLength": 1, "maxLength": 12},
        "room": {"type": "string", "enum": ["single", "double"]},
        "mail": {"type": "string", "format": "email"},
        "when": {"type": "string", "format": "date-time"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": True},
        "colours": {
            "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/colour"}}, {"type": "null"}]
        },
        "size": {"type": "integer", "multipleOf": 5},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
        "shelf": {"type": "string", "pattern": r"^R\d{3}(/[a-z])?$"},
        "line2": {"type": "string", "pattern": "^[a-z0-9]+$"},
        "loose": {"type": "string", "pattern": r"R\d"},
        "guest": {"type": "object", "properties": {"age": {"type": "integer"}}},
        "slot": {"oneOf": [{"enum": ["once"]}, {"type": "integer", "minimum": 1000}]},
        "pair": {"type": "array", "prefixItems": [{}, {}], "items": False},
        "id": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["count"],
    "additionalProperties": False,
    "$defs": {"colour": {"enum": ["red", "blue"]}},
}


def broken(pointer, *keywords, was=None, sent=None):
    name = pointer[1:].replace("/", ".")
    return Violation(pointer, name, keywords, was=was, was_absent=was is None, sent=sent)


def left_out(pointer, *keywords):
    return Violation(pointer, pointer[1:], keywords, was=1, sent_absent=True)


BOTH = [
    (broken("/colours", "type", was=["red"], sent="abc"), "`colours[0]` must be one of red, blue."),
    (broken("/count", "minimum"), "count\n  Input should be greater than or equal to 1"),
    (broken("/count", "maximum"), "data/count must be <= 40"),
    (broken("/count", "minimum"), "0 is less than the minimum of 1 at count"),
    (broken("/count", "type"), '[{"expected":"number","received":"string","path":["count"]}]'),
    (broken("/count", "type"), "'x' is not of type 'integer'\n\nOn instance['count']: 'x'"),
    (broken("/count", "type"), "count: Input should be a valid integer, unable to parse string"),
    (broken("/count", "required"), "'count' is a required property"),
    (broken("/count", "required"), "1 validation error\ncount\n  Field required [type=missing]"),
    (broken("/count", "required"), "data must have required property 'count'"),
    (broken("/ratio", "exclusiveMinimum"), "ratio must be positive"),
    (broken("/ratio", "exclusiveMinimum"), "ratio: Number must be greater than 0"),
    (broken("/name", "minLength"), "name should be non-empty"),
    (broken("/name", "maxLength"), "name: String should have at most 12 characters"),
    (broken("/room", "enum", sent="x"), "room: Input should be 'single' or 'double'"),
    (broken("/room", "type", "enum", sent=7), 'room: expected one of "single"|"double"'),
    (broken("/mail", "format"), "mail: Invalid email"),
    (broken("/mail", "format"), "mail must match format \"email\""),
    (broken("/when", "format"), "when is not a valid ISO 8601 datetime"),
    (broken("/when", "type"), "when must be a string"),
    (broken("/tags", "uniqueItems"), "tags has non-unique elements"),
    (broken("/tags", "maxItems"), "tags must NOT have more than 3 items"),
    (broken("/size", "multipleOf"), "size must be a multiple of 5"),
    (broken("/code", "pattern"), "code must match pattern \"^[A-Z]+$\""),
    (broken("/code", "pattern"), r'{"detail": "code: not /^[A-Z]+$/"}'),
    (broken("/shelf", "pattern", sent="7"), "shelf must look like R101"),
    (broken("/shelf", "pattern", sent="7"), "shelf: R and digits, for example 'R101'."),
    (broken("/shelf", "pattern", sent="7"), r'{"detail": "shelf: not ^R\\d{3}(/[a-z])?$"}'),
    (broken("/shelf", "pattern", sent="7"), r"shelf: must match /^R\d{3}(\/[a-z])?$/"),
    (broken("/guest/age", "type"), "guest.age: Input should be a valid integer"),
    (broken("/id", "type", was=1), "id: Input should be a valid integer"),
    (broken("/slot", "type", was=1000, sent="x"), "slot must be one of once"),
    (broken("/slot", "type", was="once", sent=7), "slot must be at least 1000"),
    (broken("/pair", "items", was=[1, 2], sent=[1, 2, 3]), "pair must have at most 2 items"),
    (left_out("/count", "required"), "count must be an integer"),
    (left_out("/name", "required"), "Expected string for name, got nil"),
    (broken("/room", "enum", sent=7), "room must be a string"),
    (broken("/code", "pattern", sent=7), "json: cannot unmarshal number into code of type string"),
    (broken("/count", "type"), 'count: invalid type: string "x", expected i64'),
    (broken("/ratio", "type"), 'ratio: invalid type: string "x", expected f64'),
    (broken("/count", "type"), "cannot unmarshal string into Go struct field .count of type int64"),
    (broken("/count", "type"), "could not be converted to System.Int32. Path: $.count"),
    (broken("/count", "type"), "count: Cannot deserialize value of type `long` from String"),
    (broken("/oops", "additionalProperties"), "Additional properties ('oops') are not allowed"),
    (broken("/oops", "additionalProperties"), "Unrecognized key(s) in object: 'oops'"),
    (left_out("/count", "required"), r"('1 error\ncount\n  Field required [type=missing]', None)"),
    (broken("/count", "type"), r'{"detail": "1 error\r\n\tcount: should be a valid integer"}'),
    (broken("/count", "type"), "`count` debe ser un número entero"),
    (broken("/count", "type"), "`count` deve ser um número inteiro"),
    (broken("/name", "type"), "name: se esperaba una cadena"),
    (broken("/name", "minLength"), "name no puede estar vacío"),
    (broken("/name", "minLength"), "name não pode ficar em branco"),
    (broken("/when", "format"), "when: la fecha y hora no es válida"),
    (broken("/when", "format"), "when não é uma data e hora válida"),
    (broken("/tags", "uniqueItems"), "tags tiene elementos repetidos"),
    (broken("/tags", "uniqueItems"), "tags tem elementos duplicados"),
    (broken("/ratio", "exclusiveMinimum"), "ratio tiene que ser mayor que cero"),
    (broken("/slot", "type", was="once", sent=7), "slot debe ser 1.000 o más"),
    (left_out("/count", "required"), "El campo count es obligatorio"),
    (left_out("/count", "required"), "O campo count é necessário"),
    (broken("/oops", "additionalProperties"), "oops no está permitido"),
    (broken("/oops", "additionalProperties"), "parâmetro desconhecido: oops"),
]  # fmt: skip


@pytest.mark.parametrize(("violation", "text"), BOTH)
def test_a_good_refusal_names_the_parameter_and_says_what_is_right(violation, text):
    assert explains(violation, SCHEMA, text) == (True, True)


ONLY_NAMED = [
    (broken("/count", "minimum", sent=0), "count must be an integer"),
    (broken("/room", "enum", sent="x"), "room must be a string"),
    (left_out("/count", "required"), "count is invalid"),
    (broken("/count", "minimum"), "count is invalid"),
    (broken("/count", "maximum"), "count: 41 is too big"),
    (broken("/count", "minimum"), "count: got 10"),
    (broken("/room", "enum", sent="double_x"), "room: 'double_x' is not allowed"),
    (broken("/room", "enum", sent="DOUBLE"), "room: 'DOUBLE' is wrong"),
    (broken("/name", "type"), "name is wrong"),
    (broken("/colours", "type", was=["red"], sent="abc"), "colours[0]: 'abc' is wrong"),
    (broken("/size", "multipleOf"), "size 53 is odd"),
    (broken("/shelf", "pattern", sent="7"), "shelf has the wrong format"),
    (broken("/shelf", "pattern", sent="7"), "shelf does not match the pattern"),
    (broken("/shelf", "pattern", sent="xR101"), "shelf: xR101 is wrong, see R or 101"),
    (broken("/shelf", "pattern", sent="R101x"), "shelf: 'R101x' is wrong"),
    (broken("/loose", "pattern", sent="xR1x"), "loose: xR1x is wrong"),
    (broken("/shelf", "pattern", sent="R101!"), "invalid shelf (got R101!)."),
    (broken("/shelf", "pattern", sent="!R101"), "invalid shelf `!R101`"),
    (broken("/line2", "pattern", sent="-"), "line2 is not valid"),
    (broken("/code", "pattern", sent="7"), "code is wrong, MUST be in CAPITAL-LETTERS"),
    (broken("/when", "format", sent="x"), "when: invalid data"),
    (broken("/count", "type"), "`count` no es válido"),
    (left_out("/count", "required"), "count é inválido"),
]


@pytest.mark.parametrize(("violation", "text"), ONLY_NAMED)
def test_a_refusal_that_only_names_the_parameter_does_not_say_what_is_right(violation, text):
    assert explains(violation, SCHEMA, text) == (True, False)


NEITHER = [
    (broken("/count", "minimum"), ""),
    (broken("/count", "minimum"), "Invalid input"),
    (broken("/name", "type"), "file-name must be a string"),
    (broken("/count", "minimum"), "accounts must be at least 1"),
    (broken("/id", "type"), "invalid value, must be integer"),
    (broken("/guest/age", "type"), "guest: Input should be a valid integer"),
]


@pytest.mark.parametrize(("violation", "text"), NEITHER)
def test_a_refusal_that_names_nothing_explains_nothing(violation, text):
    assert explains(violation, SCHEMA, text) == (False, False)


@pytest.mark.parametrize("path", ["tags[1]", "tags.1", 'path: ["tags", 1]', "tags → 1"])
def test_an_item_is_named_by_its_array_and_its_index(path):
    violation = broken("/tags/1", "type", was="a", sent=1)
    assert explains(violation, SCHEMA, f"{path}: Input should be a valid string") == (True, True)
    assert explains(violation, SCHEMA, "tags: Input should be a valid string")[0] is False


def test_an_unusable_schema_leaves_only_the_name():
    violation = broken("/count", "minimum")
    assert explains(violation, {"type": "objekt"}, "count must be at least 1") == (True, False)


def test_names_in_a_text_with_escaped_lines_are_found():
    text = r"('1 error\ncount\n  Field required', None)"
    assert parameters_in(SCHEMA, text, 3) == ("count",)
