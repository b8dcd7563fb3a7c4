"""What the benchmark says of a session: memory of its own, and when it first told something."""

import sys

import pytest

from fixtures.servers.start import listening
from scripts.measure import metered
from scripts.measure.session import session

pytestmark = pytest.mark.slow

LARGE = 300
"""Megabytes; an interpreter that does nothing takes ten."""


def took(tmp_path, code):
    used = tmp_path / "used"
    return metered.read(metered.start([sys.executable, "-c", code], used), used)


def test_the_memory_of_whoever_starts_a_command_is_not_counted(tmp_path):
    held = bytearray(LARGE << 20)
    held[::4096] = b"x" * len(held[::4096])
    assert took(tmp_path, "pass").megabytes < LARGE / 3
    assert took(tmp_path, f"bytearray({LARGE} << 20).translate(None)").megabytes > LARGE


def test_the_exit_code_and_the_work_are_the_command_s(tmp_path):
    own = took(tmp_path, "import sys, time\nwhile time.process_time() < 0.5: pass\nsys.exit(3)")
    assert own.code == 3
    assert own.processor >= 0.5


def test_a_session_tells_of_its_first_tool_before_its_end():
    with listening("fixtures.servers.many", "--tools", "2") as url:
        own = session(url, "--profile", "http", "--max-examples", "0", what="two tools")
    assert own.first is not None
    assert 0 < own.first < own.seconds


def test_a_session_that_fails_is_no_measurement():
    with pytest.raises(RuntimeError, match="exit code 4"):
        session("stdio:", what="nothing")
