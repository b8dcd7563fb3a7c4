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


@pytest.mark.parametrize(
    ("endpoint", "told"), [("http://127.0.0.1:8000", True), ("https://api.example.com", False)]
)
def test_gateway_is_named_only_to_a_target_on_this_machine_which_it_takes(endpoint, told):
    run = replace(HTTP, target=endpoint, endpoint=endpoint)
    lines = notes([Discovered(run, (CHATS,))], Settings(), Redactor(()), calls=False)
    assert any("--gateway openai+" in line for line in lines) is told
