"""The kit's findings about other people's servers, in the language of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conformance.spec.messages import filled
from scripts.website.pages.context import Context

_NAME = re.compile(r"\{\{|\{([a-z][a-z0-9_]*)[|}]")


def said(context: Context, recorded: Mapping[str, Any]) -> str:
    """Return the sentence of a finding in the language of the page.

    A saved finding has the id and the values of the sentence. Since then, the sentence may have got
    another placeholder. In English, the saved sentence is returned then. In another language, an
    ellipsis replaces the missing value, so that the reader gets no English sentence.
    """
    text = context.source.messages.get(recorded["message_id"])
    if text is None:
        return str(recorded["message"])
    template = context.text(text)
    values = {
        name: value if isinstance(value, str) else said(context, value)
        for name, value in recorded["values"].items()
    }
    missing = {name for name in _NAME.findall(template) if name} - values.keys()
    if missing and context.language == "en":
        return str(recorded["message"])
    words = {name for name, value in recorded["values"].items() if not isinstance(value, str)}
    return filled(template, values | dict.fromkeys(missing, "…"), words | missing)
