"""What pages say by hand of the code, the code says too: codes, keys, levels, series, routes."""

from __future__ import annotations

import re

import pytest
from ruamel.yaml import YAML

from conformance.kit.config.waivers import WAIVER_KEYS, read_waivers
from conformance.kit.model.run import Role
from conformance.kit.report.exit import Exit
from conformance.spec.clauses import clauses
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import DOCS, ROOT

LADDER = Role.SERVER.levels[1:]
README = ROOT / "README.md"
ACTION = ROOT / ".github/actions/conformance/action.yml"
WORKFLOW = ROOT / ".github/workflows/conformance.yml"


def page(language, path):
    return (DOCS / language / path).read_text("utf-8")


def section(text, anchor):
    """What stands between a heading and the next one."""
    return re.split(rf"^#+ .*{{ #{anchor} }}$", text, flags=re.M)[1].partition("\n#")[0]


def yaml_of(text):
    return re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1]


def first_cells(text):
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    return rows[2:]  # without the head and its rule


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_ci_says_each_exit_code(language):
    told = first_cells(section(page(language, "conformance/ci.md"), "exit-codes"))
    assert told == [str(code.value) for code in Exit]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_waivers_says_each_key(language):
    told = first_cells(page(language, "conformance/waivers.md"))
    assert sorted(each.strip("`") for each in told) == sorted(WAIVER_KEYS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_of_waivers_can_be_read(language, tmp_path):
    file = tmp_path / "waivers.yaml"
    file.write_text(
        re.search(r"```yaml\n(.*?)```", page(language, "conformance/waivers.md"), re.S)[1]
    )
    assert len(read_waivers(file)) == 2


def levels(source, language, ladder=LADDER):
    """The name of each level and what it means, as the vocabulary says them."""
    said = {
        each.value: each.text.in_language(language) for each in source.vocabularies["level"].values
    }
    return [said[level].rstrip(".").split(": ", 1) for level in ladder]


def rows(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_on_levels_says_of_each_what_the_source_says(language, source):
    told = rows(section(page(language, "conformance/levels.md"), "levels"))
    assert [[name, means] for name, _, means in told] == levels(source, language)
    gateways = rows(section(page(language, "conformance/levels.md"), "gateways"))
    assert gateways == levels(source, language, Role.GATEWAY.levels[1:])


def test_the_readme_says_of_each_level_what_the_source_says(source):
    text = README.read_text("utf-8").partition("### Levels")[2].partition("\n#")[0]
    assert rows(text) == levels(source, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_server_profile_says_the_series_of_its_clause(language):
    text = clauses()["SRV-METR-001"].text[language]
    wanted = {
        series: labels.split(",") if labels else []
        for series, labels in re.findall(r"`(atdf_\w+)(?:{([^}]*)})?`", text)
    }
    rows = section(page(language, "bindings/server-profile.md"), "series").splitlines()
    cells = [line.split("|")[1:3] for line in rows if line.startswith("| `")]
    told = {name.strip(" `"): re.findall(r"`(\w+)`", labels) for name, labels in cells}
    assert told == wanted
    assert len(told) == 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_server_profile_says_the_routes_of_its_clauses(language):
    wanted = set()
    for method, clause in (("GET", "SRV-PATH-001"), ("POST", "SRV-PATH-002")):
        for path in re.findall(r"`(/[\w/.{}]+)`", clauses()[clause].text[language]):
            wanted.add(f"{method} {path}")
    rows = section(page(language, "bindings/server-profile.md"), "routes")
    assert set(re.findall(r"`((?:GET|POST) /[\w/.{}]+)`", rows)) == wanted
    assert len(wanted) == 8


def test_the_step_for_github_is_one_that_its_action_takes():
    shown = re.search(
        r"```yaml\n(.*?)```", section(page("en", "conformance/ci.md"), "action"), re.S
    )
    yaml = YAML(typ="safe", pure=True)
    step = yaml.load(shown[1])["steps"][-1]
    assert step["uses"].split("@")[0].endswith("/.github/actions/conformance")
    inputs = yaml.load(ACTION.read_text("utf-8"))["inputs"]
    assert set(step["with"]) <= set(inputs)
    assert {name for name, said in inputs.items() if said.get("required")} <= set(step["with"])


def test_the_job_for_github_is_one_that_its_workflow_takes():
    shown = re.findall(
        r"```yaml\n(.*?)```", section(page("en", "conformance/ci.md"), "workflow"), re.S
    )
    yaml = YAML(typ="safe", pure=True)
    [job] = yaml.load(shown[-1])["jobs"].values()
    called = yaml.load(WORKFLOW.read_text("utf-8"))
    assert job["uses"].split("@")[0].endswith(f"/{WORKFLOW.relative_to(ROOT).as_posix()}")
    inputs = called["on"]["workflow_call"]["inputs"]
    assert set(job["with"]) <= set(inputs)
    assert {name for name, said in inputs.items() if said.get("required")} <= set(job["with"])
    # What a called job may do is at most what its caller grants.
    for needed in called["jobs"].values():
        assert needed["permissions"].items() <= job["permissions"].items()


def test_the_workflow_hands_every_input_to_the_action():
    yaml = YAML(typ="safe", pure=True)
    called = yaml.load(WORKFLOW.read_text("utf-8"))
    handed = called["jobs"]["judge"]["steps"][-1]["with"]
    assert {
        name: f"${{{{ inputs.{name} }}}}" for name in called["on"]["workflow_call"]["inputs"]
    } == handed
    assert set(handed) <= set(yaml.load(ACTION.read_text("utf-8"))["inputs"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_others_take_from_the_project_is_taken_from_its_repository(source, language):
    where = source.project.repository
    text = page(language, "conformance/ci.md")
    used = re.findall(r"uses: (\S+)/\.github/\S+@COMMIT", text)
    assert used == [where.removeprefix("https://github.com/")] * 3
    assert f"repo: {where}\n" in text


@pytest.fixture(scope="module")
def source():
    from scripts.generator.build import load_source, read_source

    return read_source(load_source(ROOT))[0]
