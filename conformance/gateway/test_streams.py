"""What a client receives of a provider's answer (GW-STR)."""

from __future__ import annotations

import json
from typing import Any

from conformance.formats.problem import shown
from conformance.gateway.replies import ARGUMENTS, ODD_REASON, STREAMED, USAGE
from conformance.gateway.scripts import ENDINGS, WHOLE
from conformance.gateway.timeline import (
    arrivals,
    each_family,
    face,
    first,
    nonce,
    not_arrived,
    of_streams,
    reply_words,
)
from conformance.gateway.told import END, ERROR, Told, told
from conformance.kit.cases.provider.model_calls import pieces_of
from conformance.kit.evidence.evidence import RunEvidence
from conformance.kit.model.exchange import Exchange
from conformance.kit.verdicts.checks import Check, Checks, broken, clause, holds, unknown
from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName, Seen

_STREAMS, _ANSWERS = "gateway_streams", "gateway_answers"
_LAYOUTS = ("crlf", "several-lines", "split")


def _breaks(run: RunEvidence, *endings: str) -> list[Exchange]:
    return [
        exchange
        for family in ("openai", "anthropic", "gemini")
        for _, _, exchange in each_family(run, f"gateway_breaks_{family}", *endings)
    ]


def _unseen(exchange: Exchange, answer: Told | None) -> Check | None:
    """Return why an answer cannot be judged; None if it can."""
    if answer is None or not arrivals(exchange):
        return not_arrived(exchange)
    if answer.status != 200:
        return unknown("kit.not_verified.no_content_yet", exchange)
    return None


@clause("GW-STR-001")
@of_streams
def test_a_stream_has_one_terminal_event_and_it_is_last(run: RunEvidence) -> Checks:
    """GW-STR-002 to GW-STR-006 cover streams that broke off or could not be read."""
    plain = [name for name in STREAMED if name not in _LAYOUTS]
    whole = [exchange for _, _, exchange in each_family(run, _STREAMS, *plain)]
    broken_off = _breaks(run, *ENDINGS)
    for exchange in (*whole, *broken_off):
        answer = told(exchange)
        if not arrivals(exchange):
            yield not_arrived(exchange)
        elif answer is None or not answer.streamed:
            yield unknown("kit.not_verified.no_answer", exchange)
        elif not answer.terminals and exchange in broken_off:
            continue
        elif len(answer.terminals) != 1:
            yield broken(exchange, "finding.gateway.terminals", count=len(answer.terminals))
        elif answer.order[-1] not in {END, ERROR}:
            yield broken(exchange, "finding.gateway.after_end", event=answer.order[-1])
        else:
            yield holds()


def _is_an_error(run: RunEvidence, *endings: str) -> Checks:
    for exchange in _breaks(run, *endings):
        answer = told(exchange)
        unseen = _unseen(exchange, answer)
        if answer is None and arrivals(exchange):
            yield broken(exchange, "finding.gateway.hangs")
        elif unseen is not None or answer is None:
            yield unseen or not_arrived(exchange)
        elif ERROR not in answer.order:
            how = reply_words(exchange.step.name) if exchange.step is not None else ""
            yield broken(exchange, "finding.gateway.cut_told", how=how, told=answer.shown)
        else:
            yield holds()


@clause("GW-STR-002")
@of_streams
def test_an_end_without_a_reason_is_an_error(run: RunEvidence) -> Checks:
    yield from _is_an_error(run, "no-reason")


@clause("GW-STR-003")
@of_streams
def test_a_connection_that_breaks_is_an_error(run: RunEvidence) -> Checks:
    yield from _is_an_error(run, "fin", "rst")


@clause("GW-STR-004")
@of_streams
def test_an_error_inside_a_stream_keeps_its_class(run: RunEvidence) -> Checks:
    for exchange in _breaks(run, "error"):
        answer = told(exchange)
        if answer is None or not arrivals(exchange):
            yield not_arrived(exchange)
        elif not answer.is_class(RuntimeErrorName.OVERLOADED):
            yield broken(exchange, "finding.gateway.stream_class", told=answer.shown)
        else:
            yield holds()


@clause("GW-STR-005")
@of_streams
def test_what_cannot_be_read_is_an_error(run: RunEvidence) -> Checks:
    yield from _is_an_error(run, "unreadable")


@clause("GW-STR-006")
@of_streams
def test_the_layout_of_a_stream_changes_nothing(run: RunEvidence) -> Checks:
    for _, name, exchange in each_family(run, _STREAMS, *_LAYOUTS):
        answer = told(exchange)
        if answer is None or not arrivals(exchange):
            yield not_arrived(exchange)
        elif not answer.succeeded or answer.content != "".join(pieces_of(nonce(exchange))):
            yield broken(
                exchange,
                "finding.gateway.layout",
                layout=reply_words(name),
                found=shown(answer.content),
            )
        else:
            yield holds()


@clause("GW-STR-007")
@of_streams
def test_the_arguments_of_each_call_are_whole(run: RunEvidence) -> Checks:
    wanted = [("get_weather", json.loads("".join(ARGUMENTS))), ("get_weather", {"city": "Recife"})]
    for script in (_STREAMS, _ANSWERS):
        for _, _, exchange in each_family(run, script, "tools"):
            answer = told(exchange)
            if answer is None or not arrivals(exchange):
                yield not_arrived(exchange)
                continue
            found = [(name, _json(arguments)) for name, arguments in answer.calls.values()]
            if not found:
                yield broken(exchange, "finding.gateway.calls_lost")
            elif found != wanted:
                yield broken(exchange, "finding.gateway.arguments", found=json.dumps(found))
            else:
                yield holds()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


@clause("GW-STR-008")
@of_streams
def test_a_call_that_was_cut_is_not_complete(run: RunEvidence) -> Checks:
    """Gemini is left out: it sends each call whole."""
    for family, _, exchange in each_family(run, _STREAMS, "cut-call"):
        answer = told(exchange)
        if family == ApiFamily.GEMINI:
            continue
        if answer is None or not arrivals(exchange):
            yield not_arrived(exchange)
        elif answer.reason == "tool_use" or "ToolCallEnded" in answer.order:
            yield broken(exchange, "finding.gateway.cut_call", family=family)
        else:
            yield holds()


@clause("GW-STR-009")
@of_streams
def test_an_unknown_reason_is_no_normal_end(run: RunEvidence) -> Checks:
    for script in (_STREAMS, _ANSWERS):
        for _, _, exchange in each_family(run, script, "odd-reason"):
            answer = told(exchange)
            if answer is None or not arrivals(exchange):
                yield not_arrived(exchange)
            elif answer.reason == "end_turn":
                yield broken(
                    exchange,
                    "finding.gateway.made_up_end",
                    reason=ODD_REASON,
                    written=answer.written_reason or "",
                )
            else:
                yield holds()


@clause("GW-STR-010")
@of_streams
def test_a_complete_call_ends_with_tool_use(run: RunEvidence) -> Checks:
    for script in (_STREAMS, _ANSWERS):
        for _, name, exchange in each_family(run, script, "tools", "text"):
            answer = told(exchange)
            if answer is None or not answer.succeeded or not arrivals(exchange):
                yield not_arrived(exchange)
            elif (answer.reason == "tool_use") is not (name == "tools"):
                yield broken(
                    exchange, "finding.gateway.tool_use", reason=answer.written_reason or "null"
                )
            else:
                yield holds()


@clause("GW-STR-011")
@of_streams
def test_usage_arrives(run: RunEvidence) -> Checks:
    wanted = {"input_tokens": USAGE.input, "output_tokens": USAGE.output}
    streams = each_family(run, _STREAMS, "usage")
    for _, _, exchange in (*each_family(run, _ANSWERS, "text"), *streams):
        answer = told(exchange)
        if answer is None or not answer.succeeded:
            yield not_arrived(exchange)
            continue
        found = {name: answer.usage.get(name) for name in wanted}
        if not any(found.values()):
            lacking = "usage_not_asked" if _asked_for_none(exchange) else "no_usage"
            yield broken(exchange, f"finding.gateway.{lacking}", wanted=shown(wanted))
        elif found != wanted:
            yield broken(
                exchange, "finding.gateway.usage", found=shown(found), wanted=shown(wanted)
            )
        else:
            yield holds()


def _asked_for_none(exchange: Exchange) -> bool:
    """Return whether the gateway asked for a stream in a way that gets no usage."""
    spoken = face(arrivals(exchange)[-1]) if arrivals(exchange) else None
    return spoken is not None and spoken[1].stream and not spoken[1].counts


@clause("GW-STR-012")
@of_streams
def test_content_is_handed_on_while_the_provider_still_sends(run: RunEvidence) -> Checks:
    for _, _, exchange in each_family(run, _STREAMS, "barrier"):
        if not arrivals(exchange):
            yield not_arrived(exchange)
        elif first(exchange, Seen.CLIENT_CONTENT) is None or not first(exchange, Seen.BARRIER):
            yield broken(exchange, "finding.gateway.held_back")
        else:
            yield holds()


@clause("GW-STR-013")
@of_streams
def test_thinking_is_no_content(run: RunEvidence) -> Checks:
    for script in (_STREAMS, _ANSWERS):
        for _, _, exchange in each_family(run, script, "thinking"):
            answer = told(exchange)
            if answer is None or not answer.succeeded or not arrivals(exchange):
                yield not_arrived(exchange)
            elif answer.content != "".join(pieces_of(nonce(exchange))):
                yield broken(exchange, "finding.gateway.thinking", found=shown(answer.content))
            else:
                yield holds()


@clause("GW-STR-014")
@of_streams
def test_a_whole_answer_says_the_same_as_a_stream(run: RunEvidence) -> Checks:
    streams = {(f, n): e for f, n, e in each_family(run, _STREAMS, *WHOLE)}
    for family, name, exchange in each_family(run, _ANSWERS, *WHOLE):
        other = streams.get((family, name))
        whole, stream = told(exchange), told(other)
        if whole is None or stream is None or other is None:
            yield not_arrived(exchange)
        elif not whole.succeeded or not stream.succeeded:
            yield not_arrived(exchange if not whole.succeeded else other)
        elif _meaning(whole, exchange) != _meaning(stream, other):
            yield broken(exchange, "finding.gateway.not_the_same", kind=reply_words(name))
        else:
            yield holds()


def _meaning(answer: Told, exchange: Exchange) -> tuple[Any, ...]:
    content = answer.content.replace(nonce(exchange), "")
    calls = [(name, _json(arguments)) for name, arguments in answer.calls.values()]
    return content, answer.thinking, answer.reason, calls
