"""What the fake provider does in one turn, for any face: an answer, a refusal, or a fault."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from math import ceil
from time import time
from typing import Any, Final, Protocol

from conformance.formats.provider.completion import Asked, Completion, Face, Frame
from conformance.formats.provider.faces import FACES
from conformance.kit.model.performance import Act, Arrival, Barrier, End, Head, Send, Wait
from conformance.spec.vocabulary import ApiFamily, RuntimeErrorName

_JSON: Final = ("content-type", "application/json")
_SSE: Final = ("content-type", "text/event-stream")
NOTHING: Final = Asked("", stream=False, user="")
"""What a request asks for if it is not a model call."""
BOM: Final = "\ufeff".encode()
_LONGEST_MODEL: Final = 1_000
"""The most characters of a model name, because each event of an answer repeats it."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The request that a turn answers. `request_id` is the id that the provider gives it.

    `host` is what its header `Host` says, and `port` where it arrived.
    """

    face: Face
    asked: Asked
    request_id: str
    host: str = ""
    port: int = 0

    @property
    def model(self) -> str:
        """The model that the answer names: the requested one, cut if it is very long."""
        return self.asked.model[:_LONGEST_MODEL]


class Turn(Protocol):
    """What the provider does in answer to one request."""

    def acts(self, scene: Scene) -> Iterable[Act]:
        """Return the acts, in the form of the scene's face."""
        ...


@dataclass(frozen=True, slots=True)
class Layout:
    """How the events of a stream are written. All layouts mean the same.

    If `line_end` is empty, lines end as the provider ends them. The data is cut after each `every`
    bytes, or only at the end of each event if `every` is 0.
    """

    line_end: str = ""
    comments: bool = False
    bom: bool = False
    several_lines: bool = False
    every: int = 0

    def sends(self, frames: list[Frame], face: Face) -> list[Act]:
        """Return the events in this layout."""
        acts: list[Act] = []
        end = self.line_end or face.line_end
        for number, frame in enumerate(frames):
            data = self._laid_out(frame).encoded(end)
            if self.comments:
                data = f": comment {number}{end}{end}".encode() + data
            if self.bom and number == 0:
                data = BOM + data
            cuts = tuple(range(self.every, len(data), self.every)) if self.every else ()
            acts.append(Send(data, cuts))
        return acts

    def _laid_out(self, frame: Frame) -> Frame:
        if not self.several_lines or not frame.data.startswith("{"):
            return frame
        return Frame(json.dumps(json.loads(frame.data), indent=1), frame.name)


@dataclass(frozen=True, slots=True)
class Says:
    """An answer. `then` follows the first content of a stream. Without `rest`, the answer stops
    there.

    If no stream was requested, `then` follows the first half of the body.
    """

    completion: Completion
    layout: Layout = Layout()
    then: tuple[Act, ...] = ()
    rest: bool = True
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0

    def acts(self, scene: Scene) -> list[Act]:
        """Return the events of a stream, or one JSON body."""
        said = _for(self.completion, scene)
        if not scene.asked.stream:
            body = json.dumps(scene.face.whole(said)).encode()
            if not self.then:
                return _body(200, body, _JSON, *self.headers)
            half = len(body) // 2
            acts = [Head(200, (_JSON, *self.headers)), Send(body[:half]), *self.then]
            return [*acts, Send(body[half:]), End()] if self.rest else acts
        frames = scene.face.frames(said)
        sends = self.layout.sends(frames, scene.face)
        first = _first_content(frames, said) + 1
        before, after = sends[:first], sends[first:] if self.rest else []
        acts = [Head(200, (_SSE, *self.headers)), *before, *self.then, *after]
        if self.pause:
            acts = [each for act in acts for each in (act, Wait(self.pause))]
        return [*acts, End()] if self.rest else acts


@dataclass(frozen=True, slots=True)
class Refuses:
    """One of the thirteen errors, in the provider's form."""

    error: RuntimeErrorName
    headers: Mapping[str, str] = field(default_factory=dict)

    def acts(self, scene: Scene) -> list[Act]:
        """Return a status, and the error in the body."""
        refusal = scene.face.refusal(self.error, scene.request_id)
        headers = {**refusal.headers, **self.headers}.items()
        return _body(refusal.status, json.dumps(refusal.body).encode(), _JSON, *headers)


@dataclass(frozen=True, slots=True)
class RefusesUntil:
    """A refusal that asks to wait until a date, which is then one to two seconds away.

    The date has whole seconds, so the answer first waits for the next full second.
    """

    error: RuntimeErrorName

    def acts(self, scene: Scene) -> Iterable[Act]:
        """Yield the acts. The date is computed when the answer begins."""
        yield Wait(1 - time() % 1)
        date = formatdate(ceil(time() + 1), usegmt=True)
        yield from Refuses(self.error, {"retry-after": date}).acts(scene)


@dataclass(frozen=True, slots=True)
class FailsInStream:
    """Content, and then the provider's error inside the stream. Without a stream, a refusal."""

    completion: Completion
    error: RuntimeErrorName

    def acts(self, scene: Scene) -> list[Act]:
        """Return the acts. In a stream, the status 200 was sent before the error."""
        if not scene.asked.stream:
            return Refuses(self.error).acts(scene)
        error = Send(scene.face.broken_off(self.error).encoded(scene.face.line_end))
        return Says(self.completion, then=(error, End()), rest=False).acts(scene)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer in which, after `before`, an event of its stream is not JSON.

    The event has the same name as one with content, because a client may ignore other names.
    """

    completion: Completion
    before: tuple[Act, ...] = ()

    def acts(self, scene: Scene) -> list[Act]:
        """Return the acts. The rest of the answer follows the event."""
        said = _for(self.completion, scene)
        frames = scene.face.frames(said)
        name = frames[_first_content(frames, said)].name
        event = Send(Frame("{not json", name).encoded(scene.face.line_end))
        return Says(self.completion, then=(*self.before, event)).acts(scene)


@dataclass(frozen=True, slots=True)
class Foreign:
    """An answer that does not have the provider's form. With 200 it looks like a success."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()

    def acts(self, scene: Scene) -> list[Act]:
        """Return the same bytes for each face."""
        kind = ("content-type", self.content_type)
        return _body(self.status, self.body, kind, *self.headers)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The prompt is blocked. Each family says so in a different way."""

    completion: Completion

    def acts(self, scene: Scene) -> list[Act]:
        """Return the acts. Gemini has a field for this; others end an answer without content."""
        if scene.face.family is not ApiFamily.GEMINI:
            return Says(self.completion).acts(scene)
        count = self.completion.usage.input
        said = {
            "promptFeedback": {"blockReason": "SAFETY"},
            "usageMetadata": {"promptTokenCount": count, "totalTokenCount": count},
            "modelVersion": scene.model,
        }
        body = json.dumps(said).encode()
        if not scene.asked.stream:
            return _body(200, body, _JSON)
        return [Head(200, (_SSE,)), Send(Frame(body.decode()).encoded(scene.face.line_end)), End()]


@dataclass(frozen=True, slots=True)
class Redirects:
    """Sends the client to another host: the same machine under its other name."""

    path: str

    def acts(self, scene: Scene) -> list[Act]:
        """Return a 307, so that the method, the body and most headers stay."""
        other = "127.0.0.1" if scene.host.partition(":")[0] == "localhost" else "localhost"
        return _body(307, b"", ("location", f"http://{other}:{scene.port}{self.path}"))


@dataclass(frozen=True, slots=True)
class Leads:
    """Acts without change, the same for each face."""

    done: tuple[Act, ...]

    def acts(self, scene: Scene) -> list[Act]:
        """Return the acts."""
        return list(self.done)


@dataclass(frozen=True, slots=True)
class Waits:
    """Another turn, after a wait or a barrier."""

    before: Wait | Barrier
    turn: Turn

    def acts(self, scene: Scene) -> list[Act]:
        """Return the acts. The wait comes before the status."""
        return [self.before, *self.turn.acts(scene)]


def no_face(arrival: Arrival) -> Foreign:
    """Return the answer to a path that no API has. It names the paths that the provider has."""
    paths = ", ".join(face.path for face in FACES)
    said = f"The fake provider has no {arrival.method} {arrival.path}. It has POST {paths}."
    body = json.dumps({"error": {"message": said, "code": "not_found"}}).encode()
    return Foreign(body, status=404)


def _body(status: int, body: bytes, *headers: tuple[str, str]) -> list[Act]:
    length = ("content-length", str(len(body)))
    return [Head(status, (*headers, length)), Send(body), End()]


def _for(said: Completion, scene: Scene) -> Completion:
    """Return the completion with the requested model, and with the provider's id."""
    return Completion(
        said.pieces,
        said.thinking,
        said.calls,
        said.reason,
        said.raw_reason,
        said.usage,
        scene.request_id,
        scene.model,
        scene.asked.counts,
    )


def _first_content(frames: list[Frame], said: Completion) -> int:
    """Return the index of the first content in the stream; 0 if there is no content."""
    fragments = [call.fragments[0] for call in said.calls if call.fragments]
    sought: list[Any] = [*said.pieces, *fragments]
    if not sought:
        return 0
    first = json.dumps(sought[0])[1:-1]
    return next((n for n, frame in enumerate(frames) if first in frame.data), 0)
