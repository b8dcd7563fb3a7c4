import pytest

from scripts.measure import trip


@pytest.mark.slow
def test_one_tools_data_passes_few_files():
    passed = trip.files()
    assert len(passed) <= trip.GOAL
    ends = {"kit/schema/view.py", "kit/drive/tool_driver.py", "kit/report/findings.py"}
    assert ends <= set(passed)
