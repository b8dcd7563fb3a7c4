"""Runs every example of a generated tree: `run_examples.py TREE`, in a process of its own.

The tree holds what the generator has just made, and the validator of the kit beside it, so that
nothing here depends on the files that are committed. Prints a JSON array: for each example that is
not as its index says, `{spec, id, what}`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.generator.breaks import BAD_VALUES, Break, Schemas, deaf
from scripts.generator.patch import apply

Json = Any


def main(tree: Path) -> int:
    """Run the examples of `tree`; gives 0 also where some are wrong, as the output says so."""
    sys.path.insert(0, str(tree))
    schemas = Schemas(tree / "schema")
    wrong = [
        {"spec": "", "id": "", "what": f"The format {name} accepts {BAD_VALUES[name]!r}."}
        for name in deaf()
    ]
    for index in sorted((tree / "fixtures" / "examples").glob("*/index.json")):
        held = json.loads(index.read_text(encoding="utf-8"))
        for entry in (*held["valid"], *held["invalid"]):
            data = json.loads((index.parent / entry["file"]).read_text(encoding="utf-8"))
            for what in _differences(schemas, held["spec"], entry, data):
                wrong.append({"spec": held["spec"], "id": entry["id"], "what": what})
    print(json.dumps(wrong))
    return 0


def _differences(
    schemas: Schemas, spec: str, entry: Mapping[str, Json], data: Json
) -> Iterator[str]:
    """Say how an example is other than its index says."""
    found = schemas.breaks(spec, entry["document"], data)
    if "breaks" not in entry:
        if found:
            yield f"It must pass, and breaks {_list(found)}."
        for language, places in entry.get("text", {}).items():
            changes = [{"op": "replace", "path": at, "value": places[at]} for at in places]
            translated = schemas.breaks(spec, entry["document"], apply(data, changes))
            if translated:
                yield f"Its text in `{language}` makes it break {_list(translated)}."
        return
    expected = Break(entry["at"], entry["keyword"], entry["breaks"])
    if found != [expected]:
        yield f"It must break {expected} and nothing else; it breaks {_list(found)}."


def _list(found: list[Break]) -> str:
    return "; ".join(map(str, found)) or "nothing"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
