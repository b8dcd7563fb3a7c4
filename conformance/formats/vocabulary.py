"""The closed vocabularies of the formats and of the kit.

Generated from `schema/source/vocabularies/` by `scripts/generate.py`: edit the source, not this.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class AnswerStatus(StrEnum):
    """How a call ended, in an enriched response."""

    SUCCESS = "success"
    """The call did what it was asked."""
    ERROR = "error"
    """The call failed, and `data` says why."""


class Binding(StrEnum):
    """How a target is spoken to."""

    HTTP = "http"
    """The HTTP binding."""
    MCP = "mcp"
    """The Model Context Protocol over streamable HTTP."""
    STDIO = "stdio"
    """The Model Context Protocol over standard input and output."""


class Era(StrEnum):
    """The two ways in which versions of the Model Context Protocol begin."""

    LEGACY = "legacy"
    """Up to 2025-11-25: a handshake first."""
    MODERN = "modern"
    """From 2026-07-28: every request stands alone."""


class ErrorCategory(StrEnum):
    """What an error type is about."""

    INPUT = "input"
    """The input itself."""
    STATE = "state"
    """The state of the world behind the tool."""
    ACCESS = "access"
    """Who is calling."""
    REQUEST = "request"
    """The request around the input."""
    SERVER = "server"
    """The server."""


class ErrorType(StrEnum):
    """The reserved error types: the last path segment of an error's `type`."""

    VALIDATION_ERROR = "validation-error"
    """An input does not have the declared form."""
    INVALID_DATE = "invalid-date"
    """A date cannot be used, for example because it is in the past."""
    INVALID_ROUTE = "invalid-route"
    """A route cannot be used, for example because origin and destination are the same."""
    BUSINESS_RULE = "business-rule"
    """A rule of the business forbids the call, for example a limit of capacity."""
    AUTHENTICATION = "authentication"
    """The caller did not show who it is, or its credentials are not valid."""
    AUTHORIZATION = "authorization"
    """The caller is known, and lacks a permission."""
    NOT_FOUND = "not-found"
    """There is no such tool, resource or path."""
    METHOD_NOT_ALLOWED = "method-not-allowed"
    """The path exists, and does not take this method."""
    PAYLOAD_TOO_LARGE = "payload-too-large"
    """The body is larger than the server takes."""
    UNSUPPORTED_MEDIA_TYPE = "unsupported-media-type"
    """The body is of a media type that the server does not take."""
    MALFORMED_REQUEST = "malformed-request"
    """The body is not JSON, or not a JSON object."""
    CONFLICT = "conflict"
    """The call conflicts with what is there already."""
    RATE_LIMITED = "rate-limited"
    """There were too many calls in a short time."""
    INTERNAL_ERROR = "internal-error"
    """The server failed."""


class AtdfFormat(StrEnum):
    """The formats of a string that ATDF names."""

    EMAIL = "email"
    """An e-mail address."""
    DATE_TIME = "date-time"
    """A date and a time with an offset, as in RFC 3339."""
    DATE = "date"
    """A date alone, as in RFC 3339."""
    URI = "uri"
    """An absolute URI."""


class JsonType(StrEnum):
    """The types of an input."""

    STRING = "string"
    """Text."""
    INTEGER = "integer"
    """A whole number."""
    NUMBER = "number"
    """A number, with or without a fraction."""
    BOOLEAN = "boolean"
    """True or false."""
    ARRAY = "array"
    """A list of values."""
    OBJECT = "object"
    """A set of named values."""


class Language(StrEnum):
    """The languages of a report."""

    EN = "en"
    """English."""
    ES = "es"
    """Spanish."""
    PT = "pt"
    """Portuguese."""


class Level(StrEnum):
    """The conformance levels of a tool server, each including the ones before it."""

    NONE = "none"
    """No level is reached."""
    DESCRIBED = "described"
    """Described: every document is valid, references resolve, and examples are valid."""
    GUARDED = "guarded"
    """Guarded: every invalid input is refused, no valid input is refused as invalid, and nothing crashes, hangs or leaks."""
    EXPLAINED = "explained"
    """Explained: every refusal has one error shape that names the tool and the parameter rightly."""
    RECOVERABLE = "recoverable"
    """Recoverable: every repairable mistake can be mended from its error alone, and no suggestion is wrong."""


class NeededFor(StrEnum):
    """The level that a clause is needed for."""

    PROTOCOL = "protocol"
    """Conformance to the protocol underneath; it fails the run and moves no level."""
    DESCRIBED = "described"
    """The level Described."""
    GUARDED = "guarded"
    """The level Guarded."""
    EXPLAINED = "explained"
    """The level Explained."""
    RECOVERABLE = "recoverable"
    """The level Recoverable."""


class Outcome(StrEnum):
    """What an answer to a call means."""

    ACCEPTED = "accepted"
    """The call was carried out, or its form was accepted."""
    INPUT_REFUSED = "input_refused"
    """The input was refused as invalid."""
    OTHER_REFUSED = "other_refused"
    """The call was refused for something other than the form of its input; that proves nothing about it."""
    SERVER_FAULT = "server_fault"
    """The server failed."""
    NO_ANSWER = "no_answer"
    """No answer came, or it was cut off."""


class Requirement(StrEnum):
    """How binding a clause is."""

    MUST = "MUST"
    """Required; breaking it fails the run."""
    SHOULD = "SHOULD"
    """Recommended; breaking it is a warning."""
    MAY = "MAY"
    """Permitted; nothing follows from leaving it out."""


class RunKind(StrEnum):
    """What a run does."""

    FULL = "full"
    """It drives the tools."""
    PROTOCOL = "protocol"
    """It speaks the protocol alone; it has no level."""


class Scope(StrEnum):
    """What one verdict of a clause is about."""

    TOOL = "tool"
    """One tool; a run has one verdict for each."""
    TARGET = "target"
    """The whole target; a run has one verdict."""


class Verdict(StrEnum):
    """What was found about one clause on one tool or target."""

    PASS = "pass"
    """Verified, and kept."""
    FAIL = "fail"
    """A MUST is broken."""
    WARN = "warn"
    """A SHOULD is broken."""
    NOT_APPLICABLE = "not_applicable"
    """The clause is about something optional that the target does not declare."""
    NOT_VERIFIED = "not_verified"
    """It could not be judged."""
    WAIVED = "waived"
    """It is broken, and a waiver says why that is accepted for now."""
    FLAKY = "flaky"
    """It failed once, and not when the case was sent again alone."""
    KIT_ERROR = "kit_error"
    """The kit itself is at fault."""


class Verified(StrEnum):
    """How a clause is verified."""

    SCHEMA = "schema"
    """By a JSON Schema, on the document alone."""
    STATIC = "static"
    """By a rule that no schema can hold, on the document alone."""
    CALL = "call"
    """By calling the tool, rightly and wrongly."""
    REPAIR = "repair"
    """By following the suggestions of an error and calling again."""
    WIRE = "wire"
    """By requests to the target that are no tool calls."""
    PROTOCOL = "protocol"
    """By a sequence of messages of the protocol."""
    PARITY = "parity"
    """By comparing two bindings of the same server."""


ERROR_TYPE_CATEGORY: Final[Mapping[ErrorType, ErrorCategory]] = MappingProxyType(
    {
        ErrorType.VALIDATION_ERROR: ErrorCategory.INPUT,
        ErrorType.INVALID_DATE: ErrorCategory.INPUT,
        ErrorType.INVALID_ROUTE: ErrorCategory.INPUT,
        ErrorType.BUSINESS_RULE: ErrorCategory.STATE,
        ErrorType.AUTHENTICATION: ErrorCategory.ACCESS,
        ErrorType.AUTHORIZATION: ErrorCategory.ACCESS,
        ErrorType.NOT_FOUND: ErrorCategory.STATE,
        ErrorType.METHOD_NOT_ALLOWED: ErrorCategory.REQUEST,
        ErrorType.PAYLOAD_TOO_LARGE: ErrorCategory.REQUEST,
        ErrorType.UNSUPPORTED_MEDIA_TYPE: ErrorCategory.REQUEST,
        ErrorType.MALFORMED_REQUEST: ErrorCategory.REQUEST,
        ErrorType.CONFLICT: ErrorCategory.STATE,
        ErrorType.RATE_LIMITED: ErrorCategory.STATE,
        ErrorType.INTERNAL_ERROR: ErrorCategory.SERVER,
    }
)
"""What the type is about."""

ERROR_TYPE_STATUSES: Final[Mapping[ErrorType, tuple[int, ...]]] = MappingProxyType(
    {
        ErrorType.VALIDATION_ERROR: (400, 422),
        ErrorType.INVALID_DATE: (400, 422),
        ErrorType.INVALID_ROUTE: (400, 422),
        ErrorType.BUSINESS_RULE: (409, 422),
        ErrorType.AUTHENTICATION: (401,),
        ErrorType.AUTHORIZATION: (403,),
        ErrorType.NOT_FOUND: (404,),
        ErrorType.METHOD_NOT_ALLOWED: (405,),
        ErrorType.PAYLOAD_TOO_LARGE: (413,),
        ErrorType.UNSUPPORTED_MEDIA_TYPE: (415,),
        ErrorType.MALFORMED_REQUEST: (400,),
        ErrorType.CONFLICT: (409,),
        ErrorType.RATE_LIMITED: (429,),
        ErrorType.INTERNAL_ERROR: (500,),
    }
)
"""The HTTP statuses that fit the type."""

ERROR_TYPE_CORE: Final[Mapping[ErrorType, bool]] = MappingProxyType(
    {
        ErrorType.VALIDATION_ERROR: True,
        ErrorType.INVALID_DATE: True,
        ErrorType.INVALID_ROUTE: True,
        ErrorType.BUSINESS_RULE: True,
        ErrorType.AUTHENTICATION: True,
        ErrorType.AUTHORIZATION: True,
        ErrorType.NOT_FOUND: False,
        ErrorType.METHOD_NOT_ALLOWED: False,
        ErrorType.PAYLOAD_TOO_LARGE: False,
        ErrorType.UNSUPPORTED_MEDIA_TYPE: False,
        ErrorType.MALFORMED_REQUEST: False,
        ErrorType.CONFLICT: False,
        ErrorType.RATE_LIMITED: False,
        ErrorType.INTERNAL_ERROR: False,
    }
)
"""Whether it is one of the six types that every implementation knows."""

VERDICT_FAILS_RUN: Final[Mapping[Verdict, bool]] = MappingProxyType(
    {
        Verdict.PASS: False,
        Verdict.FAIL: True,
        Verdict.WARN: False,
        Verdict.NOT_APPLICABLE: False,
        Verdict.NOT_VERIFIED: False,
        Verdict.WAIVED: False,
        Verdict.FLAKY: False,
        Verdict.KIT_ERROR: False,
    }
)
"""Whether the run exits with a failure because of it."""

VERDICT_BLOCKS_LEVEL: Final[Mapping[Verdict, bool]] = MappingProxyType(
    {
        Verdict.PASS: False,
        Verdict.FAIL: True,
        Verdict.WARN: False,
        Verdict.NOT_APPLICABLE: False,
        Verdict.NOT_VERIFIED: True,
        Verdict.WAIVED: True,
        Verdict.FLAKY: True,
        Verdict.KIT_ERROR: True,
    }
)
"""Whether a needed MUST with this verdict keeps a level from being reached."""
