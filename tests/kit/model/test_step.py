import pytest

from conformance.kit.model.step import Mark, Step


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Step("health"), "health"),
        (Step("tools-list", number=2), "tools-list-2"),
        (Step("cut-json", mark=Mark.ALIVE), "cut-json-alive"),
        (Step("ask", version="2025-11-25", mark=Mark.ALONE), "ask-2025-11-25-alone"),
        (Step("resources", place="/a b-1", number=3), "resources-3 /a b-1"),
        (Step("filtered", place="/models", type="model"), "filtered model /models"),
        (Step("plain", tool="a <b>"), "plain a-b-5e7342"),
    ],
)
def test_a_step_is_read_as_its_name_and_what_it_is_about(step, text):
    assert str(step) == text


def test_steps_that_read_alike_are_still_told_apart():
    assert str(Step("list-1")) == str(Step("list", number=1))
    assert Step("list-1") != Step("list", number=1)
