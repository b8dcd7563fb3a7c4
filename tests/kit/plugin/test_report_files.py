"""The files of a report: whole or not there, never in the place of somebody's own."""

import fcntl
import os
import resource
import shutil
import subprocess
import sys

import pytest

from conformance.kit.plugin.report_place import FolderTaken, hold, mark_outdated, sweep
from conformance.kit.record.exchanges import ExchangeWriter
from conformance.kit.report.write import FILES, foreign_file
from tests.kit.drive.test_driving import COUNT, sound
from tests.kit.peers import offering
from tests.root import ROOT


def wrong(name, arguments):
    """Takes anything, so that there is something to play again."""
    return 200, {"ok": "x" * 2_000}


@pytest.fixture(scope="module")
def report(kit, tmp_path_factory):
    """A report with all of its files."""
    folder = tmp_path_factory.mktemp("out") / "report"
    with offering([COUNT], wrong) as url:
        ran = kit("conformance", "--target", url, "--report", str(folder), "-k", "ATDF-CALL")
    assert ran.code == 1, ran.said
    return folder


def test_the_kit_knows_all_of_its_own_files(report):
    assert {path.name for path in report.iterdir()} == set(FILES)
    assert foreign_file(report, FILES) is None


ALIKE = {
    "results.json": '{"kit": "starter", "mine": 1}',
    "summary.md": "## Conformance report: the bridge\n\nMine.\n",
    "report.html": '<title id="head-title">Conformance tests</title>\n    <style>',
    "junit.xml": " " * 9_000 + "mine",
}


@pytest.mark.parametrize("name", ALIKE)
def test_a_file_of_somebody_else_that_begins_like_the_kits_is_known_as_that(tmp_path, name):
    (tmp_path / name).write_text(ALIKE[name])
    assert foreign_file(tmp_path, FILES) == tmp_path / name


def test_a_badge_of_somebody_else_does_not_change(tmp_path):
    (tmp_path / "badge.json").write_text(mine := '{"schemaVersion": 1, "message": "1.0"}')
    mark_outdated(tmp_path / "badge.json", "en")
    assert (tmp_path / "badge.json").read_text() == mine


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_somebody_else_is_known_as_that(tmp_path, name):
    (tmp_path / name).write_text("Mine, with results and exchanges in it.\n")
    assert foreign_file(tmp_path, FILES) == tmp_path / name


def test_a_result_of_another_tool_is_known_as_that_whatever_comes_before_its_tests(tmp_path):
    mine = (
        '<?xml version="1.0"?><testsuite><properties><property name="a" value="{}"/></properties>'
    )
    (tmp_path / "junit.xml").write_text(
        mine.format("a" * 9_000) + '<testcase name="b"/></testsuite>'
    )
    assert foreign_file(tmp_path, FILES) == tmp_path / "junit.xml"


def test_a_result_of_tests_that_have_requirements_of_their_own_is_known_as_that(tmp_path):
    mine = '<testcase classname="tests.test_login" name="test_requirement[REQ-AUTH-001]"/>'
    (tmp_path / "junit.xml").write_text(f'<?xml version="1.0"?><testsuite>{mine}</testsuite>')
    assert foreign_file(tmp_path, FILES) == tmp_path / "junit.xml"


@pytest.mark.parametrize("name", ["n", "float:"])
def test_a_record_of_numbers_that_json_has_no_word_for_is_the_kits_own(tmp_path, name):
    more = {"found": {name: float("inf")}}
    with ExchangeWriter(tmp_path / "exchanges.ndjson", kit="0.1.0", started="now", more=more):
        pass
    assert foreign_file(tmp_path, FILES) is None


def test_a_file_that_appears_while_a_session_runs_is_not_replaced(tmp_path):
    folder = tmp_path / "report"
    (tmp_path / "appears.py").write_text(
        f"import pathlib\nfolder = pathlib.Path({str(folder)!r})\n"
        "def pytest_collection():\n    (folder / 'summary.md').write_text('# My notes')\n"
    )
    with offering([COUNT], sound) as url:
        ran = run_with("appears", url, folder)
    assert ran.returncode in {3, 4}, ran.stdout
    assert "summary.md" in ran.stdout + ran.stderr
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [
        ("summary.md", "# My notes")
    ]


def test_a_link_that_appears_while_a_session_runs_costs_no_report(tmp_path):
    folder, notes = tmp_path / "report", tmp_path / "notes.md"
    notes.write_text("# My notes")
    done = f"os.symlink({str(notes)!r}, {str(folder / 'summary.md')!r})"
    with offering([COUNT], sound) as url:
        ran = run_until(done, url, folder)
    assert ran.returncode in {0, 1}, ran.stdout
    assert notes.read_text() == "# My notes"
    assert not (folder / "summary.md").is_symlink()
    assert (folder / "report.html").is_file()


def test_a_file_without_anything_in_it_may_be_replaced(tmp_path):
    (tmp_path / "results.json").write_text("")
    assert foreign_file(tmp_path, FILES) is None


@pytest.mark.parametrize("target", ["reachable", "http://127.0.0.1:9"])
def test_a_directory_with_foreign_files_is_refused_in_one_sentence(kit, tmp_path, target):
    own = {"summary.md": "# My notes\n", "junit.xml": '<?xml version="1.0"?><testcase name="a"/>\n'}
    for name, text in own.items():
        (tmp_path / name).write_text(text)
    with offering([COUNT], sound) as url:
        where = url if target == "reachable" else target
        ran = kit("conformance", "--target", where, "--report", str(tmp_path))
    assert ran.code == 4
    assert "summary.md was not written by this kit" in ran.said
    assert len(ran.said.strip().splitlines()) <= 2, ran.said
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == own


@pytest.mark.slow
def test_two_sessions_do_not_write_into_one_directory(kit, tmp_path):
    held = hold(tmp_path)
    with offering([COUNT], sound) as url:
        ran = kit("conformance", "--target", url, "--report", str(tmp_path))
        assert ran.code == 4
        assert "Another session is writing its report into" in ran.said
        assert list(tmp_path.iterdir()) == []
        held.release()
        ran = kit("conformance", "--target", url, "--report", str(tmp_path), "-k", "ATDF-CALL-001")
    assert ran.code == 0, ran.said


def test_a_held_directory_is_free_again_when_its_session_ends(tmp_path):
    held = hold(tmp_path)
    with pytest.raises(FolderTaken):
        hold(tmp_path)
    held.release()
    hold(tmp_path).release()
    free = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(free, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(free)


@pytest.mark.slow
@pytest.mark.parametrize("most", [10_000, 60_000])
def test_a_disk_that_is_full_is_one_sentence_and_leaves_nothing_half_written(tmp_path, most):
    """A limit on the size of a file stands for the disk: 10 kB end the record, 60 the page."""
    folder = tmp_path / "report"

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    with offering([COUNT], wrong) as url:
        ran = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "conformance", "--target", url,
             "--report", str(folder), "-p", "no:cacheprovider", "-k", "ATDF-CALL-001",
             "--max-examples", "0"],
            cwd=ROOT, text=True, capture_output=True, check=False, preexec_fn=limited,
        )  # fmt: skip
    said = ran.stdout + ran.stderr
    assert ran.returncode == 3, said
    assert "Traceback" not in said
    assert "INTERNALERROR" not in said
    assert "There is no report" in said
    assert "The earlier report" not in said  # there was none
    assert not any(path.name.endswith(".part") for path in folder.iterdir())
    assert {path.name for path in folder.iterdir()} <= {"exchanges.ndjson"}
    assert "earlier report" not in said


BROKEN = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    raise RuntimeError("broken")
"""


def test_a_crash_leaves_no_file_that_stops_the_next_session(tmp_path):
    (tmp_path / "broken_plugin.py").write_text(BROKEN)
    folder = tmp_path / "report"
    with offering([COUNT], wrong) as url:
        ran = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "conformance", "--target", url,
             "--report", str(folder), "-p", "broken_plugin", "-p", "no:cacheprovider"],
            cwd=ROOT, text=True, capture_output=True, check=False,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )  # fmt: skip
    assert ran.returncode == 3
    assert "RuntimeError: broken" in ran.stdout
    assert not (folder / "junit.xml").exists()
    assert foreign_file(folder, FILES) is None


def test_no_link_in_a_directory_leads_the_kit_to_a_file_of_somebody_else(kit, tmp_path):
    folder, own = tmp_path / "report", tmp_path / "own"
    folder.mkdir()
    own.write_text("mine")
    for name in FILES:
        (folder / f".{name}.part").symlink_to(own)
        (folder / name).symlink_to(tmp_path / "new")  # which is not there yet
    with offering([COUNT], wrong) as url:
        ran = kit("conformance", "--target", url, "--report", str(folder), "-k", "ATDF-CALL")
    assert ran.code == 1, ran.said
    assert own.read_text() == "mine"
    assert not (tmp_path / "new").exists()
    assert all((folder / name).is_file() and not (folder / name).is_symlink() for name in FILES)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/full")])
def test_what_a_server_puts_in_the_place_of_a_report_is_not_written_into(kit, tmp_path, make):
    def places(name, arguments):
        for file in FILES:
            if file != "exchanges.ndjson" and not (tmp_path / file).is_symlink():
                (tmp_path / file).unlink(missing_ok=True)
                make(tmp_path / file)
        return sound(name, arguments)

    with offering([COUNT], places) as url:
        chosen = ("-k", "ATDF-CALL-001", "--max-examples", "0")
        ran = kit("conformance", "--target", url, "--report", str(tmp_path), *chosen)
    assert ran.code == 0, ran.said
    written = set(FILES) - {"test_replay.py"}  # nothing failed
    assert all((tmp_path / file).is_file() and not (tmp_path / file).is_symlink()
               for file in written)  # fmt: skip


def test_a_directory_that_a_server_removes_is_made_again(kit, tmp_path):
    folder = tmp_path / "report"

    def removes(name, arguments):
        shutil.rmtree(folder, ignore_errors=True)
        return sound(name, arguments)

    with offering([COUNT], removes) as url:
        chosen = ("-k", "ATDF-CALL-001", "--max-examples", "0")
        ran = kit("conformance", "--target", url, "--report", str(folder), *chosen)
    assert ran.code == 0, ran.said
    assert {"report.html", "results.json"} <= {path.name for path in folder.iterdir()}


LITTLE = ("-k", "ATDF-CALL-001", "--max-examples", "0")


def replaced_by(place, folder, other):
    """What a server puts in the place of the directory of the report."""
    if folder.exists() and not folder.is_symlink():
        folder.rename(folder.with_name("before"))
        if place == "a file":
            folder.write_text("mine")
        elif place == "a link":
            folder.symlink_to(other)


@pytest.mark.parametrize("place", ["a file", "a link"])
def test_nothing_is_written_over_where_another_directory_is_in_the_place(kit, tmp_path, place):
    folder, other = tmp_path / "report", tmp_path / "other"
    other.mkdir()
    (other / "summary.md").write_text("mine")

    def replaces(name, arguments):
        replaced_by(place, folder, other)
        return sound(name, arguments)

    with offering([COUNT], replaces) as url:
        ran = kit("conformance", "--target", url, "--report", str(folder), *LITTLE)
    assert ran.code == 3, ran.said
    assert "Traceback" not in ran.said
    assert [path.read_text() for path in other.iterdir()] == ["mine"]
    assert not folder.is_file() or folder.read_text() == "mine"


def test_directories_in_the_place_of_files_cost_the_report_and_leave_no_half_of_it(kit, tmp_path):
    def places(name, arguments):
        (tmp_path / "results.json").mkdir(exist_ok=True)  # it is put in place last
        return sound(name, arguments)

    with offering([COUNT], places) as url:
        ran = kit("conformance", "--target", url, "--report", str(tmp_path), *LITTLE)
    assert ran.code == 3, ran.said
    assert "There is no report" in ran.said
    assert {path.name for path in tmp_path.iterdir()} == {"results.json", "exchanges.ndjson"}


def test_a_file_in_the_place_of_the_examples_costs_no_report(kit, tmp_path):
    """It was not there when the session began."""
    folder, examples = tmp_path / "report", tmp_path / "calls.yaml"

    def refuses(name, arguments):
        examples.write_text("mine")
        return 404, {"detail": "no such thing"}

    with offering([COUNT], refuses) as url:
        asked = ("--report", str(folder), "--write-examples", str(examples))
        ran = kit("conformance", "--target", url, *asked, *LITTLE)
    assert ran.code == 3, ran.said
    assert f"--write-examples wrote nothing: {examples}" in ran.said
    assert examples.read_text() == "mine"
    assert {"report.html", "results.json"} <= {path.name for path in folder.iterdir()}


def test_a_session_stays_in_one_process_however_more_are_asked_for(kit, tmp_path):
    """Each worker would write the report, and each that ends is started again."""
    with offering([COUNT], sound) as url:
        asked = ("--report", str(tmp_path), "-p", "xdist", "-d", "--tx", "2*popen")
        ran = kit("conformance", "--target", url, *asked, *LITTLE)
    assert ran.code == 0, ran.said


def run_with(plugin, url, folder):
    """A session of the kit, with a plugin of pytest from the folder that holds its report."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "conformance", "--target", url, "-p", plugin,
         "--report", str(folder), "-p", "no:cacheprovider", *LITTLE],
        cwd=ROOT, text=True, capture_output=True, check=False,
        env=os.environ | {"PYTHONPATH": str(folder.parent)},
    )  # fmt: skip


def run_until(done, url, folder):
    """The same, in which this is done when the report is written, and not yet in place."""
    (folder.parent / "at_the_end.py").write_text(
        "import os, pathlib, pytest, signal\n"
        "@pytest.hookimpl(trylast=True)\n"
        f"def pytest_sessionfinish():\n    {done}\n"
    )
    return run_with("at_the_end", url, folder)


def test_a_report_is_put_in_place_when_all_of_it_is_written(kit, tmp_path):
    """What is cut off before leaves no file of a report, and so nothing that looks like one."""
    folder, seen = tmp_path / "re$HOME", tmp_path / "seen"  # one writer puts a value for the word
    names = f"sorted(path.name for path in pathlib.Path({str(folder)!r}).glob('[!.]*'))"
    with offering([COUNT], sound) as url:
        ran = run_until(f"pathlib.Path({str(seen)!r}).write_text(' '.join({names}))", url, folder)
    assert ran.returncode == 0, ran.stdout
    assert seen.read_text() == "exchanges.ndjson"
    assert {path.name for path in folder.iterdir()} == set(FILES) - {"test_replay.py"}
    assert str(folder / "junit.xml") in ran.stdout


AT_MOMENTS = """
import os, signal
from conformance.kit import session

def interrupted(work):
    def done(*given, **named):
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
        return work(*given, **named)
    return done

session.judge_all = interrupted(session.judge_all)
session.result_of = interrupted(session.result_of)
"""


def test_interrupts_while_all_is_judged_and_counted_leave_a_whole_report(tmp_path):
    folder = tmp_path / "report"
    (tmp_path / "at_moments.py").write_text(AT_MOMENTS)
    with offering([COUNT], sound) as url:
        ran = run_with("at_moments", url, folder)
    assert ran.returncode in {0, 2}, ran.stdout
    assert "KeyboardInterrupt" not in ran.stdout + ran.stderr
    assert {path.name for path in folder.iterdir()} == set(FILES) - {"test_replay.py"}


def test_an_interrupt_before_anything_is_called_leaves_the_earlier_report(tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "summary.md").write_text("## Conformance report: x\n\n**Level**\n")
    (tmp_path / "early.py").write_text(
        "import os, signal\ndef pytest_collection():\n    os.kill(os.getpid(), signal.SIGINT)\n"
    )
    with offering([COUNT], sound) as url:
        ran = run_with("early", url, folder)
    assert ran.returncode == 2, ran.stdout
    assert "interrupted before any tool was called" in ran.stderr
    assert [path.name for path in folder.iterdir()] == ["summary.md"]


def test_an_interrupt_while_a_report_is_written_leaves_no_part_of_it(tmp_path):
    folder = tmp_path / "report"
    with offering([COUNT], sound) as url:
        ran = run_until("raise KeyboardInterrupt", url, folder)
    assert ran.returncode != 0
    assert {path.name for path in folder.iterdir()} == {"exchanges.ndjson"}


def test_what_a_killed_session_left_of_a_report_is_removed_by_the_next(kit, tmp_path):
    folder = tmp_path / "report"
    with offering([COUNT], sound) as url:
        run_until("os.kill(os.getpid(), signal.SIGKILL)", url, folder)
        (left,) = folder.glob(".report-*")
        assert {path.name for path in left.iterdir()} >= {"results.json", "summary.md"}
    again = kit("conformance", "--target", "http://127.0.0.1:9", "--report", str(folder))
    assert again.code == 4, again.said
    assert {path.name for path in folder.iterdir()} == {"exchanges.ndjson"}


def test_only_what_is_surely_of_the_kit_is_swept(report, tmp_path):
    """Each directory has one thing in it that no report has, or is none."""
    kept = {name: tmp_path / f".report-{name}" for name in ("foreign", "more", "below", "linked")}
    for each in kept.values():
        shutil.copytree(report, each)
    (kept["foreign"] / "summary.md").write_text("# My notes\n")
    (kept["more"] / "notes.txt").write_text("mine")
    (kept["below"] / "badge.json").unlink()
    (kept["below"] / "badge.json").mkdir()
    (kept["linked"] / "badge.json").unlink()
    (kept["linked"] / "badge.json").symlink_to(report / "badge.json")
    (tmp_path / ".report-link").symlink_to(report)
    (tmp_path / ".report-file").write_text("mine")
    shutil.copytree(report, tmp_path / "report-of-mine")
    gone = tmp_path / ".report-gone"
    shutil.copytree(report, gone)
    (gone / ".summary.md.part").write_text("")
    before = {path.name: len(list(path.glob("*"))) for path in tmp_path.iterdir()}
    sweep(tmp_path)
    after = {path.name: len(list(path.glob("*"))) for path in tmp_path.iterdir()}
    assert before.pop(gone.name)
    assert after == before


def test_nothing_is_swept_where_another_session_may_be_at_work(tmp_path, monkeypatch):
    def without_locks(*_):
        raise OSError

    monkeypatch.setattr(fcntl, "flock", without_locks)
    held = hold(tmp_path)
    held.release()
    assert not held.alone


def test_a_link_that_a_server_puts_in_the_place_of_the_record_is_not_followed(tmp_path):
    own, record = tmp_path / "own", tmp_path / "exchanges.ndjson"
    own.write_text("mine")
    record.symlink_to(own)
    with ExchangeWriter(record, kit="1", started=""):
        pass
    assert own.read_text() == "mine"
    assert not record.is_symlink()


def test_a_pipe_in_the_place_of_a_badge_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "badge.json")
    mark_outdated(tmp_path / "badge.json", "en")
    assert foreign_file(tmp_path, FILES) is None


def test_a_badge_is_marked_and_a_file_beside_it_stays(tmp_path):
    (tmp_path / "badge.json").write_text(
        '{"schemaVersion": 1, "label": "agent formats", "message": "Guarded"}'
    )
    (tmp_path / ".badge.json.part").write_text("mine")
    mark_outdated(tmp_path / "badge.json", "en")
    assert "Guarded (outdated)" in (tmp_path / "badge.json").read_text()
    assert (tmp_path / ".badge.json.part").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="needs a place that takes no files")
def test_a_directory_that_takes_no_files_is_one_sentence(kit, tmp_path):
    ran = kit("conformance", "--target", "http://127.0.0.1:9", "--report", "/proc/agent-formats")
    assert ran.code == 4
    assert "Traceback" not in ran.said
    (line,) = [line for line in ran.said.splitlines() if "/proc/agent-formats" in line]
    assert line.startswith("ERROR: ")
