"""What the guides' servers suggest and say: one table, all implementations and validators."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from fixtures.guides.steps import GUIDES, HERE, MODULES
from tests.needs import need_packages

LEFT_OUT = "(left out)"
FLAG = {"type": "boolean", "default": False}
ON = {"type": "boolean", "default": True}
WEIGHT = {"type": "number", "exclusiveMinimum": 0, "maximum": 31.5}
GUESTS = {"type": "integer", "minimum": 1, "maximum": 4}
RATING = {"type": "number", "minimum": 1, "maximum": 5}
CENTS = {"type": "number", "multipleOf": 0.01, "maximum": 0}
DAY = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
NAME = {"type": "string", "minLength": 1, "maxLength": 8}
ROOM = {"enum": ["single", "double", "suite"]}
MAYBE = {"default": None}
"""What pydantic makes of `= None`."""
SECRET = {"type": "string", "minLength": 12, "writeOnly": True}
NAMED = {"type": "object", "properties": {"password": {"type": "string", "minLength": 12}}}
"""Nothing but the name says that it is a secret."""
KEY = {"type": "string", "minLength": 12}
KEYS = {"type": "object", "properties": {"access-key": KEY, "db_pwd": KEY, "passcode": KEY}}
"""Other names of the same."""
LISTED = {"type": "object", "properties": {"tokens": {
    "type": "array", "items": {"type": "string", "minLength": 12}}}}  # fmt: skip
"""Only the name of the list says so."""
NULL = {"type": "null"}
ITEM = {"what": "Books"}
ITEMS = {"type": "array", "minItems": 1, "maxItems": 2, "examples": [[ITEM]],
         "items": {"type": "object", "required": ["what"]}}  # fmt: skip

MADE = [
    (FLAG, "yes", "true"),
    (FLAG, "TRUE", "true"),
    (FLAG, "no", "false"),
    (FLAG, " Yes ", "true"),
    (FLAG, 1, "true"),
    (FLAG, 7, "false"),
    (WEIGHT, "2,5", "2.5"),
    (WEIGHT, "2.5", "2.5"),
    (WEIGHT, 0, "0.01"),
    (WEIGHT, -2, "0.01"),
    (WEIGHT, 99, "31.5"),
    (WEIGHT, "NaN", "0.01"),
    (WEIGHT, "1e999", "0.01"),
    ({"type": "number"}, "NaN", None),
    ({"type": "number"}, "1,000", None),
    ({"type": "integer", "exclusiveMinimum": 0}, 0, "1"),
    (ON, "off", "false"),
    (ON, "N", "false"),
    (ON, "f", "false"),
    (FLAG, "on", "true"),
    (FLAG, "y", "true"),
    (FLAG, "T", "true"),
    (GUESTS, 9, "4"),
    (RATING, 5e300, "5"),
    (RATING, -5e300, "1"),
    (CENTS, 1e307, "0"),
    (GUESTS, -3, "1"),
    (GUESTS, "2", "2"),
    (GUESTS, LEFT_OUT, None),
    (DAY, "20.05.2030", "2030-05-20"),
    (DAY, "2030/5/2", "2030-05-02"),
    (DAY, "2030-05-20T14:00:00Z", "2030-05-20"),
    (DAY, "15/06/2035", "2035-06-15"),
    (DAY, "06/15/2035", "2035-06-15"),
    (DAY | {"default": "2030-01-01"}, "15/06/2035", "2035-06-15"),
    (DAY, LEFT_OUT, None),
    (DAY, "05/06/2035", None),
    (DAY | {"default": "2030-01-01"}, "05/06/2035", None),
    (MAYBE | {"anyOf": [DAY, NULL]}, "05/06/2035", None),
    (DAY, "05/05/2035", "2035-05-05"),
    (MOMENT, " 2030-05-20T14:00:00+02:00", "2030-05-20T14:00:00+02:00"),
    (MOMENT, "2035-06-15T10:00:00", None),
    (MOMENT, "2026-11-26 10:00", None),
    (MOMENT, "2035-06-15", None),
    (MOMENT, "05/06/2035", None),
    (MOMENT | {"default": "2030-01-01T00:00:00Z"}, "2035-06-15T10:00:00", None),
    (MAYBE | {"anyOf": [MOMENT, NULL]}, "2035-06-15T10:00:00", None),
    ({"anyOf": [MOMENT, {"type": "integer"}]}, "2035-06-15T10:00:00", None),
    ({"type": "string", "format": "time"}, "10:30", None),
    *(
        ({"type": "string", "format": name}, None, wanted)
        for name, wanted in (
            ("time", "12:00:00Z"),
            ("duration", "P1D"),
            ("hostname", "example.com"),
            ("ipv4", "192.0.2.1"),
            ("ipv6", "2001:db8::1"),
            ("uuid", None),
        )
    ),
    (NAME, "", None),
    (NAME, None, None),
    (NAME, LEFT_OUT, None),
    (NAME, 7, "7"),
    (NAME, "Bartholomew", "Bartholo"),
    ({"type": "string"}, None, None),
    ({"type": "string", "default": "EUR"}, LEFT_OUT, "EUR"),
    ({"type": "boolean"}, "perhaps", None),
    ({"type": "integer"}, "two", None),
    ({"type": "integer", "multipleOf": 5}, 7, "5"),
    ({"type": "string", "pattern": "^[0-9]{5}$"}, " 53111", "53111"),
    ({"type": "string", "pattern": "^[0-9]{5}$"}, "5311", None),
    (ROOM, "Double ", "double"),
    (ROOM, "doubel", "double"),
    (ROOM | {"default": "single"}, "Double ", "double"),
    (ROOM | {"examples": ["suite"]}, "doubel", "double"),
    (ROOM | {"default": "double"}, "zzz", "double"),
    (ITEMS, [], json.dumps([ITEM])),
    (ITEMS, [ITEM, ITEM, ITEM], json.dumps([ITEM, ITEM])),
    (ITEMS, ITEM, json.dumps([ITEM])),
    ({"anyOf": [GUESTS, {"type": "null"}]}, 9, "4"),
    ({"anyOf": [GUESTS, {"type": "null"}]}, "3", "3"),
    (MAYBE | {"anyOf": [GUESTS, NULL]}, 9, "4"),
    (MAYBE | {"anyOf": [GUESTS, NULL]}, "null", "null"),
    (MAYBE | {"anyOf": [DAY, NULL]}, "15/06/2035", "2035-06-15"),
    (MAYBE | {"anyOf": [ROOM, NULL]}, "zzz", "single"),
    (MAYBE | {"anyOf": [{"type": "boolean"}, NULL]}, "off", "false"),
    (MAYBE | {"anyOf": [{"type": "boolean"}, NULL]}, "perhaps", None),
    (MAYBE | {"anyOf": [NULL, {"type": "string"}]}, 7, "7"),
    (MAYBE | {"type": ["integer", "null"]}, "two", None),
    (SECRET, "hunter2", None),
    (SECRET, 123456789012, None),
    (NAMED, {"password": "hunter2"}, None),
    (NAMED, {"password": 123456789012}, None),
    (KEYS, {"access-key": "hunter2"}, None),
    (KEYS, {"db_pwd": 123456789012}, None),
    (LISTED, {"tokens": ["hunter2"]}, None),
    (LISTED, {"tokens": [123456789012]}, None),
    (MAYBE | {"anyOf": [SECRET, NULL]}, 7, None),
]  # fmt: skip
SAID = [
    (GUESTS, 9, "`x` must be at most 4, not 9."),
    (NAME, LEFT_OUT, "`x` is missing."),
    (NAME, "a" * 4000, "`x` must have at most 8 characters."),
    (MAYBE | {"anyOf": [GUESTS, NULL]}, 9, "`x` must be at most 4, not 9."),
    (MAYBE | {"anyOf": [GUESTS, NULL]}, "two", '`x` must be of type integer, not "two".'),
    ({"anyOf": [GUESTS, NAME]}, True, "`x` must fit its schema, not true."),
    (SECRET, "hunter2", "`x` must have at least 12 characters."),
    (NAMED, {"password": "hunter2"}, "`x.password` must have at least 12 characters."),
    (KEYS, {"access-key": "hunter2"}, "`x.access-key` must have at least 12 characters."),
    (KEYS, {"db_pwd": "hunter2"}, "`x.db_pwd` must have at least 12 characters."),
    (KEYS, {"passcode": "hunter2"}, "`x.passcode` must have at least 12 characters."),
    (LISTED, {"tokens": ["hunter2"]}, "`x.tokens[0]` must have at least 12 characters."),
    (MAYBE | {"anyOf": [SECRET, NULL]}, 7, "`x` must be of type string."),
    (ROOM, 7, "`x` must be one of single, double, suite, not 7."),
    (
        MOMENT,
        "2035-06-15T10:00:00",
        '`x` must be a valid date-time with an offset such as Z, not "2035-06-15T10:00:00".',
    ),
    (
        MOMENT,
        "2035-06-15",
        '`x` must be a valid date-time with an offset such as Z, not "2035-06-15".',
    ),
    (MOMENT, "2035-06-31T10:00:00", '`x` must be a valid date-time, not "2035-06-31T10:00:00".'),
]
LONGEST = 200  # characters of a detail, whatever was sent


WAYS = {
    "fastapi": ("fastapi", "steps"),
    "mcp-python": ("mcp-python", "copy"),
    "express-ajv": ("express", "ajv"),
    "express-zod": ("express", "zod"),
    "mcp-typescript": ("mcp-typescript", "zod"),
    "mcp-typescript-1": ("mcp-typescript-1", "zod"),
}
"""A guide, and by what it checks."""
NOT_OF_ZOD = [{"type": "string", "format": "time"}, {"type": "string", "default": "EUR"}]
"""Of a time zod publishes the pattern alone, and what has a default may be left out."""


def refused(way, folder, cases, *, without_express=False):
    """What the last step of a guide makes of (schema, value) pairs: its errors, one list each."""
    name, validator = WAYS[way]
    guide = GUIDES[name]
    sent = json.dumps([[schema, value] for schema, value, *_ in cases])
    for file in guide.files(len(guide.levels)):
        shutil.copy(file, folder)
    if not guide.node:
        command = [sys.executable, Path(__file__).with_name("refused.py"), validator]
        extra = {"PYTHONPATH": str(folder)}
    else:
        need_packages(HERE)
        if without_express:
            remove_express(folder)
        else:
            (folder / "node_modules").symlink_to(MODULES)
        runner = MODULES / ".bin" / "tsx"
        command = [runner, Path(__file__).with_name("refused.mjs"), validator]
        extra = {}
    done = subprocess.run(
        command, input=sent, cwd=folder, env=os.environ | extra, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def remove_express(folder):
    """Do what the page about other frameworks says, where Express is not installed."""
    file = folder / "atdf-errors.ts"
    uses = r"^import express.*\n|^export function (checked|install)\((.*\n)*?}\n"
    text, count = re.subn(uses, "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert count == 3
    file.write_text(text, encoding="utf-8")
    (folder / "node_modules").mkdir()
    for name in ("ajv", "ajv-formats", "zod"):
        (folder / "node_modules" / name).symlink_to(MODULES / name)


def by_way(*ways):
    """Parameters for ways: the marker of those that need Node goes with them."""
    return [
        pytest.param(way, marks=[pytest.mark.needs] * GUIDES[WAYS[way][0]].node) for way in ways
    ]


@pytest.fixture(scope="module", params=by_way(*WAYS))
def made(request, tmp_path_factory):
    found = refused(request.param, tmp_path_factory.mktemp(request.param), MADE + SAID)
    if WAYS[request.param][1] != "zod":
        return found
    return [
        None if schema in NOT_OF_ZOD else errors
        for (schema, *_), errors in zip(MADE + SAID, found, strict=True)
    ]


def plain(suggested):
    """Without what JSON leaves open: the blanks between its parts."""
    return None if suggested is None else suggested.replace(" ", "")


def test_a_suggestion_is_what_was_meant_or_the_nearest_valid_value_or_nothing(made):
    found = {}
    for (schema, value, wanted), errors in zip(MADE, made, strict=False):
        if errors is None:
            continue
        assert errors, (schema, value)
        if plain(errors[0]["suggested_value"]) != plain(wanted):
            found[json.dumps([schema, value])] = errors[0]["suggested_value"]
    assert found == {}


def test_a_detail_says_which_parameter_what_it_has_to_be_and_what_came(made):
    details = [errors[0]["detail"].replace("'", '"') for errors in made[len(MADE) :]]
    assert details == [wanted for *_, wanted in SAID]


def test_no_detail_says_again_all_that_was_sent(made):
    assert max(len(error["detail"]) for errors in made for error in errors or ()) < LONGEST


@pytest.mark.parametrize("way", by_way("express-ajv", "express-zod"))
def test_the_file_for_express_works_without_express_after_two_removals(way, tmp_path):
    [[error]] = refused(way, tmp_path, [(GUESTS, 9)], without_express=True)
    assert error["suggested_value"] == "4"


def unlike(value):
    return {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": value}]}


MANY = [
    ({"type": "object", "additionalProperties": False}, {f"a{n}": 0 for n in range(20_000)}),
    ({"type": "array", "items": unlike(3)}, [0] * 20_000),
    ({"type": "array", "uniqueItems": True}, [*map(str, range(40_000)), "0"]),
]


@pytest.mark.parametrize("way", by_way(*WAYS))
def test_thousands_of_mistakes_are_answered_soon_and_in_short(way, tmp_path):
    began = time.monotonic()
    made = refused(way, tmp_path, MANY)
    assert time.monotonic() - began < 30
    assert max(len(json.dumps(errors)) for errors in made) < 2_000_000


def kind(name, inside):
    return {"type": "object", "required": ["kind", "of"], "additionalProperties": False,
            "properties": {"kind": {"const": name}, "of": inside}}  # fmt: skip


NODE = {"$ref": "#/properties/x/$defs/Node"}
KINDS = [kind("and", NODE), kind("or", NODE), kind("leaf", {"type": "integer"})]
TREE = NODE | {"$defs": {"Node": {"discriminator": {"propertyName": "kind"}, "oneOf": KINDS}}}


def tree(leaf, *kinds):
    for each in kinds * 20:
        leaf = ({"kind": each} if each else {}) | {"of": leaf}
    return leaf


SLOW = [
    (TREE, tree({"kind": "leaf", "of": "two"}, "and", "or"), "type"),
    (TREE, tree({"kind": "lef", "of": 2}, "and", "or"), "enum"),
    (TREE, tree({"of": 2}, None), "required"),
    ({"uniqueItems": True}, [{"a": n} for n in range(9000)] + [{"a": 1.0}], "uniqueItems"),
    ({"uniqueItems": True}, [each for n in range(9000) for each in (n, str(n))] + ["1"],
     "uniqueItems"),
    ({"pattern": r"^(\w+\s?)*$"}, "a" * 50 + "!", "pattern"),
    ({"pattern": r"^\p{L}+$"}, "a1", "pattern"),
    ({"pattern": r"^(?=a)\w+$"}, "b1", "pattern"),
]  # fmt: skip


@pytest.mark.parametrize("way", ["fastapi", "mcp-python"])
def test_a_short_call_does_not_keep_the_server_busy(way, tmp_path):
    began = time.monotonic()
    made = refused(way, tmp_path, SLOW)
    assert time.monotonic() - began < 20
    for (schema, _, keyword), errors in zip(SLOW, made, strict=True):
        assert errors, schema
        if way == "fastapi":
            assert errors[0]["context"]["keyword"] == keyword


@pytest.mark.parametrize("way", ["fastapi", "mcp-python"])
def test_what_looks_slow_and_is_valid_is_accepted(way, tmp_path):
    valid = [
        (TREE, tree({"kind": "leaf", "of": 2}, "and", "or")),
        ({"uniqueItems": True}, [1, True, "1", None, [1], {"a": 1}]),
        ({"pattern": r"^(\w+\s?)*$"}, "a b c"),
        ({"pattern": r"^\p{L}+$"}, "añ"),
        ({"pattern": r"^(?=a)\w+$"}, "a1"),
    ]
    assert refused(way, tmp_path, valid) == [[]] * len(valid)


def test_a_day_that_cannot_be_read_gives_way_to_one_that_is_still_to_come(tmp_path):
    [[error]] = refused("fastapi", tmp_path, [(DAY, "2026-02-30")])
    assert date.fromisoformat(error["suggested_value"]) > date.today()


LONG_QUERY = """
import json, time
from checks import values
from validator import validator_of

lists = {"type": "array", "items": {"type": "string"}}
validator = validator_of({"properties": {"x": lists}})
began = time.monotonic()
found = values(validator, [("x", "1")] * 200_000)
print(json.dumps([len(found["x"]), time.monotonic() - began]))
"""


def test_a_query_that_repeats_a_name_is_read_in_a_time_that_grows_with_it(tmp_path):
    count, seconds = run_beside(LONG_QUERY, tmp_path, "fastapi")
    assert count == 200_000
    assert seconds < 10


PAST_FLOATS = """
import json
from atdf_errors import Call
from pydantic import BaseModel

weight = {"type": "number", "multipleOf": 0.5}
call = Call("send", {"properties": {"weight": weight}}, BaseModel.model_validate)
print(json.dumps([call.refusals({"weight": each}) for each in (10**400, float("nan"))]))
"""


def run_beside_the_mcp_server(script, folder):
    return run_beside(script, folder, "mcp-python")


def run_beside(script, folder, name):
    """Run a script where the finished server's files are; gives the JSON that it prints."""
    guide = GUIDES[name]
    for file in guide.files(len(guide.levels)):
        shutil.copy(file, folder)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_number_that_json_does_not_have_is_refused_where_the_sdk_has_read_it(tmp_path):
    for [error] in run_beside_the_mcp_server(PAST_FLOATS, tmp_path):
        assert error["tool_name"] == "send"


RULE = """
import asyncio, json
from mcp.client import Client
from main import server

STAY = {"guest_name": "Ana", "email": "ana@example.com", "check_in": "2035-05-20",
        "nights": 9, "room_type": "suite", "guests": 2}

async def main():
    async with Client(server) as client:
        answer = await client.call_tool("hotel_reservation", STAY)
        print(json.dumps([answer.is_error, answer.meta, answer.content[0].text]))

asyncio.run(main())
"""


def test_what_a_tool_refuses_by_a_rule_of_the_business_reaches_the_agent(tmp_path):
    is_error, meta, text = run_beside_the_mcp_server(RULE, tmp_path)
    assert is_error
    assert json.loads(text) == meta["io.github.agent-formats/error"]
    [error] = json.loads(text)["errors"]
    assert (error["parameter_name"], error["suggested_value"]) == ("nights", "7")


CHECK = """
import asyncio, json
from typing import Annotated
from mcp.client import Client
from pydantic import AfterValidator
from atdf_errors import Server

server = Server("door")

@server.tool()
def enter(password: Annotated[str, AfterValidator({"open": "open"}.__getitem__)]) -> str:
    return password

async def main():
    async with Client(server) as client:
        answer = await client.call_tool("enter", {"password": "hunter2"})
        print(json.dumps([answer.is_error, answer.meta]))

asyncio.run(main())
"""


def test_what_checks_a_value_may_fail_and_the_answer_is_still_an_envelope(tmp_path):
    is_error, meta = run_beside_the_mcp_server(CHECK, tmp_path)
    assert is_error
    [error] = meta["io.github.agent-formats/error"]["errors"]
    assert error["type"].endswith("/internal-error")
    assert error["tool_name"] == "enter"
    assert "hunter2" not in json.dumps(error)
