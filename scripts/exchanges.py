"""Collects an exchange that breaks each clause, and the correct answer to the same request.

    python -m scripts.exchanges [--fault NAME]...

It checks each planted fault as `python -m scripts.prove` does, one after the other, with few random
calls. For each clause that a fault was planted for, it keeps the shortest exchange of a finding,
and the reference's answer to the same call. It writes them into `fixtures/exchanges/seen.json`,
which the pages of the clauses show. With `--fault`, the rest of the file stays unchanged. It
replaces ports and dates, and shortens long bodies. Exit codes: 0 for written, 1 if a fault was not
caught.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx2

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.exchange import Exchange
from conformance.kit.model.results import Finding, Item
from conformance.kit.model.settings import MAX_EXAMPLES, Settings
from conformance.kit.session import Session
from conformance.kit.verdicts.checks import load
from conformance.spec.messages import Message
from conformance.spec.vocabulary import Verdict
from fixtures.gateways.beside import PATHS, gateway
from fixtures.gateways.faults import FAULTS as GATEWAY_FAULTS
from fixtures.gateways.faults import Fault as GatewayFault
from fixtures.servers.core.behaviour import Behaviour
from fixtures.servers.faults import FAULTS
from fixtures.servers.faults.checks import CHECKS
from fixtures.servers.faults.fault import Fault
from fixtures.servers.rest import CLAUSES as REST_FAULTS
from fixtures.servers.start import NotStarted, forked_by, listening, nursery
from scripts.prove import Trial, check_of, is_meant, judged, serving, trials_of
from scripts.website.both_ends import ANSWER, MOMENTS, both_ends, steps_apart
from scripts.website.exchange_text import (
    PORT,
    answer_texts,
    is_same,
    plain,
    request_text,
    said_in,
    with_id,
)

_OPENAPI_FAULTS: Mapping[str, tuple[str, ...]] = {
    name: clauses for name, clauses in REST_FAULTS.items() if clauses[0].startswith("HTTP-OAS")
}
"""The faults of the service. What its others show, the reference shows, too."""
_PLANTED: Mapping[str, tuple[str, ...]] = {
    **{name: fault.clauses for name, fault in FAULTS.items()},
    **{name: (fault.clause,) for name, fault in GATEWAY_FAULTS.items()},
    **_OPENAPI_FAULTS,
}
"""The clauses that each fault was planted for."""
SEEN = Path(__file__).resolve().parents[1] / "fixtures" / "exchanges" / "seen.json"
_FEW_EXAMPLES = 2
_SERVICE = "fixtures.servers.rest"
_OPENAPI = "openapi"
"""The step that reads the OpenAPI document of a service."""
_PATIENCE = 10.0
_BROKEN = frozenset({Verdict.FAIL, Verdict.WARN, Verdict.FLAKY})
_CORS = {
    f"access-control-{each}"
    for each in ("allow-origin", "allow-methods", "allow-headers", "max-age", "expose-headers")
}


@dataclass
class Seen:
    """One exchange that breaks a clause. `good` is empty if the reference's answer is unknown."""

    fault: str
    said: Mapping[str, Any]
    request: str
    bad: str
    good: str = ""
    shown: str = ANSWER
    """What `bad` and `good` are: answers, what a provider received, or what happened when."""

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The sort key: first those that show the defect, best of all in nothing but the times."""
        shows = bool(self.good) and not is_same(self.bad, self.good)
        others = steps_apart(self.bad, self.good) if self.shown == MOMENTS else 0
        return not shows, others, len(self.request) + len(self.bad) + len(self.good)

    def as_json(self) -> dict[str, Any]:
        """Return the entry in the file."""
        held = {"fault": self.fault, "said": self.said, "request": self.request, "bad": self.bad}
        held |= {"good": self.good} if self.good else {}
        return held | ({"shown": self.shown} if self.shown != ANSWER else {})


@dataclass
class Told:
    """The results for one fault: the exchanges by clause, and each clause's first finding."""

    exchanges: dict[str, list[Seen]] = field(default_factory=dict)
    said: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="exchanges", description=__doc__)
    parser.add_argument("--fault", action="append", default=[], metavar="NAME")
    chosen = parser.parse_args(arguments)
    unknown = [each for each in chosen.fault if each not in _PLANTED]
    if unknown:
        parser.error(f"There is no fault {unknown[0]!r}.")
    wanted = chosen.fault or [*_PLANTED]
    held = json.loads(SEEN.read_text("utf-8")) if SEEN.exists() and chosen.fault else {}
    faults: dict[str, Any] = held.get("faults", {})
    best = {
        clause: Seen(**each)
        for clause, each in held.get("clauses", {}).items()
        if each["fault"] not in wanted
    }
    missed = []
    with nursery() as at:
        forked_by(at)
        for number, name in enumerate(wanted, 1):
            began = time.monotonic()
            try:
                told = _told(name)
            except (httpx2.HTTPError, RuntimeError):
                told = Told()  # on a busy machine; it is reported as not caught
            planted = _PLANTED[name]
            lacking = [each for each in planted if each not in told.said]
            missed += lacking
            if name not in _OPENAPI_FAULTS:  # the page of faults does not list these
                faults[name] = {each: told.said[each] for each in planted if each in told.said}
            for clause, seen in told.exchanges.items():
                best[clause] = min([*seen, *([best[clause]] if clause in best else [])], key=_rank)
            took = f"{time.monotonic() - began:5.1f} s"
            words = f"not caught by {', '.join(lacking)}" if lacking else ""
            print(f"{number:3}/{len(wanted)}  {name:44}{took}  {words}", flush=True)
            _write({clause: each.as_json() for clause, each in best.items()}, faults)
        forked_by(None)
    return 1 if missed else 0


def _told(name: str) -> Told:
    """Return the results for a fault of the reference, of a gateway, or of the REST service."""
    if name in FAULTS:
        return _of_server(FAULTS[name])
    return _of_gateway(name) if name in GATEWAY_FAULTS else _of_service(name)


def _rank(seen: Seen) -> tuple[bool, int, int]:
    return seen.rank


def _write(clauses: Mapping[str, Any], faults: Mapping[str, Any]) -> None:
    held = {"clauses": dict(sorted(clauses.items())), "faults": dict(sorted(faults.items()))}
    SEEN.parent.mkdir(exist_ok=True)
    text = json.dumps(held, ensure_ascii=False, indent=1)
    SEEN.write_text(f"{text}\n", encoding="utf-8")


def _of_server(fault: Fault) -> Told:
    """Check a faulty server with few random calls, then with all if these do not show the fault.

    It tries every binding and era until all clauses of the fault have failed.
    """
    told = Told()
    for trial in trials_of(fault, full=True):
        for most in (_FEW_EXAMPLES, MAX_EXAMPLES):
            try:
                with serving(trial) as target:
                    session, items = judged(
                        trial, target, request_timeout=_PATIENCE / 2, max_examples=most
                    )
            except (TargetUnusable, NotStarted):
                continue
            like = replaced(trial) if fault.right is None else trial
            sound = _sound(like, fault.tools, fault.versions, fault.together)
            _take(told, fault.name, fault.clauses, session, items, sound)
            if all(each in told.said for each in fault.clauses):
                return told
    return told


def replaced(trial: Trial) -> Trial:
    """Return the same trial with the reference."""
    return Trial("", trial.binding, trial.era)


Key = tuple[object, ...]


@cache
def _sound(
    trial: Trial, tools: tuple[str, ...], versions: tuple[str, ...], together: bool
) -> Mapping[Key, Exchange]:
    """Return the exchanges of the reference in the same run, or those without the trial's fault."""
    with serving(trial, *(["--right"] if trial.fault else [])) as target:
        session, _ = judged(
            trial,
            target,
            request_timeout=_PATIENCE,
            max_examples=_FEW_EXAMPLES,
            like=Fault("", (), _as_it_is, tools=tools, versions=versions, together=together),
        )
    return _by_key(session.recorder.by_id.values())


def _as_it_is(behaviour: Behaviour) -> Behaviour:
    return behaviour


def _by_key(exchanges: Iterable[Exchange]) -> dict[Key, Exchange]:
    found: dict[Key, Exchange] = {}
    for each in exchanges:
        found.setdefault(_key(each), each)
    return found


def _key(exchange: Exchange) -> Key:
    """Return a key that an exchange has in every run of the same kind, whatever its number."""
    if exchange.case is not None:
        return (exchange.case.id.text,)
    step = str(exchange.step) if exchange.step is not None else ""
    return (exchange.run, exchange.script, PORT.sub("PORT", step))


def _unmarked(exchange: Exchange) -> Exchange:
    """Return a call as it was sent first: the kit sends again what failed, with a mark."""
    step = exchange.step
    return exchange if step is None else replace(exchange, step=replace(step, mark=None))


def _of_service(name: str) -> Told:
    """Check the REST service, whose OpenAPI document the clauses about such documents need."""
    told = Told()
    session, items = _service_run("--fault", name)
    _take(told, name, _OPENAPI_FAULTS[name], session, items, _sound_service())
    return told


@cache
def _sound_service() -> Mapping[Key, Exchange]:
    session, _ = _service_run()
    return _by_key(session.recorder.by_id.values())


def _service_run(*options: str) -> tuple[Session, list[Item]]:
    with listening(_SERVICE, *options) as url:
        return judged(
            Trial("", "http", ""),
            url,
            request_timeout=_PATIENCE,
            max_examples=_FEW_EXAMPLES,
            like=Fault("", (), _as_it_is, tools=("*",)),
        )


def _of_gateway(name: str) -> Told:
    fault = GATEWAY_FAULTS[name]
    told = Told()
    session, items = _gateway_run(fault)
    _take(told, name, (fault.clause,), session, items, _sound_gateway(fault.policy))
    return told


@cache
def _sound_gateway(policy: Path) -> Mapping[Key, Exchange]:
    session, _ = _gateway_run(GatewayFault("", policy=policy))
    return _by_key(session.recorder.by_id.values())


def _gateway_run(fault: GatewayFault) -> tuple[Session, list[Item]]:
    with gateway(fault.app, fault.policy) as (url, port):
        target = f"native+{url}{PATHS['native']}"
        declared = json.loads(fault.policy.read_text(encoding="utf-8"))
        session = Session(
            Settings(targets=(target,), provider=("127.0.0.1", port), gateway_policy=declared)
        )
        chapter = load("conformance.gateway")
        session.scripts.extend(chapter.scripts)
        session.discover(session.settings.targets)
        asked = session.questions(list(chapter.tests))
        session.drive()
        return session, list(session.judge(asked).values())


def _take(
    told: Told,
    fault: str,
    planted: tuple[str, ...],
    session: Session,
    items: list[Item],
    sound: Mapping[Key, Exchange],
) -> None:
    """Collect the exchanges of the findings of the planted clauses."""
    for item in items:
        if item.clause not in planted or item.verdict not in _BROKEN:
            continue
        for finding in _meant(fault, item):
            told.said.setdefault(item.clause, _said(finding))
            place = _place(session, item, finding, sound)
            if place is None or (place[0].request.is_empty and place[0].over_http):
                continue
            bad, path, good = place
            without = frozenset() if item.clause.startswith("HTTP-CORS") else _CORS
            wrong, right = answer_texts(bad, good, path, without)
            seen = Seen(fault, _said(finding, said_in(bad)), request_text(bad), wrong)
            if not seen.bad:
                continue
            if good is not None and bad.timeline:
                seen.bad, right, seen.shown = both_ends(finding, bad, good, (seen.bad, right))
            if not is_same(right, seen.bad):
                seen.good = right if good is None else with_id(right, good, bad)
            told.exchanges.setdefault(item.clause, []).append(seen)


def _place(
    session: Session, item: Item, finding: Finding, sound: Mapping[Key, Exchange]
) -> tuple[Exchange, str | None, Exchange | None] | None:
    """Return the exchange that shows a finding, the place in it, and the correct exchange, or None.

    A finding about a tool is shown in the list of tools, and one about an OpenAPI document in it.
    """
    if finding.exchange is not None:
        bad = session.recorder.by_id[finding.exchange]
        return bad, finding.path, sound.get(_key(bad)) or sound.get(_key(_unmarked(bad)))
    for exchange in session.recorder.by_id.values():
        read = exchange.answer is not None and exchange.answer.status == 200
        if read and exchange.step is not None and exchange.step.name == _OPENAPI:
            return exchange, finding.path, sound.get(_key(exchange))
    for exchange in session.recorder.by_id.values():
        for index, tool in enumerate(_listed(exchange)):
            if tool.get("name") == item.tool:
                good = sound.get(_key(exchange))
                right = _listed(good)[index:][:1]
                differ = [name for each in right for name in tool if tool[name] != each.get(name)]
                inside = finding.path or f"$.{(differ or ['name'])[0]}"
                path = f"$.result.tools[{index}]{inside.removeprefix('$')}"
                return exchange, path, good if right else None
    return None


def _listed(exchange: Exchange | None) -> list[dict[str, Any]]:
    """Return the tools in an answer to `tools/list`; none for another answer."""
    if exchange is None or exchange.answer is None:
        return []
    try:
        tools = json.loads(bytes(exchange.answer.body))["result"]["tools"]
    except (ValueError, LookupError, TypeError):
        return []
    return [each for each in tools if isinstance(each, dict)] if isinstance(tools, list) else []


def _meant(fault: str, item: Item) -> list[Finding]:
    """Return the findings that the fault was planted for, or all findings if there are none."""
    meant = CHECKS.get(fault, {}).get(item.clause, ())
    own = [each for each in item.findings if any(is_meant(check_of(each), one) for one in meant)]
    return own or list(item.findings)


def _said(finding: Finding, beside: str = "") -> dict[str, Any]:
    """Return the finding's message as JSON, which any language can show.

    Its dates are numbered like those of `beside`.
    """
    held = message_json(finding.message, beside)
    return held if finding.path is None else {**held, "path": finding.path}


def message_json(message: Message, beside: str = "") -> dict[str, Any]:
    """Return a message as its id and its values."""
    values = {
        name: message_json(each, beside) if isinstance(each, Message) else plain(each, beside)
        for name, each in message.values
    }
    return {"id": message.id, "values": values}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
