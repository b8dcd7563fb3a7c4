"""`report.html`: the page for people, made from the templates in `templates/`.

Autoescape makes what a target says inert; what no eye can see is written out before that. A policy
in the page lets nothing load, and no script run but its own.
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

from conformance.kit.model.fault import fault_of
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
from conformance.spec.clauses import guides_url
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
"""A verdict in one character: color alone would not reach everybody."""

_BUDGET = 6_000_000
"""Characters of all details together: the page must open without delay."""

_INSTANT = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)$")
_TICKED = re.compile("`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row other than a verdict: an error of the kit in collection or set-up, as pytest reports
    it.
    """

    id: str
    verdict: Verdict
    name: str
    log: str


class Page:
    """Writes the page; pytest-html, whose `version` it names, puts it into the file."""

    name = "report.html"

    def __init__(
        self, version: str = "", own: Sequence[OwnRow] = (), *, empty: bool = False
    ) -> None:
        self.version = version
        self.own = own
        self.empty = empty
        """Whether no session was reached."""
        self.failed: list[Message] = []
        """What the kit failed at while it told of a row; filled in by `parts`."""

    def parts(self, report: Report) -> Iterator[str]:
        """Give the page."""
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


def render(
    template: str, report: Report, failed: list[Message] | None = None, **values: Any
) -> str:
    """Give one template of the page, filled in with a report; `failed` gets what the kit failed at
    while it told of a single row.
    """
    made = _environment(report, [] if failed is None else failed)
    return made.get_template(template).render(values)


def _environment(report: Report, failed: list[Message]) -> Environment:
    """What the templates know: the report, its folded rows, and the report's words."""
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
            failed.append(row_failed(row.clause, error))
            inside = str(said(failed[-1]))
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
        "guides": guides_url(language),
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
        "claims": lambda run: words.claims_told(run, language, lambda name: report.text(name, 60)),
        "misleading": lambda each: words.misleading_words(
            each, language, lambda name: report.text(name, 60)
        ),
        "verified": words.verified_words(
            *levels.clauses_verified(session),
            levels.tools_unverified(session),
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


def row_failed(clause: str, error: Exception) -> Message:
    """That a row of the report says less than it could because of a fault of the kit."""
    fault = fault_of(error)
    where = message("kit.row_failed", clause=clause)
    return message("kit.fault", where=where, fault=fault.id, what=fault.what)


def ticked(text: str) -> Markup:
    """Give text escaped for HTML, with what is between backticks as code."""
    return Markup(_TICKED.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped here


def in_comment(markup: str) -> str:
    """Give markup that means the same, and does not end a comment that it is in."""
    return markup.replace("--", "-&#45;")


def instant(text: str) -> str:
    """Give an ISO 8601 instant to the minute; any other text as it is."""
    return _INSTANT.sub(r"\1 \2 UTC", text)


@dataclass(frozen=True, slots=True)
class Card:
    """The full runs of one target that reached the same level, and lack the same for the next."""

    runs: tuple[RunResult, ...]
    upper: Level | None
    lacks: tuple[Lack, ...]

    @property
    def steps(self) -> list[tuple[Level, bool]]:
        """Each level above none, and whether it is reached."""
        run = self.runs[0]
        held = run.levels
        return [(one, one in held and held[one].reached) for one in run.run.role.levels[1:]]


def cards(runs: Sequence[RunResult]) -> list[Card]:
    """Give a card for each group of full runs that are alike."""
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
    """What a run lacks, and for which tools: runs that differ in it are not alike."""
    upper = levels.next_level(run)
    if upper is None:
        return ()
    told = ((e.verdict, e.clauses, frozenset((*e.tools, *e.also))) for e in lacks(run, upper))
    return (levels.missing_for(run, upper), *told)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest())
    return f"'sha256-{digest.decode('ascii')}'"
