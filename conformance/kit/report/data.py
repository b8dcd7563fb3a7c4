"""Writes `results.json`, a session as data, and reads it back.

`kit/model` defines how each value is written. This module defines the structure of the file.
`_of_run` and its helpers write it; `_run_of` and its helpers reverse that. Reading returns the same
session, except for secrets and overlong texts. Schema: `schema/bindings/1.0/results.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from conformance.formats.problem import shown
from conformance.kit.model.results import Item, RunResult, SessionResult
from conformance.kit.model.written import Redact, Writing, codec, unchanged
from conformance.kit.report.levels import counts
from conformance.kit.report.reporter import Report
from conformance.kit.report.safe_text import in_json

Json = dict[str, Any]

_ALIKE: Final = 1_024
"""How many written items are cached, to be reused for items that differ only in the tool."""
LONGEST = 2_000
"""The most characters of one text. A name of 10 MB would be in the file once for each clause."""

_OF_SESSION = (
    "kit", "started", "duration_s", "seed", "language", "interrupted", "selection", "selected",
    "waivers", "waivers_file", "kit_errors", "kit_traces", "runs",
)  # fmt: skip
_OF_RUN = (
    "run", "target", "binding", "version", "endpoint", "kind", "claims_atdf", "level", "levels",
    "repair", "explain", "counts", "tools_called", "tools_left_out", "tools_unmarked",
    "tools_spared", "baseline_accepted", "requests", "resources", "shortages",
    "claims", "items",
)  # fmt: skip
_OF_WAIVER = ("clause", "tool", "run", "reason", "until", "line", "waived", "stale")
_OF_REPAIR = (
    "rate", "hits", "of", "stuck", "wrong", "none_given", "steps", "by_keyword", "advice",
)  # fmt: skip
_OF_FINDING = (
    "message", "message_id", "values", "case", "parameter", "scenario", "exchange", "path",
)  # fmt: skip
_OF_ITEM = ("clause", "requirement", "tool", "verdict", "checked", "waiver_reason")
"""The members of each object, in the order of the file."""

_NAMES = ("names_parameter", "says_what_is_right")


class ResultsError(Exception):
    """The document is not a `results.json` that this kit can read; says where and why."""


class _Items(list[Any]):
    """A run's items, each converted to JSON only when it is written.

    As JSON, all items together take ten times the memory, and a thousand tools have a hundred
    thousand.
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
) -> Json:
    """Return the `results.json` of a session, with its messages in `language`.

    `redact` removes secrets from every text that came from the target or the command line. With
    `to_write`, the items are converted only while the document is written.
    """
    writing = Writing(redact, LONGEST, language)
    data = codec(SessionResult).dump_python(session, mode="json", context=writing, exclude={"runs"})
    waivers = [_picked({**used, **used["waiver"]}, _OF_WAIVER) for used in data["waivers"]]
    runs = [_of_run(run, writing, to_write=to_write) for run in session.runs]
    own = {"language": language, "duration_s": data["duration"], "waivers": waivers, "runs": runs}
    return _picked({**data, **own}, _OF_SESSION)


def read_results(document: Mapping[str, Any]) -> SessionResult:
    """Return the session in a document of `results_document`; raises `ResultsError`."""
    from pydantic import ValidationError  # noqa: PLC0415 - see `kit/model/written.py`

    try:
        return codec(SessionResult).validate_python({
            **document,
            "duration": document["duration_s"],
            "waivers": [{**used, "waiver": used} for used in document.get("waivers", ())],
            "runs": [_run_of(run) for run in document["runs"]],
        })  # fmt: skip
    except KeyError as error:
        raise ResultsError(f"results.json has no {error} where one belongs.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        said = f"results.json holds a wrong value: {shown(first['input'])} ({place})."
        raise ResultsError(said) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"results.json holds a wrong value: {error}.") from error


def _picked(data: Mapping[str, Any], names: Iterable[str]) -> Json:
    return {name: data[name] for name in names}


def _of_run(result: RunResult, writing: Writing, *, to_write: bool) -> Json:
    data = codec(RunResult).dump_python(result, mode="json", context=writing, exclude={"items"})
    run = data.pop("run")

    @lru_cache(maxsize=_ALIKE)
    def of_no_tool(*fields: Any) -> Json:
        clause, requirement, run, *more = fields
        item = Item(clause, requirement, run, None, *more)
        return _of_item(codec(Item).dump_python(item, mode="json", context=writing))

    def made(item: Item) -> Json:
        """For many tools, most items of a clause differ only in the tool, so reuse their JSON."""
        tool = None if item.tool is None else writing.text(item.tool)
        said = item.verdict, item.findings, item.checked, item.waiver_reason
        return {**of_no_tool(item.clause, item.requirement, item.run, *said), "tool": tool}

    own = {
        "run": run.pop("id"),
        "repair": _of_repair(data["repair"]),
        "explain": _of_explain(data["explain"]),
        "counts": {verdict.value: count for verdict, count in counts(result.items).items()},
        "tools_left_out": [
            {"tool": left["tool"], **left["reason"]} for left in data["tools_left_out"]
        ],
        "items": _Items(result.items, made) if to_write else [made(i) for i in result.items],
    }
    return _picked({**run, **data, **own}, _OF_RUN)


def _run_of(data: Json) -> Json:
    run = {**data, "id": data["run"]}
    return {
        **data,
        "run": run,
        "repair": _repair_of(data["repair"]),
        "explain": _explain_of(data["explain"]),
        "tools_left_out": [{**left, "reason": left} for left in data["tools_left_out"]],
        "items": [_item_of(item, data["run"]) for item in data["items"]],
    }


def _of_item(data: Json) -> Json:
    first, *more = map(_of_finding, data["findings"] or (None,))
    return {**_picked(data, _OF_ITEM), **first, "more": more}


def _item_of(data: Json, run: str) -> Json:
    first = () if data["message_id"] is None else (data,)
    findings = [{**each, "message": each} for each in (*first, *data["more"])]
    return {**data, "run": run, "findings": findings}


def _of_finding(data: Json | None) -> Json:
    if data is None:
        return dict.fromkeys(_OF_FINDING)
    return _picked({**data, **data["message"]}, _OF_FINDING)


def _of_repair(data: Json) -> Json:
    by_keyword = {keyword: _of_rate(rate) for keyword, rate in data["by_keyword"].items()}
    for each in data["advice"]:
        each["suggested_value"] = each.pop("suggested")
    own = {**_of_rate(data["rate"]), "by_keyword": by_keyword}
    return _picked({**data, **own}, _OF_REPAIR)


def _repair_of(data: Json) -> Json:
    advice = [{**each, "suggested": each["suggested_value"]} for each in data.get("advice", ())]
    return {**data, "rate": data, "advice": advice}


def _of_explain(data: Json) -> Json:
    def named(rates: Iterable[Json]) -> Json:
        return {name: _of_rate(rate) for name, rate in zip(_NAMES, rates, strict=True)}

    counted = named(data[name] for name in _NAMES)
    return {
        **{name: rate["rate"] for name, rate in counted.items()},
        "counted": counted,
        "by_keyword": {keyword: named(rates) for keyword, rates in data["by_keyword"].items()},
        "unnamed": data["unnamed"],
    }


def _explain_of(data: Json) -> Json:
    by_keyword = data["by_keyword"].items()
    return {
        **data,
        **{name: data["counted"][name] for name in _NAMES},
        "by_keyword": {keyword: [pair[name] for name in _NAMES] for keyword, pair in by_keyword},
    }


def _of_rate(data: Json) -> Json:
    return {"rate": data["hits"] / data["of"] if data["of"] else None, **data}


RESULTS = "results.json"


class ResultsJson:
    """Writes the session as data, one item at a time."""

    name = RESULTS

    def parts(self, report: Report) -> Iterator[str]:
        """Yield the document, in ASCII, so that lone surrogates survive.

        It has no commands for a CI system, because a job may print it. Each item is one line: a
        hundred thousand items take seconds, and half a minute if indented.
        """
        document = results_document(report.session, report.language, report.redact, to_write=True)
        yield from map(in_json, _lines(document, _TO_AN_ITEM))
        yield "\n"


_TO_AN_ITEM: Final = 4
"""Nesting levels from the document to an item: the document, its runs, a run, and its items."""


def _lines(value: Any, levels: int) -> Iterator[str]:
    """Yield JSON text with one line for each member in the first `levels` levels.

    Deeper values are on one line.
    """
    if levels and isinstance(value, dict):
        first, last = "{", "}"
        members = ((f"{json.dumps(name)}: ", each) for name, each in value.items())
    elif levels and isinstance(value, list):
        first, last, members = "[", "]", (("", each) for each in value)
    else:
        yield json.dumps(value)
        return
    yield first
    between = "\n"
    for name, each in members:
        yield between + name
        yield from _lines(each, levels - 1)
        between = ",\n"
    yield f"\n{last}"
