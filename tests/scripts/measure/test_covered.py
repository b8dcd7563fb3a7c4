"""`scripts/covered.py`: what of coverage.py's figures is kept, and how the page shows it."""

import json
import tomllib

import pytest

from scripts.covered import AREAS, GOAL, KEPT, ROOT, counted, keep, share
from scripts.generator.build import load_source, read_source
from scripts.generator.texts import LANGUAGES
from scripts.website.pages.benchmarks import benchmarks_page
from scripts.website.pages.context import Context
from scripts.website.pages.vocabularies import homes

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]


def file(branches, reached, lines, run):
    return {
        "summary": {
            "num_branches": branches,
            "covered_branches": reached,
            "num_statements": lines,
            "covered_lines": run,
        }
    }


FILES = {
    "conformance/kit/plugin/hooks.py": file(10, 9, 100, 99),
    "conformance/kit/cases/plan.py": file(30, 21, 50, 40),
    "conformance/formats/text/rpc.py": file(0, 0, 5, 5),
    "conformance/kitchen/sink.py": file(7, 0, 7, 0),
}


def test_files_are_counted_in_their_part_and_in_no_other():
    areas = counted(FILES)
    assert areas["conformance/kit"] == {
        "files": 2, "branches": 40, "branches_reached": 30, "lines": 150, "lines_reached": 139,
    }  # fmt: skip
    assert [share(areas[area]) for area in AREAS] == [75, 100]


def test_what_is_measured_is_what_is_counted():
    assert SETTINGS["run"]["branch"]
    assert [name.replace(".", "/") for name in SETTINGS["run"]["source_pkgs"]] == list(AREAS)


def test_figures_stand_on_the_page_of_benchmarks(tmp_path):
    kit = {"conformance/kit": counted(FILES)["conformance/kit"]}
    source, _ = read_source(load_source(ROOT))
    for language in LANGUAGES:
        context = Context(source, language, homes(source))
        keep(tmp_path / "coverage.json", kit, whole=False)
        assert context.said("coverage_part") in benchmarks_page(context, tmp_path).decode()
        keep(tmp_path / "coverage.json", kit)
        made = benchmarks_page(context, tmp_path).decode()
        assert context.said("coverage_part") not in made
        shares = {
            "en": ("75.0%", "92.7%"), "es": ("75,0 %", "92,7 %"), "pt": ("75,0%", "92,7%"),
        }[language]  # fmt: skip
        (row,) = [line.split("|") for line in made.splitlines() if "`conformance/kit`" in line]
        branches, lines = (
            context.said("peers_of", found=found, all=of) for found, of in ((30, 40), (139, 150))
        )
        assert [cell.strip() for cell in row[1:7]] == [
            "`conformance/kit`", "2", branches, shares[0], lines, shares[1],
        ]  # fmt: skip
        assert f"{GOAL}%" in made.replace(" %", "%")
        assert "{ #coverage }" in made


@pytest.mark.skipif(not KEPT.exists(), reason="nothing was measured yet")
def test_the_figures_that_are_kept_are_of_the_parts_that_are_measured():
    areas = json.loads(KEPT.read_text("utf-8"))["areas"]
    assert list(areas) == list(AREAS)
    assert all(0 < of["branches_reached"] <= of["branches"] for of in areas.values())
