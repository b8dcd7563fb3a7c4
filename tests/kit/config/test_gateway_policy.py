"""A gateway policy that cannot be meant so is refused, and the sentence says what to write."""

from __future__ import annotations

import json

import pytest

from conformance.kit.config.options import with_defaults
from conformance.kit.config.settings import OptionUnusable, settings_of

DECLARED = {
    "timeouts": {"first_byte_ms": 10},
    "fallback": {"order": ["openai", "gemini"]},
    "models": {"openai": "{nonce}", "chain": "all/{nonce}"},
}


def read(path, policy):
    path.write_text(json.dumps(policy))
    given = {"gateway": ["openai+http://127.0.0.1:1/v1"], "gateway_policy": path}
    return settings_of(with_defaults(given), path.parent).gateway_policy


def test_what_can_be_meant_is_taken(tmp_path):
    assert read(tmp_path / "policy.json", DECLARED) == DECLARED


def test_members_of_your_own_are_taken_if_they_have_a_prefix(tmp_path):
    own = {**DECLARED, "x-team": "a", "timeouts": {"first_byte_ms": 10, "com.example/why": "b"}}
    assert read(tmp_path / "policy.json", own) == own


def test_the_schema_for_an_editor_is_taken(tmp_path):
    named = {"$schema": "https://example.com/gateway-policy.schema.json", **DECLARED}
    assert read(tmp_path / "policy.json", named) == named


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"fallbak": {}}, "A policy has no member `fallbak`. Write `fallback`, or leave it out."),
        ({"timeouts": {"stal_ms": 1}}, "Write `timeouts.stall_ms`"),
        ({"retry": {"strategy": "none", "max_retrys": 1}}, "Write `retry.max_retries`"),
        ({"models": {"opneai": "{nonce}"}}, "Write `models.openai`"),
        ({"zzz": 1}, "Its members are `retry`, `fallback`, `timeouts`"),
        ({"fallback": {"order": ["openai", "openai"]}}, "contains an item twice"),
        ({"fallback": {"order": [*"abcdef"]}}, '"a" is not one of the values'),
        ({"fallback": {"order": ["openai", "custom"]}}, "It plays `openai`, `anthropic`, `gemini`"),
    ],
)
def test_what_cannot_is_refused_in_a_sentence(tmp_path, wrong, said):
    with pytest.raises(OptionUnusable) as refused:
        read(tmp_path / "policy.json", {**DECLARED, **wrong})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{\n "retry": {\n  "strategy": "none",\n  "max_retries": "two"}\n}',
            "line 4: $.retry.max_",
        ),
        (
            "timeouts:\n  total_ms: 5\n  stal_ms: 5\n",
            "line 3: A policy has no member `timeouts.stal_ms`",
        ),
        ("fallback:\n  order:\n  - openai\n  - openai\n", "line 2: $.fallback.order: "),
        ("- openai\n", "line 1: "),
        ("timeouts:\n  stall_ms: [5\n", "line 3, column 1"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, text, said):
    path = tmp_path / "policy.yaml"
    path.write_text(text)
    given = {"gateway": ["openai+http://127.0.0.1:1/v1"], "gateway_policy": path}
    with pytest.raises(OptionUnusable) as refused:
        settings_of(with_defaults(given), tmp_path)
    assert said in str(refused.value)
