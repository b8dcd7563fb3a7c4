"""Generates everything that comes from the source: schemas, clauses, vocabularies and more.

Runs as `python -m scripts.generate` and as a file, from any directory.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.generator.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
