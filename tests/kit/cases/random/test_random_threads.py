"""Tools are planned by threads: what the library works out once in a clone is worked out once."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from hypothesis import strategies as st

from conformance.kit.cases.random.chance import drawn
from tests.root import ROOT

_THREADS: Final = 4
_SESSION: Final = f"""
import sys, threading
from pathlib import Path
import conformance.kit.cases.random as ours
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal import charmap

set_hypothesis_home_dir(Path(sys.argv[1]))
named = charmap.charmap_file
kept = []

def counted(name="charmap"):
    kept.append(name)
    return named(name)

charmap.charmap_file = counted
ready = threading.Barrier({_THREADS})

def plan():
    ready.wait()
    from conformance.kit.cases.random.makers import Makers
    Makers(0, 5).of({{"type": "string", "minLength": 1}})

threads = [threading.Thread(target=plan) for _ in range({_THREADS})]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(*(name for name in kept if name != "charmap"))
"""


def test_threads_that_plan_at_once_work_out_the_characters_once(tmp_path: Path) -> None:
    """Each thread that works them out asks where they are kept."""
    command = [sys.executable, "-c", _SESSION, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(ran.stdout.split()) == 1


def test_a_thread_that_draws_does_not_look_through_all_objects(monkeypatch) -> None:
    """The library does so once for each thread, for longer than it takes to draw."""
    looked: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda *_: looked.append(1))
    made: list[int] = []
    thread = threading.Thread(target=lambda: made.extend(drawn(st.integers(0, 9), 5, 0)))
    thread.start()
    thread.join()
    assert made and looked == []
