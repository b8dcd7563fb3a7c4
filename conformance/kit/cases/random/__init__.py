"""The random phase: cases drawn at random, the same for the same seed (the kit's section 3)."""

from __future__ import annotations

from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir

# Before anything is drawn: the library keeps its tables of characters there, which else would be
# the folder where the user happens to be.
set_hypothesis_home_dir(Path(__file__).resolve().parents[4] / ".cache" / "hypothesis")
