"""Finds errors inside successes by their form, never by their wording. A vocabulary has the forms.

An answer counts as an error only if nothing else is in it. A document about errors, the lines of a
log, and the record of a failed job are results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from conformance.formats.schema.equality import same
from conformance.formats.tool.tool import Tool
from conformance.kit.model.case import Case, CaseKind
from conformance.spec.vocabulary import DISGUISE_UNLESS_ABOUT, DISGUISE_WORDS, Disguise

_LONGEST: Final = 2_000
"""The most characters of a text that may be an error. A longer one is a document or a log."""
_BEFORE: Final = r"[^\w\n]{0,6}"
"""Characters before the first word: a bracket, asterisks, an emoji."""
_MORE_LINES: Final = re.compile(
    r"\n\W{0,3}(?:\d{4}-\d\d-\d\d|(?:trace|debug|info|notice|warn|warning|error|fatal)\b)",
    re.IGNORECASE,
)
"""A later line that begins like a line of a log."""
ALONGSIDE: Final = frozenset({
    "code", "detail", "details", "hint", "reason", "type", "title", "status", "statuscode",
    "status_code", "suggestion", "suggestions", "success", "ok", "succeeded", "iserror", "is_error",
    "timestamp", "traceback", "stack", "trace", "requestid", "request_id", "traceid", "trace_id",
    "correlationid", "correlation_id", "instance", "cause", "path", "tool", "field", "fields",
    "param", "params", "parameter", "parameters", "retry", "retryable", "is_retryable",
    "isretryable", "retriable", "retryafter", "retry_after", "retry_after_ms",
    "retry_after_seconds", "recoverable", "transient",
    "example", "examples", "usage", "correct_usage", "expected", "solution", "tip", "tips",
    "platform", "server", "service",
    "disclaimer", "docs", "documentation", "documentation_url", "help", "help_url", "url", "link",
})  # fmt: skip
"""Members that belong to an error. All whose names begin with `error` or `message` do too."""
_OF_A_RESULT: Final = frozenset(
    {"content", "isError", "structuredContent", "_meta", "meta", "resultType"}
)
"""The members of a result of MCP. A class of a library may call the fourth one `meta`."""
_CLASSES: Final = frozenset({("error", "type"), ("error", "code"), ("error", "class")})
"""The words in the names of members that hold the class of an error."""
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_QUOTES: Final = "\"'`‘’“”"
_ECHO: Final = re.compile(
    r"\binput_value=[^\n]{0,400}?, input_type="  # as Pydantic writes it
    r"|\b(?:received|got)(?: \w{1,40})?[:=]? ?\{(?:[^\n{}]|\{[^\n{}]{0,400}\}){0,400}\}",
    re.IGNORECASE,
)
"""A part of an error that repeats what was sent. The names in it blame nothing."""
_SENTENCE: Final = re.compile(r"[.!?\n](?:\s|$)")


def disguise_of(text: str, documents: Iterable[Any], tool: Tool, case: Case) -> Disguise | None:
    """Return the form by which a result that claims success is an error; None if it is not one.

    `text` is all of its text, and `documents` are the JSON objects in it.
    """
    if len(text) > _LONGEST:
        return None
    held = list(documents)
    found = next((d for each in held if (d := _of_document(each, tool, case))), None)
    found = found or _of_text(text.strip(), case)
    if found is None and _names_what_broke(text, held, case) and any(map(_failed, held)):
        return Disguise.SUCCESS_MEMBER
    if found is None or not _is_about(tool, case, found):
        return found
    return found if _blames(text, held, tool, case) else None


def may_be_an_error(documents: Iterable[Any], tool: Tool, case: Case) -> bool:
    """Return whether a result has the form of an error, of a tool that is not about connections.

    The record of a failed order looks like this, and a call that failed for want of a network, too.
    """
    about = DISGUISE_UNLESS_ABOUT[Disguise.LIBRARY_ERROR]
    formed = any(_of_document(each, tool, case) is not None for each in documents)
    return formed and subject_of(tool).isdisjoint(about)


def _of_text(text: str, case: Case) -> Disguise | None:
    if any(text in each for each in texts_in(case.arguments)):
        return None  # an echo
    for disguise, pattern in _leading().items():
        if pattern.match(text) and not _MORE_LINES.search(text):
            return disguise
    is_baseline = case.kind is CaseKind.BASELINE
    return Disguise.NOT_A_VALUE if is_baseline and _no_value().fullmatch(text) else None


@lru_cache(maxsize=1)
def _leading() -> Mapping[Disguise, re.Pattern[str]]:
    words = "|".join(map(re.escape, DISGUISE_WORDS[Disguise.LEADING_WORD]))
    classes = "|".join(map(re.escape, DISGUISE_WORDS[Disguise.ERROR_CLASS]))
    libraries = "|".join(map(_form, DISGUISE_WORDS[Disguise.LIBRARY_ERROR]))
    number = r"(?: (?:code )?-?\d{1,6}| \(-?\w{1,20}\))?"  # "Error 404:", "Error (E42):"
    tool = r"(?<=executing tool)(?: [^\n:]{1,100})"
    return {
        Disguise.LEADING_WORD: re.compile(
            rf"{_BEFORE}(?:{words})(?:{tool}|{number})[\])*]{{0,3}}[:：]", re.IGNORECASE
        ),
        Disguise.ERROR_CLASS: re.compile(rf"{_BEFORE}(?:[A-Za-z]\w*\.)*[A-Z]\w*(?:{classes}): "),
        Disguise.LIBRARY_ERROR: re.compile(
            rf"{_BEFORE}(?:(?i:error|failed)\b[^\n:]{{1,80}}: )?(?:{libraries})\Z"
        ),
    }


def _form(words: str) -> str:
    """Return the pattern of a library's error, in which `#` is a number and `…` a text."""
    pattern = re.escape(words).replace(r"\#", r"\d{1,6}").replace("…", r"[^'\n]{1,200}")
    return pattern + (r"\W*" if words[-1].isalnum() or words[-1] == "#" else r"[^\n]*")


@lru_cache(maxsize=1)
def _no_value() -> re.Pattern[str]:
    words = "|".join(map(re.escape, DISGUISE_WORDS[Disguise.NOT_A_VALUE]))
    return re.compile(rf"(?:[^\n:=]{{1,80}}[:=] ?)?(?:{words})\W{{0,2}}")


def _of_document(document: Any, tool: Tool, case: Case) -> Disguise | None:
    held = document.get("result") if isinstance(document, dict) and len(document) == 1 else None
    document = held if isinstance(held, dict) else document
    if not isinstance(document, dict):
        return None
    claims = {name.lower(): value for name, value in document.items() if isinstance(name, str)}
    if _claims(claims, Disguise.NESTED_RESULT, _is_true) and _is_result(document):
        return Disguise.NESTED_RESULT
    if _claims(claims, Disguise.SUCCESS_MEMBER, _is_false):
        return Disguise.SUCCESS_MEMBER if _nothing_else(document, case) else None
    status = claims.get("status")
    if isinstance(status, str) and status.lower() in DISGUISE_WORDS[Disguise.STATUS_MEMBER]:
        told = _is_declared(tool, status) or not _nothing_else(document, None)
        return None if told else Disguise.STATUS_MEMBER
    if _claims(claims, Disguise.ERROR_MEMBER, _tells):
        return Disguise.ERROR_MEMBER if _nothing_else(document, case) else None
    return None


def _failed(document: Any) -> bool:
    """Return whether an object says that it failed, whatever else it says."""
    if not isinstance(document, dict):
        return False
    claims = {name.lower(): value for name, value in document.items() if isinstance(name, str)}
    return _claims(claims, Disguise.SUCCESS_MEMBER, _is_false)


def _claims(members: Mapping[str, Any], disguise: Disguise, test: Callable[[Any], bool]) -> bool:
    return any(test(members.get(word.lower())) for word in DISGUISE_WORDS[disguise])


def _is_false(value: Any) -> bool:
    return value is False


def _is_true(value: Any) -> bool:
    return value is True


def _is_result(document: Mapping[str, Any]) -> bool:
    """Return whether an object is a result of MCP and nothing more: a record may contain one."""
    blocks = document.get("content")
    typed = isinstance(blocks, list) and all(
        isinstance(each, dict) and isinstance(each.get("type"), str) for each in blocks
    )
    return typed and document.keys() <= _OF_A_RESULT


def _tells(value: Any) -> bool:
    """Return whether the member of an error reports one: a text, an object with a text, or true."""
    if isinstance(value, dict):
        return any(isinstance(one, str) and one for one in value.values())
    return value is True or (isinstance(value, str) and bool(value.strip()))


def _nothing_else(document: Mapping[str, Any], case: Case | None) -> bool:
    """Return whether an object has only an error, apart from values that the call had sent."""
    for name, value in document.items():
        known = name.lower() in ALONGSIDE or name.lower().startswith(("error", "message"))
        if not (known or holds_nothing(value) or (case is not None and _is_echo(value, case))):
            return False
    return True


def holds_nothing(value: Any) -> bool:
    """Return whether a value is null, or an empty string, array or object."""
    return value is None or value in ("", [], {})


def _is_echo(value: Any, case: Case) -> bool:
    sent = case.arguments
    return isinstance(sent, dict) and any(same(value, each) for each in sent.values())


def _is_declared(tool: Tool, status: object) -> bool:
    """Return whether the output schema lists this `status`; then it is a result."""
    properties = (tool.output_schema or {}).get("properties")
    declared = properties.get("status") if isinstance(properties, dict) else None
    listed = declared.get("enum") if isinstance(declared, dict) else None
    return isinstance(listed, list) and status in listed


def texts_in(value: Any) -> Iterator[str]:
    """Yield every string in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_in(inner)


def _is_about(tool: Tool, case: Case, disguise: Disguise) -> bool:
    """Return whether a tool is about errors, or a call asks for one. Then an error may be the
    result.
    """
    asked = words_in(*texts_in(case.arguments))
    of_errors = DISGUISE_UNLESS_ABOUT[Disguise.LEADING_WORD]
    about = DISGUISE_UNLESS_ABOUT[disguise]
    return not (subject_of(tool).isdisjoint(about) and asked.isdisjoint(of_errors))


def _blames(text: str, documents: Iterable[Any], tool: Tool, case: Case) -> bool:
    """Return whether an error blames what was broken in its call. No tool has such a result.

    The error names the parameter, quotes the tool's name, or has a class or a code. A name of one
    word may be quoted in any sentence, so it has to be named as a tool.
    """
    held = list(documents)
    if case.violation is None or _names_what_broke(text, held, case):
        return case.violation is not None
    objects = [each for each in held if isinstance(each, dict)]
    as_tool = "" if len(words_in(tool.name)) > 1 else r"(?i:\b(?:tool|calling|executing):? )"
    quoted = re.compile(f"{as_tool}[{_QUOTES}]{re.escape(tool.name)}[{_QUOTES}]")
    if any(map(quoted.search, texts_in(objects) if objects else (text,))):
        return True
    return any(_words_of(name) in _CLASSES for each in objects for name in each)


def _names_what_broke(text: str, documents: Iterable[Any], case: Case) -> bool:
    """Return whether an error names the parameter that was broken in its call.

    A name of one word may be a word of any sentence, so the error has to begin with it, or name it
    as a parameter.
    """
    name = case.violation.parameter if case.violation is not None else None
    if name is None:
        return False
    if len(words_in(name)) > 1 and name in text:
        return True
    objects = [each for each in documents if isinstance(each, dict)]
    said = [inner for each in objects for inner in texts_in(each)] or [text]
    return any(_begins_with(name, each) or blames(name, each) for each in said)


def blames(name: str, text: str) -> bool:
    """Return whether a text blames a parameter: quoted, at the start of a line, or after such a
    word.
    """
    word, text = re.escape(name), _ECHO.sub("", text)
    forms = (
        rf"[{_QUOTES}]{word}[{_QUOTES}]",
        rf"(?m)^\s*{word}(?:\s*$|:\s)",
        rf"(?i)\b(?:parameter|argument|field|property|input):? {word}(?!\w)",
    )
    return any(re.search(form, text) for form in forms)


def _begins_with(name: str, text: str) -> bool:
    """Return whether a parameter is the first word of an error, or of what it says at a colon."""
    return re.match(rf"\W{{0,6}}(?:[^\n:]{{1,80}}:\s+)?{re.escape(name)}(?!\w)", text) is not None


def _words_of(name: object) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORDS.findall(str(name)))


def subject_of(tool: Tool) -> set[str]:
    """Return the words of a tool's name, its titles, and the first sentence of its description."""
    annotations = tool.raw.get("annotations")
    hinted = annotations.get("title") if isinstance(annotations, dict) else None
    titles = (tool.raw.get("title"), hinted)
    first = _SENTENCE.split((tool.description or "").strip(), maxsplit=1)[0]
    return words_in(tool.name, *(each for each in titles if isinstance(each, str)), first)


def words_in(*texts: str) -> set[str]:
    """Return the words of texts and names, in lower case: `upgradeURL` has two."""
    return {word.lower() for text in texts for word in _WORDS.findall(text[:_LONGEST])}
