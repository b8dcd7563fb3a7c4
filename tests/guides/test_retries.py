"""The guide "Check how your SDK retries": its code runs, and what the page says of it is so."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures.gateways.strangers.strangers import strangers
from fixtures.implementations.install import InstallError, installed
from tests.root import ROOT

PROGRAM = Path(sys.executable).with_name("agent-formats")
PAGE = (ROOT / "docs" / "en" / "guides" / "provider.md").read_text("utf-8")
AS_IT_IS, WITH_RETRIES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SAID = "Hello from the fake provider."
CACHE = ROOT / ".cache" / "gateways" / "env"


@pytest.fixture(scope="module")
def python():
    """The interpreter of an environment that has the client."""
    client = next(each for each in strangers() if each.name == "openai")
    try:
        return installed(client.environment, CACHE) / "bin" / "python"
    except InstallError as error:
        pytest.skip(f"the registry does not give the client: {error}")


@contextmanager
def provider(scenario):
    """The command of the page, at a port of its own; its address, and what it says by its end."""
    words = [PROGRAM, "provider", "--scenario", scenario, "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            told: list[str] = []
            shown = "".join(process.stdout.readline() for _ in range(5))
            yield re.search(r"ready at (\S+)", shown)[1], told
        finally:
            process.send_signal(signal.SIGTERM)
            told.append(process.stdout.read())


def run(python, code, scenario):
    """What the code prints, its exit code, and the number of requests that arrived."""
    with provider(scenario) as (url, told):
        code = code.replace("http://127.0.0.1:9000", url)
        ended = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return ended, len(re.findall(r": attempt \d", told[0]))


@pytest.mark.slow
def test_the_client_tries_twice_more_and_the_application_does_not_notice(python):
    ended, requests = run(python, AS_IT_IS, "flaky-429-2")
    assert ended.stdout.strip() == SAID
    assert requests == PAGE.count("any-model, as one answer: attempt") == 3


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["flaky-429-3", "error-quota_exhausted"])
def test_the_client_gives_up_after_three_requests(python, scenario):
    ended, requests = run(python, AS_IT_IS, scenario)
    assert "RateLimitError" in ended.stderr
    assert requests == 3


@pytest.mark.slow
def test_with_more_retries_the_fourth_request_gets_the_answer(python):
    ended, requests = run(python, WITH_RETRIES, "flaky-429-3")
    assert ended.stdout.strip() == SAID
    assert requests == 4
