"""A short schema may ask for years of work: it is counted first, and nothing is compared twice."""

import sys
import time

import pytest

from conformance.formats.schema.instances import Unjudgeable, errors_of
from conformance.formats.schema.schemas import schema_faults
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of
from fixtures.servers.hostility.costly import COSTLY_OUTPUTS

TWINS = [{"a": [n // 2, {"b": n // 2}]} for n in range(20_000)]
OBJECTS = [{"a": n} for n in range(20_000)]


def test_twins_are_found_among_thousands_of_objects():
    assert errors_of({"uniqueItems": True}, TWINS)
    assert not errors_of({"uniqueItems": True}, TWINS[::2])


@pytest.mark.parametrize(
    ("items", "differ"),
    [([1, 1.0], False), ([1, True], True), ([0, False], True), ([[1], [True]], True),
     ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], False), (["1", 1], True), ([None, "null"], True),
     ([[], {}], True), ([["list"], "list"], True)],
)  # fmt: skip
def test_items_are_compared_as_json(items, differ):
    assert (errors_of({"uniqueItems": True}, items) == []) is differ
    assert (errors_of({"enum": items[:1]}, items[1]) != []) is differ


def test_numbers_of_one_hash_are_compared_as_soon_as_others():
    alike = [n * sys.hash_info.modulus + 7 for n in range(10_000)]
    began = time.process_time()
    assert errors_of({"uniqueItems": True}, alike) == []
    assert errors_of({"uniqueItems": True}, [*alike, alike[0]])
    assert time.process_time() - began < 3
    assert errors_of({"uniqueItems": True}, [1e300, int(1e300)])
    assert errors_of({"uniqueItems": True}, [-1e300, int(1e300)]) == []


def test_a_dialect_at_no_address_is_unknown():
    (fault,) = schema_faults({"$schema": "http://[", "type": "object"})
    assert fault.place == ("$schema",)


def test_a_list_of_objects_in_a_schema_is_checked_soon():
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "enum": OBJECTS}
    assert schema_faults(schema) == ()
    assert schema_faults({**schema, "enum": TWINS}), "draft 4 forbids constants that are equal"


def test_objects_where_names_belong_are_a_fault_of_the_schema():
    schema = {"type": "object", "required": OBJECTS}
    assert schema_faults(schema)
    with pytest.raises(SchemaProblem):
        view_of(schema)


COSTLY = ["output-of-many-branches", "output-of-a-megabyte-for-many-branches",
          "output-of-many-names"]  # fmt: skip


@pytest.mark.parametrize("name", COSTLY)
def test_what_takes_too_many_steps_is_not_judged(name):
    schema, value = COSTLY_OUTPUTS[name]
    with pytest.raises(Unjudgeable):
        errors_of(schema, value())


def test_a_long_and_plain_output_is_judged():
    row = {name: {"anyOf": [{"type": "string"}, {"type": "null"}]} for name in "abcdefgh"}
    schema = {"type": "array", "items": {"type": "object", "properties": row, "required": ["a"]}}
    assert errors_of(schema, [dict.fromkeys("abcdefgh", "x")] * 1000) == []
