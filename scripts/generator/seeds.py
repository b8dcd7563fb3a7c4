"""`seeds/*.yaml`: the facts of the original texts, each with its evidence today.

id: "000"                        # the text; its items are 000-1, 000-2, …
title: {en: …, es: …, pt: …}
groups:
  - title: {en: …, es: …, pt: …}
    items:
      - fact: tools              # a printed word, or a text in three languages
        shown: [clause ATDF-CAT-001]
        state: differs           # default `present`; `out`: left out, for a reason

`blocks.yaml`, `conversions.yaml` and `requests.yaml` have evidence that several items may share.
`tests/spec/test_seed_items.py` runs all of it, and says what `shown` may contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scripts.generator.load import Json, Path_, SourceFile
from scripts.generator.shapes import ANY, TEXT, Each, misshapen
from scripts.generator.texts import Gathered, Text

PRESENT, DIFFERS, OUT = "present", "differs", "out"
TRIALS = ("blocks", "conversions", "requests")
_ITEM = {"fact": ANY, "shown": [str], "state?": str}
_SEED = {"id": str, "title": TEXT, "groups": [{"title": TEXT, "items": [_ITEM]}]}
_TRIALS = {
    "blocks": Each({"as": str, "problems?": [str], "becomes?": [str]}),
    "conversions": Each(
        {"from": ANY, "to": str, "gives?": ANY, "lost?": [str], "changed?": [str], "no?": str}
    ),
    "requests": Each(
        {"method": str, "path": str, "body?": ANY, "headers?": Each(str), "status": int,
         "has?": ANY}
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One fact of an original text. A `fact` that is a `str` is a printed word."""

    id: str
    fact: str | Text
    state: str
    shown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of related facts."""

    title: Text
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Seed:
    """One original text."""

    id: str
    title: Text
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Seeds:
    """All original texts, and the trials by kind and name."""

    seeds: tuple[Seed, ...] = ()
    trials: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)


def read_seeds(sources: Iterable[SourceFile], gathered: Gathered) -> Seeds:
    """Read the texts in the order of their files; each fault becomes a problem."""
    found: list[Seed] = []
    trials: dict[str, Mapping[str, Json]] = {}
    for source in sources:
        kind = next((each for each in TRIALS if each in source.data), None)
        shape = {kind: _TRIALS[kind]} if kind else _SEED
        problems = list(misshapen(source, (), source.data, shape))
        gathered.problems += problems
        if problems:
            continue
        if kind:
            trials[kind] = source.data[kind]
        else:
            found += _seed(source, gathered)
    return Seeds(tuple(found), trials)


def _seed(source: SourceFile, gathered: Gathered) -> Iterable[Seed]:
    name = source.data["id"]
    title = gathered.text(source, ("title",), source.data["title"], f"seed:{name}")
    groups = []
    number = 0
    for index, each in enumerate(source.data["groups"]):
        at: Path_ = ("groups", index)
        key = f"seed:{name}/group-{index + 1}"
        head = gathered.text(source, (*at, "title"), each["title"], key)
        items: list[Item] = []
        for place, item in enumerate(each["items"]):
            number += 1
            items += _item(source, (*at, "items", place), item, f"{name}-{number}", gathered)
        if head is not None:
            groups.append(Group(head, tuple(items)))
    if title is not None:
        yield Seed(name, title, tuple(groups))


def _item(
    source: SourceFile, at: Path_, item: Mapping[str, Json], name: str, gathered: Gathered
) -> Iterable[Item]:
    fact: str | Text | None = item["fact"]
    if not isinstance(fact, str):
        fact = gathered.text(source, (*at, "fact"), fact, f"seed:{name}")
    state = item.get("state", PRESENT)
    if state not in (PRESENT, DIFFERS, OUT):
        what = f"`{state}` is not a state of an item."
        do = f"Use one of {PRESENT}, {DIFFERS}, {OUT}."
        gathered.problems.append(source.problem((*at, "state"), what, do))
    if not item["shown"]:
        gathered.problems.append(source.problem(at, "Nothing shows this item.", "Name a proof."))
    if fact is not None:
        yield Item(name, fact, state, tuple(item["shown"]))
