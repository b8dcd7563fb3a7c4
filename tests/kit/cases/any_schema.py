"""Input schemas of every keyword of JSON Schema 2020-12, sound and unsound, for tests that ask what
the kit does with them.
"""

from hypothesis import strategies as st

NUMBERS = st.sampled_from(
    [0, -0.0, 1, 2, 3, 7, 1.5, 0.01, 1e-300, 5e-324, 1e3, 1e23, 2**31, 2**53 + 1, 2**63, 1e307,
     1e308, 1.7976931348623157e308, 10**400, -1, -1e308, -(10**400)]
)  # fmt: skip
SIZES = NUMBERS.filter(lambda number: number >= 0 and number == int(number))
NAMES = st.sampled_from(["a", "b", "c", "", "~/%", "__proto__", "$ref", "é", "a" * 300])
PATTERNS = st.sampled_from(
    ["", "^a", "^[a-z]{3}$", "^(a+)+$", "^a{1,1000000000}$", r"^(?=(a+))\1b$", r"\p{L}+", "(",
     "a|b", r"^\d{4}-\d{2}$", "^(?!.*x)", r"[\s\S]", "$^", r"(?<n>a)\k<n>", r"^[^\W_]+\Z"]
)  # fmt: skip
FORMATS = st.sampled_from(
    ["date", "date-time", "time", "duration", "email", "idn-email", "hostname", "idn-hostname",
     "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template",
     "json-pointer", "relative-json-pointer", "regex", "color", "int32", ""]
)  # fmt: skip
KINDS = st.sampled_from(["string", "number", "integer", "boolean", "null", "array", "object"])
TEXTS = st.one_of(
    st.text(max_size=3),
    st.sampled_from(["YYYY-MM-DD", "one of `a`, `b`", "e.g. 'x'", "2024-02-29T23:59:60Z"]),
)
VALUES = st.recursive(
    st.one_of(NUMBERS, st.booleans(), st.none(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=2)),
    max_leaves=4,
)
REFERENCES = st.sampled_from(
    ["#", "#/$defs/a", "#/$defs/b", "#/$defs/c", "#a", "#b", "#/properties/x", "inner", "inner#a",
     "#/properties/x/items", "#/properties/~1", "#/properties/x/anyOf/0", "#/nowhere",
     "https://example.com/schema", "file:///etc/passwd", "http://["]
)  # fmt: skip
DIALECTS = st.sampled_from(
    ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#",
     "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-04/schema#",
     "https://example.com/dialect", ""]
)  # fmt: skip
IDS = st.sampled_from(["inner", "urn:x:y", "#", "http://[", "https://example.com/inner"])

_ONE = ("additionalProperties", "propertyNames", "unevaluatedProperties", "items", "contains",
        "unevaluatedItems", "not", "if", "then", "else", "contentSchema")  # fmt: skip
_SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "dependentSchemas", "$defs")
_OLDER = ("definitions", "dependencies")

PLAIN = {
    "type": st.one_of(KINDS, st.lists(KINDS, min_size=1, max_size=3, unique=True)),
    "enum": st.lists(VALUES, max_size=3),
    "const": VALUES,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), NUMBERS),
    "multipleOf": NUMBERS.filter(lambda number: number > 0),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
         "minContains", "maxContains"), SIZES),
    "uniqueItems": st.booleans(),
    "pattern": PATTERNS,
    "format": FORMATS,
    "required": st.lists(NAMES, max_size=3, unique=True),
    "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True),
                                         max_size=2),
    "default": VALUES,
    "examples": st.lists(VALUES, max_size=2),
    **dict.fromkeys(("title", "description", "$comment", "contentMediaType", "contentEncoding"),
                    TEXTS),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), st.booleans()),
    **dict.fromkeys(("$ref", "$dynamicRef"), REFERENCES),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), st.sampled_from(["a", "b"])),
    "$id": IDS,
    "$schema": DIALECTS,
    "$vocabulary": st.just({"https://json-schema.org/draft/2020-12/vocab/core": True}),
    **dict.fromkeys(("$recursiveRef", "x-unknown", "nullable", "discriminator", "example"), VALUES),
}  # fmt: skip
"""Keywords that hold no schema. `format` and `$id` are as right, or not, as authors write them."""


def _holding(inner):
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    return {
        **dict.fromkeys(_ONE, inner),
        **dict.fromkeys(_SEVERAL, several),
        **dict.fromkeys(_NAMED, named),
        **dict.fromkeys(_OLDER, named),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "$defs": st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    }


@st.composite
def _of(draw, keywords, *, wrong):
    """A schema of a few keywords, which stand seldom for the most part: each has its turn."""
    names = draw(st.lists(st.sampled_from(sorted(keywords)), max_size=5, unique=True))
    made = {name: draw(keywords[name]) for name in names}
    if wrong and names and draw(st.integers(0, 15)) == 0:
        made[draw(st.sampled_from(names))] = draw(VALUES)
    return made


def schemas(*, wrong=True, leaves=6):
    """Schemas of all keywords; with `wrong`, some keywords hold a value of another type."""
    return st.recursive(
        st.one_of(st.booleans(), _of(PLAIN, wrong=wrong)),
        lambda inner: _of({**PLAIN, **_holding(inner)}, wrong=wrong),
        max_leaves=leaves,
    )


@st.composite
def input_schemas(draw, *, wrong=True):
    """The input schema of a tool: parameters of such schemas, or such a schema itself."""
    inner = schemas(wrong=wrong)
    parts = draw(st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3))
    if draw(st.integers(0, 4)) == 0:
        whole = draw(_of({**PLAIN, **_holding(inner)}, wrong=wrong))
        return {**whole, "type": whole.get("type", "object")}
    named = draw(st.dictionaries(st.sampled_from(["x", "y"]), inner, min_size=1, max_size=2))
    needed = draw(st.lists(st.sampled_from(sorted(named)), max_size=2, unique=True))
    made = {"type": "object", "properties": named, "required": needed}
    return {**made, "$defs": parts} if parts else made
