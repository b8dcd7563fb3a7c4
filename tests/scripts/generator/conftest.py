"""A copy of the source that each test of the generator may break."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.generator.scratch import Scratch, copy_source, scratch_of


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("source")
    copy_source(root)
    return root


@pytest.fixture
def scratch(template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Scratch:
    return scratch_of(template, tmp_path, capsys)
