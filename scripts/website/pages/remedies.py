"""How to fix what breaks a clause: a few remedies for many clauses, in four languages.

A clause about a document also has a corrected document. The code is in `fixtures/remedies`, and the
sentence of each remedy is the message `site.remedy_<name>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from textwrap import indent

from scripts.generator.clauses import Clause
from scripts.website.layout import DOCS, ROOT
from scripts.website.pages.context import Context, up
from scripts.website.pages.corrections import correction
from scripts.website.pages.exchanges import in_mcp, is_call_of_both, seen
from scripts.website.pages.markdown import fence, heading, link

CODE = ROOT / "fixtures" / "remedies"
LANGUAGES = {"Python": "py", "TypeScript": "ts", "Java": "java", "C#": "cs"}
_LEXERS = {"py": "python", "ts": "typescript", "java": "java", "cs": "csharp"}
_GUIDES = {
    "FastAPI": "fastapi",
    "MCP (Python)": "mcp-python",
    "FastMCP": "fastmcp",
    "Express": "express",
    "MCP (TypeScript)": "mcp-typescript",
    "Spring Boot": "spring-boot",
    "ASP.NET Core": "aspnet-core",
}
_GUIDED = ("atdf", "bindings")
"""The specifications that the framework guides cover."""
_STEPS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("strict", "checked_input"), ("guarded", "recoverable")),
    **dict.fromkeys(
        ("envelope", "failure", "parameter_name", "routes"), ("explained", "recoverable")
    ),
    **dict.fromkeys(("suggestion", "tool_error"), ("recoverable",)),
    "description": ("described",),
}
"""The anchors of the steps that apply a remedy: the first that a guide has."""
REMEDIES: Mapping[str, str] = {
    "suggestion": "ATDF-ERR-009 ATDF-ERR-010 ATDF-ERR-011 ATDF-ERR-012 ATDF-ERR-018",
    "failure": "ATDF-ERR-013 ATDF-CALL-007",
    "time_limit": "ATDF-CALL-006",
    "checked_input": "ATDF-CALL-005 HTTP-ERR-007 HTTP-ERR-008 HTTP-ERR-009 HTTP-ERR-011 HTTP-WIRE",
    "routes": "HTTP-ERR-004 HTTP-ERR-005 HTTP-ERR-006",
    "strict": "ATDF-CALL-001 ATDF-CALL-002 ATDF-CALL-003 ATDF-CALL-004 ATDF-CALL-008 ATDF-CALL-010 "
    "ATDF-CALL-011",
    "envelope": "ATDF-ERR-001 ATDF-ERR-002 ATDF-ERR-003 ATDF-ERR-004 ATDF-ERR-005 ATDF-ERR-006 "
    "ATDF-ERR-008 ATDF-ERR-014 ATDF-ERR-015 ATDF-ERR-016 ATDF-ERR-017 HTTP-ERR-001 HTTP-ERR-002 "
    "HTTP-ERR-003 HTTP-ERR-010 HTTP-RES-003",
    "parameter_name": "ATDF-ERR-007",
    "tool_error": "MCP-ATDF-001 MCP-ATDF-002 MCP-CALL-003 MCP-CALL-005 MCP-CALL-006",
    "meta_keys": "MCP-ATDF-003",
    "unknown_tool": "MCP-CALL-002",
    "rpc_error": "MCP-RPC-001 MCP-RPC-002 MCP-RPC-003 MCP-RPC-004 MCP-RPC-005 MCP-RPC-006 "
    "MCP-RPC-009 MCP-RPC-011 MCP-RPC-012 MCP-WIRE",
    "description": "ATDF-TOOL ATDF-CAT-001 ATDF-CAT-002 MCP-LIST-002 MCP-LIST-003 MCP-LIST-004 "
    "MCP-LIST-005",
    "output": "MCP-OUT MCP-CALL-001",
    "lines": "MCP-STDIO-001",
    "read_only": "ATDF-CALL-009 MCP-ANN",
    "one_registry": "ATDF-PAR",
    "utf8": "ATDF-CAT-003 MCP-RPC-007",
    "call_route": "HTTP-CALL",
    "cors": "HTTP-CORS",
    "openapi": "HTTP-OAS",
    "discovery": "HTTP-DISC-001 HTTP-DISC-002 HTTP-DISC-003 HTTP-DISC-004 HTTP-DISC-005 "
    "HTTP-RES-001 HTTP-RES-002 HTTP-RES-004 HTTP-RES-005",
    "pages": "HTTP-DISC-006 MCP-PAGE",
    "declare": "DECL SRV-PATH-001",
    "mcp_http": "MCP-HTTP MCP-ORIG",
    "mcp_headers": "MCP-HEAD-001 MCP-HEAD-002 MCP-HEAD-003 MCP-HEAD-004 MCP-HEAD-006",
    "mcp_param": "MCP-HEAD-005",
    "mcp_sessions": "MCP-SESS-001 MCP-SESS-002 MCP-SESS-003",
    "mcp_handshake": "MCP-LIFE-001 MCP-LIFE-003 MCP-VER-001 MCP-VER-002 MCP-VER-003 MCP-VER-006 "
    "MCP-CALL-004",
    "mcp_stateless": "MCP-LIFE-002 MCP-LIFE-006 MCP-LIFE-007 MCP-VER-004 MCP-VER-005 MCP-META-001 "
    "MCP-LIST-008 MCP-RPC-010 MCP-SESS-004",
    "mcp_declared": "MCP-LIFE-004 MCP-LIFE-009 MCP-LIFE-010 MCP-LIFE-011 MCP-LOG-001",
    "mcp_input": "MCP-LIFE-005 MCP-MRTR MCP-ERR-001",
    "mcp_list": "MCP-LIST-001 MCP-LIST-006 MCP-LIST-007 MCP-PING-001",
    "batch": "MCP-RPC-008",
    "mcp_resource": "MCP-RES",
    "task_only": "MCP-TASK-001",
    "stdio_loop": "MCP-STDIO-002",
    "tool_result": "RT-RES-001 RT-RES-002 RT-RES-004 RT-TERR RT-META-005 RT-META-006 RT-HTTP-001",
    "hint": "RT-HINT RT-RES-003",
    "bounds": "RT-BND",
    "server_data": "RT-SD-001 RT-SD-004 RT-SD-005 RT-SD-006 RT-SD-008",
    "injected": "RT-INJ RT-SD-003 RT-SD-007",
    "later": "RT-ASYNC RT-HTTP-002",
    "toolset": "RT-CAT RT-TID RT-KIND-001 RT-SD-002",
    "agent": "RT-KIND-002 RT-RES-005",
    "mcp_result": "RT-MCP",
    "retry": "GW-RTY-001 GW-RTY-002 GW-RTY-003 GW-RTY-005 GW-RTY-008 GW-RTY-009 RT-RTY-008 "
    "RT-RTY-009 RT-RTY-010 RT-RTY-011 RT-RTY-012",
    "retry_after": "GW-RTY-004 ATDF-ERR-019",
    "fallback": "GW-FB-001 GW-FB-002 GW-FB-003 GW-FB-005 GW-FB-006 GW-LIV-001 RT-RTY-014 "
    "RT-RTY-016",
    "stream_end": "GW-RTY-006 GW-RTY-007 GW-STR-001 GW-STR-002 GW-STR-003 GW-STR-004 GW-STR-012 "
    "RT-RTY-013 RT-RTY-015 RT-ASM-002 RT-ASM-003 RT-ASM-004 RT-ORD-005",
    "sse": "GW-STR-005 GW-STR-006",
    "tool_fragments": "GW-ISO-001 GW-STR-007 GW-STR-008 RT-ORD-004 RT-ORD-006",
    "finish": "GW-STR-009 GW-STR-010 GW-ERR-007 RT-TRM RT-ORD-008 RT-RSP-002",
    "one_reader": "GW-STR-011 GW-STR-013 GW-STR-014 RT-EVT-004",
    "classify": "GW-ERR-001 GW-ERR-002 GW-ERR-004 GW-ERR-006 RT-ERR-006",
    "status": "GW-ERR-003",
    "redact": "GW-ERR-005",
    "one_request": "GW-SEC GW-REQ-006 GW-REQ-007",
    "parameters": "GW-FB-004 GW-REQ-001 GW-REQ-002 GW-REQ-003",
    "tools_on": "GW-REQ-004 GW-REQ-005",
    "timeouts": "GW-CAN GW-TMO",
}
"""The clauses of each remedy, as ids or as prefixes of ids."""
_OF_RULES = ("ATDF-CALL-004", "ATDF-CALL-010")
"""The clauses about valid values that are refused; a business rule may refuse one, too."""
_OF_BASELINE = (
    "ATDF-CALL-001", "ATDF-CALL-002", "ATDF-CALL-003", "ATDF-CALL-004", "ATDF-CALL-011",
    "HTTP-CALL-001",
)  # fmt: skip
"""The clauses that nothing can verify as long as the baseline call is refused."""
_OF_ONE: Mapping[str, str] = {
    "ATDF-CALL-005": "remedy_bug",
    "ATDF-CALL-008": "remedy_state",
    "MCP-ORIG-001": "remedy_origin",
}
"""What the remedy of several clauses does not say for one of them."""


def remedy_of(clause: str) -> str | None:
    """Return the remedy for a clause; None if there is none."""
    for name, ids in REMEDIES.items():
        if any(clause == each or clause.startswith(f"{each}-") for each in ids.split()):
            return name
    return None


def remedy(context: Context, clause: Clause, here: str) -> Iterator[str]:
    """Yield the section about how to fix it; nothing if there is no remedy."""
    if clause.excluded is not None:
        return
    explained = clause.id in seen()["clauses"]
    parts = [*_code(context, clause, here), *correction(context, clause, explained=explained)]
    if parts:
        yield heading(2, context.said("clause_fix"), "fix")
        yield from parts


def _code(context: Context, clause: Clause, here: str) -> Iterator[str]:
    name = remedy_of(clause.id)
    if name is None:
        return
    yield context.said(f"remedy_{name}")
    if is_call_of_both(clause):
        yield in_mcp(context, clause, here, "remedy_mcp", "RT-MCP-001")
    if clause.id in _OF_ONE:
        yield context.said(_OF_ONE[clause.id])
    if clause.id in _OF_RULES:
        yield context.said("remedy_rule", url=f"{up(here)}guides/error-design.md#meaning")
    if clause.id in _OF_BASELINE:
        options = f"{up(here)}conformance/options.md#option-examples"
        yield context.said("remedy_baseline", url=options)
    for title, suffix in LANGUAGES.items():
        code = (CODE / f"{name.replace('_', '-')}.{suffix}").read_text(encoding="utf-8")
        yield f'=== "{title}"\n\n{indent(fence(code.strip(), _LEXERS[suffix]), "    ")}'
    if clause.spec in _GUIDED:
        folder = f"{up(here)}guides/"
        steps = {title: f"{folder}{file}.md{_step(file, name)}" for title, file in _GUIDES.items()}
        guides = ", ".join(link(title, to) for title, to in steps.items())
        yield context.said("clause_fix_guides", guides=guides)


@cache
def _step(guide: str, name: str) -> str:
    """Return the anchor of the step of a guide that applies a remedy; empty if it has none."""
    page = (DOCS / "en" / "guides" / f"{guide}.md").read_text(encoding="utf-8")
    anchors = (f"#{each}" for each in _STEPS.get(name, ()))
    return next((each for each in anchors if f"{{ {each} }}" in page), "")
