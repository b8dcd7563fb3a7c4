"""The clauses that the kit judges by, as the generator wrote them."""

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
"""The address of a sentence of MCP, with the version that it is in."""

PACKAGE = Path(__file__).resolve().parents[1]
"""The package `conformance`, in a clone or installed."""
_SHIPPED = PACKAGE / "spec" / "schema"
CLONE = None if _SHIPPED.is_dir() else PACKAGE.parent
"""The root of the clone that this package is in; None if it is installed."""
SCHEMAS = _SHIPPED if CLONE is None else CLONE / "schema"
"""Where the generated schemas and clauses are: `<spec>/<version>/`."""


@dataclass(frozen=True, slots=True)
class AppliesTo:
    """Where a clause holds; an empty tuple or None sets no limit.

    `since` and `until` are versions, both included. `claimed` is True where the clause holds only
    for a target that claims ATDF; `offers` is what a target has to offer for the clause to hold.
    """

    bindings: tuple[Binding, ...] = ()
    eras: tuple[Era, ...] = ()
    since: str | None = None
    until: str | None = None
    claimed: bool = False
    offers: Offer | None = None
    openapi: bool | None = None
    """Whether it holds where an OpenAPI document is all that is declared, or only elsewhere."""


@dataclass(frozen=True, slots=True)
class When:
    """Which things of its family a declared clause is about: those that have one of these.

    `has` names fields, `block` ARDF blocks, `type` types of resources, `schema_uses` keywords of
    the input schema. `tool` limits the clause to tools of one trait. A clause with `whole` can
    only pass where the kit saw every page of the catalog.
    """

    has: tuple[str, ...] = ()
    block: tuple[ArdfBlock, ...] = ()
    type: tuple[ResourceType, ...] = ()
    schema_uses: tuple[str, ...] = ()
    tool: ToolTrait | None = None
    whole: bool = False

    @property
    def always(self) -> bool:
        """Whether the clause is about every thing of its family."""
        return not (self.has or self.block or self.type or self.schema_uses)


@dataclass(frozen=True, slots=True)
class Source:
    """The sentence of another specification from which a clause is taken, and its address.

    `version` is that of the specification; empty where it has none that is checked. `others` are
    the sentences of its other versions: some word it otherwise, and some do not have it.
    """

    quote: str
    url: str
    version: str = ""
    others: tuple[Source, ...] = ()

    def of(self, version: str) -> Source | None:
        """The sentence as a version of the specification has it; None where it has none."""
        known = (self, *self.others)
        return next((each for each in known if each.version in {version, ""}), None)


@dataclass(frozen=True, slots=True)
class Clause:
    """One normative sentence.

    `where_claimed` is what the requirement rises to where ATDF is claimed. `text` and `excluded`
    (why nothing verifies it) are by language. `confirm` is False for a clause about repetition.
    `document` is the document that it is about; `at` are the places in that document's schema
    that own it, JSON Pointers. A declared clause has a `family`, whose judge checks it: no chapter
    has a function for it alone. `why` is what is lost when it is broken, by language.
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
    """The requirements of a clause that is a group, by language."""


def clauses() -> Mapping[str, Clause]:
    """All clauses of the newest version of each specification, by id; read once."""
    return clauses_of(SCHEMAS)


def clause_url(clause: Clause, language: str = "en") -> str:
    """Where the site shows a clause, in `language`: the page of its own."""
    return f"{_site(language)}conformance/clauses/{clause.id.lower()}/"


def guides_url(language: str = "en") -> str:
    """Where the site lists the guides, in `language`."""
    return f"{_site(language)}guides/"


def _site(language: str) -> str:
    folder = "" if language == "en" else f"{language}/"
    return f"{id_base()}/{folder}"


@cache
def id_base() -> str:
    """The base of every `$id`, which is also the site's address; read from a generated schema."""
    for path in sorted(SCHEMAS.glob("*/*/*.schema.json")):
        identifier: str = json.loads(path.read_text(encoding="utf-8"))["$id"]
        return identifier.partition("/schema/")[0]
    raise FileNotFoundError(f"no schema in {SCHEMAS}: run scripts/generate.py")


def newest(spec: Path) -> Path:
    """The folder of a specification's newest version; `1.10` is newer than `1.9`.

    The version of a specification has clauses: a folder without them holds single documents.
    """
    versions = [
        each.parent for each in spec.glob("*/clauses.json") if each.parent.name[0].isdigit()
    ]
    return max(versions, key=lambda each: [int(part) for part in each.name.split(".")])


@cache
def clauses_of(root: Path) -> Mapping[str, Clause]:
    """Give the clauses of the newest version of each specification below `root`, by id."""
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
