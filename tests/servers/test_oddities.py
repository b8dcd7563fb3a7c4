"""Valid oddities: a sample of servers that do what few do gets no finding at all."""

from __future__ import annotations

import pytest

from fixtures.servers.oddities import ODDITIES
from fixtures.servers.tools import TOOLS
from scripts.false_alarms import Trial, attempt, main, trials_of

pytestmark = pytest.mark.usefixtures("forked")

SAMPLE = (
    Trial("too-many-requests", "http", ""),
    Trial("answers-as-events", "mcp", "modern"),
    Trial("sessions-of-five-requests", "mcp", "legacy"),
    Trial("asks-whether-anyone-is-there", "stdio", "legacy"),
)


@pytest.mark.parametrize("trial", SAMPLE, ids=lambda trial: trial.oddity)
def test_a_server_that_is_odd_but_valid_gets_no_finding(trial):
    assert attempt(trial).alarms == ()


def test_an_oddity_names_tools_of_the_reference_and_is_tried_somewhere():
    named = {tool for oddity in ODDITIES.values() for tool in oddity.tools}
    assert named <= {tool.name for tool in TOOLS}
    assert all(trials_of(name, full=True) for name in ODDITIES)


def test_an_oddity_that_does_not_exist_is_an_unusable_command_line(capsys):
    assert main(["--oddity", "no-such-oddity"]) == 2
    assert "no-such-oddity" in capsys.readouterr().err
