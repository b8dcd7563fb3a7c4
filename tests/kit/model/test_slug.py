import base64

import pytest

from conformance.kit.config.secrets import Redactor
from conformance.kit.model.case_id import CaseId
from conformance.kit.model.slug import keep_out, slug
from conformance.kit.model.written import unchanged

SECRET = "k7Qz-9xVw_2mLp.4sTb/8rNc+1yGh=6dFj0aEuXo3iWqRt5vBnM"


@pytest.fixture(autouse=True)
def known():
    keep_out(Redactor([SECRET]))
    yield
    keep_out(unchanged)


@pytest.mark.parametrize("before", ["", "x", "the-tool-", "a" * 25])
def test_no_part_of_a_secret_is_in_a_slug_that_was_cut(before):
    for form in (SECRET, base64.b64encode(SECRET.encode()).decode(), SECRET.encode().hex()):
        made = slug(before + form)
        assert "secret-1"[: 30 - len(before)] in made
        assert not any(form[at : at + 8] in made for at in range(len(form) - 8))


def test_no_secret_is_in_the_id_of_a_call():
    id = CaseId("http", f"tool {SECRET}", name=f"missing {SECRET}")
    assert SECRET[:8] not in str(id)


def test_two_names_stay_apart_when_the_secret_is_out_of_them():
    other = base64.b64encode(SECRET.encode()).decode()
    assert slug(SECRET) != slug(other)


def test_a_name_without_a_secret_stays_as_it_is():
    assert slug("book_table") == "book_table"


@pytest.mark.parametrize("between", [" ", "/", " + "])
def test_a_slug_does_not_become_a_secret_with_dashes(between):
    keep_out(Redactor(["sk-live-4f9aQ7zLw82"]))
    made = slug(between.join(("sk", "live", "4f9aQ7zLw82")))
    assert made.startswith("secret-1-")
