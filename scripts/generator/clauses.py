"""Clauses: the normative sentences. The id of a clause is never used for another.

A clause belongs to the schema position that owns it (`x-clauses`). If there is no such position, it
is in the `clauses:` of a file of its specification. The `defaults:` of such a file apply to each of
its clauses that does not set the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.spec.pointer import to_pointer
from scripts.generator.load import Json, Path_, SourceFile
from scripts.generator.place import Place
from scripts.generator.problems import Problem
from scripts.generator.shapes import ANY, TEXT, Each, misshapen
from scripts.generator.texts import Gathered, Text, joined
from scripts.generator.vocabularies import Vocabulary

_ID = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z][A-Z0-9]*)+-[0-9]{3}")
_REQUIREMENTS = re.compile(r"\b(?:MUST|SHOULD|MAY)\b")
_SHAPE = {
    "id": str,
    "requirement": str,
    "status?": str,
    "version?": str,
    "where_claimed?": str,
    "needed_for": str,
    "scope": str,
    "document?": str,
    "text?": TEXT,
    "parts?": [TEXT],
    "verified?": str,
    "excluded?": TEXT,
    "confirm?": bool,
    "applies_to?": {
        "bindings?": [str],
        "eras?": [str],
        "since?": str,
        "until?": str,
        "claimed?": bool,
        "offers?": str,
        "openapi?": bool,
    },
    "family?": str,
    "when?": {
        "has?": [str],
        "block?": [str],
        "type?": [str],
        "schema_uses?": [str],
        "tool?": str,
        "whole?": bool,
    },
    "source?": {
        "quote": str,
        "url": str,
        "others?": [{"versions": [str], "quote": str, "url": str}],
    },
}
_FILE = {"clauses": [Each(ANY)], "defaults?": Each(ANY)}
_FROM_VOCABULARY = {
    "requirement": "requirement",
    "status": "status",
    "where_claimed": "requirement",
    "needed_for": "needed_for",
    "scope": "scope",
    "verified": "verified",
    "family": "family",
}
_LISTED = (
    ("applies_to", "bindings", "binding"),
    ("applies_to", "eras", "era"),
    ("when", "block", "ardf_block"),
    ("when", "type", "resource_type"),
)
"""Keys that have lists of words, each with the vocabulary of the words."""
_SINGLE = (("applies_to", "offers", "offer"), ("when", "tool", "tool_trait"))
_VERSION = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+\.[0-9]+")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the source.

    `home` is its file and line, and `spec` its directory. `document` is the schema that it is
    about; `at` has the pointers of the positions that own it. `why` is what is lost if it is
    broken.
    """

    id: str
    spec: str
    text: Text
    home: Problem
    document: str | None
    at: tuple[str, ...]
    facts: Mapping[str, Any]
    excluded: Text | None
    why: Text | None = None
    parts: tuple[Text, ...] = ()
    """The requirements of a group, a clause with several of them: each is a separate text."""

    @property
    def family(self) -> str | None:
        """The family of a declared clause; None for a clause with a separate test."""
        return self.facts.get("family")

    def problem(self, what: str, do: str) -> Problem:
        """Return a problem of the clause, at its place in the source."""
        return Problem(self.home.file, self.home.line, self.home.path, what, do)

    def as_json(self, version: str) -> dict[str, Json]:
        """Return the clause's entry in `clauses.json`, without empty keys.

        `version` introduced the clause, if the clause does not name another.
        """
        made: dict[str, Json] = {"id": self.id, "document": self.document}
        made["version"] = self.facts.get("version", version)
        made["status"] = self.facts.get("status", "draft")
        made["at"] = self.at[0] if self.at else None
        if self.at[1:]:
            made["also_at"] = list(self.at[1:])
        made |= {key: self.facts[key] for key in _ORDER if key in self.facts}
        made["text"] = self.text.as_json()
        if self.parts:
            made["parts"] = [each.as_json() for each in self.parts]
        if self.why is not None:
            made["why"] = self.why.as_json()
        if self.excluded is not None:
            made["excluded"] = self.excluded.as_json()
        return made


_ORDER = (
    "requirement", "where_claimed", "needed_for", "scope", "verified", "confirm", "applies_to",
    "family", "when", "source",
)  # fmt: skip


def read_clause_files(
    sources: Iterable[SourceFile], vocabularies: Mapping[str, Vocabulary], gathered: Gathered
) -> list[Clause]:
    """Read the clauses of all files that have `clauses:`."""
    found = []
    for source in sources:
        problems = list(misshapen(source, (), source.data, _FILE))
        gathered.problems += problems
        if problems:
            continue
        defaults = source.data.get("defaults", {})
        for index, item in enumerate(source.data["clauses"]):
            whole = _with_defaults(defaults, item)
            clause = read_clause(source, ("clauses", index), whole, vocabularies, gathered)
            if clause is not None:
                found.append(clause)
    return found


def _with_defaults(defaults: Json, item: Json) -> Json:
    whole = defaults | item
    if isinstance(defaults.get("applies_to"), dict) and isinstance(item.get("applies_to"), dict):
        whole["applies_to"] = defaults["applies_to"] | item["applies_to"]
    if "excluded" in item:
        for key in {"verified", "family"} - item.keys():
            whole.pop(key, None)
    return whole


def read_clause(
    source: SourceFile,
    path: Path_,
    item: Json,
    vocabularies: Mapping[str, Vocabulary],
    gathered: Gathered,
    *,
    document: str | None = None,
    at: Path_ | None = None,
) -> Clause | None:
    """Read the clause at `path` of `source`; `document` and `at` are the position that owns it."""
    problems = list(misshapen(source, path, item, _SHAPE))
    gathered.problems += problems or list(_faults(Place(source, path, vocabularies), item))
    if problems:
        return None
    name = item["id"]
    parts = _parts(source, path, item, gathered)
    text = joined(parts) if parts else None
    if "text" in item:
        text = gathered.text(source, (*path, "text"), item["text"], f"clause:{name}")
    excluded = None
    if "excluded" in item:
        key = f"clause:{name}/excluded"
        excluded = gathered.text(source, (*path, "excluded"), item["excluded"], key)
    if text is None:
        return None
    spec = source.file.split("/")[2]
    facts = {key: item[key] for key in (*_ORDER, "version", "status") if key in item}
    home = source.problem(path, "", "")
    about = document or item.get("document")
    owner = () if at is None else (to_pointer(at),)
    made = Clause(name, spec, text, home, about, owner, facts, excluded, parts=parts)
    gathered.problems += _several(made)
    return made


def _parts(source: SourceFile, path: Path_, item: Json, gathered: Gathered) -> tuple[Text, ...]:
    """Return the texts of a group; their keys are the clause's id and a number."""
    found = (
        gathered.text(source, (*path, "parts", n), each, f"clause:{item['id']}.{n + 1}")
        for n, each in enumerate(item.get("parts", ()))
    )
    return tuple(each for each in found if each is not None)


def _several(clause: Clause) -> Iterator[Problem]:
    """Yield a problem for each text without exactly one requirement of the clause's strength.

    A clause that is stricter for servers that claim ATDF has a separate part for them.
    """
    told = clause.parts or (clause.text,)
    known = {clause.facts["requirement"], clause.facts.get("where_claimed")}
    for each in told:
        found = _REQUIREMENTS.findall(each.en)
        if len(found) > 1:
            what = f"{clause.id} has {len(found)} requirements in one text."
            yield clause.problem(
                what, "Write each as one of `parts`; the id is then that of a group."
            )
        elif not found:
            do = "Say MUST, SHOULD or MAY."
            yield clause.problem(f"A text of {clause.id} requires nothing.", do)
        elif found[0] not in known:
            what = f"{clause.id} says {found[0]}, and its `requirement` another strength."
            yield clause.problem(what, "Let both say the same.")
    if len(clause.parts) == 1:
        yield clause.problem(f"{clause.id} has one part.", "Write it as `text`.")


def _faults(place: Place, item: Mapping[str, Json]) -> Iterator[Problem]:
    if not _ID.fullmatch(item["id"]):
        what = f"`{item['id']}` is not a clause id."
        yield place.problem(what, "Write it like ATDF-CAT-001.", ("id",))
    if ("text" in item) == ("parts" in item):
        what = "A clause has either `text` or `parts`."
        yield place.problem(what, "Write the one, or the other.")
    if ("verified" in item) == ("excluded" in item):
        what = "A clause has either `verified` or `excluded`."
        yield place.problem(what, "Say how it is verified, or why not.")
    said: list[tuple[Path_, str, str | None]]
    said = [((key,), name, item.get(key)) for key, name in _FROM_VOCABULARY.items()]
    for part, key, name in _LISTED:
        said += [((part, key), name, word) for word in item.get(part, {}).get(key, ())]
    said += [((part, key), name, item.get(part, {}).get(key)) for part, key, name in _SINGLE]
    for below, name, word in said:
        yield from place.odd_word(word, name, below)
    for key in ("since", "until"):
        version = item.get("applies_to", {}).get(key)
        below = ("applies_to", key)
        yield from place.odd_version(version, _VERSION, "2025-06-18 or 1.0", below)
    yield from _undeclarable(place, item)


def _undeclarable(place: Place, item: Mapping[str, Json]) -> Iterator[Problem]:
    """Yield a problem for each part of a declared clause that its family's judge ignores."""
    if "family" not in item:
        if "when" in item:
            do = "Add `family`, or leave it out."
            yield place.problem("`when` is only for a declared clause.", do, ("when",))
        return
    family, vocabularies = item["family"], place.vocabularies
    words = vocabularies["family"].values if "family" in vocabularies else ()
    known = next((each.columns for each in words if each.value == family), None)
    if known is None:
        return
    if item["scope"] not in known.get("scopes", ()):
        what = f"The family `{family}` has no clauses of the scope `{item['scope']}`."
        yield place.problem(what, "Change one of the two.", ("scope",))
    if "excluded" in item:
        what = "A clause that is excluded belongs to no family."
        yield place.problem(what, "Leave it out.", ("family",))
    conditions = known.get("conditions", ())
    for key in item.get("when", {}).keys() - set(conditions):
        what = f"The family `{family}` does not know `{key}`."
        do = f"Use one of {', '.join(conditions)}." if conditions else "Leave it out."
        yield place.problem(what, do, ("when", key))


def twice(clauses: Iterable[Clause]) -> list[Problem]:
    """Return a problem for each clause id that is defined in more than one place."""
    first: dict[str, Clause] = {}
    problems = []
    for clause in clauses:
        if clause.id in first:
            other = first[clause.id].home
            what = f"The clause id {clause.id} stands at {other.file}:{other.line} too."
            problems.append(clause.problem(what, "Give one of them a new id."))
        first.setdefault(clause.id, clause)
    return problems


def clauses_json(spec: str, version: str, clauses: Iterable[Clause]) -> Json:
    """Return the content of a specification's `clauses.json`, in order of ids."""
    own = sorted((clause for clause in clauses if clause.spec == spec), key=lambda each: each.id)
    return {
        "spec": spec,
        "version": version,
        "clauses": [clause.as_json(version) for clause in own],
    }
