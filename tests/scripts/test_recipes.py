"""The recipes of CONTRIBUTING, followed to the letter in a copy of the clone."""

import re
import shutil
import socketserver
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from tests.root import ROOT

pytestmark = pytest.mark.slow
FAULT = "head-without-media-type"
_EACH = re.MULTILINE | re.DOTALL
_BLOCK = re.compile(r'^ *```\w+ title="([^"]+)"\n(.*?)^ *```$', _EACH)
_ITEM = "   "
"""The indentation of a block in a list."""


def section(heading):
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    found = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert found, f"there is no recipe {heading}"
    return found


def dedented(code):
    """A block as it is in its file."""
    return "".join(line.removeprefix(_ITEM) for line in code.splitlines(keepends=True))


def blocks(heading):
    """The files that a recipe names, and what it adds to each."""
    return {name: dedented(code) for name, code in _BLOCK.findall(section(heading))}


@pytest.fixture
def copy(tmp_path):
    """The files that git knows, and those that it would add, in an empty directory."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("docs/", "fixtures/implementations/")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path


def add(copy, found):
    """Add each block to its file: at the end, or before the last bracket of a tuple of faults."""
    for name, code in found.items():
        file = copy / name
        file.parent.mkdir(parents=True, exist_ok=True)
        known = file.read_text("utf-8") if file.exists() else ""
        if code.startswith("    Fault("):
            at = known.rindex(")  # fmt: skip")
            known, code = known[:at], code + known[at:]
        elif known and name.endswith(".py"):
            code = f"\n\n{code}"
        file.write_text(known + code, "utf-8")


def run(copy, *words):
    """Run a module of the copy; gives what it says."""
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def catches_the_fault(copy):
    said = run(copy, "scripts.prove", "--fault", FAULT)
    assert "caught by HTTP-HEAD-001: finding.http.head_media_type" in said
    assert "1 of 1 faults caught, 0 false alarms" in said


def change(copy, name, **texts):
    """Put another text in the place of each that is in the file once."""
    file = copy / name
    text = file.read_text("utf-8")
    for old, new in texts.values():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file.write_text(text, "utf-8")


@contextmanager
def at_a_port(*words, cwd):
    """What reads and writes lines, behind a port: a process for each connection."""

    class Lines(socketserver.BaseRequestHandler):
        def handle(self):
            subprocess.run(
                words, cwd=cwd, stdin=self.request, stdout=self.request, timeout=240, check=False
            )

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Lines) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def is_formatted(copy, found):
    names = [name for name in found if name.endswith(".py")]
    run(copy, "ruff", "check", *names)
    run(copy, "ruff", "format", "--check", *names)


def test_a_clause_catches_its_fault(copy):
    found = blocks("Add a clause")
    add(copy, found)
    run(copy, "scripts.generate")
    is_formatted(copy, found)
    run(copy, "pytest", "-q", "tests/chapters/test_http_wire.py")
    catches_the_fault(copy)


def test_a_chapter_catches_its_fault(copy):
    instead = ("conformance/http/", "tests/")
    found = {k: v for k, v in blocks("Add a clause").items() if not k.startswith(instead)}
    found |= blocks("Add a chapter")
    add(copy, found)
    (copy / "conformance/headers/__init__.py").touch()
    run(copy, "scripts.generate")
    is_formatted(copy, found)
    run(copy, "pytest", "-q", "tests/chapters/test_headers.py")
    catches_the_fault(copy)


def test_a_binding_reaches_its_server(copy):
    found = blocks("Add a binding")
    add(copy, found)
    change(
        copy,
        "conformance/kit/transport/bindings.py",
        imported=(
            "import StdioBinding\n",
            "import StdioBinding\nfrom conformance.kit.transport.tcp import TcpBinding\n",
        ),
        listed=(
            ": OpenAIBinding,\n", ": OpenAIBinding,\n    vocabulary.Binding.TCP: TcpBinding,\n"
        ),
    )  # fmt: skip
    change(
        copy,
        "tests/kit/transport/test_bindings.py",
        listed=("OPENAI: ModelCall,\n", "OPENAI: ModelCall,\n    Binding.TCP: StdioRequest,\n"),
    )
    (accepted,) = re.findall(r"^ *```python\n(.*?)^ *```$", section("Add a binding"), _EACH)
    begins = "def _check_target(target: str, language: str) -> None:\n"
    change(
        copy,
        "conformance/kit/config/settings.py",
        accepted=(begins, begins + dedented(accepted)),
    )
    run(copy, "scripts.generate")
    is_formatted(copy, [*found, "conformance/kit/config/settings.py"])
    own = ("tests/kit/transport/test_tcp.py", "tests/kit/transport/test_bindings.py")
    run(copy, "pytest", "-q", *own)
    with at_a_port(sys.executable, "-m", "fixtures.servers.reference", "--stdio", cwd=copy) as port:
        asked = ["--target", f"tcp:127.0.0.1:{port}", "-k", "ATDF-CALL", "--spec-version"]
        said = run(copy, "pytest", "conformance", *asked, "2026-07-28", "--max-examples", "0")
    assert "tcp-2026-07-28: begins" in said
    assert re.search(r"\b[1-9]\d* passed", said)


def test_a_report_file_is_written(copy):
    found = blocks("Add a report file")
    add(copy, found)
    file = copy / "conformance/kit/report/write.py"
    text = file.read_text("utf-8")
    text = text.replace(", ReplayFile())", ", ReplayFile(), VerdictsCsv())")
    text = text.replace(
        "_MARKS = {\n", '_MARKS = {\n    VerdictsCsv.name: rb"clause,run,verdict",\n'
    )
    heads = "from conformance.kit.report.words import say\n"
    own = "from conformance.kit.report.verdicts_csv import VerdictsCsv\n"
    file.write_text(text.replace(heads, own + heads), "utf-8")
    is_formatted(copy, found)
    run(copy, "pytest", "-q", "tests/kit/report/test_verdicts_csv.py")
