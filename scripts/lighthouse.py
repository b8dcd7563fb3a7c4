"""Measures the built site, served as Pages serves it, with Lighthouse and with further tests.

    python -m scripts.lighthouse COMMAND [--runs N]

COMMAND runs Lighthouse, such as `npx lighthouse`. The script prints Lighthouse's four figures for a
page of each kind (the median of the runs). It also prints what Home loads when it is scrolled to
its end, and how long the search and the playground take to answer. It exits with 1 if one misses
its goal. On a busy machine, the performance figure is worse.
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

from scripts.website.answers import answer_times, scrolled_kib
from scripts.website.layout import SITE
from scripts.website.serve import serving

HOME = ""
PAGES = (
    HOME,
    "atdf/error/",
    "playground/",
    "guides/fastapi/",
    "conformance/benchmarks/",
    "sample-report/report.html",
)
GOALS = {"performance": 0.95, "accessibility": 1, "best-practices": 1, "seo": 1}
HOME_KIB, SEARCH_MS, VERDICT_MS = 300, 100, 50
_FLAGS = "--headless=new --no-sandbox --disable-gpu"


def main(arguments: Sequence[str]) -> int:
    """Measure; return 0 if every goal is reached, 1 if one is missed, and 2 for bad usage."""
    parser = argparse.ArgumentParser(prog="lighthouse", description=__doc__)
    parser.add_argument("command", help="what runs Lighthouse, such as `npx lighthouse`")
    parser.add_argument("--runs", type=int, default=3, help="how often each page (3)")
    chosen = parser.parse_args(arguments)
    if not (SITE / "index.html").exists():
        print("There is no built site: run make site-build first.", file=sys.stderr)
        return 2
    missed = 0
    with serving(SITE) as address:
        for path in PAGES:
            results = [_measured(chosen.command, address + path) for _ in range(chosen.runs)]
            result = sorted(results, key=_performance)[(len(results) - 1) // 2]
            figures = {name: result["categories"][name]["score"] for name in GOALS}
            size = result["audits"]["total-byte-weight"]["numericValue"] / 1024
            missed += sum(figures[name] < goal for name, goal in GOALS.items())
            shown = ", ".join(f"{name} {score:.0%}" for name, score in figures.items())
            print(f"/{path}: {shown}; {size:.0f} KiB")
            for audit in result["audits"].values():
                if audit["score"] is not None and audit["score"] < 0.9:
                    print(f"  {audit['id']}: {audit.get('displayValue') or audit['title']}")
        scrolled = scrolled_kib(address)
        missed += scrolled > HOME_KIB
        print(f"/ scrolled to its end: {scrolled:.0f} KiB")
        search, verdict = answer_times(address)
    print(f"an answer of the search {search:.0f} ms, a verdict on 100 KB {verdict:.0f} ms")
    return 1 if missed or search > SEARCH_MS or verdict > VERDICT_MS else 0


def _performance(result: dict[str, dict[str, dict[str, float]]]) -> float:
    return result["categories"]["performance"]["score"]


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
