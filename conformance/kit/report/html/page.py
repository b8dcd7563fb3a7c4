"""Writes `report.html`, the page for people, from the templates in `templates/`.

Autoescape makes a target's text inert; before that, invisible characters are escaped. A content
security policy in the page blocks all loading, and all scripts except the page's own.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from conformance.kit.model.fault import FaultLog, told_fault
from conformance.kit.model.results import RunResult
from conformance.kit.report import findings, levels, words
from conformance.kit.report.data import ResultsJson
from conformance.kit.report.exit import outcome
from conformance.kit.report.html import charts, parity
from conformance.kit.report.html.detail import evidence
from conformance.kit.report.html.matrix import matrix
from conformance.kit.report.html.places import places
from conformance.kit.report.html.rows import PLACES, Row, Terms, chips, fold, more_of
from conformance.kit.report.lacking import Lack, lacks
from conformance.kit.report.reporter import Report
from conformance.kit.report.reproduce import wider
from conformance.kit.report.safe_text import visible
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Level, RunKind, Verdict

TEMPLATES = Path(__file__).parents[1] / "templates"
STYLE = (TEMPLATES / "style.css").read_text(encoding="utf-8")
SCRIPT = (TEMPLATES / "behavior.js").read_text(encoding="utf-8")

SYMBOLS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✕",
    Verdict.WARN: "!",
    Verdict.NOT_APPLICABLE: "–",
    Verdict.NOT_VERIFIED: "?",
    Verdict.WAIVED: "~",
    Verdict.FLAKY: "≈",
    Verdict.KIT_ERROR: "‼",
}
"""A character for each verdict, for readers who cannot see the color."""

_BUDGET = 6_000_000
"""Limit, in characters, of all details together, so that the page opens without delay."""

_INSTANT = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)$")
_TICKED = re.compile("`([^`\n]+)`")
_SPACES = re.compile(" {2,}")


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row that is not a verdict: an error of the kit that pytest reports outside tests."""

    id: str
    verdict: Verdict
    name: str
    log: str


class Page:
    """Writes the page. pytest-html, whose `version` the page names, puts it into the file."""

    name = "report.html"

    def __init__(
        self, version: str = "", own: Sequence[OwnRow] = (), *, empty: bool = False
    ) -> None:
        self.version = version
        self.own = own
        self.empty = empty
        """Whether pytest ended before a session began."""
        self.failed = FaultLog()
        """Messages about rows that the kit could not show in full; `parts` adds them."""

    def parts(self, report: Report) -> Iterator[str]:
        """Yield the page."""
        policy = (
            f"default-src 'none'; script-src {_hash(SCRIPT)}; style-src {_hash(STYLE)}; "
            "base-uri 'none'; form-action 'none'"
        )
        yield render(
            "page.html",
            report,
            self.failed,
            policy=policy,
            style=STYLE,
            script=SCRIPT,
            version=self.version,
            own=self.own,
            empty=self.empty,
        )


def render(template: str, report: Report, failed: FaultLog | None = None, **values: Any) -> str:
    """Render one template of the page for a report.

    `failed` gets the fault of each row that the kit could not show in full.
    """
    made = _environment(report, FaultLog() if failed is None else failed)
    return made.get_template(template).render(values)


def _environment(report: Report, failed: FaultLog) -> Environment:
    """Return the template environment: the report, its folded rows, and the report's words."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    session, language = report.session, report.language
    folded = fold(levels.all_items(session))
    anchors = folded.anchors()
    listed = levels.resources_listed(session)
    left = _BUDGET

    def say(id: str, **values: object) -> Markup:
        return ticked(visible(report.say(id, **values), 2_000))

    def said(value: str | Message, limit: int = 600) -> Markup:
        text = value.words(language) if isinstance(value, Message) else value
        return ticked(report.text(text, limit))

    def detail(row: Row) -> str:
        nonlocal left
        try:
            shown = list(evidence(row, report)) if left > 0 else []
            inside = made.get_template("detail.html").render(row=row, shown=shown)
        except Exception as error:
            where = message("kit.row_failed", clause=row.clause)
            inside = str(said(told_fault(where, failed.note(where, error))))
        left -= len(inside)
        return in_comment(inside)

    made.filters |= {
        "clean": report.text,
        "said": said,
        "ticked": ticked,
        "number": partial(words.number, language=language),
        "percent": partial(words.percent, language=language),
        "duration": partial(words.duration, language=language),
        "verdict_name": partial(words.verdict_name, language=language),
        "level_name": partial(words.level_name, language=language),
        "requirement_name": partial(words.requirement_name, language=language),
        "rule": partial(words.rule, language=language),
        "waiver": partial(words.waiver_words, language=language),
    }
    made.globals |= {
        "report": report,
        "session": session,
        "language": language,
        "full": [run for run in session.runs if run.run.kind is RunKind.FULL],
        "rated": [run for run in session.runs if levels.is_rated(run)],
        "has_tools": any(map(levels.offers_tools, session.runs)),
        "protocol": [run for run in session.runs if run.run.kind is not RunKind.FULL],
        "targets": list(dict.fromkeys(run.run.target for run in session.runs)),
        "level": levels.session_level(session),
        "items": sum(len(run.items) for run in session.runs),
        "counts": {v: n for v, n in levels.counts(levels.all_items(session)).items() if n},
        "listed": listed,
        "types": ", ".join(
            f"{kind} {words.number(count, language)}" for kind, count in listed.items()
        ),
        "results": ResultsJson.name,
        "guides": partial(levels.guides_for, language=language),
        "verdicts": Verdict,
        "symbols": SYMBOLS,
        "nothing": words.NOTHING,
        "findings": findings,
        "folded": folded,
        "terms": Terms(report),
        "say": say,
        "anchor": lambda clause, verdict: anchors.get((clause, verdict)),
        "rule": partial(words.rule, language=language),
        "detail": detail,
        "cards": cards,
        "charts": charts,
        "versions": {run.run.id: run.run.version for run in session.runs},
        "current": frozenset(run.run.id for run in session.runs if not run.run.superseded),
        "chips": chips,
        "instant": instant,
        "levels": levels,
        "wider": wider(report),
        "matrix": matrix,
        "more_of": partial(more_of, report=report),
        "why_must": lambda clause, verdict, ids: words.why_must(
            clause, verdict, (run for run in session.runs if run.run.id in ids), language
        ),
        "claims": lambda run: words.claims_told(run, language, lambda name: report.text(name, 60)),
        "misleading": lambda each: words.misleading_words(
            each, language, lambda name: report.text(name, 60)
        ),
        "verified": words.verified_words(
            levels.clauses_verified(session),
            levels.unverified(session),
            language,
            lambda name: report.text(name, 40),
        ),
        "others": lambda group: words.others(
            group.told, language, lambda text: report.text(text, 60)
        ),
        "outcome": outcome,
        "parity": parity,
        "places": partial(places, report=report),
        "place_limit": PLACES,
    }
    return made


def ticked(text: str) -> Markup:
    """Escape text for HTML, mark the parts between backticks as code, and keep several spaces."""
    code = _TICKED.sub(r"<code>\1</code>", str(escape(text)))
    return Markup(_SPACES.sub(r"<span class=spaces>\g<0></span>", code))  # noqa: S704 - escaped


def in_comment(markup: str) -> str:
    """Return equivalent markup that cannot end the HTML comment around it."""
    return markup.replace("--", "-&#45;")


def instant(text: str) -> str:
    """Shorten an ISO 8601 instant to minutes; return any other text unchanged."""
    return _INSTANT.sub(r"\1 \2 UTC", text)


@dataclass(frozen=True, slots=True)
class Card:
    """The full runs of one target that have the same level and lack the same for the next."""

    runs: tuple[RunResult, ...]
    upper: Level | None
    lacks: tuple[Lack, ...]

    @property
    def steps(self) -> list[tuple[Level, bool]]:
        """Each level above the lowest, and whether the runs reached it."""
        run = self.runs[0]
        held = run.levels
        return [(one, one in held and held[one].reached) for one in run.run.role.levels[1:]]


def cards(runs: Sequence[RunResult]) -> list[Card]:
    """Return a card for each group of equal full runs."""
    alike: dict[tuple[object, ...], list[RunResult]] = {}
    for run in runs:
        key = (run.run.target, run.level, _lacking(run), run.claims_atdf, run.claims)
        alike.setdefault(key, []).append(run)
    made = []
    for some in alike.values():
        upper = levels.next_level(some[0])
        made.append(Card(tuple(some), upper, lacks(some[0], upper) if upper else ()))
    return made


def _lacking(run: RunResult) -> tuple[object, ...]:
    """Return what a run lacks, and for which tools. It is part of the key that groups runs."""
    upper = levels.next_level(run)
    if upper is None:
        return ()
    told = ((e.verdict, e.clauses, frozenset((*e.tools, *e.also))) for e in lacks(run, upper))
    return (levels.missing_for(run, upper), *told)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"
