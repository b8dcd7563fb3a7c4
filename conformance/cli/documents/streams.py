"""What validation says of a file that holds a recorded stream, in SSE or NDJSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.cli.documents.files import Input, content, notation_of
from conformance.cli.documents.judged import Judged, Located, Verdict, judged, judged_text, unusable
from conformance.formats.text.http_answer import body
from conformance.formats.text.json_text import encoding_of
from conformance.formats.text.source_lines import Position
from conformance.formats.validate.stream_text import (
    DOCUMENT,
    StreamText,
    answer_in,
    is_of_a_provider,
    stream_of,
    too_long,
)
from conformance.formats.validate.validate import examine
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Requirement

SUFFIXES = (".sse", ".ndjson", ".jsonl")
_MANIFEST = "provider-manifest"


def is_stream(each: Input) -> bool:
    """Whether the name of a file says that it holds a recorded stream."""
    return each.path is not None and each.path.suffix.lower() in SUFFIXES


class NoManifestError(Exception):
    """The file of a manifest holds none; `said` tells why."""

    def __init__(self, said: Message) -> None:
        self.said = said
        super().__init__(said.id)


def manifest_in(name: str) -> Mapping[str, Any]:
    """The provider manifest in a file; raises NoManifestError where there is none.

    One that breaks a rule is taken all the same: what of it is right is used.
    """
    each = Input(name, Path(name))
    raw = content(each)
    if isinstance(raw, Message):
        raise NoManifestError(_no_manifest(name, raw))
    examined = examine(raw, notation_of(each, raw))
    known = examined.recognition or examined.foreign
    if known is None:
        raise NoManifestError(_no_manifest(name, examined.problems[0].message))
    if known.document != _MANIFEST:
        other = message("validate.stream.other_document", document=known.document)
        raise NoManifestError(_no_manifest(name, other))
    manifest: Mapping[str, Any] = examined.reading.data
    return manifest


def _no_manifest(name: str, reason: Message) -> Message:
    return message("validate.stream.no_manifest", file=name, reason=reason)


def judged_stream(each: Input, manifest: Mapping[str, Any] | None) -> Judged:
    """Judge a recorded stream; a file that is the JSON document of a stream is judged as that.

    An MCP server may answer with a stream of one JSON-RPC answer: then this answer is judged.
    """
    raw = content(each)
    if isinstance(raw, Message):
        return unusable(each, raw, "file")
    raw = body(raw)
    try:
        encoding = encoding_of(raw)
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return judged(each, DOCUMENT)
    if manifest is None and _is_document(text):
        return judged(each, None)
    if long := too_long(text):
        return unusable(each, long, "size")
    answer = answer_in(text) if manifest is None else None
    if isinstance(answer, Message):
        return unusable(each, answer, "wire")
    if answer is not None:
        return judged_text(each, answer.encode(), None)
    if manifest is None and is_of_a_provider(text):
        return unusable(each, message("documents.unknown.model_api"), "document")
    found = stream_of(text, manifest, encoding)
    if found is None:
        whole = judged(each, DOCUMENT) if manifest is None else None
        if whole is not None and whole.verdict is not Verdict.UNUSABLE:
            return whole
        return unusable(each, message("validate.stream.none"), "wire")
    return _of(each, found)


def _is_document(text: str) -> bool:
    """Whether the text is one JSON object that holds a stream, and no line of one."""
    head = text.removeprefix("\ufeff").lstrip()[:40]
    return head.startswith("{") and any(
        head[1:].lstrip().startswith(name) for name in ('"events"', '"wire"', '"text"')
    )


def _of(each: Input, found: StreamText) -> Judged:
    must = any(told.problem.requirement is Requirement.MUST for told in found.told)
    facts: dict[str, Any] = {
        "document": f"runtime {DOCUMENT}",
        "wire": found.wire.value,
        "events": len(found.events),
        "end": found.end,
    }
    words = "validate.stream.events"
    if found.frames is not None:
        words, facts = "validate.stream.frames", facts | {"frames": found.frames}
    problems = (Located(told.problem, told.position) for told in found.told)
    return Judged(
        each.name,
        Verdict.INVALID if must else Verdict.VALID,
        DOCUMENT,
        "1.0",
        problems=tuple(sorted(problems, key=lambda located: located.position or Position(0, 0))),
        told=message(words, **facts),
    )
