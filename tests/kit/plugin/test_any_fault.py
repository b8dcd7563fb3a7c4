"""Whatever fails in the kit, the session ends with 3, and with a report if it has begun."""

import importlib
import inspect
import json
import pkgutil
import random
from dataclasses import dataclass

import pytest

import conformance.kit
from tests.kit.drive.test_driving import COUNT, right
from tests.kit.peers import offering
from tests.kit.plugin.test_report_files import LITTLE
from tests.kit.samples import envelope, error
from tests.thorough import every, up_to

KIT = "conformance.kit."
WITH_VERDICTS = (
    "confirm.confirming:doubtful",
    "plugin.items:item_name",
    "config.waivers:waive",
    "evidence.catalog:offered",
    "plugin.items:ClauseItem.reportinfo",
    "plugin.quiet:header",
    "report.data:results_document",
    "report.exit:exit_of",
    "report.html.page:Page.parts",
    "report.progress:Progress.active",
    "report.terminal:Terminal.lines",
    "report.write:Badge.parts",
    "verdicts.run_result:run_result",
)
"""What raises once, so that some verdicts stay."""
WITHOUT = (
    "drive.budget:driving_ends",
    "drive.discovery.discover:discover",
    "evidence.declarations:declared",
    "plugin.session_steps:judge_all",
    "plugin.session_steps:nothing_asked",
    "verdicts.judge:judge_all",
)
"""What all verdicts of the session need."""
AT_THE_START = (
    "plugin.report_place:begin",
    "plugin.options:given_to",
    "plugin.selection:report_folder",
)
"""What fails before a report can be begun."""


def flawed(name, arguments):
    """Accepts some invalid calls, so that there is something to confirm."""
    if name == "where" or right(arguments):
        return 200, {"ok": True}
    return 422, envelope(error())


@pytest.fixture(scope="module")
def url():
    tools = [COUNT, {**COUNT, "name": "where"}]
    with offering(tools, flawed) as address:
        yield address


@dataclass
class Ended:
    """How a session with a broken function ended."""

    code: int
    said: str
    broken: bool
    results: dict | None
    files: set[str]

    @property
    def verdicts(self):
        return {item["verdict"] for run in self.results["runs"] for item in run["items"]}


@pytest.fixture
def ending(kit, tmp_path, url):
    def end(place, *, always=False):
        folder, told = tmp_path / "report", tmp_path / "broken"
        env = {"BREAKS": place, "BROKEN": str(told)} | ({"BREAKS_ALWAYS": "1"} if always else {})
        asked = ("conformance", "--target", url, "--report", str(folder), *LITTLE)
        ran = kit("-p", "tests.kit.breaking", *asked, env=env)
        results = folder / "results.json"
        return Ended(
            ran.code,
            ran.said,
            told.exists(),
            json.loads(results.read_text()) if results.is_file() else None,
            {path.name for path in folder.iterdir()} if folder.is_dir() else set(),
        )

    return end


def ends_in_words(ended):
    """Whether the session ended as a fault of the kit, without a traceback on the terminal."""
    walls = {word for word in ("INTERNALERROR", "Traceback", "never ") if word in ended.said}
    return (ended.code, walls) == (3, set()) and "a fault of the kit" in ended.said


@pytest.mark.parametrize("place", every(3, [*WITH_VERDICTS, *WITHOUT]))
def test_a_fault_in_a_begun_session_is_in_its_report(ending, place):
    ended = ending(KIT + place)
    assert ended.broken
    assert ends_in_words(ended), ended.said
    told = [said for said in ended.results["kit_errors"] if "PlantedError: in" in said]
    assert told
    assert any("PlantedError" in trace for trace in ended.results["kit_traces"])
    assert "report.html" in ended.files
    assert all(run["level"] is None for run in ended.results["runs"])
    assert ("pass" in ended.verdicts) == (place in WITH_VERDICTS), ended.verdicts


@pytest.mark.parametrize("place", AT_THE_START)
def test_a_fault_before_the_report_is_begun_is_one_sentence(ending, place):
    ended = ending(KIT + place)
    assert ended.broken
    assert ends_in_words(ended), ended.said
    assert ended.results is None
    assert len(ended.said.splitlines()) == 1


def test_after_a_fault_a_typo_in_k_still_calls_no_tool(kit, tmp_path):
    called = []
    env = {"BREAKS": f"{KIT}plugin.quiet:header", "BROKEN": str(tmp_path / "broken")}
    asked = ("-k", "no_such_clause", "--report", str(tmp_path / "report"))
    with offering([COUNT], lambda name, _: called.append(name) or (200, {})) as address:
        ran = kit("-p", "tests.kit.breaking", "conformance", "--target", address, *asked, env=env)
    assert (ran.code, called) == (3, []), ran.said
    assert (tmp_path / "report/report.html").exists()


def functions():
    """Every function of the kit that the plugin can break."""
    for found in pkgutil.walk_packages(conformance.kit.__path__, KIT):
        if found.name.endswith("pyargs"):
            continue
        module = importlib.import_module(found.name)
        for owner in [module, *(c for c in vars(module).values() if inspect.isclass(c))]:
            if owner is not module and owner.__module__ != found.name:
                continue
            prefix = "" if owner is module else f"{owner.__name__}."
            for name, value in vars(owner).items():
                value = value.fget if isinstance(value, property) else value
                written = inspect.isfunction(value) and value.__code__.co_filename
                if written == module.__file__:
                    yield f"{found.name}:{prefix}{name}"


SAMPLE = random.Random(4).sample(sorted(set(functions())), up_to(4, 160))


@pytest.mark.parametrize("place", SAMPLE)
def test_no_fault_ends_a_session_without_a_word(ending, place):
    ended = ending(place, always=True)
    assert ends_in_words(ended) or not ended.broken, ended.said
