"""`scripts/mutants.py`: which mutants are checked, how they are counted, and what is kept."""

import json
import tomllib
from fnmatch import fnmatch

import pytest

from scripts.mutants import GOAL, KEPT, ROOT, counted, keep, main, patterns, score

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
READING = "conformance/kit/reading.py"


def test_the_modules_and_tests_that_are_named_are_there():
    named = SETTINGS["only_mutate"] + SETTINGS["pytest_add_cli_args_test_selection"]
    assert [path for path in named if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("share", [1, 3, 10])
def test_a_share_takes_so_many_tenths_of_the_mutants_of_a_module_and_of_no_other(share):
    (pattern,) = patterns([READING], share)
    names = [f"conformance.kit.reading.x_read__mutmut_{n}" for n in range(100)]
    assert sum(fnmatch(name, pattern) for name in names) == 10 * share
    assert not fnmatch("conformance.kit.rates.x_repair__mutmut_1", pattern)


def test_a_mutant_is_noticed_by_a_test_that_fails_or_never_ends():
    codes = {"a": 1, "b": 36, "c": 0, "d": 33, "e": None, "f": -11, "g": 3}
    counts = counted(codes)
    assert counts == {"killed": 2, "timeout": 1, "survived": 1, "untested": 1, "odd": 1}
    assert score(counts) == 50


def test_figures_of_other_modules_and_of_other_kinds_stay(tmp_path):
    file = tmp_path / "benchmarks" / "mutation.json"
    keep(file, {"a.py": {"killed": 1, "survived": 1}}, 3)
    held = json.loads(file.read_text())
    other = {"what": "lines", "value": 1.0, "goal": "other"}
    file.write_text(json.dumps({**held, "figures": [*held["figures"], other]}))
    keep(file, {"b.py": {"killed": 3, "timeout": 1}}, 10)
    held = json.loads(file.read_text())
    assert {path: each["tenths"] for path, each in held["modules"].items()} == {
        "a.py": 3, "b.py": 10}  # fmt: skip
    assert [each["value"] for each in held["figures"]] == [50.0, 100.0, 1.0]
    assert held["figures"][0]["goal"] == f"≥ {GOAL} %"
    assert held["figures"][1]["what"].endswith(": 4 / 4")


def test_a_module_that_is_not_named_is_refused_with_a_sentence(capsys):
    assert main(["--module", "conformance/kit/plugin.py"]) == 2
    assert "pyproject.toml" in capsys.readouterr().err


@pytest.mark.skipif(not KEPT.exists(), reason="nothing was measured yet")
def test_the_figures_that_are_kept_can_be_shown_and_are_of_modules_that_are_there():
    held = json.loads(KEPT.read_text("utf-8"))
    assert all((ROOT / path).is_file() for path in held["modules"])
    assert all(each.keys() == {"what", "value", "goal"} for each in held["figures"])
