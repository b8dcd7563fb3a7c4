"""What is meant for the kit but leads pytest elsewhere ends with what to write instead."""

import pytest

from tests.kit_sessions import ROOT

NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["conformance/nope"], ["conformance/nope", "conformance/atdf"]),
        (["conformance/nope", "--target", NOWHERE], ["conformance/nope", "pytest conformance"]),
        (["conformance/mpc", "--target", NOWHERE], ["conformance/mpc", "such as conformance/mcp"]),
        (["conformanc", "--target", NOWHERE], ["conformanc.", "pytest conformance"]),
        (
            ["conformance/atdf/test_eror.py::x", "--target", NOWHERE, "--language", "es"],
            ["No existe conformance/atdf/test_eror.py.", "conformance/atdf/test_errors.py"],
        ),
        (["--target", NOWHERE], ["pytest conformance --target"]),
        (["tests/test_misplaced.py", "--level", "guarded"], ["pytest conformance --level"]),
    ],
)
def test_a_path_that_is_wrong_or_missing_is_named_with_the_right_one(kit, args, words):
    ran = kit(*args)
    assert ran.code == 4
    assert all(word in ran.err for word in words), ran.said
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "paths",
    [["conformance", "tests/test_misplaced.py"], ["tests/test_misplaced.py", "conformance"]],
)
def test_the_kit_may_be_named_beside_the_projects_own_tests(kit, paths):
    ran = kit(*paths, "--explain", "ATDF-ERR-012")
    assert ran.code == 0
    assert ran.out.startswith("ATDF-ERR-012")


def test_a_wrong_path_that_is_no_matter_of_the_kit_is_left_to_pytest(kit):
    ran = kit("tests/nope")
    assert ran.code == 4
    assert "file or directory not found: tests/nope" in ran.said


def test_the_options_are_listed_without_the_name_of_the_kit(kit):
    ran = kit("--help", cwd=ROOT)
    assert ran.code == 0
    assert ran.out.count("--target=TARGET") == 1
    assert "conformance: judge an HTTP or MCP server" in ran.out
