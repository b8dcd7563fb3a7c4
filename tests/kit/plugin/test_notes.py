"""The lines that a session prints before it begins."""

from dataclasses import replace

import pytest

from conformance.formats.tool.tool import Invocation
from conformance.kit.config.secrets import Redactor
from conformance.kit.evidence.declarations import Discovered
from conformance.kit.model.settings import Settings
from conformance.kit.plugin.quiet import notes
from tests.kit.samples import HTTP, TOOL

CHATS = replace(TOOL, invocation=Invocation("/v1/chat/completions", "POST"))
HERE = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("endpoint", "told"), [("http://127.0.0.1:8000", True), ("https://api.example.com", False)]
)
def test_gateway_is_named_only_to_a_target_on_this_machine_which_it_takes(endpoint, told):
    run = replace(HTTP, target=endpoint, endpoint=endpoint)
    lines = notes([Discovered(run, (CHATS,))], Settings(), Redactor(()), calls=False)
    assert any("--gateway openai+" in line for line in lines) is told


@pytest.mark.parametrize(
    ("path", "api"),
    [
        (f"{HERE}/api/v1/chat/completions", f"{HERE}/api/v1"),
        ("api/v1/chat/completions", f"{HERE}/api/v1"),
        ("https://api.example.com/v1/chat/completions", None),
        ("http://[/v1/chat/completions", None),
        (None, None),
    ],
)
def test_the_option_for_gateways_names_the_address_that_is_called(path, api):
    run = replace(HTTP, target=HERE, endpoint=HERE)
    chats = replace(TOOL, invocation=Invocation(path, "POST") if path else None)
    lines = list(notes([Discovered(run, (chats,))], Settings(), Redactor(()), calls=False))
    told = [line for line in lines if "--gateway" in line]
    assert [f"`--gateway openai+{api}`" in line for line in told] == [True] * (api is not None)
