"""The files of an earlier report are taken away all or none, whatever comes between."""

from pathlib import Path

import pytest

from conformance.kit.plugin.report_place import FolderUnusable, take_away

NAMES = ("results.json", "badge.json", "report.html")


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        (tmp_path / name).write_text(name)
    return tmp_path


def rename_that(monkeypatch, *, raises):
    """Let the renames of these numbers raise."""
    rename, calls = Path.rename, []

    def renamed(self, to):
        calls.append(to)
        if len(calls) in raises:
            raise raises[len(calls)]
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", renamed)


def test_what_is_there_is_taken_and_nothing_else(folder):
    (folder / "mine.txt").write_text("")
    (folder / "badge.json").unlink()
    assert take_away(folder, NAMES) is True
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert take_away(folder, NAMES) is False


@pytest.mark.parametrize(
    ("reason", "told"),
    [(KeyboardInterrupt(), KeyboardInterrupt), (PermissionError(13, "no"), FolderUnusable)],
)
def test_what_comes_between_leaves_all_where_it_was(folder, monkeypatch, reason, told):
    rename_that(monkeypatch, raises={2: reason})
    with pytest.raises(told):
        take_away(folder, NAMES)
    assert {path.name: path.read_text() for path in folder.iterdir()} == dict(
        zip(NAMES, NAMES, strict=True)
    )


def test_a_file_that_cannot_be_put_back_costs_no_other_and_is_kept(folder, monkeypatch):
    rename_that(monkeypatch, raises={3: PermissionError(13, "no"), 4: PermissionError(13, "no")})
    with pytest.raises(FolderUnusable):
        take_away(folder, NAMES)
    assert {path.read_text() for path in folder.rglob("*") if path.is_file()} == set(NAMES)
    assert {path.name for path in folder.iterdir() if path.is_file()} == set(NAMES[1:])
