"""For all texts of a target: no file of the report, and no printed line, holds one as it came."""

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conformance.kit.report.replay_file import ReplayFile
from conformance.kit.report.reporter import Report
from conformance.kit.report.summary import Summary
from conformance.kit.report.terminal import Terminal
from conformance.kit.report.write import REPORTERS
from tests.kit.report.sample import EVIL, hostile_exchanges, hostile_session, sample_words

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COMMAND = re.compile(r"^\s*::|##[a-z]*\[", re.MULTILINE)
TAG = re.compile(r"<(?!/?(?:details|summary|br|sub|b|code)\b|!-- -->)")
COMMANDS = ("::stop-commands::x", "a\n::error::b", "##vso[task.x]y", "##[error]z", "[a](http://b)",
            "\n[[ATTACHMENT|/etc/passwd]]\n")  # fmt: skip
TEXTS = st.text(
    "\n\r\t :#[]vsoteamcity\x00\x1b\x9b\u202e\ud800<>&|`*_\\!$~@(){}\"'/wW.abc%", max_size=40
)


def written(texts):
    """What each reporter writes of a session in which a target says these texts, and the lines."""
    exchanges = hostile_exchanges(texts)
    with sample_words():
        report = Report(
            hostile_session(30, texts),
            exchange=exchanges.get,
            held=tuple(exchanges.values()),
            options=("--target", "http://127.0.0.1:1"),
        )
        made = {one.name: "".join(one.parts(report)) for one in REPORTERS}
        return made | {"terminal": "".join(Terminal().parts(report))}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(TEXTS, st.text(max_size=40)), min_size=1, max_size=3).map(tuple))
@example(EVIL)
@example(COMMANDS)
def test_no_text_of_a_target_gets_out_as_it_came(texts):
    for name, text in written(texts).items():
        assert not UNSEEN.search(text), name
        assert not COMMAND.search(text), name
        if name.endswith(".json"):
            json.loads(text)
    assert not TAG.search(written(texts)[Summary.name])


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3).map(tuple))
@example(EVIL)
@example(('"""\nimport os', "'''", "\\", "\\N{DASH}", "{0.__class__}", "%(cases)s"))
def test_the_replay_file_is_python_whatever_a_target_says(texts):
    made = written(texts)[ReplayFile.name]
    compile(made, ReplayFile.name, "exec")
    assert "import os\n" not in made.replace("import os\nimport", "")


@pytest.mark.slow
def test_the_report_of_the_tests_is_xml_without_what_no_eye_sees(kit, tmp_path):
    from tests.kit.drive.test_driving import COUNT
    from tests.kit.peers import offering
    from tests.kit.plugin.test_report_files import wrong

    evil = " ".join((*EVIL, *COMMANDS)).replace("\ud800", "")
    with offering([{**COUNT, "name": evil, "description": evil}, COUNT], wrong) as url:
        kit("conformance", "--target", url, "--report", str(tmp_path), "-k", "ATDF-TOOL")
    text = (tmp_path / "junit.xml").read_text("utf-8")
    assert not UNSEEN.search(text)
    assert not COMMAND.search(text)
    tree = ElementTree.fromstring(text)
    assert len(list(tree.iter("testcase"))) > 1
    # Where a test's output is, some CI systems look for files to attach.
    assert [each for name in ("system-out", "system-err") for each in tree.iter(name)] == []
