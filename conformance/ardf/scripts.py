"""ARDF's sequences: what the collections themselves do not show."""

from __future__ import annotations

from urllib.parse import quote

from conformance.kit.evidence.script import Send, Stage, Steps, script
from conformance.kit.model.step import Step
from conformance.spec.vocabulary import Binding, ResourceType

ONE = "one"
UNKNOWN = "unknown"
FILTERED = "filtered"
"""The names of the steps, each with the collection's path; one that is filtered has a type too."""

NO_RESOURCE = "agent-formats-no-such-resource"
_MOST = 10


@script(Binding.HTTP)
def ardf_look_around(stage: Stage) -> Steps:
    """Of each collection one resource by its id, an id that is none, and two filters."""
    web = stage.web()
    for collection in stage.offered.collections[:_MOST]:
        path = collection.path
        own = [each for each in stage.offered.resources if each.collection == path]
        first = next((each.id for each in own if each.id), None)
        if first is not None:
            yield Send(web.get(f"{path}/{quote(first, safe='')}"), Step(ONE, place=path))
        yield Send(web.get(f"{path}/{NO_RESOURCE}"), Step(UNKNOWN, place=path))
        held = {each.type for each in own}
        absent = [kind for kind in ResourceType if kind not in held][:1]
        present = [kind for kind in ResourceType if kind in held][:1]
        for kind in (*present, *absent):
            step = Step(FILTERED, place=path, type=kind.value)
            yield Send(web.get(f"{path}?resource_type={kind}"), step)
