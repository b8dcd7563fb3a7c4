"""`scripts/mutants.py`: which mutants are checked, how they are counted, and what is kept."""

import json
import tomllib
from fnmatch import fnmatch

import pytest

from scripts.generator.build import load_source, read_source
from scripts.generator.texts import LANGUAGES
from scripts.mutants import GOAL, KEPT, ROOT, counted, keep, main, only, patterns, score
from scripts.website.pages.benchmarks import benchmarks_page
from scripts.website.pages.context import Context
from scripts.website.pages.vocabularies import homes

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
READING = "conformance/kit/evidence/response.py"


def test_the_modules_and_tests_that_are_named_are_there():
    named = SETTINGS["only_mutate"] + SETTINGS["pytest_add_cli_args_test_selection"]
    assert [path for path in named if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("share", [1, 3, 10])
def test_a_share_takes_so_many_tenths_of_the_mutants_of_a_module_and_of_no_other(share):
    (pattern,) = patterns([READING], share)
    names = [f"conformance.kit.evidence.response.x_read__mutmut_{n}" for n in range(100)]
    assert sum(fnmatch(name, pattern) for name in names) == 10 * share
    assert not fnmatch("conformance.kit.verdicts.rates.x_repair__mutmut_1", pattern)


def test_a_mutant_is_noticed_by_a_test_that_fails_or_never_ends():
    codes = {"a": 1, "b": 36, "c": 0, "d": 33, "e": None, "f": -11, "g": 3}
    counts = counted(codes)
    assert counts == {"killed": 2, "timeout": 1, "survived": 1, "untested": 1, "odd": 1}
    assert score(counts) == 50


def test_figures_of_other_modules_stay_and_stand_on_the_page_of_benchmarks(tmp_path):
    file = tmp_path / "mutation.json"
    keep(file, {"b.py": {"x": 1, "y": 0, "z": None}}, 3)
    keep(file, {"a.py": {"w": 1, "x": 3, "y": 1, "z": 36}}, 10)
    held = json.loads(file.read_text("utf-8"))
    assert [(path, each["tenths"]) for path, each in held["modules"].items()] == [
        ("a.py", 10), ("b.py", 3)]  # fmt: skip
    source, _ = read_source(load_source(ROOT))
    for language in LANGUAGES:
        made = benchmarks_page(Context(source, language, homes(source)), tmp_path).decode()
        rows = [line.split("|") for line in made.splitlines() if ".py`" in line]
        all_of, half = {
            "en": ("100.0%", "50.0%"), "es": ("100,0 %", "50,0 %"), "pt": ("100,0%", "50,0%"),
        }[language]  # fmt: skip
        assert [[cell.strip() for cell in row[1:6]] for row in rows] == [
            ["`a.py`", "4", "4", all_of, "4"],
            ["`b.py`", "1", "2", half, "3"],
        ]
        assert f"{GOAL}%" in made.replace(" %", "%")
        assert "{ #mutants }" in made


def test_only_the_modules_that_are_asked_for_are_changed():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    made = tomllib.loads(only(text, [READING]))["tool"]["mutmut"]
    assert made == {**SETTINGS, "only_mutate": [READING]}


def test_a_module_that_is_not_named_is_refused_with_a_sentence(capsys):
    assert main(["--module", "conformance/kit/plugin/hooks.py"]) == 2
    assert "pyproject.toml" in capsys.readouterr().err


@pytest.mark.skipif(not KEPT.exists(), reason="nothing was measured yet")
def test_the_figures_that_are_kept_are_of_modules_that_are_there():
    held = json.loads(KEPT.read_text("utf-8"))
    assert all((ROOT / path).is_file() for path in held["modules"])
    for each in held["modules"].values():
        assert 0 <= each["noticed"] <= each["checked"] <= each.get("mutants", each["checked"])
