"""The plugins of pytest that many projects have: the kit works next to all of them."""

from __future__ import annotations

import json
import os
from itertools import chain
from xml.etree import ElementTree

import pytest

from fixtures.servers.start import REFERENCE, listening
from tests.test_wheel import OWN, QUICK, REPORT, UV, environment, files, run, wheel
from tests.thorough import every

__all__ = ["wheel"]
pytestmark = pytest.mark.slow
PLUGINS = ("pytest-cov", "pytest-timeout", "pytest-rerunfailures", "pytest-randomly")
EACH = (
    ("--cov=conformance.cli", "--cov-report=xml"),
    ("--timeout=200",),
    ("--reruns=2",),
    ("-p", "randomly", "--randomly-seed=7"),
)
SETS = (tuple(chain(*EACH)), (), *EACH)
"""What is given to the plugins: to all of them, to none, and to each."""


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory):
    """An environment with the wheel and the plugins; its `bin`."""
    made = environment(OWN, wheel, tmp_path_factory.mktemp("plugins"))
    command = [UV, "pip", "install", "--quiet", "--python", made / "python", *PLUGINS]
    if run(*command, "--offline").returncode:
        if not os.environ.get("CI"):
            pytest.skip("the plugins are not in the cache of uv; with CI=1 they are fetched")
        done = run(*command)
        assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("options", every(len(SETS), SETS), ids="_".join)
def test_a_session_ends_as_it_does_alone(programs, tmp_path, options):
    here = tmp_path / "empty"
    here.mkdir()
    own = ("--pyargs", "conformance", *QUICK, *options)
    with listening(REFERENCE) as url:
        done = run(programs / "pytest", *own, "--target", url, cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name for name in files(here) if name.startswith("conformance-report/")} == {
        f"conformance-report/{name}" for name in REPORT
    }
    (made,) = json.loads((here / "conformance-report/results.json").read_text("utf-8"))["runs"]
    assert not any(item["verdict"] == "kit_error" for item in made["items"])


@pytest.mark.parametrize("options", every(3, (EACH[2] + EACH[3], EACH[2], EACH[3])), ids="_".join)
def test_a_fault_is_found_and_told_once(programs, tmp_path, options):
    one = ("--profile", "http", "--include-tool", "hotel_reservation", "--max-examples", "0")
    own = ("--pyargs", "conformance", *one, *options)
    fault = ("--fault", "digits-for-a-number")
    with listening("fixtures.servers.faulty", *fault) as url:
        done = run(programs / "pytest", *own, "--target", url, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    runs = json.loads((tmp_path / "conformance-report/results.json").read_text("utf-8"))["runs"]
    failed = [
        (item["clause"], run["run"], item["tool"])
        for run in runs
        for item in run["items"]
        if item["verdict"] == "fail"
    ]
    assert {clause for clause, _, _ in failed} == {"ATDF-CALL-002"}
    assert len(failed) == len(set(failed))
    cases = ElementTree.parse(tmp_path / "conformance-report/junit.xml").iter("testcase")
    assert sum(case.find("failure") is not None for case in cases) == len(failed)
