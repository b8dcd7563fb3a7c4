"""The pattern for invisible characters."""

from __future__ import annotations

import re

# Control characters, lone surrogates, and invisible characters that turn, hide or join text on a
# screen: bidirectional marks, zero-width and filler characters, separators, tags, and the controls
# of hieroglyphs, shorthand and music.
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U00013430-\U0001345f\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
