"""The tools of the reference server as functions; a call that is accepted is done."""

import sys
from datetime import date
from typing import Annotated, Any, Literal

from atdf_errors import Server
from pydantic import AnyUrl, AwareDatetime, BaseModel, ConfigDict, Field

server = Server("reference", version="1.0.0")
Email = Annotated[str, Field(json_schema_extra={"format": "email"}, description="An address")]
Day = Annotated[date, Field(description="A day")]
Moment = Annotated[AwareDatetime, Field(description="A moment, with a time zone")]
Airport = Annotated[str, Field(pattern="^[A-Z]{3}$", examples=["LIS"], description="IATA code")]


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Passenger(Closed):
    name: str = Field(min_length=1, max_length=80, description="Name as in the passport")
    kind: Literal["adult", "child", "infant"] = Field(description="Fare")


class Parcel(Closed):
    weight_kg: float = Field(gt=0, le=70, multiple_of=0.25, description="Weight")
    contents: set[Literal["books", "clothes", "glass", "tools"]] = Field(
        min_length=1, max_length=3, description="What is inside"
    )
    fragile: bool = Field(default=False, description="Whether it must be handled with care")


class Road(Closed):
    mode: Literal["road"]
    max_tolls: int = Field(ge=0, le=50, multiple_of=5, description="Most for tolls")


class Air(Closed):
    mode: Literal["air"]
    airport: Airport
    priority: Literal["standard", "express"] = Field(description="How soon it flies")


class Mail(Closed):
    channel: Literal["mail"]
    address: Email


class Webhook(Closed):
    channel: Literal["webhook"]
    url: AnyUrl = Field(description="The web address")
    retries: int = Field(default=0, ge=0, lt=5, description="How often it is tried again")


class Attendee(Closed):
    name: str = Field(min_length=2, max_length=40, description="The name")
    role: Literal["host", "speaker", "guest"] = Field(description="What they come for")
    notify: Mail | Webhook = Field(discriminator="channel", description="How they hear of it")


class Topic(Closed):
    title: str = Field(min_length=1, max_length=60, description="The title")
    minutes: int = Field(ge=5, le=240, multiple_of=5, description="How long it takes")
    topics: list["Topic"] = Field(default=[], max_length=4, description="What it is made of")


class Series(Closed):
    every: Literal["day", "week", "month"] = Field(description="How often")
    times: int = Field(ge=2, le=30, description="How many times in all")


@server.tool()
def hotel_reservation(
    guest_name: Annotated[str, Field(min_length=1, max_length=120, description="Name")],
    email: Email,
    check_in: Moment,
    check_out: Moment,
    room_type: Annotated[Literal["single", "double", "suite"], Field(description="Room")],
    guests: Annotated[int, Field(ge=1, le=4, description="How many people stay")],
) -> dict[str, Any]:
    """Reserve a hotel room for one stay."""
    return {"done": True}


@server.tool()
def flight_booking(
    origin: Airport,
    destination: Airport,
    departure_date: Day,
    passengers: Annotated[list[Passenger], Field(min_length=1, max_length=6, description="Who")],
    contact_email: Email,
    return_date: Annotated[date | None, Field(description="A day")] = None,
    cabin: Annotated[
        Literal["economy", "premium", "business"], Field(description="Class of travel")
    ] = "economy",
) -> dict[str, Any]:
    """Book a flight for up to six passengers."""
    return {"done": True}


@server.tool()
def quote_shipment(
    parcels: Annotated[list[Parcel], Field(min_length=1, max_length=5, description="What")],
    transport: Annotated[Road | Air, Field(discriminator="mode", description="How it travels")],
    pickup: Day,
    customer: Annotated[
        Annotated[int, Field(ge=1000, le=9999)]
        | Annotated[str, Field(min_length=3, max_length=20)]
        | None,
        Field(description="Customer number, or the name of a new customer"),
    ] = None,
    insured_value: Annotated[float, Field(ge=1, lt=5000, description="In euros")] = 1,
) -> dict[str, Any]:
    """Say what it costs to send parcels."""
    return {"done": True}


@server.tool()
def schedule_event(
    title: Annotated[str, Field(min_length=3, max_length=80, description="The title")],
    starts: Moment,
    ends: Moment,
    attendees: Annotated[list[Attendee], Field(min_length=2, max_length=8, description="Who")],
    agenda: Annotated[list[Topic], Field(max_length=5, description="What about")] = [],  # noqa: B006
    urgency: Annotated[int, Field(gt=0, lt=10, description="From 1, low, to 9, high")] = 1,
    series: Annotated[Series | Literal["once"], Field(description="How it comes again")] = "once",
    labels: Annotated[
        dict[str, Annotated[str, Field(max_length=20)]], Field(description="Labels")
    ] = {},  # noqa: B006
) -> dict[str, Any]:
    """Plan an event, and tell those who come."""
    return {"done": True}


@server.tool()
def search_database(
    query: Annotated[str, Field(description="Part of a name or of a city")],
    collection: Annotated[
        Literal["hotels", "airports"] | None, Field(description="Only this kind of place")
    ] = None,
    filters: Annotated[dict[str, str | int], Field(description="By field: city, stars")] = {},  # noqa: B006
    limit: Annotated[int, Field(ge=1, le=100, description="At most so many results")] = 10,
) -> dict[str, Any]:
    """Find hotels and airports by name or city."""
    return {"done": True}


if __name__ == "__main__":
    server.run("streamable-http", port=int(sys.argv[1]))
