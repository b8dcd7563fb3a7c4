"""A result is judged by its form alone."""

from __future__ import annotations

import pytest

from conformance.mcp.shapes import shape_faults

VERSION = "2025-11-25"


def said(text, **more):
    return {"content": [{"type": "text", "text": text}], **more}


def test_half_of_a_surrogate_pair_breaks_no_form():
    """Servers cut a text within an emoji; JSON can hold what is left."""
    assert shape_faults("tools/call", VERSION, said("cut \ud83c")) == []
    assert shape_faults("tools/call", VERSION, said("whole 🎉")) == []


def test_beside_it_a_form_that_is_broken_is_still_seen():
    faults = shape_faults("tools/call", VERSION, said("\ud83c", isError="no"))
    assert [(each.path, each.missing) for each in faults] == [("$.isError", False)]


@pytest.mark.parametrize("depth", [50, 400])
def test_depth_breaks_no_form(depth):
    deep = held = {}
    for _ in range(depth):
        held["in"] = held = {}
    assert shape_faults("tools/call", VERSION, said("deep", structuredContent=deep)) == []


def test_a_hundred_thousand_wrong_parts_are_no_hundred_thousand_faults():
    """The faults of all of them would fill the memory."""
    right, wrong = {"type": "text", "text": "a"}, {"type": "text"}
    for items, first in (([wrong] * 100_000, 0), ([right, wrong, right, wrong] * 1_000, 1)):
        faults = shape_faults("tools/call", VERSION, {"content": items})
        assert faults[0].path == f"$.content[{first}].text" and faults[0].missing
        assert 100 < len(faults) < 300


def test_each_wrong_part_of_a_few_is_a_fault():
    part = {"type": "text", "text": "a", "annotations": {"audience": [7]}}
    faults = shape_faults("tools/call", VERSION, {"content": [part] * 3})
    assert [each.steps[1] for each in faults] == [0, 1, 2]
