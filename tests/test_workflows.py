"""Workflows: pinned, frugal with rights, and an action that judges a server as its page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from fixtures.servers.start import REFERENCE, listening
from tests.root import ROOT

FILES = sorted((ROOT / ".github").rglob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / ".github/actions/conformance/action.yml"


def read(file: Path):
    return YAML(typ="safe", pure=True).load(file.read_text("utf-8"))


def test_every_action_is_pinned_by_commit():
    used = [
        line.strip()
        for file in FILES
        for line in file.read_text("utf-8").splitlines()
        if re.search(r"\buses: (?![.$]/)", line)
    ]
    assert len(used) > 10
    assert [each for each in used if not re.search(r"@[0-9a-f]{40} # v\d", each)] == []


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_has_no_right_that_a_job_does_not_name(file):
    workflow = read(file)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"]
        assert job["timeout-minutes"] <= 60


FAULTY = """
name: Faulty
on:
  push:
    branch: [main]
permissions: {}
jobs:
  one:
    runs-on: ubuntu-24.04
    steps:
      - run: echo "${{ matrix.python }}"
"""


def actionlint(folder, *arguments):
    program = Path(sys.executable).with_name("actionlint")
    return subprocess.run(
        [program, "-no-color", "-oneline", *arguments],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )


def test_actionlint_finds_nothing():
    done = actionlint(ROOT)
    assert done.returncode == 0, done.stdout


def test_actionlint_finds_a_wrong_key_and_an_unknown_matrix(tmp_path):
    (tmp_path / "faulty.yml").write_text(FAULTY)
    done = actionlint(tmp_path, "faulty.yml")
    assert done.returncode == 1
    assert 'faulty.yml:5:5: unexpected key "branch"' in done.stdout
    assert 'property "python" is not defined' in done.stdout


def test_the_reusable_workflow_hands_on_each_of_its_inputs_and_the_action_has_it():
    workflow = read(ROOT / ".github/workflows/conformance.yml")
    inputs = workflow["on"]["workflow_call"]["inputs"]
    given = workflow["jobs"]["judge"]["steps"][-1]["with"]
    assert given == {name: f"${{{{ inputs.{name} }}}}" for name in inputs}
    own = read(ACTION)["inputs"]
    assert set(inputs) <= set(own)
    for name, said in inputs.items():
        assert said.get("default", "") == own[name].get("default", "")


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_the_page_on_ci_lists_the_inputs_of_the_action_with_their_defaults(language):
    page = (ROOT / "docs" / language / "conformance/ci.md").read_text("utf-8")
    [*rows] = re.findall(r"^\| `(\w+)` \|.*\| (?:`(.*)` )?\|$", page, re.MULTILINE)
    inputs = read(ACTION)["inputs"]
    assert rows == [(name, said.get("default", "")) for name, said in inputs.items()]


def test_zizmor_finds_nothing():
    zizmor = Path(sys.executable).with_name("zizmor")
    done = subprocess.run(
        [zizmor, "--offline", "--quiet", ROOT / ".github"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_hadolint_finds_nothing_in_the_containerfile():
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [hadolint, "--no-color", ROOT / "Containerfile"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_container_does_not_run_as_root_and_has_no_builder_in_it():
    lines = (ROOT / "Containerfile").read_text("utf-8").splitlines()
    stages = [number for number, line in enumerate(lines) if line.startswith("FROM ")]
    assert len(stages) == 2
    last = lines[stages[1] :]
    assert next(line for line in last if line.startswith("USER ")).split()[1].isdigit()
    assert not [line for line in last if "pip" in line]


def test_the_hook_calls_a_command_that_there_is():
    assert hooked(ROOT / "fixtures/examples/atdf/valid/hotel-catalog.json").returncode == 0


def test_the_hook_validates_a_file_that_is_named_like_an_option(tmp_path):
    (tmp_path / "--manifest=x.json").write_text('{"tools": [{"name": 7}]}')
    done = hooked("--manifest=x.json", tmp_path)
    assert done.returncode == 1
    assert "ATDF-TOOL-001" in done.stdout


def hooked(file, folder=ROOT):
    """Run the hook as pre-commit does."""
    (hook,) = read(ROOT / ".pre-commit-hooks.yaml")
    program, *words = hook["entry"].split() + hook["args"]
    return subprocess.run(
        [Path(sys.executable).with_name(program), *words, file],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )


def test_only_the_job_that_publishes_may_publish():
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    tokens = {name for name, job in jobs.items() if "id-token" in job["permissions"]}
    assert tokens == {"attest", "publish"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"]["name"] == "pypi"
    for name in tokens:  # neither runs code of this repository
        assert not [step for step in jobs[name]["steps"] if "run" in step]


@pytest.mark.slow
def test_the_action_judges_a_server_and_keeps_its_summary(tmp_path):
    steps = {step["name"]: step for step in read(ACTION)["runs"]["steps"]}
    assert "$GITHUB_ACTION_PATH/../../.." in steps["Set up the kit"]["run"]
    assert ACTION.parents[3] == ROOT
    (tmp_path / "agent-formats").symlink_to(sys.prefix)
    summary = tmp_path / "step-summary.md"
    with listening(REFERENCE) as url:
        given = os.environ | {
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(summary),
            "TARGET": url,
            "START": "",
            "WAIT": "5",
            "LEVEL": "",
            "OPTIONS": "--profile http --allow-calls none --header 'X-Kind: two words'",
            "REPORT": "kept",
        }
        for name in ("Check the server", "Post the summary"):
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", steps[name]["run"]],
                cwd=tmp_path,
                env=given,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "kept" / "report.html").is_file()
    assert "Conformance report" in summary.read_text("utf-8")
    assert (tmp_path / "output").read_text() == "report=kept\n" * 2


def judged(tmp_path, start, checkout=None, **more):
    """Run the step of the action that starts a server and checks it."""
    step = next(s for s in read(ACTION)["runs"]["steps"] if s["name"] == "Check the server")
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=checkout or tmp_path,
        env=os.environ
        | {
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "TARGET": "http://127.0.0.1:9",
            "START": start,
            "WAIT": "09",
            "LEVEL": "",
            "OPTIONS": "",
            "REPORT": "kept",
            **more,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "report",
    [
        "",
        ".",
        "..",
        "a/../..",
        "/tmp/x",
        "./x",
        "x\nreport=/etc",
        "*",
        "a?b",
        "[a]",
        "!a",
        "~",
        "~/a",
    ],
)
def test_the_action_wants_a_directory_of_its_own_and_leaves_all_others_alone(tmp_path, report):
    folder = tmp_path / "checkout"
    folder.mkdir()
    for place in (tmp_path, folder):
        (place / "mine").symlink_to("anything")
    done = judged(tmp_path, "exit 3", folder, REPORT=report)
    assert done.returncode == 4
    assert "::error::The report needs a directory of its own" in done.stdout
    assert not (tmp_path / "output").exists()
    assert all((place / "mine").is_symlink() for place in (tmp_path, folder))
    steps = {step["name"]: step for step in read(ACTION)["runs"]["steps"]}
    assert steps["Post the summary"]["if"] == "always() && steps.judge.outputs.report"


def test_a_blank_at_an_end_of_the_report_makes_no_other_directory_the_artifact():
    steps = {step["name"]: step for step in read(ACTION)["runs"]["steps"]}
    for report in (" .", "src ", "\u00a0.", "#x"):
        path = steps["Keep the report"]["with"]["path"].replace("${{ inputs.report }}", report)
        assert path.strip() == f"./{report}/"


def test_the_action_follows_no_link_on_the_way_to_the_report(tmp_path):
    mine = tmp_path / "elsewhere" / "report" / "mine"
    mine.parent.mkdir(parents=True)
    mine.symlink_to("anything")
    folder = tmp_path / "checkout"
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "out").symlink_to(tmp_path / "elsewhere")
    done = judged(tmp_path, "exit 3", folder, REPORT="build/out/report")
    assert done.returncode == 4
    assert "::error::The report needs a directory of its own" in done.stdout
    assert not (tmp_path / "output").exists()
    assert mine.is_symlink()


def test_a_started_server_is_not_told_how_to_speak_to_the_job(tmp_path):
    named = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY",
             "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN")  # fmt: skip
    given = {name: str(tmp_path / "output") for name in named}
    judged(tmp_path, "env > seen; exit 3", SEEN_BY_ALL="1", **given)
    seen = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert "SEEN_BY_ALL" in seen
    assert not seen & set(named)


def test_the_action_takes_a_target_for_no_option(tmp_path):
    (tmp_path / "agent-formats").symlink_to(sys.prefix)
    done = judged(tmp_path, "", TARGET="--help")
    assert done.returncode == 4
    assert "OPTIONS" not in done.stdout


@pytest.mark.parametrize("options", ["--rate 5 'x --allow-calls none", '--rate 5 "x\ny"'])
def test_the_action_drops_no_option_behind_a_quote_that_does_not_end(tmp_path, options):
    done = judged(tmp_path, "exit 3", OPTIONS=options)
    assert done.returncode == 4
    assert "::error::The input options has a quote that does not end." in done.stdout
    assert "did not answer" not in done.stdout


def test_blank_options_of_the_action_are_no_word(tmp_path):
    program = tmp_path / "agent-formats" / "bin" / "agent-formats"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nshift 4\necho $#\n")
    program.chmod(0o755)
    assert judged(tmp_path, "", OPTIONS=" \n ").stdout == "1\n"
    assert judged(tmp_path, "", OPTIONS="--header 'a b' \"\"").stdout == "4\n"


def test_a_line_of_the_target_is_no_command_to_the_ci_system(tmp_path):
    done = judged(tmp_path, "exit 3", TARGET="http://127.0.0.1:9\n::error::pwned")
    assert done.returncode == 4
    assert "pwned" not in done.stdout


def test_of_a_log_without_an_end_the_action_shows_the_end(tmp_path):
    done = judged(tmp_path, "yes | head -c 1000000; echo; echo the end; exit 3")
    assert "the end" in done.stdout
    assert len(done.stdout) < 70_000


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_packages_take_no_file_that_is_in_no_commit(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml", ".venv/.ready"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text(".venv/\n")
    git = ["git", "-C", tmp_path]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    (tmp_path / "conformance").mkdir()
    (tmp_path / "conformance" / ".env").write_text("secret")
    dist = ["make", "--no-print-directory", "dist"]  # as `make test` runs this
    done = subprocess.run(dist, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout.endswith("in no commit:\nconformance/.env\n")


@pytest.mark.parametrize("wait", ["x[$(touch harm)]", "", "-1", "1\n2"])
def test_the_action_takes_no_command_for_a_number_of_seconds(tmp_path, wait):
    done = judged(tmp_path, "exit 3", WAIT=wait)
    assert done.returncode == 4
    assert "::error::The input wait is a whole number" in done.stdout
    assert not (tmp_path / "harm").exists()


def test_the_action_says_when_a_started_server_never_answers(tmp_path):
    done = judged(tmp_path, "echo the port is taken; exit 3")
    assert done.returncode == 4
    assert "did not answer" in done.stdout
    assert "the port is taken" in done.stdout


def test_the_log_of_a_started_server_does_not_command_the_ci_system(tmp_path):
    done = judged(tmp_path, "printf '::error::pwned\\n\\033[2J'; exit 3")
    before, _, after = done.stdout.partition("::error::pwned")
    word = re.search(r"^::stop-commands::([0-9a-f]{32})$", before, re.MULTILINE)
    assert word is not None
    assert re.search(rf"^::{word[1]}::$", after, re.MULTILINE)
    assert "\033" not in done.stdout


def test_a_link_in_the_directory_does_not_lead_the_log_of_a_server_to_another_file(tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    for name in ("server.log", "agent-formats.server.log"):
        (tmp_path / "checkout" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "checkout" / name).symlink_to(mine)
    assert judged(tmp_path, "echo harm; exit 3", tmp_path / "checkout").returncode == 4
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("kind", ["a file", "a file of the future", "a link"])
def test_a_report_that_the_directory_brings_is_neither_posted_nor_kept(tmp_path, kind):
    folder, secret = tmp_path / "checkout" / "kept", tmp_path / "secret"
    folder.mkdir(parents=True)
    secret.write_text("forged")
    if kind != "a link":
        (folder / "summary.md").write_text("forged")
        os.utime(folder / "summary.md", (4e9, 4e9) if "future" in kind else None)
    else:
        (folder / "summary.md").symlink_to(secret)
    assert judged(tmp_path, "exit 3", tmp_path / "checkout").returncode == 4
    steps = {step["name"]: step for step in read(ACTION)["runs"]["steps"]}
    step = steps["Post the summary"]
    output = tmp_path / "output of the step"
    subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=tmp_path / "checkout",
        env=os.environ
        | {
            "RUNNER_TEMP": str(tmp_path),
            "REPORT": "kept",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "posted"),
            "GITHUB_OUTPUT": str(output),
        },
        check=True,
    )
    assert not (tmp_path / "posted").exists()
    assert not output.exists()
    kept = f"always() && steps.{step.get('id', 'judge')}.outputs.report"
    assert steps["Keep the report"]["if"] == kept
    assert "id" in step, "a report is kept because the step found a new one"


@pytest.mark.parametrize("place", ["kept", "kept/replay", "kept/replay/report.html"])
def test_a_link_that_the_directory_brings_is_not_kept_as_a_part_of_the_report(tmp_path, place):
    mine, link = tmp_path / "mine", tmp_path / "checkout" / place
    mine.mkdir()
    (mine / "key").write_text("mine")
    link.parent.mkdir(parents=True)
    link.symlink_to(mine)
    assert judged(tmp_path, "exit 3", tmp_path / "checkout").returncode == 4
    assert not link.is_symlink()
    assert (mine / "key").read_text() == "mine"


def test_a_release_keeps_all_that_was_attested():
    jobs = read(ROOT / ".github/workflows/release.yml")["jobs"]
    made = [s["with"]["name"] for s in jobs["build"]["steps"] if "upload-artifact" in str(s)]
    assert made == ["dist", "sbom"]
    first, last = jobs["keep"]["steps"]
    assert "name" not in first["with"]  # all artifacts of this run
    assert last["run"].endswith(f"{first['with']['path']}/*")


PINNED = re.compile(r"^(\S+?)==(\S+)[^\n]*\\\n((?: +--hash=\S+[^\n]*\n)+)", re.MULTILINE)


def pinned(name):
    """The packages of a lock, each with its version and the hashes of its files."""
    text = (ROOT / name).read_text("utf-8")
    found = PINNED.findall(text)
    return {name: (version, hashes.replace(" \\", "")) for name, version, hashes in found}


def test_the_action_and_the_container_install_the_pinned_files_and_no_others():
    step = next(s for s in read(ACTION)["runs"]["steps"] if s["name"] == "Set up the kit")
    container = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    for text in (step["run"], container):
        asked = [line for line in re.split(r"\n|&&", text) if "install" in line or "pip[@]" in line]
        asked = [line for line in asked if re.search(r"requirement|no-deps|\.whl|\$kit\"", line)]
        assert [line for line in asked if not re.search("--require-hashes|--no-deps", line)] == []
        assert "runtime.lock" in text
    whole, own = pinned("requirements.lock"), pinned("runtime.lock")
    assert {name: whole.get(name) for name in own} == own
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    names = {re.split(r"[<>=]", each)[0].replace(".", "-") for each in wanted}
    assert names <= set(own)
    assert not {"ruff", "playwright", "mkdocs"} & set(own)


def test_no_workflow_installs_what_no_lock_names():
    found = [
        line.strip()
        for file in FILES
        for line in file.read_text("utf-8").splitlines()
        if re.search(r"\bpip[\"']? install|uv (pip|tool) install|pipx|uvx|npm (i|install)\b", line)
    ]
    assert len(found) == 2  # the action names its `pip install` once, and gives it a lock
    assert [line for line in found if not re.search(r"--require-hashes|^pip=\(", line)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for name, wanted in project["dependency-groups"].items():
        locked = pinned(f"docs/{name}.lock")
        assert {re.split("[<>=]", each)[0] for each in wanted} <= set(locked)


def test_no_source_package_is_built_with_what_no_lock_names():
    files = [*FILES, ROOT / "Makefile", ROOT / "Containerfile", ROOT / "scripts/website/npm.py"]
    for file in files:
        text = file.read_text("utf-8")
        locked = text.count("--require-hashes") - text.count("pip-audit ")  # which installs nothing
        wheels = r"--only-binary|\$\(WHEELS\) --require-hashes"
        assert len(re.findall(wheels, text.replace('"--only-binary :all:"', ""))) == locked, file


@pytest.mark.slow
def test_the_action_runs_no_module_of_the_directory(tmp_path):
    (tmp_path / "venv.py").write_text("open('ran', 'w')")
    step = next(s for s in read(ACTION)["runs"]["steps"] if s["name"] == "Set up the kit")
    first = step["run"].splitlines()[0]
    subprocess.run(["bash", "-e", "-c", first], cwd=tmp_path, check=True,
                   env=os.environ | {"RUNNER_TEMP": str(tmp_path)})  # fmt: skip
    assert not (tmp_path / "ran").exists()
