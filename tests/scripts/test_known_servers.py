import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from fixtures.implementations import again, environment, known, outcome
from fixtures.implementations.known import KNOWN, Installer, Known
from fixtures.implementations.outcome import Figures, Share
from fixtures.implementations.scratch import REPOSITORIES, git_repositories
from scripts import judge_known

ROOT = Path(judge_known.__file__).resolve().parents[1]


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repositories(tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    git_repositories(scratch)
    return scratch


def a_server(**changes):
    given = {"name": "s", "package": "p", "installer": Installer.PIP, "program": "p"} | changes
    return Known(**given)


def a_run(verdicts, **changes):
    items = [
        {"clause": clause, "requirement": "MUST", "tool": "t", "verdict": verdict, "more": []}
        for clause, verdict in verdicts
    ]
    run = {"run": "http", "level": "none", "tools_called": ["t"], "tools_left_out": []}
    return run | {"items": items} | changes


def figures_of(run, about_calls):
    """The figures of a session of one run."""
    return outcome.figures(outcome.summary({"runs": [run]}, about_calls))


def test_every_known_server_has_a_name_of_its_own():
    names = [each.name for each in KNOWN]
    assert len(set(names)) == len(names)


def test_the_examples_files_belong_to_known_servers_and_hold_lists_of_arguments():
    files = {path.name for path in known.HERE.glob("*.examples.yaml")}
    assert files <= {each.examples.name for each in KNOWN}
    for name in files:
        calls = YAML(typ="safe").load(known.HERE / name)
        assert all(isinstance(each, dict) for listed in calls.values() for each in listed)


def test_the_repository_to_read_has_a_staged_and_an_unstaged_change(repositories):
    assert "+three" in git(repositories / "read", "diff", "--cached")
    assert "+four" in git(repositories / "read", "diff")


def test_each_repository_has_two_commits_and_a_second_branch(repositories):
    for name in REPOSITORIES:
        assert git(repositories / name, "rev-list", "--count", "main") == "2"
        assert "side" in git(repositories / name, "branch")


def test_a_commit_leaves_something_to_commit(repositories):
    for _ in range(2):
        git(repositories / "commit", "commit", "--quiet", "--message", "x")
        assert "log.txt" in git(repositories / "commit", "diff", "--cached", "--name-only")


def test_the_scratch_repositories_do_not_depend_on_the_users_own_settings(tmp_path, monkeypatch):
    settings = tmp_path / "gitconfig"
    settings.write_text("[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = nothing\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    git_repositories(tmp_path / "scratch")
    assert git(tmp_path / "scratch", "rev-list", "--count", "main") == "2"


def test_a_missing_program_for_the_scratch_folder_is_one_sentence(tmp_path):
    def fill(folder):
        subprocess.run(["no-such-program-at-all"], check=True)

    with pytest.raises(environment.KnownServerError, match="no-such-program-at-all"):
        environment.prepare(a_server(scratch=fill), tmp_path)


def test_the_scratch_folder_is_made_anew(tmp_path):
    environment.prepare(a_server(), tmp_path)
    (tmp_path / "scratch" / "old").touch()
    assert not list(environment.prepare(a_server(), tmp_path).iterdir())


def test_a_missing_installer_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(environment.KnownServerError, match="no `npm` on the PATH"):
        environment.install(a_server(installer=Installer.NPM), tmp_path)


def test_a_failed_installation_is_not_taken_for_a_finished_one(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "INSTALL_SECONDS", 60)
    server = a_server(installer=Installer.NPM)
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho no such package >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for _ in range(2):
        with pytest.raises(environment.KnownServerError, match="no such package"):
            environment.install(server, tmp_path)


def test_the_command_has_its_placeholders_filled_in(tmp_path):
    server = a_server(arguments=("--repository", "{scratch}", "{port}"))
    installed = environment.Installed(Path("/bin/p"), "1")
    words = environment.command(server, installed, tmp_path, 8)
    assert words == ["/bin/p", "--repository", str(tmp_path), "8"]


def serve(tmp_path, code):
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\n{code}")
    program.chmod(0o755)
    server = a_server(path="/mcp", environment={"PORT": "{port}"})
    installed = environment.Installed(program, "1")
    return environment.serving(server, installed, tmp_path, tmp_path)


def test_a_server_over_http_is_waited_for_and_stopped(tmp_path):
    code = "import os, http.server as h\n"
    code += "a = ('127.0.0.1', int(os.environ['PORT']))\n"
    code += "open('pid', 'w').write(str(os.getpid()))\n"
    code += "h.HTTPServer(a, h.SimpleHTTPRequestHandler).serve_forever()\n"
    with serve(tmp_path, code) as url:
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/mcp")
        pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_server_over_http_that_exits_is_one_sentence_with_its_last_words(tmp_path):
    code = "import sys\nsys.exit('the port is taken')\n"
    with (
        pytest.raises(environment.KnownServerError, match="the port is taken"),
        serve(tmp_path, code),
    ):
        pass


def test_a_server_over_http_gets_no_other_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "secret")
    code = "import os, sys\nsys.exit(','.join(sorted(os.environ)))\n"
    with pytest.raises(environment.KnownServerError) as caught, serve(tmp_path, code):
        pass
    assert "PORT" in str(caught.value)
    assert "SOME_TOKEN" not in str(caught.value)


def test_clauses_that_do_not_apply_are_not_counted_as_unverified():
    verdicts = [("A", "pass"), ("B", "not_verified"), ("C", "not_applicable"), ("D", "fail")]
    [found] = figures_of(a_run(verdicts), "ABCD")
    assert found.verified == Share(2, 3)
    assert found.broken == ("D",)


def test_only_clauses_about_calls_of_called_tools_are_counted():
    run = a_run([("A", "pass"), ("B", "not_verified")], tools_called=["t", "u"])
    run["items"].append({**run["items"][0], "tool": "v", "verdict": "not_verified"})
    [found] = figures_of(run, "A")
    assert found.verified == Share(1, 1)


def test_protocol_runs_are_left_out_of_the_figures():
    assert figures_of(a_run([], level=None), "A") == []


def test_accepted_good_calls_are_counted_where_the_results_have_them():
    [found] = figures_of(a_run([], baseline_accepted=["t", "x"]), "A")
    assert found.baseline == Share(1, 1)


def test_the_published_results_say_what_was_judged_and_when(tmp_path):
    results = {"started": "2026-11-21T10:00:00Z", "runs": []}
    outcome.publish(results, a_server(), "3.1", {}, tmp_path / "r.json")
    written = json.loads((tmp_path / "r.json").read_text())
    assert written["implementation"] == {
        "name": "s",
        "package": "p",
        "version": "3.1",
        "registry": "PyPI",
        "date": "2026-11-21",
    }


def test_the_published_results_name_no_folder_of_this_machine(tmp_path):
    results = {"started": "2026-11-21", "runs": [], "target": "stdio:/x/env/bin/p /x/scratch/a"}
    paths = {"/x/env/bin/": "", "/x/": "", "/x/scratch": "SCRATCH"}
    outcome.publish(results, a_server(), "1", paths, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["target"] == "stdio:p SCRATCH/a"


def test_what_passed_or_does_not_apply_is_counted_and_not_listed():
    run = a_run([("A", "pass"), ("B", "not_applicable"), ("C", "fail"), ("D", "not_verified")])
    run["items"][3]["message_id"] = "kit.left_out.not_selected"
    run["items"][2]["more"] = [{"message": "one"}, {"message": "two"}]
    [kept] = outcome.summary({"runs": [run]}, "ABCD")["runs"]
    assert kept["items"] == [{**run["items"][2], "more": [], "others": 2}]
    assert kept["verified"] == {"hits": 2, "of": 3}


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_a_kept_outcome_is_a_summary(known):
    kept = json.loads(known.results.read_text(encoding="utf-8"))
    verdicts = {item["verdict"] for run in kept["runs"] for item in run["items"]}
    assert verdicts <= {"kit_error", "fail", "flaky", "warn", "not_verified", "waived"}
    assert all(sum(run["counts"].values()) >= len(run["items"]) for run in kept["runs"])
    assert known.results.stat().st_size < 150_000


def test_seen_again_is_what_the_server_still_answers_and_nothing_that_is_skipped(tmp_path):
    replay = tmp_path / "test_replay.py"
    replay.write_text(
        "import os, pytest\n"
        "CASES = [{'exchange': n} for n in (1, 2, 3)]\n"
        "def still(case):\n"
        "    if case['exchange'] == 3:\n"
        "        pytest.skip('a secret')\n"
        "    assert (TARGET, os.environ['SECRET_1']) == ('stdio:x', os.getcwd())\n"
        "    return case['exchange'] == 1\n"
    )
    assert again.seen_again(replay, "stdio:x", tmp_path) == {1}
    assert again.seen_again(tmp_path / "none.py", "stdio:x", tmp_path) == frozenset()


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_each_finding_that_is_kept_is_pinned(known):
    kept = json.loads(known.results.read_text(encoding="utf-8"))
    found = [
        (run["run"], item["clause"], item["tool"])
        for run in kept["runs"]
        for item in run["items"]
        if item["verdict"] in ("fail", "warn", "flaky")
    ]
    assert [(each["run"], each["clause"], each["tool"]) for each in kept["findings"]] == found
    for each in kept["findings"]:
        assert each["quote"]
        assert each["url"].startswith("https://")
        assert each["request"] is None or each["request"].startswith(("curl ", "{", "["))
        assert each["reproduced"]


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_each_kept_outcome_is_of_a_server_that_was_really_judged(known):
    kept = json.loads(known.results.read_text(encoding="utf-8"))
    runs = outcome.figures(kept)
    assert runs
    assert [complaint for run in runs for complaint in judge_known.complaints(run)] == []


def test_a_run_that_judged_hardly_anything_is_complained_about():
    run = Figures("stdio", ("t",), (), Share(7, 10), Share(8, 10), (), 1)
    said = " ".join(judge_known.complaints(run))
    assert "1 errors of the kit" in said
    assert "8/10" in said
    assert "7/10" in said


def test_a_run_that_judged_enough_is_not_complained_about():
    run = Figures("stdio", ("t",), (), Share(8, 10), Share(9, 10), ("A",), 0)
    assert judge_known.complaints(run) == []


def test_an_unknown_name_is_answered_with_the_known_ones(capsys):
    assert judge_known.main(["--only", "nobody"]) == 2
    assert "mcp-server-time" in capsys.readouterr().out


def test_a_server_that_cannot_be_installed_does_not_end_the_session(capsys, monkeypatch):
    def refuse(server, **options):
        raise environment.KnownServerError(f"{server.name}: no such thing")

    monkeypatch.setattr(judge_known, "judge", refuse)
    assert judge_known.main([]) == 2
    assert capsys.readouterr().err.count("no such thing") == len(KNOWN)


@pytest.mark.parametrize(
    "way", [["-m", "scripts.judge_known"], [str(ROOT / "scripts/judge_known.py")]]
)
def test_the_script_lists_the_servers_from_anywhere(way, tmp_path):
    where = ROOT if way[0] == "-m" else tmp_path
    done = subprocess.run(
        [sys.executable, *way, "--list"], cwd=where, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [each.name for each in KNOWN]
