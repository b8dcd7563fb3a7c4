"""The evidence for each clause: the answer of a faulty server, and that of the reference.

`python -m scripts.exchanges` writes the file that this module reads.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from conformance.kit.model.results import Finding
from conformance.spec.messages import Message
from fixtures.servers.faults import FAULTS
from fixtures.servers.rest import CLAUSES as REST_FAULTS
from scripts.generator.clauses import Clause
from scripts.website.both_ends import ANSWER, MOMENTS, RECEIVED
from scripts.website.exchange_text import is_same, numbered
from scripts.website.layout import ROOT
from scripts.website.pages.context import CONFORMANCE, Context, up
from scripts.website.pages.corrections import good_fence, hunk, lines_of, nearest
from scripts.website.pages.examples import AROUND, WHOLE, in_words, with_error
from scripts.website.pages.markdown import code, escaped, fence, heading, link
from scripts.website.pages.tried import in_playground, opening

SEEN = ROOT / "fixtures" / "exchanges" / "seen.json"
_TIME = re.compile(r"^ *\d+ ms", re.MULTILINE)
"""The time of an event, which differs in each run."""
_INTRODUCED = {ANSWER: ("bad", "good"), RECEIVED: ("received", "meant"), MOMENTS: ("when", "due")}
"""The messages before what is wrong and what is right."""
_CALL = re.compile(r"POST /tools/[^/]+/invoke\s")
_IN_MCP = "MCP-ATDF-002"


@cache
def seen() -> Mapping[str, Mapping[str, Any]]:
    """Return the file: `clauses` has exchanges, `faults` the kit's finding about each fault."""
    held: Mapping[str, Mapping[str, Any]] = json.loads(SEEN.read_text(encoding="utf-8"))
    return held


def finding_of(said: Mapping[str, Any]) -> Finding:
    """Return the kit's finding, which has words in each language."""
    return Finding(message_of(said), path=said.get("path"))


def message_of(said: Mapping[str, Any]) -> Message:
    """Return a message from its id and its values."""
    values = (
        (name, message_of(each) if isinstance(each, dict) else each)
        for name, each in said["values"].items()
    )
    return Message(said["id"], tuple(values))


def fault_sentence(context: Context, fault: str, clause: str) -> str:
    """Return the kit's sentence about a fault, as Markdown; empty if there is none."""
    said = seen()["faults"].get(fault, {}).get(clause)
    return "" if said is None else _words(context, said)


def _words(context: Context, said: Mapping[str, Any]) -> str:
    """Return the kit's sentence; a place at its start becomes code."""
    words, path = finding_of(said).words(context.language), said.get("path")
    rest = words.removeprefix(f"{path}: ")
    return escaped(words) if rest == words else f"{code(str(path))}: {escaped(rest)}"


def exchange(context: Context, clause: Clause, here: str, *, others: bool = False) -> Iterator[str]:
    """Yield the section with the exchange or document of a clause; nothing if there is none.

    With `others`, it says that the page lists other defects, too.
    """
    held = seen()["clauses"].get(clause.id)
    if held is None:
        yield from _document(context, clause, here)
        return
    yield heading(2, context.said("clause_exchange"), "exchange")
    words = context.said("clause_exchange_said", words=_words(context, held["said"]))
    shown = held.get("shown", ANSWER)
    bad, good = held["bad"], held.get("good", "")
    if shown == MOMENTS:
        bad, good = (_moments(context, each) for each in (bad, good))
    fault = FAULTS.get(held["fault"])
    if is_same(bad, good) or (not good and fault is not None and fault.together):
        # What differs is between two bindings: neither answer is wrong.
        yield f"{words}\n{{ .error }}"
        return
    if held["fault"] in REST_FAULTS:
        intro = context.said("clause_exchange_service", fault=code(held["fault"]))
    else:
        to = f"{up(here)}{CONFORMANCE}/faults.md#fault-{held['fault']}"
        intro = context.said("clause_exchange_intro", fault=link(code(held["fault"]), to))
    wrong, right = marks(bad, good), marks(good, bad)
    if wrong or right:
        intro += f" {context.said('clause_exchange_marked')}"
    if others:
        intro += f" {context.said('clause_exchange_others', url='#faults')}"
    yield intro
    yield f"{words}\n{{ .error }}"
    if held["request"]:
        yield context.said("clause_exchange_request")
        yield fence(held["request"], "text")
    else:
        yield context.said("clause_exchange_input_ends")
    before, after = _INTRODUCED[shown] if good else (ANSWER, "")
    yield context.said(f"clause_exchange_{before}")
    yield fence(bad, "text", wrong)
    if good:
        yield context.said(f"clause_exchange_{after}")
        yield fence(good, f"{{ .text .good {right}}}")
    if is_call_of_both(clause):
        yield in_mcp(context, clause, here, "clause_exchange_mcp", "RT-MCP-003")


def _moments(context: Context, text: str) -> str:
    """Return events with their words in this language. Several requests are numbered."""
    vocabulary = context.source.vocabularies["seen"].values
    words = {each.value: context.text(each.text) for each in vocabulary}
    steps = [each.split(" ", 3) for each in text.splitlines()]
    several = len({number for _, _, number, *_ in steps if number != "0"}) > 1
    lines = []
    for at, seen, number, *about in steps:
        which = f"#{number}" if several and number != "0" else ""
        said = f"{words[seen].rstrip('.')}: {about[0]}" if about else words[seen]
        lines.append(f"{at:>5} ms  {f'{which:3}' if several else ''}{said}")
    return "\n".join(lines)


def is_call_of_both(clause: Clause) -> bool:
    """Return whether a clause holds for calls over HTTP and over MCP, and is shown over HTTP."""
    held = seen()["clauses"].get(clause.id)
    over_http = held is not None and _CALL.match(held["request"]) is not None
    return over_http and not clause.facts.get("applies_to", {}).get("bindings")


def in_mcp(context: Context, clause: Clause, here: str, message: str, parts: str) -> str:
    """Return the message about the same over MCP, with a link to a clause that shows it there.

    For a refusal, that is the error envelope in a result. For the runtime vocabulary it is the
    clause `parts`, about the places of the parts of a result.
    """
    about_parts = clause.spec == "runtime"
    shown = parts if about_parts else _IN_MCP
    to = context.own_page(context.clauses[shown], here, shown)
    return context.said(f"{message}_parts" if about_parts else message, clause=to)


def _document(context: Context, clause: Clause, here: str) -> Iterator[str]:
    """Yield a document that breaks the clause, and its valid original."""
    pair = nearest(context, clause.id)
    if pair is None:
        return
    broken, valid = pair
    yield heading(2, context.said("clause_exchange"), "exchange")
    yield context.said("clause_document")
    yield with_error(context, broken, here)
    to = f"{up(here)}{valid.spec}/{valid.document}.md#example-{valid.id}"
    yield context.said("clause_document_valid", example=link(context.said("valid_one"), to))
    right, wrong = (lines_of(in_words(context, each)) for each in (valid, broken))
    yield good_fence(*hunk(right, wrong, whole=WHOLE, around=AROUND))
    yield opening(in_playground(here, in_words(context, broken)), context.said("clause_tried"))


def marks(text: str, other: str) -> str:
    """Return the marks for the lines that the other text lacks; empty if they are most lines."""
    if not other:
        return ""
    own, beside = (_TIME.sub("", numbered(each)).splitlines() for each in (text, other))
    steps = difflib.SequenceMatcher(None, own, beside, autojunk=False).get_opcodes()
    lines = [n + 1 for kind, a, b, _, _ in steps if kind != "equal" for n in range(a, b)]
    if not lines or len(lines) * 2 > len(own):
        return ""
    return f'hl_lines="{" ".join(map(str, lines))}"'
