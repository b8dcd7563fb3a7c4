"""What the guides' finished HTTP servers answer to bodies that the kit does not send."""

from __future__ import annotations

import json
import re
import shutil
import textwrap

import httpx2
import pytest

from fixtures.guides.play import listening, started
from fixtures.guides.steps import GUIDES, HERE
from scripts.website.layout import DOCS
from tests.guides.test_guides import by_name
from tests.needs import need_packages

BOOKING = {
    "guest_name": "Ana Souza",
    "email": "ana@example.com",
    "check_in": "2031-05-20",
    "nights": 2,
    "room_type": "double",
    "guests": 2,
}


@pytest.fixture(scope="module", params=by_name("fastapi", "express", "express-ajv"))
def hotel(request):
    guide = GUIDES[request.param]
    if guide.node:
        need_packages(HERE)
    with started(guide, len(guide.levels)) as target, httpx2.Client(base_url=target) as client:
        yield client


def asked(hotel, body, media="application/json", path="/reservations"):
    answer = hotel.post(path, content=body, headers={"content-type": media})
    return answer, answer.json()["errors"]


def kind(error):
    return error["type"].rpartition("/")[2]


def body_with(name, raw):
    return json.dumps(BOOKING | {name: "here"}).replace('"here"', raw)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body_with("guests", "NaN"), id="NaN"),
        pytest.param(body_with("guests", "-Infinity"), id="infinity"),
        pytest.param("{", id="cut"),
    ],
)
def test_what_is_not_json_is_called_malformed(hotel, body):
    answer, [error] = asked(hotel, body)
    assert (answer.status_code, kind(error)) == (400, "malformed-request")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body_with("guests", "1e999"), id="past-every-float"),
        pytest.param(body_with("guests", "1" + "0" * 309), id="whole-and-past-every-float"),
        pytest.param(b'{"guest_name": "\xff"}', id="no-utf-8"),
        pytest.param("[" * 90_000, id="deep-and-cut"),
        pytest.param("[" * 40_000 + "]" * 40_000, id="deep"),
        pytest.param(body_with("guest_name", r'"\ud800"'), id="half-a-character"),
        pytest.param(body_with("room_type", r'"\ud800"'), id="half-a-character-as-a-word"),
        pytest.param(r'{"\ud800": 1}', id="half-a-character-as-a-name"),
    ],
)
def test_what_is_hard_to_read_is_no_fault_of_the_server(hotel, body):
    answer = hotel.post("/reservations", content=body, headers={"content-type": "application/json"})
    assert answer.status_code < 500
    for error in answer.json().get("errors", ()):
        assert kind(error) in {"malformed-request", "validation-error"}


def test_a_body_of_another_media_type_is_refused_as_such(hotel):
    answer, [error] = asked(hotel, json.dumps(BOOKING), "text/plain")
    assert (answer.status_code, kind(error)) == (415, "unsupported-media-type")


@pytest.mark.parametrize("media", ["Application/JSON", "application/json ; charset=utf-8"])
def test_a_media_type_is_compared_as_http_has_it(hotel, media):
    content, headers = json.dumps(BOOKING), {"content-type": media}
    assert hotel.post("/reservations", content=content, headers=headers).is_success


def test_an_unknown_path_which_may_contain_a_secret_is_not_sent_back(hotel):
    answer, [error] = asked(hotel, "{}", path="/reservations/with/token=s3cr3t")
    assert (answer.status_code, kind(error)) == (404, "not-found")
    assert "s3cr3t" not in answer.text


def test_a_long_value_is_not_sent_back(hotel):
    answer, _ = asked(hotel, json.dumps(BOOKING | {"guest_name": "a" * 4000}))
    assert len(answer.content) < 1000


def test_a_name_is_never_made_up(hotel):
    _, [missing] = asked(hotel, json.dumps({k: v for k, v in BOOKING.items() if k != "guest_name"}))
    _, [empty] = asked(hotel, json.dumps(BOOKING | {"guest_name": ""}))
    assert missing["suggested_value"] is empty["suggested_value"] is None


def test_the_openapi_document_promises_the_envelope(hotel):
    document = hotel.get("/openapi.json").json()
    answers = document["paths"]["/reservations"]["post"]["responses"]
    refused = answers.get("422") or answers["4XX"]
    assert refused["content"]["application/json"]["schema"]["$ref"].endswith("/Errors")
    assert "HTTPValidationError" not in document["components"]["schemas"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The FastAPI guide's files around a service of somebody else's."""
    folder = tmp_path_factory.mktemp("own")
    for file in GUIDES["fastapi"].files(len(GUIDES["fastapi"].levels)):
        shutil.copy(file, folder)
    (folder / "main.py").write_text(OWN, encoding="utf-8")
    with listening(GUIDES["fastapi"], folder) as target, httpx2.Client(base_url=target) as client:
        yield client


OWN = """
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Depends, FastAPI, Header, HTTPException, Query
from pydantic import BaseModel, ConfigDict, Field, field_validator

from answers import install
from checks import Refused, checked

from refusals import error

app = FastAPI()
install(app)


class Parcel(BaseModel):
    postcode: str = Field(pattern="^[0-9]{5}$")

    @field_validator("postcode")
    @classmethod
    def served(cls, postcode):
        if postcode.startswith("9"):
            raise ValueError("nobody drives there")
        return postcode


class Login(BaseModel):
    user: str
    password: str = ""
    key: str = Field(default="", json_schema_extra={"writeOnly": True})

    @field_validator("user", "password", "key")
    @classmethod
    def is_long(cls, value):
        if 0 < len(value) < 12:
            raise ValueError(f"{value} is too short")
        return value


class Enter(BaseModel):
    by: Login | list[Login] | None = None
    also: Login | None = None


class Track(BaseModel):
    model_config = ConfigDict(extra="forbid")
    history: bool = False
    weight: float = Field(default=1, gt=0, le=31.5, multiple_of=0.5)
    title: str | None = None
    tags: list[str] = []
    rooms: list[int] | None = None


class Book(BaseModel):
    model_config = ConfigDict(extra="forbid")
    book_id: str
    copies: int = Field(default=1, ge=1)
    draft: bool = False


class Card(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["card", "debit"]
    month: int = Field(ge=1, le=12)


class Transfer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["transfer"]
    iban: str


class Cash(BaseModel):
    kind: Literal["cash"]
    change: bool = False


class Pay(BaseModel):
    by: Card | Transfer = Field(discriminator="kind")
    tip: Transfer | Cash | float | None = None


class Part(BaseModel):
    parts: list["Part"] = []


@app.post("/parts", dependencies=[checked("part", Part)])
def part(asked: Part) -> dict:
    return {}


@app.post("/pay", dependencies=[checked("pay", Pay)])
def pay(asked: Pay) -> dict:
    return {"paid": True}


@app.post("/enter", dependencies=[checked("enter", Enter)])
def enter(asked: Enter) -> dict:
    return {}


@app.post("/parcels", dependencies=[checked("send", Parcel)])
def send(parcel: Parcel) -> dict:
    raise HTTPException(409, "It is closed.")


@app.get("/fails", dependencies=[checked("fail", Cash)])
def fail() -> dict:
    raise RuntimeError


@app.get("/track", dependencies=[checked("track", Track)])
def track(asked: Annotated[Track, Query()]) -> dict:
    return asked.model_dump(exclude_unset=True)


@app.delete("/books/{book_id}", dependencies=[checked("remove", Book)])
def remove(book_id: str, copies: int = 1) -> dict:
    return {"book_id": book_id, "copies": copies}


@app.put("/books/{book_id}", dependencies=[checked("change", Book)])
def change(
    book_id: str, copies: Annotated[int, Body(embed=True)], draft: bool = False
) -> dict:
    return {"book_id": book_id, "copies": copies, **({"draft": True} if draft else {})}


def key(x_key: str = Header()) -> None:
    if x_key == "none":
        raise HTTPException(401, "The key is wrong.")
    if x_key == "other":
        raise Refused(403, error("authorization", "Not yours", "It is not yours."))


private = APIRouter(prefix="/v1", dependencies=[Depends(key)])


@private.patch("/notes/{number}", dependencies=[checked("note", Cash)])
def note(number: int) -> dict:
    return {}


@private.get("/notes/{number}", operation_id="read_note")
def read_note(number: int) -> dict:
    return {}


app.include_router(private)
"""


@pytest.mark.parametrize("postcode", ["90210", "53111\n"])
def test_what_only_the_model_refuses_is_called_invalid_at_its_place(own, postcode):
    answer = own.post("/parcels", json={"postcode": postcode})
    [error] = answer.json()["errors"]
    assert (answer.status_code, kind(error)) == (422, "validation-error")
    assert (error["tool_name"], error["parameter_name"]) == ("send", "postcode")


@pytest.mark.parametrize("name", ["password", "key"])
@pytest.mark.parametrize("several", [False, True])
def test_what_a_model_says_of_a_secret_is_not_sent_back(own, name, several):
    login = {"user": "somebody-here", name: "hunter2"}
    answer = own.post("/enter", json={"by": [login] if several else login})
    assert answer.status_code == 422
    assert "hunter2" not in answer.text


def test_what_a_model_says_of_what_is_beside_a_secret_is_sent_back(own):
    answer = own.post("/enter", json={"also": {"user": "Ana", "password": "hunter2-hunter2"}})
    assert "Ana is too short" in answer.text


def test_an_exception_of_http_has_the_type_of_its_status(own):
    [error] = own.post("/parcels", json={"postcode": "53111"}).json()["errors"]
    assert (kind(error), error["tool_name"]) == ("conflict", "send")
    assert error["detail"] == "It is closed."


@pytest.mark.parametrize(
    ("method", "tool"), [("PATCH", "note"), ("GET", "read_note"), ("PUT", None)]
)
@pytest.mark.parametrize(("key", "status"), [("none", 401), ("other", 403), (None, 422)])
def test_what_is_refused_before_the_arguments_are_checked_names_the_tool(
    own, method, tool, key, status
):
    headers = {"x-key": key} if key else {}
    answer = own.request(method, "/v1/notes/1", json={"kind": "cash"}, headers=headers)
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["tool_name"]) == (status if tool else 405, tool)


@pytest.mark.parametrize(("content", "media"), [("{", "application/json"), ("{}", "text/plain")])
def test_a_body_that_cannot_be_read_names_the_tool(own, content, media):
    _, [error] = asked(own, content, media, path="/pay")
    assert error["tool_name"] == "pay"


def test_a_fault_of_a_tool_names_the_tool(own):
    alone = f"{own.base_url}/fails"  # the server closes the connection behind this answer
    answer = httpx2.get(alone, params={"kind": "cash"})
    [error] = answer.json()["errors"]
    assert (answer.status_code, kind(error)) == (500, "internal-error")
    assert error["tool_name"] == "fail"


def test_a_query_is_read_as_its_schema_types_it_and_mended_where_it_is_not(own):
    assert own.get("/track?history=true").json() == {"history": True}
    answer = own.get("/track?history=TRUE")
    [error] = answer.json()["errors"]
    assert answer.status_code == 422
    assert (error["parameter_name"], error["suggested_value"]) == ("history", "true")


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("title=123", {"title": "123"}),
        ("title=null", {"title": "null"}),
        ("tags=12&tags=b", {"tags": ["12", "b"]}),
        ("rooms=12&rooms=3", {"rooms": [12, 3]}),
        ("weight=2.5", {"weight": 2.5}),
    ],
)
def test_a_text_in_a_query_stays_text_where_one_may_stand(own, query, read):
    assert own.get(f"/track?{query}").json() == read


def test_a_number_past_every_float_in_a_query_is_refused(own):
    answer = own.get("/track?weight=1" + "0" * 309)
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["parameter_name"]) == (422, "weight")


def test_what_the_path_says_is_judged_with_the_rest_whatever_the_method(own):
    assert own.delete("/books/b1?copies=2").json() == {"book_id": "b1", "copies": 2}
    assert own.put("/books/b1", json={"copies": 2}).json() == {"book_id": "b1", "copies": 2}
    [error] = own.put("/books/b1", json={"copies": 0}).json()["errors"]
    assert (error["parameter_name"], error["suggested_value"]) == ("copies", "1")


def test_the_body_of_a_delete_holds_arguments_as_the_http_binding_says(own):
    answer = own.request("DELETE", "/books/b1", json={"copies": 0})
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["parameter_name"]) == (422, "copies")


def test_the_query_cannot_say_again_what_the_path_says(own):
    answer = own.delete("/books/b1?book_id=b2")
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["parameter_name"]) == (422, "book_id")
    assert error["title"] == "Unknown parameter"


def test_a_wrong_method_is_told_without_the_values_in_the_path(own):
    [error] = own.post("/books/hunter2").json()["errors"]
    assert kind(error) == "method-not-allowed"
    assert error["detail"] == "POST /books/{book_id}: Method Not Allowed"


def test_a_query_beside_a_body_is_checked_and_mended_and_hides_nothing_of_the_body(own):
    two = {"copies": 2}
    assert own.put("/books/b1?draft=true", json=two).json() == {
        "book_id": "b1",
        **two,
        "draft": True,
    }
    [error] = own.put("/books/b1?draft=TRUE", json=two).json()["errors"]
    assert (error["parameter_name"], error["suggested_value"]) == ("draft", "true")
    [error] = own.put("/books/b1?copies=2", json={"copies": "2"}).json()["errors"]
    assert (error["parameter_name"], error["suggested_value"]) == ("copies", "2")


@pytest.mark.parametrize("levels", [250, 400])
def test_arguments_that_are_nested_too_deeply_are_refused(own, levels):
    body = '{"parts": [' * levels + "]}" * levels
    answer, [error] = asked(own, body, path="/parts")
    assert (answer.status_code, kind(error)) == (422, "validation-error")
    assert (error["tool_name"], error["parameter_name"]) == ("part", None)


CARD = {"kind": "card", "month": 5}


@pytest.mark.parametrize(
    ("body", "place", "suggested"),
    [
        ({"by": CARD | {"month": 13}}, "by.month", "12"),
        ({"by": CARD | {"more": 1}}, "by.more", None),
        ({"by": CARD | {"kind": "transfr"}}, "by.kind", "transfer"),
        ({"by": {"kind": "Debit", "month": 5}}, "by.kind", "debit"),
        ({"by": {"iban": "DE02120300000000202051"}}, "by.kind", "transfer"),
        ({"by": {"kind": "transfer"}}, "by.iban", None),
        ({"by": "card"}, "by", None),
        ({"by": CARD, "tip": {"kind": "cash", "change": "yes"}}, "tip.change", "true"),
        ({"by": CARD, "tip": {"kind": "cahs"}}, "tip.kind", "cash"),
        ({"by": CARD, "tip": "2,5"}, "tip", "2.5"),
    ],
)
def test_of_a_union_the_branch_counts_whose_kind_an_object_names(own, body, place, suggested):
    [error] = own.post("/pay", json=body).json()["errors"]
    assert (error["parameter_name"], error["suggested_value"]) == (place, suggested)


def test_a_call_that_fits_a_branch_goes_through(own):
    assert own.post("/pay", json={"by": CARD, "tip": {"kind": "cash"}}).json() == {"paid": True}


def test_the_business_rule_of_the_fastapi_page_leads_to_an_accepted_call(tmp_path):
    guide = GUIDES["fastapi-openapi"]
    for file in guide.files(len(guide.levels)):
        shutil.copy(file, tmp_path)
    page = (DOCS / "en" / "guides" / "fastapi.md").read_text("utf-8")
    rule = re.search(r"{ #own-rules }.*?```python\n(.*?)```", page, re.DOTALL)[1]
    main = tmp_path / "main.py"
    head = "def hotel_reservation(reservation: Reservation) -> dict:\n"
    before, after = main.read_text("utf-8").split(head)
    main.write_text(before + head + textwrap.indent(rule, "    ") + after, encoding="utf-8")
    with listening(guide, tmp_path) as target, httpx2.Client(base_url=target) as client:
        refused = client.post("/reservations", json=BOOKING | {"check_in": "2020-02-29"})
        [error] = refused.json()["errors"]
        fixed = BOOKING | {error["parameter_name"]: error["suggested_value"]}
        accepted = client.post("/reservations", json=fixed)
    named = (error["tool_name"], error["parameter_name"])
    assert (refused.status_code, *named) == (422, "hotel_reservation", "check_in")
    assert accepted.status_code == 200


def test_a_route_of_the_fastapi_page_with_a_path_and_a_body_suggests_values_for_both(tmp_path):
    guide = GUIDES["fastapi-openapi"]
    for file in guide.files(len(guide.levels)):
        shutil.copy(file, tmp_path)
    page = (DOCS / "en" / "guides" / "fastapi.md").read_text("utf-8")
    route = re.search(r"{ #model }.*?```python\n(.*?)```", page, re.DOTALL)[1]
    main = tmp_path / "main.py"
    whole = f"{main.read_text('utf-8')}\n\nfrom pydantic import Field\n\n\n{route}"
    main.write_text(whole, encoding="utf-8")
    with listening(guide, tmp_path) as target, httpx2.Client(base_url=target) as client:
        refused = client.put("/rooms/abc/stay", json=BOOKING | {"nights": 20}).json()["errors"]
        beyond = client.put("/rooms/77/stay", json=BOOKING).json()["errors"]
        accepted = client.put("/rooms/40/stay", json=BOOKING)
    said = {error["parameter_name"]: error["suggested_value"] for error in (*refused, *beyond)}
    assert said == {"nights": "14", "number": "40"}
    assert accepted.json() == {"number": 40, "nights": 2}
