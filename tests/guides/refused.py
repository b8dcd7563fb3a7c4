"""Runs in a folder of a guide's files: prints what its `refusals` make of values."""

import json
import sys

from pydantic import BaseModel


class Anything(BaseModel):
    """A model that refuses nothing: only the schema counts."""


def of_steps(schema, value):
    from refusals import refusals
    from validator import validator_of

    return refusals(validator_of(schema), value, "book")


def of_copy(schema, value):
    from atdf_errors import Call

    return Call("book", schema, Anything.model_validate).refusals(value)


refused = of_copy if sys.argv[1] == "copy" else of_steps
for schema, value in json.load(sys.stdin):
    around = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    given = {} if value == "(left out)" else {"x": value}
    print(json.dumps(refused(around, given)))
