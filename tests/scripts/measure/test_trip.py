import subprocess
import sys

import pytest

from scripts.measure import trip
from tests.root import ROOT


@pytest.mark.slow
def test_one_tools_data_passes_few_files():
    passed = trip.files()
    assert len(passed) <= trip.GOAL
    ends = {"kit/schema/view.py", "kit/drive/tool_driver.py", "kit/report/findings.py"}
    assert ends <= set(passed)


def test_it_says_how_it_is_used():
    command = [sys.executable, "-m", "scripts.measure.trip", "--help"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.startswith("usage: python -m scripts.measure.trip [-h] [url]")
    assert "How many files one tool" in said
