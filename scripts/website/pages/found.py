"""What the kit found in servers that others wrote, said in the language of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conformance.spec.messages import filled
from scripts.website.pages.context import Context

_NAME = re.compile(r"\{\{|\{([a-z][a-z0-9_]*)[|}]")


def sentences(context: Context, results: Mapping[str, Any]) -> dict[str, str]:
    """Each sentence of a `results.json`, by how it was recorded there.

    Results keep the id and the values of a sentence. One that has got other placeholders since
    stays as it was recorded.
    """
    return {
        item["message"]: _said(context, item)
        for run in results["runs"]
        for item in run["items"]
        if item["message"] is not None
    }


def _said(context: Context, recorded: Mapping[str, Any]) -> str:
    text = context.source.messages.get(recorded["message_id"])
    if text is None:
        return str(recorded["message"])
    template = context.text(text)
    values = {
        name: value if isinstance(value, str) else _said(context, value)
        for name, value in recorded["values"].items()
    }
    if {name for name in _NAME.findall(template) if name} <= values.keys():
        return filled(template, values)
    return str(recorded["message"])
