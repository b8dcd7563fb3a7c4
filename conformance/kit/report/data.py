"""`results.json`: a session as data, and back.

Writing and reading are inverse: what `results_document` gives, `read_results` makes a session of
again; only secrets, and texts too long to be meant, come back changed. Schema:
`schema/bindings/1.0/results.schema.json`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conformance.kit.model.results import (
    Advice,
    Explain,
    Finding,
    Item,
    LeftOut,
    LevelState,
    Rate,
    Repair,
    RunResult,
    SessionResult,
    Unnamed,
    UsedWaiver,
    Waiver,
)
from conformance.kit.record.runs import read_run, run_fields
from conformance.kit.report.levels import counts
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Level, Requirement, Verdict

Redact = Callable[[str], str]

LONGEST = 2_000
"""Characters kept of one text: a name of 10 MB would stand here once for each clause."""


class ResultsError(Exception):
    """The document is no `results.json` that this kit can read; says where and why."""


def unchanged(text: str) -> str:
    """Give the text itself: the redaction where there is no secret."""
    return text


class _Items(list[Any]):
    """A run's items as JSON, each made when it is written: together they take ten times as much
    memory as the items themselves, and a thousand tools have a hundred thousand.
    """

    def __init__(self, items: Sequence[Item], made: Callable[[Item], Any]) -> None:
        super().__init__()
        self._items = items
        self._made = made

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return map(self._made, self._items)


def results_document(
    session: SessionResult,
    language: str = "en",
    redact: Redact = unchanged,
    *,
    to_write: bool = False,
) -> dict[str, Any]:
    """Give the `results.json` of a session, with its messages in `language`.

    `redact` replaces secrets in every text that came from the target or the command line. A
    document that is only `to_write` makes its items as they are written.
    """
    writer = _Writer(language, redact, to_write=to_write)
    return {
        "kit": session.kit,
        "started": session.started,
        "duration_s": session.duration,
        "seed": session.seed,
        "language": language,
        "interrupted": session.interrupted,
        "selection": session.selection,
        "selected": writer.text(session.selected),
        "waivers": [writer.waiver(used) for used in session.waivers],
        "waivers_file": writer.text(session.waivers_file),
        "kit_errors": [writer.text(error) for error in session.kit_errors],
        "kit_traces": [writer.text(trace) for trace in session.kit_traces],
        "runs": [writer.run(run) for run in session.runs],
    }


def read_results(document: Mapping[str, Any]) -> SessionResult:
    """Make a session of what `results_document` gave; raises `ResultsError`."""
    try:
        return SessionResult(
            kit=document["kit"],
            started=document["started"],
            duration=document["duration_s"],
            seed=document["seed"],
            runs=tuple(_read_run(run) for run in document["runs"]),
            interrupted=document["interrupted"],
            selection=document.get("selection", False),
            selected=document.get("selected", ""),
            kit_errors=tuple(document["kit_errors"]),
            kit_traces=tuple(document.get("kit_traces", ())),  # older files have none
            waivers=tuple(_read_waiver(used) for used in document.get("waivers", ())),
            waivers_file=document.get("waivers_file", ""),
        )
    except KeyError as error:
        raise ResultsError(f"results.json has no {error} where one belongs.") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"results.json holds a wrong value: {error}.") from error


_SAID = 200
"""Characters of a refusal's words: enough to know it again."""


class _Writer:
    """Carries the language and the redaction through the document."""

    def __init__(self, language: str, redact: Redact, *, to_write: bool = False) -> None:
        self._to_write = to_write
        self.language = language
        self.redact = redact

    def text(self, text: str) -> str:
        """Give a text without secrets, and not too long."""
        clean = self.redact(text)
        if len(clean) <= LONGEST:
            return clean
        digest = hashlib.sha256(clean.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{clean[:LONGEST]}… (+{len(clean) - LONGEST}, sha256 {digest})"

    def maybe(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def clean(self, message: Message) -> Message:
        """Give a message whose values are texts without secrets, and not too long."""
        return Message(
            message.id,
            tuple(
                (name, self.clean(value) if isinstance(value, Message) else self.text(value))
                for name, value in message.values
            ),
        )

    def message(self, message: Message) -> dict[str, Any]:
        clean = self.clean(message)
        return {
            "message": clean.words(self.language),
            "message_id": clean.id,
            "values": {
                name: self.message(value) if isinstance(value, Message) else value
                for name, value in clean.values
            },
        }

    def waiver(self, used: UsedWaiver) -> dict[str, Any]:
        waiver = used.waiver
        return {
            "clause": waiver.clause,
            "tool": self.maybe(waiver.tool),
            "run": waiver.run,
            "reason": self.text(waiver.reason),
            "until": waiver.until,
            "line": waiver.line,
            "waived": used.waived,
            "stale": None if used.stale is None else self.message(used.stale),
        }

    def run(self, result: RunResult) -> dict[str, Any]:
        return {
            **run_fields(result.run, self.text),
            "claims_atdf": result.claims_atdf,
            "level": None if result.level is None else result.level.value,
            "levels": {
                level.value: {"reached": state.reached, "missing": list(state.missing)}
                for level, state in result.levels.items()
            },
            "repair": self.repair(result.repair),
            "explain": self.explain(result.explain),
            "counts": {verdict.value: n for verdict, n in counts(result.items).items()},
            "tools_called": [self.text(tool) for tool in result.tools_called],
            "tools_left_out": [
                {"tool": self.text(left.tool), **self.message(left.reason)}
                for left in result.tools_left_out
            ],
            "tools_unmarked": [self.text(tool) for tool in result.tools_unmarked],
            "baseline_accepted": [self.text(tool) for tool in result.baseline_accepted],
            "requests": result.requests,
            "resources": dict(result.resources),
            "items": _Items(result.items, self.item)
            if self._to_write
            else [self.item(item) for item in result.items],
        }

    def repair(self, repair: Repair) -> dict[str, Any]:
        return {
            **_repair(repair),
            "advice": [
                {
                    "keyword": each.keyword,
                    "tool": self.text(each.tool),
                    "parameter": self.text(each.parameter),
                    "sent": self.maybe(each.sent),
                    "suggested_value": self.text(each.suggested),
                }
                for each in repair.advice
            ],
        }

    def explain(self, explain: Explain) -> dict[str, Any]:
        return {
            **_explain(explain),
            "unnamed": [
                {
                    "keyword": each.keyword,
                    "tool": self.text(each.tool),
                    "case": self.text(each.case),
                    "parameter": self.text(each.parameter),
                    "named": [self.text(name) for name in each.named],
                    "said": self.redact(each.said)[:_SAID],
                }
                for each in explain.unnamed
            ],
        }

    def item(self, item: Item) -> dict[str, Any]:
        first = item.findings[0] if item.findings else None
        return {
            "clause": item.clause,
            "requirement": item.requirement.value,
            "tool": self.maybe(item.tool),
            "verdict": item.verdict.value,
            "checked": item.checked,
            "waiver_reason": self.maybe(item.waiver_reason),
            **(self.finding(first) if first else _NO_FINDING),
            "more": [self.finding(finding) for finding in item.findings[1:]],
        }

    def finding(self, finding: Finding) -> dict[str, Any]:
        return {
            **self.message(finding.message),
            "case": self.maybe(finding.case),
            "parameter": self.maybe(finding.parameter),
            "scenario": finding.scenario,
            "exchange": finding.exchange,
            "path": self.maybe(finding.path),
        }


_NO_FINDING: Mapping[str, None] = dict.fromkeys(
    ("message", "message_id", "values", "case", "parameter", "scenario", "exchange", "path")
)


def _rate(rate: Rate) -> dict[str, Any]:
    return {"rate": rate.rate, "hits": rate.hits, "of": rate.of}


def _repair(repair: Repair) -> dict[str, Any]:
    return {
        **_rate(repair.rate),
        "stuck": repair.stuck,
        "wrong": repair.wrong,
        "none_given": repair.none_given,
        "steps": {str(steps): count for steps, count in repair.steps.items()},
        "by_keyword": {keyword: _rate(rate) for keyword, rate in repair.by_keyword.items()},
    }


def _explain(explain: Explain) -> dict[str, Any]:
    return {
        "names_parameter": explain.names_parameter.rate,
        "says_what_is_right": explain.says_what_is_right.rate,
        "counted": {
            "names_parameter": _rate(explain.names_parameter),
            "says_what_is_right": _rate(explain.says_what_is_right),
        },
        "by_keyword": {
            keyword: {"names_parameter": _rate(named), "says_what_is_right": _rate(said)}
            for keyword, (named, said) in explain.by_keyword.items()
        },
    }


def _read_rate(data: Mapping[str, Any]) -> Rate:
    return Rate(data["hits"], data["of"])


def _read_advice(data: Mapping[str, Any]) -> Advice:
    names = ("keyword", "tool", "parameter", "sent", "suggested_value")
    return Advice(*(data[name] for name in names))


def _read_unnamed(data: Mapping[str, Any]) -> Unnamed:
    return Unnamed(
        keyword=data["keyword"],
        tool=data["tool"],
        case=data["case"],
        parameter=data["parameter"],
        named=tuple(data["named"]),
        said=data["said"],
    )


def _read_message(data: Mapping[str, Any]) -> Message:
    values = (
        (name, value if isinstance(value, str) else _read_message(value))
        for name, value in data["values"].items()
    )
    return Message(data["message_id"], tuple(values))


def _read_finding(data: Mapping[str, Any]) -> Finding:
    return Finding(
        message=_read_message(data),
        exchange=data["exchange"],
        case=data["case"],
        scenario=data["scenario"],
        parameter=data["parameter"],
        path=data["path"],
    )


def _read_waiver(data: Mapping[str, Any]) -> UsedWaiver:
    names = ("clause", "reason", "line", "tool", "run", "until")
    stale = None if data["stale"] is None else _read_message(data["stale"])
    return UsedWaiver(Waiver(**{name: data[name] for name in names}), data["waived"], stale)


def _read_item(data: Mapping[str, Any], run: str) -> Item:
    first = () if data["message_id"] is None else (_read_finding(data),)
    return Item(
        clause=data["clause"],
        requirement=Requirement(data["requirement"]),
        run=run,
        tool=data["tool"],
        verdict=Verdict(data["verdict"]),
        findings=(*first, *(_read_finding(finding) for finding in data["more"])),
        checked=data["checked"],
        waiver_reason=data["waiver_reason"],
    )


def _read_run(data: Mapping[str, Any]) -> RunResult:
    repair, explain = data["repair"], data["explain"]
    return RunResult(
        run=read_run(data),
        level=None if data["level"] is None else Level(data["level"]),
        levels={
            Level(name): LevelState(state["reached"], tuple(state["missing"]))
            for name, state in data["levels"].items()
        },
        repair=Repair(
            rate=_read_rate(repair),
            by_keyword={name: _read_rate(rate) for name, rate in repair["by_keyword"].items()},
            stuck=repair["stuck"],
            wrong=repair["wrong"],
            none_given=repair["none_given"],
            steps={int(steps): count for steps, count in repair.get("steps", {}).items()},
            advice=tuple(_read_advice(each) for each in repair.get("advice", ())),
        ),
        explain=Explain(
            names_parameter=_read_rate(explain["counted"]["names_parameter"]),
            says_what_is_right=_read_rate(explain["counted"]["says_what_is_right"]),
            by_keyword={
                name: (_read_rate(pair["names_parameter"]), _read_rate(pair["says_what_is_right"]))
                for name, pair in explain["by_keyword"].items()
            },
            unnamed=tuple(_read_unnamed(each) for each in explain.get("unnamed", ())),
        ),
        items=tuple(_read_item(item, data["run"]) for item in data["items"]),
        tools_called=tuple(data["tools_called"]),
        tools_left_out=tuple(
            LeftOut(left["tool"], _read_message(left)) for left in data["tools_left_out"]
        ),
        baseline_accepted=tuple(data["baseline_accepted"]),
        claims_atdf=data["claims_atdf"],
        requests=data["requests"],
        resources=dict(data.get("resources", {})),
        tools_unmarked=tuple(data.get("tools_unmarked", ())),  # older files have none
    )
