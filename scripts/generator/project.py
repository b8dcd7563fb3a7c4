"""`project.yaml`: what is true of the whole project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scripts.generator.load import SourceFile
from scripts.generator.texts import Gathered


@dataclass(frozen=True, slots=True)
class Project:
    """The base of every `$id`, and the version of each specification."""

    id_base: str
    versions: Mapping[str, str]


def read_project(source: SourceFile, gathered: Gathered) -> Project:
    """Read `project.yaml`; each fault becomes a problem."""
    data = source.data if isinstance(source.data, dict) else {}
    for key in ("name", "id_base", "specs"):
        if key not in data:
            gathered.problems.append(source.problem((), f"`{key}` is missing.", "Add it."))
    id_base = str(data.get("id_base", ""))
    if not id_base.startswith("https://") or id_base.endswith("/"):
        what = "`id_base` begins with https:// and does not end in a slash."
        gathered.problems.append(source.problem(("id_base",), what, "Write it so."))
    versions = {}
    for name, spec in (data.get("specs") or {}).items():
        path = ("specs", name)
        if not isinstance(spec, dict) or spec.keys() != {"version", "title"}:
            what = "A specification has a `version` and a `title`."
            gathered.problems.append(source.problem(path, what, "Give both."))
            continue
        gathered.text(source, (*path, "title"), spec["title"], f"project#/specs/{name}")
        versions[name] = str(spec["version"])
    return Project(id_base, versions)
