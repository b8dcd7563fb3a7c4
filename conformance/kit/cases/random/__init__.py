"""The random phase: random cases, the same for the same seed (the kit's section 3)."""

from __future__ import annotations

from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir

# Set before anything is drawn: the library stores its tables of characters in this directory. Its
# default is in the user's current directory.
set_hypothesis_home_dir(Path(__file__).resolve().parents[4] / ".cache" / "hypothesis")
