"""Finds the valid value that a refused value expresses in another notation. Serves ATDF-ERR-018."""

from __future__ import annotations

import json
from typing import Any, Final

from conformance.formats.schema.equality import same
from conformance.formats.tool.tool import Tool
from conformance.kit.cases.near_misses import TRUTH
from conformance.kit.model.case import Case, Violation
from conformance.kit.schema.places import ABSENT, from_pointer, put
from conformance.kit.schema.unusable_schema import SchemaProblem
from conformance.kit.schema.view import view_of

_CHOICES: Final = frozenset({"enum", "const"})


def meant(case: Case, tool: Tool) -> Any:
    """Return the one valid value that the broken value expresses in another notation; else ABSENT.

    A string can express a number or a truth value. A string that differs from an allowed one only
    in case or outer spaces expresses that one. A string that contains a JSON object or array proves
    nothing: with several branches, it may be meant for another branch.
    """
    violation = case.violation
    if violation is None or violation.sent_absent or violation.was_absent:
        return ABSENT
    said = _said(violation)
    if said is ABSENT or same(said, violation.was):
        return said  # the value before the change is known to be valid
    try:
        view = view_of(tool.input_schema)
        tokens = from_pointer(violation.pointer, case.arguments)
        whole = put(case.arguments, tokens, said)
        return said if view.is_valid((view.root,), whole) else ABSENT
    except (LookupError, SchemaProblem):
        return ABSENT


def _said(violation: Violation) -> Any:
    sent, was = violation.sent, violation.was
    if isinstance(sent, str) and isinstance(was, str):
        alike = sent.strip().casefold() == was.strip().casefold()
        return was if alike and not _CHOICES.isdisjoint(violation.keywords) else ABSENT
    if "type" not in violation.keywords:
        return ABSENT
    if isinstance(was, bool):
        # Compared as text, so that neither 1.0 nor a list counts as a truth value.
        text = sent if isinstance(sent, str) else json.dumps(sent)
        return TRUTH.get(text.strip().casefold(), ABSENT)
    if not isinstance(sent, str) or not isinstance(was, int | float):
        return ABSENT
    try:
        read = json.loads(sent)
    except (ValueError, RecursionError):
        return ABSENT
    return was if same(read, was) else ABSENT
