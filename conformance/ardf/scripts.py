"""ARDF's scripts: what the collections themselves do not show."""

from __future__ import annotations

from conformance.formats.text.address import in_address
from conformance.kit.evidence.catalog import Found, Offered
from conformance.kit.evidence.script import MOST_ITEMS, Send, Stage, Steps, script
from conformance.kit.model.step import Step
from conformance.kit.transport.bindings import MCP_BINDINGS
from conformance.spec.vocabulary import Binding, ResourceType

ONE = "one"
UNKNOWN = "unknown"
FILTERED = "filtered"
"""The names of the steps.

Each step has the collection's path, and a filtered one has a type, too.
"""

NO_RESOURCE = "agent-formats-no-such-resource"


def named(offered: Offered, path: str) -> list[Found]:
    """Return the resources of a collection that have an id, in order."""
    return [each for each in offered.resources if each.collection == path and each.id]


@script(Binding.HTTP)
def ardf_look_around(stage: Stage) -> Steps:
    """Ask each collection for its resources by id, for an unknown id, and with two filters."""
    web = stage.web()
    left = MOST_ITEMS
    for collection in stage.offered.collections:
        path = collection.path
        own = [each for each in stage.offered.resources if each.collection == path]
        for number, each in enumerate(named(stage.offered, path)[:left], 1):
            asked = f"{path}/{in_address(each.id or '')}"
            yield Send(web.get(asked), Step(ONE, place=path, number=number))
            left -= 1
        yield Send(web.get(f"{path}/{NO_RESOURCE}"), Step(UNKNOWN, place=path))
        held = {each.type for each in own}
        absent = [kind for kind in ResourceType if kind not in held][:1]
        present = [kind for kind in ResourceType if kind in held][:1]
        for kind in (*present, *absent):
            step = Step(FILTERED, place=path, type=kind.value)
            yield Send(web.get(f"{path}?resource_type={kind}"), step)


@script(*MCP_BINDINGS)
def ardf_absent(stage: Stage) -> Steps:
    """Read a URI that no resource has; its scheme fits no template of the server."""
    if stage.offered.resources:
        params = {"uri": f"{NO_RESOURCE}:{NO_RESOURCE}"}
        speaker = stage.speaker()
        yield Send(speaker.request("resources/read", params, id=NO_RESOURCE), Step(UNKNOWN))
