"""Measures the built site with Lighthouse, served as Pages serves it.

    python -m scripts.lighthouse COMMAND

COMMAND runs Lighthouse, such as `npx lighthouse`. Prints its four figures for Home and for a field
table, and what they rest on; exits with 1 where one misses its goal.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.website.layout import SITE
from scripts.website.serve import serving

PAGES = ("", "atdf/error/")
GOALS = {"performance": 0.95, "accessibility": 1, "best-practices": 1, "seo": 1}
_FLAGS = "--headless=new --no-sandbox --disable-gpu"


def main(arguments: Sequence[str]) -> int:
    """Measure; gives 0 where every goal is reached, 1 where one is missed, 2 for bad usage."""
    parser = argparse.ArgumentParser(prog="lighthouse", description=__doc__)
    parser.add_argument("command", help="what runs Lighthouse, such as `npx lighthouse`")
    command = parser.parse_args(arguments).command
    if not (SITE / "index.html").exists():
        print("There is no built site: run make site-build first.", file=sys.stderr)
        return 2
    missed = 0
    with serving(SITE) as address:
        for path in PAGES:
            result = _measured(command, address + path)
            figures = {name: result["categories"][name]["score"] for name in GOALS}
            missed += sum(figures[name] < goal for name, goal in GOALS.items())
            size = result["audits"]["total-byte-weight"]["numericValue"] / 1024
            shown = ", ".join(f"{name} {score:.0%}" for name, score in figures.items())
            print(f"/{path}: {shown}; {size:.0f} KiB")
            for audit in result["audits"].values():
                if audit["score"] is not None and audit["score"] < 0.9:
                    print(f"  {audit['id']}: {audit.get('displayValue') or audit['title']}")
    return 1 if missed else 0


def _measured(command: str, url: str) -> dict[str, dict[str, dict[str, float]]]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        subprocess.run(
            [
                *shlex.split(command),
                url,
                "--quiet",
                "--output=json",
                f"--output-path={out}",
                f"--only-categories={','.join(GOALS)}",
                f"--chrome-flags={_FLAGS}",
            ],
            env=os.environ | {"CHROME_PATH": shutil.which("chromium") or ""},
            check=True,
        )
        result: dict[str, dict[str, dict[str, float]]] = json.loads(out.read_text("utf-8"))
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
