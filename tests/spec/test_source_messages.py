"""Code raises ids of messages, and gives each its values; it says nothing of its own."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from conformance.spec.messages import TOLD
from scripts.generator.texts import placeholders
from tests.root import ROOT

MESSAGES: dict[str, dict[str, str]] = json.loads(
    (ROOT / "conformance" / "spec" / "messages.json").read_text(encoding="utf-8")
)
SAYING = {"message", "broken", "unknown", "absent"}
NOT_VALUES = {"path"}
"""Keywords of `broken` other than placeholders."""


def _said() -> Iterator[tuple[str, str, set[str] | None]]:
    """Give each place where code says a message by its id, and the values that it gives.

    None where the values come from a mapping, so that the code does not show them.
    """
    code = (ROOT / "conformance").rglob("*.py")
    for file in sorted(code):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id not in SAYING:
                continue
            others = NOT_VALUES if node.func.id == "broken" else set()
            names = {each.arg for each in node.keywords if each.arg is not None} - others
            spread = any(each.arg is None for each in node.keywords)
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    place = f"{file.relative_to(ROOT)}:{node.lineno}"
                    yield place, argument.value, None if spread else names


def test_messages_are_said_somewhere():
    assert len(list(_said())) > 10


def test_every_id_that_code_says_is_a_message():
    assert [f"{place}: {name}" for place, name, _ in _said() if name not in MESSAGES] == []


def test_every_placeholder_of_a_message_gets_a_value():
    wrong = [
        f"{place}: {name} lacks {', '.join(sorted(lacking))}"
        for place, name, values in _said()
        if name in MESSAGES and values is not None
        if (lacking := placeholders(MESSAGES[name]["en"]) - values - {TOLD})
    ]
    assert wrong == []


def test_no_message_is_given_a_value_that_it_does_not_show():
    wrong = [
        f"{place}: {name} has no {', '.join(sorted(odd))}"
        for place, name, values in _said()
        if name in MESSAGES and values is not None
        if (odd := values - placeholders(MESSAGES[name]["en"]))
    ]
    assert wrong == []


def test_straight_quotation_marks_are_in_code_only():
    """A value is code; words that somebody said have the quotation marks of their language."""
    bare = {
        f"{id}: {text}"
        for id, texts in MESSAGES.items()
        for text in texts.values()
        if '"' in re.sub(r"`[^`]*`", "", text)
    }
    assert bare == set()
