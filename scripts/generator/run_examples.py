"""Runs every example of a generated tree, in a separate process: `run_examples.py TREE`.

The tree has the new generated files and a copy of the kit's validator, so that nothing here depends
on committed files. It prints a JSON array of problems. A problem is `{what}` for a format that
accepts any value here, or `{schema, at, what}` for a schema that is not valid 2020-12. If there are
none of these, it is `{spec, id, what}` for an example that does not match its index.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jsonschema import Draft202012Validator

from scripts.generator.patch import apply

Json = Any

BAD_VALUES: Mapping[str, str] = {
    "date": "2024-02-30",
    "date-time": "x",
    "email": "not an address",
    "uri": "no scheme",
    "uri-reference": "a b",
}
"""An invalid value of each format; a validator without its helper packages accepts them all."""


@dataclass(frozen=True, slots=True, order=True)
class Break:
    """One fault of a document; `at` is a JSON path, `clause` the id of the clause."""

    at: str
    keyword: str
    clause: str | None

    def __str__(self) -> str:
        return f"{self.clause or 'no clause'} at {self.at} by `{self.keyword}`"


def main(tree: Path) -> int:
    """Run the examples of `tree`; return 0 even if some are wrong, because the output says so."""
    sys.path.insert(0, str(tree))
    wrong: list[dict[str, str]] = [
        {"what": f"The format {name} accepts {BAD_VALUES[name]!r} here."} for name in deaf()
    ]
    wrong += _invalid_schemas(tree)
    if not wrong:
        should = _recommendations(tree)
        for index in sorted((tree / "fixtures" / "examples").glob("*/index.json")):
            held = json.loads(index.read_text(encoding="utf-8"))
            for entry in (*held["valid"], *held["invalid"]):
                data = json.loads((index.parent / entry["file"]).read_text(encoding="utf-8"))
                for what in _differences(entry, data, should):
                    wrong.append({"spec": held["spec"], "id": entry["id"], "what": what})
    print(json.dumps(wrong))
    return 0


def deaf() -> list[str]:
    """Return the formats that accept an invalid value here."""
    from conformance.spec.format_checker import (  # noqa: PLC0415 - that of the tree
        format_checker,
    )

    checker = format_checker(Draft202012Validator)
    return [name for name, value in BAD_VALUES.items() if checker.conforms(value, name)]


def _invalid_schemas(tree: Path) -> Iterator[dict[str, str]]:
    meta = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    for file in sorted((tree / "schema").glob("*/*/*.schema.json")):
        for error in meta.iter_errors(json.loads(file.read_text(encoding="utf-8"))):
            at = "".join(f"/{step}" for step in error.absolute_path)
            yield {"schema": file.relative_to(tree).as_posix(), "at": at, "what": error.message}


def _recommendations(tree: Path) -> frozenset[str]:
    return frozenset(
        clause["id"]
        for file in (tree / "schema").glob("*/*/clauses.json")
        for clause in json.loads(file.read_text(encoding="utf-8"))["clauses"]
        if clause["requirement"] != "MUST"
    )


def _differences(entry: Mapping[str, Json], data: Json, should: frozenset[str]) -> Iterator[str]:
    """Yield how an example differs from what its index says.

    It may break recommendations, unless it is an example of a broken one: the printed examples of
    the original texts have no descriptions.
    """
    expected = [Break(entry["at"], entry["keyword"], entry["breaks"])] if "breaks" in entry else []
    ignored = should - {each.clause for each in expected}
    found = [each for each in _breaks(entry["document"], data) if each.clause not in ignored]
    if found != expected:
        must = f"break {expected[0]} and nothing else" if expected else "pass"
        yield f"It must {must}; it breaks {'; '.join(map(str, found)) or 'nothing'}."
    for language, places in entry.get("text", {}).items():
        changes = [{"op": "replace", "path": at, "value": places[at]} for at in places]
        for each in _breaks(entry["document"], apply(data, changes)):
            if each.clause not in ignored:
                yield f"Its text in `{language}` makes it break {each}."


def _breaks(document: str, data: Json) -> list[Break]:
    """Return the faults that the tree's validator finds, in order.

    A `pattern` next to a `format` is for validators that do not check formats. If both fail, that
    is one fault, of the format.
    """
    from conformance.formats.validate.validate import validate  # noqa: PLC0415 - that of the tree

    found = {Break(each.path, each.keyword, each.clause) for each in validate(data, document)}
    for each in [each for each in found if each.keyword == "format"]:
        found.discard(replace(each, keyword="pattern"))
    return sorted(found, key=str)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
