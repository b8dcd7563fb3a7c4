"""A target that cannot be one is refused, and the sentence says what was probably meant."""

from __future__ import annotations

import pytest

from conformance.kit.config.options import with_defaults
from conformance.kit.config.settings import OptionUnusable, settings_of


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("uvx mcp-server-time", "'stdio:uvx mcp-server-time'"),
        ("python -m server --fast", "'stdio:python -m server --fast'"),
        ("server.py", "'stdio:python server.py'"),
        ("./server.mjs", "'stdio:node ./server.mjs'"),
        ("localhost:8000", "http://localhost:8000?"),
        ("other.py", "http://other.py?"),
        ("127.0.0.1:8000 /mcp", "begins with http:// or https://"),
        ("./notes.md", "begins with http:// or https://"),
    ],
)
def test_what_was_probably_meant_is_named(target, meant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("server.py", "server.mjs", "notes.md"):
        (tmp_path / name).touch()
    with pytest.raises(OptionUnusable, match=r"is not a|does not begin") as refused:
        settings_of(with_defaults({"target": [target]}), tmp_path)
    assert meant in str(refused.value)


@pytest.mark.parametrize(
    "target",
    [
        "python server.py --token s3cr3t-of-a-target",
        "python server.py --at https://me:s3cr3t-of-a-target@h --token s3cr3t-of-a-target",
        "me:s3cr3t-of-a-target@example.org/mcp",
        "example.org:8000/mcp?api_key=s3cr3t-of-a-target",
        "ftp://me:s3cr3t-of-a-target@example.org",
        "http:/me:s3cr3t-of-a-target@example.org",
        "https//me:s3cr3t-of-a-target@example.org",
        "http:me:s3cr3t-of-a-target@example.org",
    ],
)
def test_a_target_that_lacks_its_scheme_is_named_without_its_secrets(target, tmp_path):
    with pytest.raises(OptionUnusable) as refused:
        settings_of(with_defaults({"target": [target]}), tmp_path)
    assert "s3cr3t-of-a-target" not in str(refused.value)


@pytest.mark.parametrize("option", ["target", "judge", "write_examples"])
@pytest.mark.parametrize("name", ["x" * 5_000, "1" * 300, "server.py\0"])
def test_a_name_that_no_file_can_have_is_one_sentence(option, name, tmp_path):
    given = {"target": [name]} if option == "target" else {option: name}
    with pytest.raises(OptionUnusable) as refused:
        settings_of(with_defaults(given), tmp_path)
    assert "\n" not in str(refused.value).strip()
