"""Whether the value of an answer is valid for the schema that the tool gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.formats.problem import json_path
from conformance.formats.schema.instances import Unjudgeable, errors_of, nearest
from conformance.formats.schema.keyword_words import words
from conformance.kit.evidence.evidence import Call
from conformance.kit.verdicts.checks import Checks, broken, holds, unknown

_ONLY_SAID = frozenset({"format", "contentEncoding", "contentMediaType"})
"""Keywords that describe a value, but make no value invalid."""


def by_schema(call: Call, schema: Mapping[str, Any], value: Any, *at: str) -> Checks:
    """Yield the check of `value`, which the answer to `call` has at the path `at`.

    Each error is a finding. A schema that takes too much work is not verified.
    """
    try:
        errors = [nearest(each) for each in errors_of(schema, value)]
    except Unjudgeable as beyond:
        yield unknown(beyond.reason.id, call, **dict(beyond.reason.values))
        return
    errors = [error for error in errors if error.validator not in _ONLY_SAID]
    for error in errors:
        said = words(error)
        path = json_path((*at, *error.absolute_path))
        yield broken(call, said.id, path=path, **dict(said.values))
    if not errors:
        yield holds()
