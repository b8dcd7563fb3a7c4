"""The wheel, installed outside the clone: one package, one command, and nothing of the clone."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fixtures.servers.start import REFERENCE, listening
from tests.root import ROOT
from tests.thorough import every

pytestmark = pytest.mark.slow
UV = Path(sys.executable).with_name("uv")
OWN = f"3.{sys.version_info.minor}"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
QUICK = ("--profile", "http", "--include-tool", "validate_data", "--max-examples", "0")
REPORT = {
    "badge.json", "exchanges.ndjson", "junit.xml", "report.html", "results.json", "summary.md",
}  # fmt: skip
HOSTILE = 'raise SystemExit("code of the user was run")\n'


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, as `make dist` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    own = ["--offline", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder]
    done = run(UV, "build", "--quiet", *own, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert len(list(folder.glob("*.tar.gz"))) == 1
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def install(wheel, tmp_path_factory):
    """Installs the wheel into a fresh environment of one Python, and gives its `bin`."""
    made = {}

    def installed(version):
        if version not in made:
            made[version] = environment(version, wheel, tmp_path_factory.mktemp("installed"))
        return made[version]

    return installed


def environment(version, wheel, folder):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    assert run(UV, "venv", "--quiet", "--python", python, folder).returncode == 0
    own = ["--python", folder / "bin" / "python", "--constraint", ROOT / "requirements.lock"]
    command = [UV, "pip", "install", "--quiet", *own, wheel]
    if run(*command, "--offline").returncode:
        if not os.environ.get("CI"):
            pytest.skip("the packages are not all in the cache of uv; with CI=1 they are fetched")
        done = run(*command)
        assert done.returncode == 0, done.stderr
    return folder / "bin"


def interpreter(version):
    """A Python that starts; the shims of pyenv are on the path, and may not."""
    if version == OWN:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python")]
    works = (each for each in found if each and run(each, "-c", "").returncode == 0)
    return next(works, None)


@pytest.fixture(scope="module")
def server():
    with listening(REFERENCE) as url:
        yield url


@pytest.fixture
def here(tmp_path):
    """An empty directory."""
    made = tmp_path / "empty"
    made.mkdir()
    return made


def run(*command, cwd=None, **more):
    """Run a command as somebody else than this project's tests would."""
    own = ("PYTHONPATH", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "VIRTUAL_ENV")
    clean = {name: value for name, value in os.environ.items() if name not in own}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_holds_one_package_with_the_published_schemas(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    own = {name for name in tops if not name.endswith(".dist-info")}
    assert own == {"conformance", "_agent_formats_pytest.py"}
    published = {
        path.relative_to(ROOT / "schema").as_posix()
        for path in (ROOT / "schema").glob("*/*/*.json")
        if path.parts[-3] != "source"
    }
    assert len(published) > 20
    inside = "conformance/spec/schema/"
    assert {name.removeprefix(inside) for name in names if name.startswith(inside)} == published
    assert "conformance/atdf/test_errors.py" in names


@pytest.mark.parametrize("version", every(3, VERSIONS))
def test_a_server_is_checked_from_an_empty_directory(install, server, here, version):
    program = install(version) / "agent-formats"
    said = run(program, "--version", cwd=here)
    assert said.stdout.splitlines()[0].split() == ["agent-formats", "0.1.0"]
    done = run(program, "check", server, *QUICK, cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    assert files(here) == {f"conformance-report/{name}" for name in REPORT}


def test_nothing_of_the_user_takes_part(install, server, here, tmp_path):
    (here / "conformance").mkdir()
    for name in ("conftest.py", "conformance/__init__.py", "conformance/conftest.py"):
        (here / name).write_text(HOSTILE)
    (here / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    before = files(here)
    variables = {
        "PYTEST_ADDOPTS": "--nor-this-one", "PYTEST_PLUGINS": "no_such_plugin", "PYTEST_DEBUG": "1",
    }  # fmt: skip
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = install(OWN) / "agent-formats"
    done = run(program, "check", server, *QUICK, cwd=here, **variables, **cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[hook]" not in done.stdout + done.stderr
    assert files(here) - before == {f"conformance-report/{name}" for name in REPORT}


def test_the_installation_need_not_be_writable(install, server, here):
    program = install(OWN) / "agent-formats"
    packages = next(program.parents[1].glob("lib/*/site-packages"))
    folders = [packages, *(path for path in packages.rglob("*") if path.is_dir())]
    prefix = []
    if os.geteuid() == 0:  # whom permissions do not stop
        if shutil.which("setpriv") is None:
            pytest.skip("root can write everywhere, and there is no setpriv to take that away")
        prefix = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
    before = files(packages / "conformance")
    for folder in folders:
        folder.chmod(0o555)
    try:
        refused = run(*prefix, "touch", packages / "written")
        done = run(*prefix, program, "check", server, *QUICK, cwd=here)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert refused.returncode != 0
    assert done.returncode == 0, done.stdout + done.stderr
    assert files(packages / "conformance") == before


def test_pytest_finds_the_package_by_its_name(install, server, here):
    (here / "conformance").mkdir()
    program = install(OWN) / "pytest"
    done = run(program, "--pyargs", "conformance", "--target", server, *QUICK, cwd=here)
    assert done.returncode == 0, done.stdout + done.stderr
    held = json.loads((here / "conformance-report" / "results.json").read_text("utf-8"))
    assert held["selection"] is False or held["selected"] == ""
    assert {Path(name).name for name in files(here / "conformance-report")} == REPORT


@pytest.fixture
def own_package(here):
    """An empty directory, except a package of the user's that has the name of the kit's."""
    (here / "conformance").mkdir()
    for name in ("conformance/__init__.py", "conformance/conftest.py"):
        (here / name).write_text("import sys\n")
    return here


def test_pytest_reads_no_conftest_of_a_package_with_this_name(install, server, own_package):
    program = install(OWN) / "pytest"
    done = run(program, "--pyargs", "conformance", "--target", server, *QUICK, cwd=own_package)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_package_with_this_name_may_have_tests_of_its_own(install, own_package):
    (own_package / "conformance" / "test_own.py").write_text("def test_own():\n    pass\n")
    for words in (["pytest"], ["python", "-m", "pytest"], ["pytest", "--pyargs", "conformance"]):
        program = install(OWN) / words[0]
        named = words if "--pyargs" in words else [*words, "conformance"]
        done = run(program, *named[1:], cwd=own_package, PYTHONPATH=str(own_package))
        if "--pyargs" in words:
            assert done.returncode == 4
            (line,) = done.stderr.strip().splitlines()
            assert line.startswith("ERROR: Python finds a package conformance of your own first")
        else:
            assert done.returncode == 0, done.stdout + done.stderr
            assert "1 passed" in done.stdout


@pytest.mark.parametrize(
    "command", [["agent-formats", "check"], ["pytest", "--pyargs", "conformance"]]
)
def test_without_a_target_three_lines_say_how_to_name_one(install, here, command):
    program, *words = command
    done = run(install(OWN) / program, *words, cwd=here)
    assert done.returncode == 4
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 3
    for line, word in zip(lines, ("http://", "stdio:COMMAND", "quick-start"), strict=True):
        assert word in line
    assert not (here / "conformance-report").exists()


def test_a_failure_names_the_command_that_makes_it_again(install, here):
    program = install(OWN) / "agent-formats"
    path = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    own = ("--profile", "http", "--include-tool", "hotel_reservation", "--max-examples", "0")
    with listening("fixtures.servers.faulty", "--fault", "digits-for-a-number") as url:
        done = run(program, "check", url, *own, cwd=here, **path)
        assert done.returncode == 1, done.stdout + done.stderr
        lines = (line.strip() for line in done.stdout.splitlines())
        line = next(line for line in lines if " --replay " in line)
        assert line.startswith(f"agent-formats check {url} ")
        again = run(*shlex.split(line), cwd=here, **path)
    assert again.returncode == 1, again.stdout + again.stderr
    assert "ATDF-CALL-002" in again.stdout


def test_documents_are_validated_converted_merged_and_clauses_explained(install, server, here):
    program = install(OWN) / "agent-formats"
    catalog = ROOT / "fixtures/examples/atdf/valid/hotel-catalog.json"
    assert run(program, "validate", catalog, cwd=here).returncode == 0
    made = run(program, "convert", catalog, "--to", "ardf", cwd=here)
    assert made.returncode == 0
    (here / "made.json").write_text(made.stdout)
    assert run(program, "validate", "made.json", cwd=here).returncode == 0
    run(program, "check", server, *QUICK, cwd=here)
    merged = run(program, "merge", "conformance-report", cwd=here)
    assert merged.returncode == 0
    assert merged.stdout.startswith("| report | target | run |")
    said = run(program, "explain", "ATDF-ERR-012", cwd=here)
    assert said.returncode == 0
    assert said.stdout.startswith("ATDF-ERR-012\n")
