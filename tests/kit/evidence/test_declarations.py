"""What is wrong with the tools of a catalog, over all its pages."""

from __future__ import annotations

import pytest

from conformance.kit.evidence.declarations import TOO_MANY, Discovered, bounded, declared, judged_of
from conformance.kit.model.run import Run
from conformance.kit.model.settings import Settings
from conformance.spec.messages import message
from conformance.spec.vocabulary import META_KEY_NAME, Binding, MetaKey

HTTP = Run("http", "t", Binding.HTTP, "http://127.0.0.1:1", "")
MCP = Run("mcp-2025-11-25", "t", Binding.MCP, "http://127.0.0.1:1/mcp", "2025-11-25")


def tool(run, name, **enhanced):
    """A tool as the binding of a run has it: what MCP has no field for is in `_meta`."""
    more = {"_meta": {META_KEY_NAME[MetaKey.ATDF]: enhanced}} if run is MCP else enhanced
    return {"name": name, "description": name, "inputSchema": {"type": "object"}, **more}


def broken(run, *pages, **more):
    """The clauses that each tool breaks, with the path in its page."""
    judged = declared(Discovered(run, documents=pages, **more))
    return {n: [(p.clause, p.path) for p in found] for n, found in judged.by_tool.items()}


@pytest.mark.parametrize("run", [HTTP, MCP], ids=["http", "mcp"])
@pytest.mark.parametrize(
    ("enhanced", "clause", "path"),
    [
        ({"metadata": {"author": ""}}, "ATDF-ENH-002", "metadata.author"),
        ({"localization": {"es": {}}}, "ATDF-ENH-003", "localization.es"),
        ({"prerequisites": []}, "ATDF-ENH-004", "prerequisites"),
        ({"feedback": {"completion_signals": "ok"}}, "ATDF-ENH-005", "feedback.completion_signals"),
        ({"prerequisites": {"tools": ["a"]}}, "ATDF-ENH-006", "prerequisites.tools[0]"),
        ({"prerequisites": {"tools": ["b"]}}, "ATDF-ENH-007", "prerequisites.tools[0]"),
    ],
)
def test_what_a_listed_tool_says_beyond_its_form_is_judged(run, enhanced, clause, path):
    page = {"tools": [tool(run, "a", **enhanced)]}
    assert broken(run, page) == {"a": [(clause, f"$.tools[0].{path}")]}


@pytest.mark.parametrize("run", [HTTP, MCP], ids=["http", "mcp"])
def test_a_tool_may_need_one_of_any_page(run):
    first = {"tools": [tool(run, "a", prerequisites={"tools": ["b"]})], "nextCursor": "2"}
    second = {"tools": [tool(run, "b", prerequisites={"tools": ["a", "c"]})]}
    absent = ("ATDF-ENH-007", "$.tools[0].prerequisites.tools[1]")
    assert broken(run, first, second) == {"b": [absent]}


@pytest.mark.parametrize("run", [HTTP, MCP], ids=["http", "mcp"])
def test_where_more_tools_may_follow_none_is_missed(run):
    page = {"tools": [tool(run, "a", prerequisites={"tools": ["b"]})]}
    assert broken(run, {**page, "nextCursor": "2"}) == {}
    many = (("+9", message(TOO_MANY, most=1, more=9)),)
    assert broken(run, page, left_out=many) == {}


@pytest.fixture
def two_at_most(monkeypatch):
    monkeypatch.setattr("conformance.kit.evidence.declarations.MOST_TOOLS", 2)


def names(items):
    return [item.get("name") for item in items]


@pytest.mark.usefixtures("two_at_most")
def test_of_a_long_list_no_more_is_read_than_can_be_judged():
    items = [tool(HTTP, name) for name in "abcd"]
    kept, left_out = judged_of(items, Settings())
    assert names(kept) == ["a", "b"]
    ((label, reason),) = left_out
    assert (label, reason.id) == ("+2", TOO_MANY)
    assert judged_of(items[:2], Settings()) == (items[:2], ())


@pytest.mark.usefixtures("two_at_most")
def test_of_a_long_list_what_was_selected_comes_first_and_every_item_of_its_name():
    items = [tool(HTTP, name) for name in "abcdc"] + [{"description": "nameless"}]
    kept, _ = judged_of(items, Settings(include_tools=("c",)))
    assert names(kept) == ["a", "c", "c", None]


@pytest.mark.usefixtures("two_at_most")
def test_the_pages_of_a_long_list_hold_what_is_judged():
    _, left_out = judged_of([tool(HTTP, name) for name in "abc"], Settings())
    pages = ({"tools": [tool(HTTP, name) for name in "abc"]},)
    found = bounded(Discovered(HTTP, documents=pages, left_out=left_out), Settings())
    assert found.left_out == left_out
    assert found.documents == ({"tools": []},)
