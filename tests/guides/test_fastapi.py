"""What the file to copy for FastAPI does to an app that was there before it."""

from __future__ import annotations

import importlib.util
import shutil
from typing import Literal

import pytest
from fastapi import Depends, FastAPI, Form, Header, HTTPException, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError
from starlette.testclient import WebSocketDenialResponse

from fixtures.guides.joined import TO_COPY


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    file = shutil.copy(TO_COPY["fastapi"], tmp_path_factory.mktemp("copied"))
    spec = importlib.util.spec_from_file_location("atdf_errors", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def app(copied):
    app = FastAPI()
    copied.install(app)
    return app


@pytest.fixture
def client(app):
    return TestClient(app, raise_server_exceptions=False)


def refused(answer, status=422):
    assert answer.status_code == status, answer.text
    return answer.json()["errors"]


class Number(BaseModel):
    number: int


@pytest.mark.parametrize(
    ("detail", "said"), [("No key", "No key"), (None, "GET /ws: Unauthorized")]
)
def test_a_websocket_can_be_refused(app, client, detail, said):
    def key():
        raise HTTPException(401, detail)

    @app.websocket("/ws", dependencies=[Depends(key)])
    async def ws(websocket: WebSocket):
        await websocket.accept()

    with pytest.raises(WebSocketDenialResponse) as denied, client.websocket_connect("/ws"):
        pass
    [error] = refused(denied.value, 401)
    assert (error["detail"], error["tool_name"]) == (said, None)


class Own(BaseModel):
    user: str = ""
    password: str = ""

    @field_validator("user", "password")
    @classmethod
    def is_long(cls, value):
        if 0 < len(value) < 12:
            raise ValueError(f"{value} is too short")
        return value

    @model_validator(mode="after")
    def fits(self):
        if self.user and self.user == self.password:
            raise ValueError("user and password are the same")
        return self


@pytest.mark.parametrize(
    ("body", "name", "said"),
    [
        ({"user": "Ana"}, "user", "`user`: Value error, Ana is too short"),
        ({"password": "hunter2"}, "password", "`password`: not valid"),
        (dict.fromkeys(("user", "password"), "a" * 12), None, "user and password are the same"),
    ],
)
def test_what_the_app_itself_calls_invalid_has_the_place_that_it_names(
    app, client, body, name, said
):
    @app.post("/own", operation_id="own")
    async def own(request: Request):
        try:
            Own.model_validate(await request.json())
        except ValidationError as failure:
            raise RequestValidationError(failure.errors(include_context=False)) from None

    [error] = refused(client.post("/own", json=body))
    assert (error["tool_name"], error["parameter_name"]) == ("own", name)
    assert error["detail"].endswith(said)


def test_the_state_of_a_request_stays_the_apps(app, client, copied):
    @app.middleware("http")
    async def tenant(request, call_next):
        request.state.schema = "tenant"
        return await call_next(request)

    @app.post("/db", dependencies=[copied.checked("db", Number)])
    def db(body: Number, request: Request):
        return request.state.schema

    assert client.post("/db", json={"number": 1}).json() == "tenant"


class Login(BaseModel):
    password: str = Field(min_length=5, pattern="^[a-z]*$")
    pin: Literal["a", "b"] = "a"
    token: str = ""

    @field_validator("token")
    @classmethod
    def is_known(cls, value):
        raise PydanticCustomError("unknown", f"{value} is not known")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "`password`: Field required"),
        ({"password": "s3"}, "`password`: String should have at least 5 characters"),
        ({"password": "hunter2"}, "`password`: String should match pattern '^[a-z]*$'"),
        ({"password": "hunter", "pin": "s3"}, "`pin`: Input should be 'a' or 'b'"),
        ({"password": "hunter", "token": "s3"}, "`token`: not valid"),
    ],
)
def test_of_a_secret_is_said_what_does_not_repeat_it(app, client, body, said):
    @app.post("/login")
    def login(body: Login):
        return {}

    [error] = refused(client.post("/login", json=body))
    assert error["detail"] == said


def test_a_missing_secret_is_called_missing_wherever_it_belongs(app, client, copied):
    @app.post("/header", dependencies=[copied.checked("header", Number)])
    def header(body: Number, x_token: str = Header()):
        return {}

    @app.post("/form")
    def form(password: str = Form()):
        return {}

    @app.get("/query")
    def query(page_token: str = Query()):
        return {}

    answers = client.post("/header", json={"number": 1}), client.post("/form"), client.get("/query")
    assert [refused(answer)[0]["detail"] for answer in answers] == [
        f"`{name}`: Field required" for name in ("x-token", "password", "page_token")
    ]


def test_an_error_that_is_made_by_hand_names_the_tool(app, client, copied):
    @app.post("/hand", dependencies=[copied.checked("hand", Number)])
    def hand(body: Number):
        raise copied.Refused(409, {"type": "https://x.example/y", "title": "t", "detail": "d"})

    [error] = refused(client.post("/hand", json={"number": 1}), 409)
    assert (error["detail"], error["tool_name"]) == ("d", "hand")
    assert copied.envelope(409, error).status_code == 409


def test_a_dependency_may_have_a_tool_of_its_own(app, client):
    class Key:
        def tool(self):
            return "hammer"

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return self

        def __call__(self):
            raise HTTPException(403, "It is not yours.")

    @app.post("/key", operation_id="key", dependencies=[Depends(Key())])
    def key():
        return {}

    [error] = refused(client.post("/key"), 403)
    assert error["tool_name"] == "key"
