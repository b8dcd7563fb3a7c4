"""Serves the fake provider alone, so that an application can be tested against provider faults."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from conformance.cli.manual import Manual
from conformance.formats.provider.faces import FACES, face_of
from conformance.kit.cases.provider.scenarios import SCENARIOS, Attempts, Scenario
from conformance.kit.cases.provider.turns import NOTHING, Foreign, Scene, no_face
from conformance.kit.config.command_words import nearest
from conformance.kit.config.system_words import in_one_line
from conformance.kit.model.fault import fault_of
from conformance.kit.model.performance import OVER, Act, Arrival, Moment
from conformance.kit.report.safe_text import visible
from conformance.kit.transport.provider import Provider
from conformance.spec.messages import LANGUAGES, message
from conformance.spec.vocabulary import Seen

DONE, UNUSABLE = 0, 4
_PORT = 9000
_LAST_PORT = 65_535
_VARIABLES = {
    "/openai/v1": "OPENAI_BASE_URL",
    "/anthropic": "ANTHROPIC_BASE_URL",
    "/gemini": "GOOGLE_GEMINI_BASE_URL",
}
"""What the makers' own clients read."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    made = parser()
    options = made.parse_args(arguments)
    if options.list:
        print("\n".join(_listed(options.language)))
        return DONE
    if options.scenario is None:
        made.refuse(message("command.no_scenario"))
    scenario = SCENARIOS.get(options.scenario)
    if scenario is None:
        told = message("command.scenario", name=visible(options.scenario))
        made.refuse(nearest(told, options.scenario, SCENARIOS))
    if not 0 <= options.port <= _LAST_PORT:
        made.refuse(message("command.port", most=_LAST_PORT, value=options.port))
    with suppress(KeyboardInterrupt):
        return asyncio.run(_serve(scenario, options.port, options.language))
    return DONE


def _listed(language: str) -> Iterable[str]:
    width = max(map(len, SCENARIOS))
    return (f"{each.name:<{width}}  {each.about.words(language)}" for each in SCENARIOS.values())


async def _serve(scenario: Scenario, port: int, language: str) -> int:
    stopped = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows, Ctrl-C alone ends it
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    stage = Stage(scenario, f"canary-{secrets.token_hex(8)}", language)
    try:
        made = Provider(stage.perform, port=port, observe=stage.observe, failed=stage.failed)
        async with made as provider:
            _say("\n".join(stage.introduced(provider.url)))
            await stopped.wait()
    except OSError as error:
        said = message("provider.taken", port=port, why=in_one_line(error))
        sys.stderr.write(f"{said.words(language)}\n")
        return UNUSABLE
    return DONE


class Stage:
    """One scenario, played for everyone who calls; says in a line what happens."""

    def __init__(self, scenario: Scenario, canary: str, language: str = "en") -> None:
        self._scenario, self._canary, self._language = scenario, canary, language
        self._attempts = Attempts(scenario)
        self._begun: dict[int, float] = {}

    def introduced(self, url: str) -> list[str]:
        """What a person has to know to use it."""
        bases = dict.fromkeys(face.base for face in FACES)
        name, about = self._scenario.name, self._scenario.about
        ready = message("provider.ready", url=url, name=name, about=about)
        key = message("provider.key", key=self._canary)
        return [
            ready.words(self._language),
            f"  {key.words(self._language)}",
            *(f"  {_VARIABLES[base]}={url}{base}" for base in bases),
        ]

    def perform(self, arrival: Arrival) -> Iterable[Act]:
        """Answer a request as the scenario says."""
        self._begun[arrival.number] = arrival.at
        if arrival.method == "GET" and arrival.path.endswith("/models"):
            held = {"object": "list", "data": [{"id": "fake-model", "object": "model"}]}
            return self._other(arrival, Foreign(json.dumps(held).encode()))
        body = _json(arrival.body)
        found = face_of(arrival.path, arrival.query, body) if arrival.method == "POST" else None
        if found is None:
            return self._other(arrival, no_face(arrival))
        face, asked = found
        scene = Scene(face, asked, f"req_{arrival.number}")
        attempt = self._attempts.next(face, scene)
        word = "provider.attempt.streamed" if asked.stream else "provider.attempt.whole"
        said = message(word, api=face.name, model=visible(asked.model), attempt=attempt)
        _say(f"#{arrival.number} {said.words(self._language)}")
        brought = face.key({k.lower(): v for k, v in arrival.headers}, arrival.query)
        if brought != self._canary:
            lacks = message("provider.other_key" if brought else "provider.no_key")
            _say(f"#{arrival.number} {lacks.words(self._language)}")
        return self._scenario.acts(attempt, scene)

    def _other(self, arrival: Arrival, answer: Foreign) -> Iterable[Act]:
        _say(f"#{arrival.number} {arrival.method} {visible(arrival.path)}")
        return answer.acts(Scene(FACES[0], NOTHING, ""))

    def observe(self, moment: Moment) -> None:
        """Say in a line what became of a request."""
        after = moment.at - self._begun.get(moment.arrival, moment.at)
        if moment.seen in OVER:
            self._begun.pop(moment.arrival, None)
        if moment.seen in _SAID:
            values = {"detail": moment.detail, "seconds": f"{after:.2f}"}
            said = message(f"provider.seen.{moment.seen.name.lower()}", **values)
            _say(f"#{moment.arrival} {said.words(self._language)}")

    def failed(self, number: int, error: Exception) -> None:
        """Say in a line that a fault of the kit left a request without its answer."""
        fault, where = fault_of(error), f"#{number}"
        said = message("kit.fault", where=where, what=visible(fault.what), fault=fault.id)
        _say(said.words(self._language))


_SAID = frozenset({Seen.HEAD, Seen.ENDED, Seen.BROKEN, Seen.LEFT})


def _say(line: str) -> None:
    try:
        print(f"{time.strftime('%H:%M:%S')} {line}" if line.startswith("#") else line, flush=True)
    except OSError:  # nobody reads the lines any more, or the disk is full: it answers all the same
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "provider",
        "--scenario NAME [--port PORT] [--language LANGUAGE]",
        "Play a model provider that fails as you choose, to see what your application does.\n"
        "It has the APIs of OpenAI (chat completions, responses), Anthropic and Gemini, streamed\n"
        "or whole. Set your application's base URL to the address that is printed, and call it.\n"
        "The provider prints a line for each request, and for what became of it. It listens only\n"
        "on this machine, and calls no real provider.",
        (
            ("agent-formats provider --list", "all scenarios"),
            ("agent-formats provider --scenario text", "an answer, to see that it is reached"),
            ("agent-formats provider --scenario flaky-429-2", "does it try a third time?"),
            ("agent-formats provider --scenario cut-rst", "does it notice a cut answer?"),
            ("agent-formats provider --scenario silent --port 0", "on any free port"),
        ),
        {DONE: "ended by Ctrl-C or SIGTERM", UNUSABLE: "no such scenario, or the port is taken"},
        UNUSABLE,
    )
    named = made.add_argument("--scenario", metavar="NAME", help="what the provider does")
    named.completer = lambda **_: SCENARIOS  # type: ignore[attr-defined]  # argcomplete's
    made.add_argument("--list", action="store_true", help="list all scenarios")
    made.add_argument("--language", choices=LANGUAGES, default="en", help="default: en")
    said = f"where to listen, on 127.0.0.1 (default: {_PORT}; 0: any free port)"
    made.add_argument("--port", type=int, default=_PORT, metavar="PORT", help=said)
    return made
