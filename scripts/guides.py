"""Follows the guides: runs each step's server, checks it, and saves the kit's output.

Runs as `python -m scripts.guides [NAME…]`. The pages show this output, each in its language.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.guides.play import NotStarted, play
from fixtures.guides.steps import GUIDES, LANGUAGES, MODULES, output

OK, BROKEN = 0, 1


def main(arguments: Sequence[str]) -> int:
    """Run the named guides, or all; return 1 if a step did not start or missed its level."""
    parser = argparse.ArgumentParser(prog="guides", description=__doc__)
    known = f"which guides, of {', '.join(GUIDES)} (all)"
    parser.add_argument("name", nargs="*", choices=[[], *GUIDES], metavar="NAME", help=known)
    status = OK
    for name in parser.parse_args(arguments).name or GUIDES:
        guide = GUIDES[name]
        if guide.node and not MODULES.is_dir():
            print(f"{name}: run `npm ci` in fixtures/guides first.", file=sys.stderr)
            status = BROKEN
            continue
        for step, level in enumerate(guide.levels, 1):
            try:
                played = play(guide, step, LANGUAGES)
            except NotStarted as reason:
                print(f"{name} step {step} did not start: {reason}", file=sys.stderr)
                status = BROKEN
                continue
            for language, said in played.output.items():
                (guide.folder(step) / output(language)).write_text(said, encoding="utf-8")
            right = played.level is level
            status = status if right else BROKEN
            print(f"{name} step {step}: {played.level}{'' if right else f', not {level}'}")
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
