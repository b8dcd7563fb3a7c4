"""A provider that a gateway does not reach is named, with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.kit.report.reporter import Report
from conformance.kit.report.terminal import Terminal
from fixtures.gateways.beside import gateway
from fixtures.gateways.reference.app import app
from fixtures.gateways.reference.families import Gemini
from fixtures.gateways.reference.gateway import Gateway
from tests.gateways.driving import checked, settings


class Elsewhere(Gemini):
    def wanted(self, call, model, key, *, stream):
        wanted = super().wanted(call, model, key, stream=stream)
        return replace(wanted, path=wanted.path.replace("/v1beta", "/v1beta/v1beta"))


def mistaken(base, key, policy):
    made = Gateway(base, key, policy)
    made.families["gemini"] = Elsewhere()
    return app(made)


@pytest.mark.slow
def test_a_base_url_that_leads_past_every_api_is_named():
    with gateway(mistaken) as (url, port):
        result, items = checked(settings(url, port, "openai"))
    said = "".join(Terminal().parts(Report(result, "en")))
    assert "Providers that are not checked:\n    gemini: " in said
    assert "/gemini/v1beta/v1beta/models/" in said
    assert not [id for id, item in items.items() if item.verdict.value == "fail"]
