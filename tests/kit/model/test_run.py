import json
from pathlib import Path

import pytest

from conformance.kit.model.run import free_id
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.spec import messages
from conformance.spec.messages import Message, Topic
from tests.kit.peers import offering


def test_a_run_of_another_target_gets_a_number_behind_its_id():
    assert free_id("http", ()) == "http"
    assert free_id("http", {"http"}) == "http-2"
    assert free_id("http", {"http", "http-2", "http-4"}) == "http-3"


def test_what_is_asked_of_a_second_target_is_recorded_under_its_own_run():
    tools = [{"name": "book", "description": "D", "inputSchema": {"type": "object"}}]
    with offering(tools, None) as first, offering(tools, None) as second:
        session = Session(Settings(targets=(first, second), profiles=("http",)))
        session.discover((first, second))
    targets = {one.run.id: one.run.target for one in session.found}
    assert targets == {"http": first, "http-2": second}
    looked = session.recorder.by_id.held
    assert {each.run for each in looked} == set(targets)
    assert all(each.request.url.startswith(targets[each.run]) for each in looked)


@pytest.mark.parametrize("topic", Topic)
def test_messages_of_each_topic_are_in_the_source(topic):
    found = [id for id in catalog_ids() if Message(id).topic is topic]
    assert found == [id for id in catalog_ids() if id.startswith(f"{topic}.")] != []


def catalog_ids():
    return json.loads(Path(messages.__file__).with_name("messages.json").read_text("utf-8"))
