"""A schema is found valid quickly exactly where the metaschema allows it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.formats.schema.metaschema import is_allowed, is_surely_valid
from conformance.formats.schema.positions import LIST, MAP, ONE
from conformance.formats.schema.schemas import schema_faults

META = Draft202012Validator(Draft202012Validator.META_SCHEMA)
PLAIN = ("type", "enum", "const", "default", "examples", "title", "description", "$comment",
         "format", "pattern", "minimum", "maximum", "multipleOf", "minLength", "required",
         "uniqueItems", "dependentRequired", "$id", "$ref", "$anchor", "$vocabulary", "x-own",
         "readOnly", "contentEncoding", "$schema", "minContains", "$dynamicAnchor")  # fmt: skip
KEYWORDS = st.sampled_from(sorted({*PLAIN, *ONE, *LIST, *MAP}))
LEAVES = st.sampled_from([None, True, False, 0, 1, -1, 1.5, "", "object", "a#b", "#", [], {}])
RIGHT = st.sampled_from([{"type": "object"}, {"type": ["string", "null"], "maxLength": 3}, True])
SCHEMAS = st.recursive(
    LEAVES | RIGHT,
    lambda inner: st.one_of(
        st.dictionaries(KEYWORDS, inner, max_size=4),
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "type", "$ref"]), inner, max_size=2),
    ),
    max_leaves=12,
)


@given(st.dictionaries(KEYWORDS, SCHEMAS, min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_what_is_found_valid_is_what_the_metaschema_allows(schema):
    if is_surely_valid(schema):
        assert META.is_valid(schema)
    elif META.is_valid(schema):  # what another dialect has a schema at, and this one does not know
        assert "additionalItems" in str(schema)


@pytest.mark.parametrize("keyword", sorted({*ONE, *LIST, *MAP}))
def test_a_fault_below_each_keyword_is_found(keyword):
    wrong = {"type": "text"}
    value = wrong if keyword in ONE else [wrong] if keyword in LIST else {"a": wrong}
    assert not is_surely_valid({keyword: value})


def test_tools_that_differ_in_texts_and_bounds_ask_the_metaschema_once():
    def schema(number):
        place = {"type": "integer", "maximum": number, "description": f"d{number}"}
        return {"type": "object", "properties": {f"n{number}": place}, "title": f"t{number}"}

    assert schema_faults(schema(0)) == ()
    before = is_allowed.cache_info().misses
    assert [schema_faults(schema(number)) for number in range(1, 50)] == [()] * 49
    assert is_allowed.cache_info().misses == before
