"""The blocks of JSON and YAML in the original texts, where a checkout has these next to it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from conformance.formats.text.json_text import Notation
from tests.root import ROOT

SEEDS = ROOT.parent / "shared" / "seeds"
_OPENS = re.compile(r"^[ ]*\{$", re.MULTILINE)
_POLICY = re.compile(r"^retry_policy:\n(?:[ -].*\n|\w+:.*\n)+", re.MULTILINE)


def text_of(seed: str) -> str | None:
    """The text whose file begins with `seed`; None where it is not next to this project."""
    files: list[Path] = sorted(SEEDS.glob(f"{seed}_*.txt"))
    return files[0].read_text(encoding="utf-8") if files else None


def blocks(text: str) -> list[tuple[bytes, Notation]]:
    """Every block, as it was printed, in the order of the text."""
    found: list[tuple[int, bytes, Notation]] = []
    end = 0
    for opens in _OPENS.finditer(text):
        begin = opens.end() - 1
        if begin < end:
            continue
        try:
            _, end = json.JSONDecoder().raw_decode(text, begin)
        except ValueError:
            continue  # a brace of a programming language
        found.append((begin, text[begin:end].encode(), Notation.JSON))
    for policy in _POLICY.finditer(text):
        found.append((policy.start(), policy[0].encode(), Notation.YAML))
    return [(raw, notation) for _, raw, notation in sorted(found, key=lambda each: each[0])]
