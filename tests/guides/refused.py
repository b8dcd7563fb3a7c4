"""Runs in a folder of a guide's files: prints what its `refusals` make of values."""

import json
import sys

from jsonschema import Draft202012Validator
from refusals import refusals

for schema, value in json.load(sys.stdin):
    around = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    validator = Draft202012Validator(around, format_checker=Draft202012Validator.FORMAT_CHECKER)
    given = {} if value == "(left out)" else {"x": value}
    print(json.dumps(refusals(validator, given, "book")))
