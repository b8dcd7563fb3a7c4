"""Links that open a document in the playground."""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections.abc import Mapping
from typing import Any

from scripts.website.pages.context import up

_RAW = -15
"""Window size for raw deflate: the playground unpacks a stream without a header."""


def in_playground(here: str, document: Any) -> str:
    """Return the address, from the page `here`, at which the playground shows a document."""
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, _RAW)
    packed = base64.urlsafe_b64encode(packer.compress(written(document).encode()) + packer.flush())
    return f"../{up(here)}playground/#text={packed.decode().rstrip('=')}"


def written(document: Any) -> str:
    """Return the text of a document that the playground shows."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def opening(to: str, text: str, data: Mapping[str, str] | None = None) -> str:
    """Return a link that mkdocs ignores: it would check the anchor. `data` is for scripts."""
    more = "".join(f' data-{name}="{html.escape(held)}"' for name, held in (data or {}).items())
    return f'<a href="{to}"{more}>{html.escape(text)}</a>'
