"""Where the project's own tree begins."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
