"""Each binding has a class, which makes its own form of request for what all of them can say."""

import pytest

from conformance.kit.model.exchange import HttpRequest, ModelCall, StdioRequest
from conformance.kit.model.run import MODERN, Run
from conformance.kit.model.settings import Settings
from conformance.kit.transport.binding import spoken
from conformance.kit.transport.bindings import (
    BINDINGS,
    GATEWAYS,
    MCP_BINDINGS,
    OVER_HTTP,
    binding_of,
    own_target,
    traits_of,
)
from conformance.kit.transport.http import HttpBinding
from conformance.kit.transport.mcp import McpBinding
from conformance.spec.vocabulary import Binding
from tests.kit.samples import TOOL

FORMS = {
    Binding.HTTP: HttpRequest,
    Binding.MCP: HttpRequest,
    Binding.STDIO: StdioRequest,
    Binding.NATIVE: ModelCall,
    Binding.OPENAI: ModelCall,
}


def spoken_by(name):
    version = MODERN if name in MCP_BINDINGS else ""
    return binding_of(Run(name.value, "t", name, "http://127.0.0.1/x", version), Settings())


def test_every_binding_that_has_a_name_has_a_class():
    assert set(BINDINGS) == set(Binding)


@pytest.mark.parametrize("name", Binding)
def test_all_that_a_binding_says_is_in_its_own_form(name):
    made = spoken_by(name)
    said = [made.list_tools(id=8), made.nothing()]
    if name not in GATEWAYS:
        said.insert(0, made.call(TOOL, {"count": 2}, id=7))
    assert {type(request) for request in said} == {FORMS[name]}
    assert [request.is_empty for request in said][-2:] == [False, True]
    assert traits_of(made.run).over_http is FORMS[name].over_http


@pytest.mark.parametrize("name", GATEWAYS)
def test_a_gateway_has_no_tool_to_call(name):
    with pytest.raises(TypeError, match="has no tool"):
        spoken_by(name).call(TOOL, {}, id=7)


@pytest.mark.parametrize("name", MCP_BINDINGS)
def test_a_call_over_mcp_waits_for_its_own_id(name):
    assert spoken_by(name).call(TOOL, {}, id=7).answer_to == 7


def test_a_binding_is_given_only_as_what_it_is():
    assert spoken(spoken_by(Binding.HTTP), HttpBinding).run.id == "http"
    with pytest.raises(TypeError, match="stdio does not speak the HttpBinding"):
        spoken(spoken_by(Binding.STDIO), HttpBinding)
    with pytest.raises(TypeError):
        spoken(spoken_by(Binding.HTTP), McpBinding)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("stdio: python -m x", (Binding.STDIO, "python -m x")),
        ("http://127.0.0.1", None),
        ("studio:x", None),
    ],
)
def test_a_target_shows_the_binding_that_alone_reaches_it(target, name):
    assert own_target(target) == name


def test_only_the_http_binding_can_leave_the_target():
    assert [name for name in OVER_HTTP if name not in (*MCP_BINDINGS, *GATEWAYS)] == [Binding.HTTP]
    assert all(spoken_by(name).stays_at_target(TOOL) for name in Binding)
