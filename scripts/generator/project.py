"""`project.yaml`: facts about the whole project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scripts.generator.load import SourceFile
from scripts.generator.shapes import TEXT, Each, misshapen
from scripts.generator.texts import Gathered

PROJECT = "schema/source/project.yaml"
_SHAPE = {
    "name": str,
    "id_base": str,
    "repository": str,
    "aliases?": Each(str),
    "references": [{"title": str, "date": str, "url": str, "kind": str, "specs": [str]}],
    "specs": Each({"version": str, "title": TEXT, "legacy_labels?": Each(str)}),
}


_KINDS = ("normative", "informative")


@dataclass(frozen=True, slots=True)
class Reference:
    """Another text that specifications refer to, with its date. `kind` says if it is normative."""

    title: str
    date: str
    url: str
    kind: str
    specs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """The base of every `$id`, the address of the repository, and each specification's version.

    `aliases` are older names of schemas, each with its `spec/document`. `legacy_labels` has, for
    each specification, what an older label of a version means.
    """

    id_base: str
    repository: str
    versions: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    legacy_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()


def read_project(source: SourceFile, gathered: Gathered) -> Project:
    """Read `project.yaml`. Each fault becomes a problem, and the project is then empty."""
    problems = list(misshapen(source, (), source.data, _SHAPE))
    gathered.problems += problems
    if problems:
        return Project("", "", {})
    id_base = source.data["id_base"]
    if not id_base.startswith("https://") or id_base.endswith("/"):
        what = "`id_base` begins with https:// and does not end in a slash."
        gathered.problems.append(source.problem(("id_base",), what, "Write it so."))
    specs = source.data["specs"]
    for name, spec in specs.items():
        gathered.text(source, ("specs", name, "title"), spec["title"], f"project#/specs/{name}")
    references = tuple(
        Reference(**{**each, "specs": tuple(each["specs"])}) for each in source.data["references"]
    )
    for index, each in enumerate(references):
        if each.kind not in _KINDS or not set(each.specs) <= specs.keys():
            what = f"`{each.title}` has a kind or a specification that does not exist."
            do = f"The kind is {' or '.join(_KINDS)}."
            gathered.problems.append(source.problem(("references", index), what, do))
    return Project(
        id_base,
        source.data["repository"],
        {name: spec["version"] for name, spec in specs.items()},
        source.data.get("aliases", {}),
        {name: spec["legacy_labels"] for name, spec in specs.items() if "legacy_labels" in spec},
        references,
    )
