"""The changelog has the form of Keep a Changelog, and no list that nobody reads to its end."""

import re

from tests.root import ROOT

HEADINGS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def versions():
    """Each version with its text."""
    parts = re.split(r"^## (.+)\n", TEXT, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_each_version_has_each_heading_once_and_in_order():
    for name, text in versions():
        found = re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
        assert found == [each for each in HEADINGS if each in found], name


def test_no_list_is_longer_than_40_items():
    for part in re.split(r"^#{2,4} ", TEXT, flags=re.MULTILINE):
        assert part.count("\n- ") <= 40, part.splitlines()[0]
