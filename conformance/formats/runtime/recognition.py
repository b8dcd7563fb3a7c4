"""The rows that recognize the documents of the runtime vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.spec.vocabulary import ApiFamily, StreamEventName, ToolEventName

_OF_TOOLS = tuple(ToolEventName)
_OF_STREAMS = tuple(StreamEventName)
_FAMILIES = tuple(ApiFamily)
_CODE = re.compile(r"E[0-9]{4}")


EDITOR_LINE: Final = "$schema"
"""The member that tells an editor the schema of a document. It identifies no document here."""


@dataclass(frozen=True, slots=True)
class RuntimeRow:
    """One row: the members that identify a document. The first row that matches wins.

    `needs` has groups of names: the document has at least one member of each group. `known` lists
    all members that it may have; None allows any. `also` is a further test, if the members are not
    enough.
    """

    document: str
    needs: tuple[tuple[str, ...], ...]
    known: frozenset[str] | None = None
    also: Callable[[Mapping[str, Any]], bool] | None = None
    hint: str = ""
    spec: str = "runtime"
    version: str = "1.0"

    @property
    def rule(self) -> str:
        """The rule in short: `id + endpoint + protocol_version|error_classification`.

        Braces mean that no other member is allowed.
        """
        said = " + ".join("|".join(group) for group in self.needs) + self.hint
        return said if self.known is None else f"{{{said}}}"

    def matches(self, members: Mapping[str, Any]) -> bool:
        """Return whether an object with these members is this document."""
        return (
            all(any(name in members for name in group) for group in self.needs)
            and (self.known is None or self.known.issuperset(members.keys() - {EDITOR_LINE}))
            and (self.also is None or self.also(members))
        )


def _closed(document: str, needs: str, more: str = "", **rest: Any) -> RuntimeRow:
    """Return the row of a document with the members `needs`, some of `more`, and no others."""
    groups = tuple(tuple(group.split("|")) for group in needs.split())
    known = {name for group in groups for name in group} | set(more.split())
    return RuntimeRow(document, groups, frozenset(known), **rest)


def _in_toolsets(members: Mapping[str, Any]) -> bool:
    """Return whether any tool names its toolset; the tools may be a list or an object."""
    tools = members["tools"]
    listed = tools.values() if isinstance(tools, dict) else tools
    return isinstance(tools, dict | list) and any(
        isinstance(each, dict) and "toolset" in each for each in listed
    )


def _of_a_tool(members: Mapping[str, Any]) -> bool:
    return members["event"] in _OF_TOOLS


def _of_a_stream(members: Mapping[str, Any]) -> bool:
    return members["event"] in _OF_STREAMS or not _of_a_tool(members)


def _coded(members: Mapping[str, Any]) -> bool:
    """Return whether `error` has a code and a name, or a code such as E1001. The errors of most
    other APIs have a code and a message, too.
    """
    error = members["error"]
    if not isinstance(error, dict) or "code" not in error:
        return False
    code = error["code"]
    return "name" in error or (isinstance(code, str) and bool(_CODE.fullmatch(code)))


_EVENT = (
    "content thinking tool_call_id tool_name index arguments finish_reason error event_id usage "
    "model raw_finish_reason"
)
_ENDED = "result error retry_hint bounds server_data"

RUNTIME_ROWS = (
    RuntimeRow(
        "provider-manifest",
        (("id",), ("endpoint",), ("protocol_version", "error_classification")),
    ),
    RuntimeRow("toolset-catalog", (("tools",),), also=_in_toolsets, hint="[].toolset"),
    _closed("call-record", "tool arguments tool_result", "meta received tool_events model_view"),
    _closed("rule-record", "manifest frames events"),
    _closed("classification-record", "provider_error name", "error_classification"),
    _closed("recorded-stream", "wire text"),
    _closed("tool-events", "tool_events"),
    _closed("event-stream", "events"),
    _closed("retry-record", "policy attempts"),
    _closed(
        "tool-result",
        "name tool_call_id result|error",
        "retry_hint bounds server_data telemetry children_count run_link",
    ),
    _closed(
        "tool-event",
        "event tool_call_id tool_name",
        f"run_id session_id turn_id parent_tool_call_id run_link {_ENDED}",
        also=_of_a_tool,
    ),
    _closed("stream-event", "event", _EVENT, also=_of_a_stream),
    _closed("call-status", "tool_call_id status", "tool_result poll_after_ms"),
    _closed("tool-call-meta", "run_id session_id tool_call_id", "turn_id parent_tool_call_id"),
    _closed(
        "retry-hint",
        "reason tool",
        "restrict_to_tool missing_fields example_input prior_input clarifying_question message",
    ),
    _closed(
        "clarification",
        "id question",
        "missing_fields restrict_to_tool example_input clarifying_prompt",
    ),
    _closed("server-data", "kind data source_tool", "run_link"),
    _closed("bounds", "returned truncated", "total refinement_hint"),
    _closed("runtime-error", "error", also=_coded, hint=".code + error.name"),
    _closed("gateway-policy", "retry|fallback|timeouts|cool_down_ms|models"),
    _closed("timeline", "timeline"),
    _closed(
        "model-request",
        "model messages",
        "temperature max_tokens top_p stream stop tools tool_choice response_format",
    ),
    _closed(
        "model-response",
        "content tool_calls",
        "thinking finish_reason raw_finish_reason usage provider model",
    ),
    _closed(
        "usage",
        "input_tokens|output_tokens",
        "cache_read_input_tokens cache_creation_input_tokens reasoning_output_tokens estimated",
    ),
    _closed("run-link", "run_id", "agent url"),
    _closed("tool-error", "message", "cause"),
    _closed(
        "retry-policy",
        "strategy",
        "max_retries initial_delay_ms max_delay_ms backoff_multiplier retryable_errors jitter",
    ),
    _closed(
        "call-parameters",
        "temperature|max_tokens|top_p|stream|stop|tool_choice|response_format",
        "tools",
    ),
)
"""The rows, in order. They come before the rows of the other specifications."""

BY_ADAPTER = "family-by-adapter"
"""The dialect in which the adapter of the chat endpoint names the family of a manifest."""

RULE_FIELDS = "rule-fields"
"""The dialect in which a rule has `fields` instead of `extract`."""


def family_of(manifest: Mapping[str, Any]) -> str | None:
    """Return the family that the adapter of the chat endpoint names; None if it names none."""
    chat: Any = manifest.get("endpoints")
    for step in ("chat", "adapter"):
        chat = chat.get(step) if isinstance(chat, dict) else None
    return chat if chat in _FAMILIES else None


def manifest_dialects(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the dialects that a provider manifest uses."""
    found = []
    if "api_family" not in manifest and family_of(manifest) is not None:
        found.append(BY_ADAPTER)
    streaming = manifest.get("streaming")
    rules = streaming.get("event_map") if isinstance(streaming, dict) else None
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and "fields" in rule and "extract" not in rule:
            return (*found, RULE_FIELDS)
    return tuple(found)


POLICY_IN_ITS_KEY = "policy-in-its-key"
"""The dialect in which a retry policy is the value of a member `retry_policy`."""

_POLICY = "retry_policy"
_OF_A_POLICY = next(row for row in RUNTIME_ROWS if row.document == "retry-policy")


def policy_in(members: Mapping[str, Any]) -> tuple[tuple[str, ...], Mapping[str, Any]] | None:
    """Return the retry policy under a document's member `retry_policy`, and its place, or None.

    If a text lost its indentation, the members are next to that name, and its value is null.
    """
    if _POLICY not in members:
        return None
    inner = members[_POLICY]
    if isinstance(inner, dict) and members.keys() <= {_POLICY, EDITOR_LINE}:
        return (_POLICY,), inner
    flat = {name: value for name, value in members.items() if name != _POLICY}
    return ((), flat) if inner is None and _OF_A_POLICY.matches(flat) else None
