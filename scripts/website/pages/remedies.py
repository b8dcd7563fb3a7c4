"""How to fix what breaks a clause: a few remedies, each for many clauses, in four languages.

The code is in `fixtures/remedies`, the sentence of each remedy is the message `site.remedy_<name>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import indent

from scripts.generator.clauses import Clause
from scripts.website.layout import ROOT
from scripts.website.pages.context import Context, up
from scripts.website.pages.markdown import fence, heading, link

CODE = ROOT / "fixtures" / "remedies"
LANGUAGES = {"Python": "py", "TypeScript": "ts", "Java": "java", "C#": "cs"}
_LEXERS = {"py": "python", "ts": "typescript", "java": "java", "cs": "csharp"}
_GUIDES = {
    "FastAPI": "fastapi",
    "MCP (Python)": "mcp-python",
    "Express": "express",
    "MCP (TypeScript)": "mcp-typescript",
    "Spring Boot": "spring-boot",
    "ASP.NET Core": "aspnet-core",
}
REMEDIES: Mapping[str, str] = {
    "suggestion": "ATDF-ERR-009 ATDF-ERR-010 ATDF-ERR-011 ATDF-ERR-012 ATDF-ERR-018",
    "failure": "ATDF-ERR-013 ATDF-CALL-005 ATDF-CALL-006 ATDF-CALL-007 ATDF-CALL-008 "
    "HTTP-WIRE MCP-WIRE",
    "strict": "ATDF-CALL-001 ATDF-CALL-002 ATDF-CALL-003 ATDF-CALL-004 ATDF-CALL-010 ATDF-CALL-011",
    "envelope": "ATDF-ERR-001 ATDF-ERR-002 ATDF-ERR-003 ATDF-ERR-004 ATDF-ERR-005 ATDF-ERR-006 "
    "ATDF-ERR-007 ATDF-ERR-008 ATDF-ERR-014 ATDF-ERR-015 ATDF-ERR-016 ATDF-ERR-017 HTTP-ERR "
    "HTTP-RES-003",
    "tool_error": "MCP-ATDF MCP-CALL-003 MCP-CALL-005 MCP-CALL-006",
    "rpc_error": "MCP-RPC-001 MCP-RPC-002 MCP-RPC-003 MCP-RPC-004 MCP-RPC-005 MCP-RPC-006 "
    "MCP-RPC-011 MCP-RPC-012 MCP-CALL-002 MCP-PAGE-002",
    "description": "ATDF-TOOL ATDF-CAT-001 ATDF-CAT-002 MCP-LIST-002 MCP-LIST-003 MCP-LIST-004 "
    "MCP-LIST-005",
    "output": "MCP-OUT MCP-CALL-001",
    "lines": "MCP-STDIO-001",
}
"""For each remedy the clauses that it is for, or the beginning of their ids."""


def remedy_of(clause: str) -> str | None:
    """The remedy for a clause; None where there is none."""
    for name, ids in REMEDIES.items():
        if any(clause == each or clause.startswith(f"{each}-") for each in ids.split()):
            return name
    return None


def remedy(context: Context, clause: Clause, here: str) -> Iterator[str]:
    """The section that says how to fix it; nothing where there is no remedy."""
    name = remedy_of(clause.id)
    if name is None or clause.excluded is not None:
        return
    yield heading(2, context.said("clause_fix"), "fix")
    yield context.said(f"remedy_{name}")
    for title, suffix in LANGUAGES.items():
        code = (CODE / f"{name.replace('_', '-')}.{suffix}").read_text(encoding="utf-8")
        yield f'=== "{title}"\n\n{indent(fence(code.strip(), _LEXERS[suffix]), "    ")}'
    folder = f"{up(here)}guides/"
    guides = ", ".join(link(title, f"{folder}{file}.md") for title, file in _GUIDES.items())
    yield context.said("clause_fix_guides", guides=guides)
