"""`<spec>/examples/*.yaml`: documents that must pass, and documents with one known fault.

id: hotel-catalog                # also the name of the generated file
document: catalog
title: {en: …, es: …, pt: …}
data: …
text: {es: {/tools/0/description: …}, pt: {…}}      # optional: translations of its texts
errata:                                             # optional: the printed text
  - {at: /errors/0/instance, as_printed: …, corrected: …, why: {en: …, es: …, pt: …}}

`{$example: hotel-tool}` means the data of that example of the same specification.

id: hotel-catalog-nameless
from: hotel-catalog              # a valid example, and the changes to it (RFC 6902)
change: [{op: remove, path: /tools/0/name}]
title: {en: …, es: …, pt: …}
breaks: ATDF-TOOL-001            # the only clause that it breaks
at: $.tools[0]                   # the JSON path of the fault
keyword: required                # the broken keyword; the clause's id, if it is not in a schema

An example may also break recommendations (clauses other than MUST): the printed examples of other
authors have no descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from scripts.generator.clauses import Clause
from scripts.generator.load import Json, SourceFile
from scripts.generator.patch import apply, resolve
from scripts.generator.shapes import ANY, TEXT, Each, Shape, misshapen
from scripts.generator.texts import Gathered, Text

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PLACES = Each(str)
_VALID = {
    "id": str,
    "document": str,
    "title": TEXT,
    "data": ANY,
    "text?": {"es": _PLACES, "pt": _PLACES},
    "errata?": [{"at": str, "as_printed": ANY, "corrected": ANY, "why": TEXT}],
}
_INVALID = {
    "id": str,
    "from": str,
    "change": [{"op": str, "path": str, "value?": ANY}],
    "title": TEXT,
    "breaks": str,
    "at": str,
    "keyword": str,
}


@dataclass(frozen=True, slots=True)
class Example:
    """One example; `breaks`, `at`, `keyword` and `from_` are None if it must pass."""

    id: str
    spec: str
    source: SourceFile
    document: str
    title: Text
    data: Json
    text: Mapping[str, Mapping[str, str]]
    errata: tuple[Mapping[str, Json], ...]
    from_: str | None = None
    breaks: str | None = None
    at: str | None = None
    keyword: str | None = None

    @property
    def valid(self) -> bool:
        """Whether the example must pass."""
        return self.breaks is None

    @property
    def file(self) -> str:
        """The path of the generated file, relative to `fixtures/examples/<spec>`."""
        return f"{'valid' if self.valid else 'invalid'}/{self.id}.json"

    def as_json(self) -> dict[str, Json]:
        """Return its entry in the index; the data is in the file."""
        made: dict[str, Json] = {
            "id": self.id,
            "file": self.file,
            "document": self.document,
            "title": self.title.as_json(),
        }
        if not self.valid:
            facts = {"from": self.from_, "breaks": self.breaks, "at": self.at}
            return made | facts | {"keyword": self.keyword}
        if self.text:
            made["text"] = self.text
        if self.errata:
            made["errata"] = list(self.errata)
        return made


def read_examples(
    sources: Iterable[SourceFile], clauses: Iterable[Clause], gathered: Gathered
) -> list[Example]:
    """Read all examples; each fault becomes a problem."""
    listed = list(sources)
    ids = {clause.id for clause in clauses}
    valid: dict[tuple[str, str], Example] = {}
    invalid: dict[tuple[str, str], Example] = {}
    held = {_key(source): source.data["data"] for source in listed if _is_valid(source)}
    for source in listed:
        example = _read_valid(source, held, gathered) if _is_valid(source) else None
        if example is not None:
            _keep(valid, example, gathered)
    for source in listed:
        example = None if _is_valid(source) else _read_invalid(source, valid, ids, gathered)
        if example is not None:
            _keep(invalid, example, gathered)
    return [*valid.values(), *invalid.values()]


def _is_valid(source: SourceFile) -> bool:
    return isinstance(source.data, dict) and "data" in source.data


def _keep(known: dict[tuple[str, str], Example], example: Example, gathered: Gathered) -> None:
    key = (example.spec, example.id)
    if key in known:
        what = f"{known[key].source.file} has the id `{example.id}` too."
        gathered.problems.append(example.source.problem(("id",), what, "Rename one."))
    known.setdefault(key, example)


def _read_common(
    source: SourceFile, shape: Mapping[str, Shape], gathered: Gathered
) -> tuple[str, str, Text] | None:
    """Return the id, the specification and the title of an example; None if they are invalid."""
    problems = list(misshapen(source, (), source.data, shape))
    gathered.problems += problems
    if problems:
        return None
    name = source.data["id"]
    if not _ID.fullmatch(name):
        what = f"`{name}` is not an id for an example."
        do = "Use lower-case words joined by dashes."
        gathered.problems.append(source.problem(("id",), what, do))
    spec = source.file.split("/")[2]
    title = gathered.text(source, ("title",), source.data["title"], f"example:{spec}/{name}")
    return None if title is None else (name, spec, title)


def _key(source: SourceFile) -> tuple[str, str]:
    return source.file.split("/")[2], str(source.data.get("id"))


def _filled(value: Json, spec: str, held: Mapping[tuple[str, str], Json]) -> Json:
    """Replace each `$example` by that example's data; raises `KeyError` if there is none.

    It does not replace anything inside that data, so two examples cannot include each other.
    """
    if isinstance(value, dict):
        if value.keys() == {"$example"}:
            return held[spec, str(value["$example"])]
        return {key: _filled(item, spec, held) for key, item in value.items()}
    return [_filled(item, spec, held) for item in value] if isinstance(value, list) else value


def _read_valid(
    source: SourceFile, held: Mapping[tuple[str, str], Json], gathered: Gathered
) -> Example | None:
    common = _read_common(source, _VALID, gathered)
    if common is None:
        return None
    name, spec, title = common
    data = source.data
    text = data.get("text", {})
    try:
        whole = _filled(data["data"], spec, held)
    except KeyError as error:
        what = f"There is no valid example `{error.args[0][1]}`."
        gathered.problems.append(source.problem(("data",), what, "Name one of the same folder."))
        return None
    example = Example(name, spec, source, data["document"], title, whole, text, ())
    if text and text["es"].keys() != text["pt"].keys():
        what = "`text` does not translate the same places into Spanish and Portuguese."
        gathered.problems.append(source.problem(("text",), what, "Add the missing ones."))
    for language, places in text.items():
        for at in places:
            _lead_somewhere(example, ("text", language, at), at, gathered)
    return replace(example, errata=tuple(_errata(example, gathered)))


def _errata(example: Example, gathered: Gathered) -> Iterator[Mapping[str, Json]]:
    source = example.source
    for index, item in enumerate(source.data.get("errata", ())):
        path = ("errata", index)
        key = f"example:{example.spec}/{example.id}/errata{item['at']}"
        why = gathered.text(source, (*path, "why"), item["why"], key)
        if _lead_somewhere(example, (*path, "at"), item["at"], gathered):
            if resolve(example.data, item["at"]) != item["corrected"]:
                what = "`corrected` is not what the data holds there."
                gathered.problems.append(source.problem((*path, "corrected"), what, "Correct it."))
            if item["as_printed"] == item["corrected"]:
                what = "Nothing was corrected."
                gathered.problems.append(source.problem(path, what, "Remove the erratum."))
        if why is not None:
            yield item | {"why": why.as_json()}


def _lead_somewhere(
    example: Example, path: tuple[str | int, ...], at: str, gathered: Gathered
) -> bool:
    try:
        resolve(example.data, at)
    except ValueError as error:
        what = f"{error} in the data."
        do = "Point to a place that the data has."
        gathered.problems.append(example.source.problem(path, what[0].upper() + what[1:], do))
        return False
    return True


def _read_invalid(
    source: SourceFile,
    valid: Mapping[tuple[str, str], Example],
    clauses: set[str],
    gathered: Gathered,
) -> Example | None:
    common = _read_common(source, _INVALID, gathered)
    if common is None:
        return None
    name, spec, title = common
    data = source.data
    base = valid.get((spec, data["from"]))
    if base is None:
        what = f"There is no valid example `{data['from']}`."
        gathered.problems.append(source.problem(("from",), what, "Name one of the same folder."))
        return None
    if data["breaks"] not in clauses:
        what = f"There is no clause {data['breaks']}."
        gathered.problems.append(source.problem(("breaks",), what, "Name one that exists."))
    if not data["at"].startswith("$"):
        what = f"`{data['at']}` is not a JSON path."
        gathered.problems.append(source.problem(("at",), what, "Write it like $.tools[0].name."))
    try:
        changed = apply(base.data, data["change"])
    except ValueError as error:
        what = f"The change cannot be made: {error}."
        gathered.problems.append(source.problem(("change",), what, "Fix it."))
        return None
    return Example(
        name, spec, source, base.document, title, changed, {}, (), base.id,
        data["breaks"], data["at"], data["keyword"],
    )  # fmt: skip


def index_json(spec: str, examples: Iterable[Example]) -> Json:
    """Return the content of `fixtures/examples/<spec>/index.json`: all examples, sorted by id."""
    own = sorted((each for each in examples if each.spec == spec), key=lambda each: each.id)
    return {
        "spec": spec,
        "valid": [example.as_json() for example in own if example.valid],
        "invalid": [example.as_json() for example in own if not example.valid],
    }
