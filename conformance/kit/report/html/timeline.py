"""Both ends of a model call on one time axis: the requests to the provider, and the client."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.kit.model.exchange import Exchange
from conformance.kit.model.performance import Moment
from conformance.kit.report.html.charts import Part
from conformance.spec.vocabulary import Seen

_MOST = 12
"""The most requests to the provider that are drawn."""
_THIN = 0.4
"""The least width of a part, in percent, so that it is visible."""
_ENDS = {
    Seen.ENDED: "ended",
    Seen.BROKEN: "broken",
    Seen.LEFT: "left",
    Seen.CUT: "cut",
    Seen.CLIENT_LEFT: "gone",
    Seen.CLIENT_DONE: "done",
}
"""The report's names for how a side ended."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One request to the provider, or the client (`number` 0): the parts of its bar, and its times.

    Times are in seconds: `began`, `status_at`, `content_at` and `over` since the start of the call,
    `gap` since the end of the previous request.
    """

    number: int
    parts: tuple[Part, ...]
    began: float
    path: str = ""
    status: str = ""
    status_at: float | None = None
    content_at: float | None = None
    end: str = "open"
    over: float | None = None
    gap: float | None = None


def lanes(exchange: Exchange) -> list[Lane]:
    """Return the requests in order, then the client; empty if no provider was simulated."""
    moments = exchange.timeline
    if not moments:
        return []
    whole = max(exchange.elapsed, *(each.at for each in moments)) or 1.0
    numbers = [each.arrival for each in moments if each.seen is Seen.ARRIVED][:_MOST]
    made: list[Lane] = []
    for number in numbers:
        own = [each for each in moments if each.arrival == number]
        before = made[-1].over if made else None
        made.append(_lane(own, whole, number, before))
    client = [each for each in moments if not each.arrival]
    return [*made, _lane(client, whole, 0, None)]


def hidden(exchange: Exchange) -> int:
    """Return how many requests to the provider are not drawn."""
    return max(sum(each.seen is Seen.ARRIVED for each in exchange.timeline) - _MOST, 0)


def _lane(own: list[Moment], whole: float, number: int, before: float | None) -> Lane:
    began = own[0].at if number and own else 0.0
    status = _first(own, Seen.HEAD, Seen.CLIENT_STATUS)
    last = _first(own, *_ENDS)
    content = _first(own, Seen.CLIENT_CONTENT)
    over = last.at if last else None
    spans = [(began, status.at if status else over or whole, "track")]
    if status:
        spans.append((status.at, whole if over is None else over, "fill" if number else "fill2"))
    end = _ENDS[last.seen] if last else "open"
    return Lane(
        number,
        tuple(_parts(spans, whole)),
        began,
        path=own[0].path if number else "",
        status=status.detail if status else "",
        status_at=status.at if status else None,
        content_at=content.at if content else None,
        end="failed" if end == "done" and last and last.detail else end,
        over=over,
        gap=None if before is None else max(began - before, 0.0),
    )


def _parts(spans: list[tuple[float, float, str]], whole: float) -> Iterator[Part]:
    for began, over, kind in spans:
        width = max(100 * (over - began) / whole, _THIN)
        yield Part(kind, min(100 * began / whole, 100 - width), width)


def _first(own: list[Moment], *kinds: Seen) -> Moment | None:
    return next((each for each in own if each.seen in kinds), None)
