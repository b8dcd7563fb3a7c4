"""The tools of the reference server: what they accept, what their rules refuse and suggest."""

from datetime import UTC, datetime

import pytest

from fixtures.servers.core.behaviour import Behaviour
from fixtures.servers.core.formats import day, is_email, moment, stamp
from fixtures.servers.core.service import Service
from fixtures.servers.core.store import FIRST, Store
from fixtures.servers.tools import TOOLS

NOW = datetime(2024, 12, 1, tzinfo=UTC)
EXAMPLE = {tool.name: tool.example for tool in TOOLS}


@pytest.fixture
def service():
    return Service(TOOLS, Behaviour(), Store(), clock=lambda: NOW)


def ended(service, tool, **changes):
    return service.call(tool, {**EXAMPLE[tool], **changes}, "http")


def only_error(outcome):
    (error,) = outcome.errors
    return error["type"].rsplit("/", 1)[1], error["parameter_name"], error["suggested_value"]


def test_a_stay_in_the_past_is_an_invalid_date_with_a_future_one_suggested(service):
    kind, name, suggested = only_error(
        ended(service, "hotel_reservation", check_in="2020-01-01T00:00:00Z")
    )
    # the suggested check-in is after the example's check-out: both dates cannot be wrong together
    assert (kind, name) == ("invalid-date", "check_in")
    assert moment(suggested) > NOW


def test_a_stay_that_ends_before_it_begins_is_an_invalid_date(service):
    outcome = ended(service, "hotel_reservation", check_out="2025-01-14T12:00:00Z")
    assert only_error(outcome) == ("invalid-date", "check_out", "2025-01-17T14:00:00Z")
    assert outcome.status == 422


def test_a_room_too_small_is_a_business_rule_that_suggests_one_large_enough(service):
    outcome = ended(service, "hotel_reservation", guests=3)
    assert only_error(outcome) == ("business-rule", "room_type", "suite")
    assert outcome.status == 409


def test_a_room_that_is_taken_is_a_business_rule_that_suggests_a_free_one():
    service = Service(TOOLS, Behaviour(), Store(room=1), clock=lambda: NOW)
    assert ended(service, "hotel_reservation").data
    outcome = ended(service, "hotel_reservation")
    assert only_error(outcome) == ("business-rule", "room_type", "suite")
    assert ended(service, "hotel_reservation", room_type="suite").data


def test_the_same_airport_twice_is_an_invalid_route(service):
    outcome = ended(service, "flight_booking", destination="MAD")
    assert only_error(outcome) == ("invalid-route", "destination", "LIS")


def test_a_flight_in_the_past_names_both_dates(service):
    outcome = ended(
        service, "flight_booking", departure_date="2020-01-01", return_date="2020-01-08"
    )
    assert [error["parameter_name"] for error in outcome.errors] == [
        "departure_date",
        "return_date",
    ]


def test_children_do_not_fly_alone(service):
    alone = [{"name": "Sam", "kind": "child"}]
    outcome = ended(service, "flight_booking", passengers=alone)
    assert only_error(outcome) == ("business-rule", "passengers[0].kind", "adult")


def test_a_full_flight_suggests_another_day():
    service = Service(TOOLS, Behaviour(), Store(room=2), clock=lambda: NOW)
    assert ended(service, "flight_booking").data
    kind, name, suggested = only_error(ended(service, "flight_booking"))
    assert (kind, name, suggested) == ("business-rule", "departure_date", "2025-03-08")


def test_a_booking_is_found_again_and_cancelled_once(service):
    booked = ended(service, "hotel_reservation").data["reservation_id"]
    assert service.call("get_booking", {"booking_id": booked}, "http").data["status"] == "confirmed"
    assert service.call("cancel_booking", {"booking_id": booked}, "http").data
    assert service.call("get_booking", {"booking_id": booked}, "http").data["status"] == "cancelled"
    again = service.call("cancel_booking", {"booking_id": booked}, "http")
    assert only_error(again) == ("conflict", "booking_id", None)
    assert again.status == 409


def test_instead_of_a_cancelled_example_another_is_suggested(service):
    assert ended(service, "cancel_booking").data
    kind, name, suggested = only_error(ended(service, "cancel_booking"))
    assert (kind, name) == ("conflict", "booking_id")
    assert ended(service, "cancel_booking", booking_id=suggested).data["status"] == "cancelled"


def test_a_booking_that_is_not_there_is_not_found(service):
    outcome = ended(service, "get_booking", booking_id="BK-99999999")
    assert only_error(outcome)[:2] == ("not-found", "booking_id")
    assert outcome.status == 404


def test_a_cancelled_room_is_free_again():
    service = Service(TOOLS, Behaviour(), Store(room=1), clock=lambda: NOW)
    booked = ended(service, "hotel_reservation").data["reservation_id"]
    service.call("cancel_booking", {"booking_id": booked}, "http")
    assert ended(service, "hotel_reservation").data


def test_the_example_booking_is_there_from_the_start(service):
    assert service.call("get_booking", {"booking_id": FIRST}, "http").data["kind"] == "hotel"


def test_an_event_ends_after_it_starts(service):
    outcome = ended(service, "schedule_event", ends="2025-04-02T08:00:00Z")
    assert only_error(outcome) == ("invalid-date", "ends", "2025-04-02T10:00:00Z")


def test_without_credentials_a_call_is_accepted(service):
    assert service.call("get_booking", EXAMPLE["get_booking"], "http", None).data


def test_an_unknown_token_is_refused_and_not_repeated(service):
    outcome = service.call("get_booking", EXAMPLE["get_booking"], "http", "s3cret-token")
    assert only_error(outcome)[:2] == ("authentication", "authentication")
    assert outcome.status == 401
    assert "s3cret" not in str(outcome)


def test_a_token_without_the_scope_is_refused(service):
    booking = EXAMPLE["hotel_reservation"]
    outcome = service.call("hotel_reservation", booking, "http", "demo-read-only")
    assert only_error(outcome)[0] == "authorization"
    assert outcome.status == 403
    assert outcome.errors[0]["context"]["required_scope"] == "hotel:write"
    assert service.call("get_booking", EXAMPLE["get_booking"], "http", "demo-read-only").data


@pytest.mark.parametrize("guests", [True, "2", 2.5, None, [], {}])
def test_what_is_not_an_integer_is_refused(service, guests):
    assert only_error(ended(service, "hotel_reservation", guests=guests))[1] == "guests"


def test_a_whole_float_is_an_integer(service):
    assert ended(service, "hotel_reservation", guests=2.0).data


def test_a_text_with_a_newline_behind_it_does_not_match_a_pattern(service):
    assert only_error(ended(service, "get_booking", booking_id=f"{FIRST}\n"))[1] == "booking_id"


@pytest.mark.parametrize("arguments", [None, [], "x", 3])
def test_arguments_that_are_no_object_name_no_parameter(service, arguments):
    outcome = service.call("get_booking", arguments, "http")
    assert only_error(outcome) == ("validation-error", None, None)


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 10**400, -(10**400), 1e308])
def test_endless_and_huge_numbers_are_refused_without_failing(service, number):
    parcel = {"weight_kg": number, "size_cm": [1, 2, 3], "contents": ["books"]}
    outcome = ended(service, "quote_shipment", parcels=[parcel])
    assert {error["parameter_name"] for error in outcome.errors} == {"parcels[0].weight_kg"}


def test_a_broken_discriminator_names_the_allowed_branches(service):
    outcome = ended(service, "quote_shipment", transport={"mode": "rail"})
    kind, name, _ = only_error(outcome)
    assert (kind, name) == ("validation-error", "transport.mode")
    assert outcome.errors[0]["context"]["expected"] == ["road", "air", "sea"]


def test_a_branch_is_judged_by_its_own_rules(service):
    transport = {"mode": "air", "airport": "lis", "priority": "express"}
    outcome = ended(service, "quote_shipment", transport=transport)
    assert only_error(outcome) == ("validation-error", "transport.airport", "LIS")


def test_a_surplus_property_inside_is_mended_at_its_parent(service):
    parcel = {"weight_kg": 1, "size_cm": [1, 2, 3], "contents": ["books"], "colour": "red"}
    _, name, suggested = only_error(ended(service, "quote_shipment", parcels=[parcel]))
    assert name == "parcels[0]"
    assert "colour" not in suggested


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "#"},
        {"$ref": "#/$defs/none"},
        {"properties": {"guests": {"pattern": "^(a+)+$"}}},
    ],
)
def test_a_schema_that_cannot_be_used_is_an_answer(service, schema):
    assert ended(service, "validate_data", schema=schema).data is not None


def test_data_that_break_their_schema_are_told_where(service):
    outcome = ended(service, "validate_data", data={"guests": "two"})
    assert outcome.data["valid"] is False
    assert outcome.data["problems"][0]["path"] == "$.guests"


def test_a_search_filters_and_limits(service):
    outcome = service.call("search_database", {"query": "", "limit": 2}, "http")
    assert outcome.data["total"] == 8
    assert len(outcome.data["results"]) == 2
    narrow = {"query": "", "filters": {"city": "Lisbon"}, "collection": "airports"}
    assert service.call("search_database", narrow, "http").data["total"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "9999-12-31T23:59:59Z",
        "0000-01-01T00:00:00+23:59",
        "2027-06-30T23:59:60Z",
        "2027-01-01t00:00:00.123456789z",
    ],
)
def test_every_valid_date_time_can_be_reckoned_with(service, text):
    assert stamp(moment(text))
    assert ended(service, "hotel_reservation", check_in=text, check_out=text).status < 500


def test_every_valid_date_can_be_reckoned_with():
    assert day("9999-12-31").year == 9000
    assert day("0000-02-29").day == 28


@pytest.mark.parametrize(("text", "valid"), [
    ("a@b.example", True), ("a", False), ("@b.example", False), ("a@", False), ("a@b c", False),
])  # fmt: skip
def test_a_mail_address_has_two_sides(text, valid):
    assert is_email(text) is valid
