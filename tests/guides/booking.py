"""A valid call of the reference server's tool, and how the tests of the guides run JavaScript."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from fixtures.guides.steps import HERE
from tests.needs import need_packages

BOOKING = {
    "guest_name": "Ana Souza",
    "email": "ana@example.com",
    "check_in": "2031-05-20T14:00:00Z",
    "check_out": "2031-05-22T12:00:00Z",
    "room_type": "double",
    "guests": 2,
}
NAMELESS = {name: value for name, value in BOOKING.items() if name != "email"}


def node(script, *arguments, given=None, packages=HERE):
    """Run a script of this folder with Node, and with packages; gives the JSON that it prints."""
    need_packages(packages)
    command = ["node", Path(__file__).with_name(script), *map(str, arguments)]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
