"""Links that open a document in the playground."""

from __future__ import annotations

import base64
import html
import json
import zlib
from typing import Any

from scripts.website.pages.context import up

_RAW = -15
"""The playground unpacks a stream without a head."""


def in_playground(here: str, document: Any) -> str:
    """The address, from the page `here`, at which the playground shows a document."""
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, _RAW)
    text = json.dumps(document, ensure_ascii=False, indent=2).encode()
    packed = base64.urlsafe_b64encode(packer.compress(text) + packer.flush())
    return f"../{up(here)}playground/#text={packed.decode().rstrip('=')}"


def opening(to: str, text: str) -> str:
    """A link that mkdocs leaves alone: it would look for the anchor."""
    return f'<a href="{to}">{html.escape(text)}</a>'
