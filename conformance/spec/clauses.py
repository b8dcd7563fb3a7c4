"""The clauses by which the kit judges, read from the generated files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from conformance.spec.vocabulary import (
    ArdfBlock,
    Binding,
    Era,
    Family,
    NeededFor,
    Offer,
    Requirement,
    ResourceType,
    Scope,
    Status,
    ToolTrait,
    Verified,
)

_DATED = re.compile(r"^https://modelcontextprotocol\.io/specification/(\d{4}-\d{2}-\d{2})/")
"""The URL of a sentence of MCP; the group is the version."""

PACKAGE = Path(__file__).resolve().parents[1]
"""The directory of the package `conformance`, in a clone or installed."""
_SHIPPED = PACKAGE / "spec" / "schema"
CLONE = None if _SHIPPED.is_dir() else PACKAGE.parent
"""The root of the clone with this package; None if the package is installed."""
SCHEMAS = _SHIPPED if CLONE is None else CLONE / "schema"
"""The directory of the generated schemas and clauses: `<spec>/<version>/`."""


@dataclass(frozen=True, slots=True)
class AppliesTo:
    """What a clause applies to. An empty tuple or None means no limit.

    `since` and `until` are versions, both included. With `claimed`, the clause applies only to a
    target that claims ATDF. `offers` is what a target has to offer.
    """

    bindings: tuple[Binding, ...] = ()
    eras: tuple[Era, ...] = ()
    since: str | None = None
    until: str | None = None
    claimed: bool = False
    offers: Offer | None = None
    openapi: bool | None = None
    """True: only if an OpenAPI document is the only declaration. False: only otherwise."""


@dataclass(frozen=True, slots=True)
class When:
    """Which things of its family a declared clause is about: those with at least one of these.

    `has` are fields, `block` ARDF blocks, `type` resource types, `schema_uses` keywords of the
    input schema. `tool` limits the clause to tools with one trait. With `whole`, the clause can
    pass only if the kit saw every page of the catalog.
    """

    has: tuple[str, ...] = ()
    block: tuple[ArdfBlock, ...] = ()
    type: tuple[ResourceType, ...] = ()
    schema_uses: tuple[str, ...] = ()
    tool: ToolTrait | None = None
    whole: bool = False

    @property
    def always(self) -> bool:
        """Whether the clause is about everything in its family."""
        return not (self.has or self.block or self.type or self.schema_uses)


@dataclass(frozen=True, slots=True)
class Source:
    """The sentence of another specification that a clause is based on, and its URL.

    `version` is the version of that specification, or empty if the kit checks no particular
    version. `others` are the sentences in its other versions, if they have it; the wording may
    differ.
    """

    quote: str
    url: str
    version: str = ""
    others: tuple[Source, ...] = ()

    def of(self, version: str) -> Source | None:
        """Return the sentence in a version of the specification; None if that version lacks it."""
        known = (self, *self.others)
        return next((each for each in known if each.version in {version, ""}), None)


@dataclass(frozen=True, slots=True)
class Clause:
    """One normative sentence.

    `where_claimed` is the stricter requirement if the target claims ATDF. `text`, `excluded` (why
    nothing verifies the clause) and `why` (what is lost if it is broken) are by language. `confirm`
    is False for a clause about repetition, or if a repetition says less than the first answer.
    `document` is the document that the clause is about, and `at` are JSON Pointers to the places in
    its schema that the clause owns. A clause with a `family` is checked by the judge of that
    family, not by a function of its own.
    """

    id: str
    spec: str
    version: str
    requirement: Requirement
    needed_for: NeededFor
    scope: Scope
    text: Mapping[str, str]
    verified: Verified | None = None
    where_claimed: Requirement | None = None
    excluded: Mapping[str, str] | None = None
    confirm: bool = True
    applies_to: AppliesTo = AppliesTo()
    family: Family | None = None
    when: When = When()
    source: Source | None = None
    document: str | None = None
    at: tuple[str, ...] = ()
    why: Mapping[str, str] | None = None
    status: Status = Status.DRAFT
    parts: tuple[Mapping[str, str], ...] = ()
    """The requirements in a clause that is a group, by language."""


def clauses() -> Mapping[str, Clause]:
    """Return all clauses of the newest version of each specification, by id; they are read once."""
    return clauses_of(SCHEMAS)


def clause_url(clause: Clause, language: str = "en") -> str:
    """Return the URL of a clause's page on the site, in `language`."""
    return f"{site(language)}conformance/clauses/{clause.id.lower()}/"


def guides_url(language: str, *, mcp: bool) -> str:
    """Return the URL of the site's guides for MCP servers, or for HTTP servers, in `language`."""
    return f"{site(language)}guides/#{'mcp' if mcp else 'http'}"


def site(language: str) -> str:
    """Return the URL of the site's first page in `language`."""
    folder = "" if language == "en" else f"{language}/"
    return f"{id_base()}/{folder}"


@cache
def id_base() -> str:
    """Return the base of every `$id`, which is also the site's URL, from a generated schema."""
    for path in sorted(SCHEMAS.glob("*/*/*.schema.json")):
        identifier: str = json.loads(path.read_text(encoding="utf-8"))["$id"]
        return identifier.partition("/schema/")[0]
    raise FileNotFoundError(f"no schema in {SCHEMAS}: run scripts/generate.py")


def newest(spec: Path) -> Path:
    """Return the directory of a specification's newest version; `1.10` is newer than `1.9`.

    Only directories with clauses are versions of the specification. The others have single
    documents.
    """
    versions = [
        each.parent for each in spec.glob("*/clauses.json") if each.parent.name[0].isdigit()
    ]
    return max(versions, key=lambda each: [int(part) for part in each.name.split(".")])


@cache
def clauses_of(root: Path) -> Mapping[str, Clause]:
    """Return the clauses of the newest version of each specification below `root`, by id."""
    found: dict[str, Clause] = {}
    for spec in sorted({path.parents[1] for path in root.glob("*/*/clauses.json")}):
        held = json.loads((newest(spec) / "clauses.json").read_text(encoding="utf-8"))
        for entry in held["clauses"]:
            found[entry["id"]] = _clause(entry, held["spec"], held["version"])
    if not found:
        raise FileNotFoundError(f"no clauses in {root}: run scripts/generate.py")
    return MappingProxyType(found)


def _clause(entry: Mapping[str, Any], spec: str, version: str) -> Clause:
    at = entry.get("at")
    source = entry.get("source")
    raised = entry.get("where_claimed")
    verified = entry.get("verified")
    return Clause(
        id=entry["id"],
        spec=spec,
        version=version,
        requirement=Requirement(entry["requirement"]),
        needed_for=NeededFor(entry["needed_for"]),
        scope=Scope(entry["scope"]),
        text=MappingProxyType(entry["text"]),
        verified=Verified(verified) if verified else None,
        where_claimed=Requirement(raised) if raised else None,
        excluded=MappingProxyType(entry["excluded"]) if "excluded" in entry else None,
        confirm=entry.get("confirm", True),
        applies_to=_applies_to(entry.get("applies_to", {})),
        family=Family(entry["family"]) if "family" in entry else None,
        when=_when(entry.get("when", {})),
        source=_source(source) if source else None,
        document=entry.get("document"),
        at=(() if at is None else (at, *entry.get("also_at", ()))),
        status=Status(entry.get("status", Status.DRAFT)),
        why=MappingProxyType(entry["why"]) if "why" in entry else None,
        parts=tuple(MappingProxyType(each) for each in entry.get("parts", ())),
    )


def _source(entry: Mapping[str, Any]) -> Source:
    dated = _DATED.search(entry["url"])
    others = (
        Source(each["quote"], each["url"].replace("{version}", version), version)
        for each in entry.get("others", ())
        for version in each["versions"]
    )
    version = dated.group(1) if dated else ""
    return Source(entry["quote"], entry["url"], version, tuple(others))


def _applies_to(entry: Mapping[str, Any]) -> AppliesTo:
    return AppliesTo(
        bindings=tuple(Binding(each) for each in entry.get("bindings", ())),
        eras=tuple(Era(each) for each in entry.get("eras", ())),
        since=entry.get("since"),
        until=entry.get("until"),
        claimed=entry.get("claimed", False),
        offers=Offer(entry["offers"]) if "offers" in entry else None,
        openapi=entry.get("openapi"),
    )


def _when(entry: Mapping[str, Any]) -> When:
    return When(
        has=tuple(entry.get("has", ())),
        block=tuple(ArdfBlock(each) for each in entry.get("block", ())),
        type=tuple(ResourceType(each) for each in entry.get("type", ())),
        schema_uses=tuple(entry.get("schema_uses", ())),
        tool=ToolTrait(entry["tool"]) if "tool" in entry else None,
        whole=entry.get("whole", False),
    )
