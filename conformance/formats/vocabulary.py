"""The closed vocabularies of the formats and of the kit.

Generated from `schema/source/vocabularies/` by `scripts/generate.py`: edit the source, not this.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class AccessMode(StrEnum):
    """What an agent may do with what it accesses."""

    READ_ONLY = "read-only"
    """Read it."""
    READ_WRITE = "read-write"
    """Read it and change it."""
    WRITE_ONLY = "write-only"
    """Add to it, without reading it."""


class AnswerStatus(StrEnum):
    """How a call ended, in an enriched response."""

    SUCCESS = "success"
    """The call did what it was asked."""
    ERROR = "error"
    """The call failed, and `data` says why."""


class ArdfBlock(StrEnum):
    """The blocks of `how_to_use`."""

    INVOCATION = "invocation"
    """How it is called: inputs, outputs, endpoint and method."""
    ACCESS = "access"
    """How it is reached and in what format."""
    COMPOSITION = "composition"
    """Of what other resources it is made, in what order."""
    GUARDRAILS = "guardrails"
    """What it forbids or demands, and of whom."""
    CONTENT = "content"
    """The text or the data itself."""


class ArdfContent(StrEnum):
    """The kinds of `content` in the dialect `ardf-content`; a kind is written `tool/io`."""

    TOOL_IO = "tool-io"
    """The inputs and outputs of a tool."""
    DOCUMENT_REF = "document-ref"
    """Where a document is."""
    WORKFLOW_STEPS = "workflow-steps"
    """The steps of a workflow."""
    POLICY_RULES = "policy-rules"
    """The rules of a policy."""
    PROMPT_TEMPLATE = "prompt-template"
    """The text of a prompt."""
    PROMPT_FLOW = "prompt-flow"
    """The steps to which a prompt leads."""
    MODEL_SPEC = "model-spec"
    """How a model is called."""
    DATASET_SPEC = "dataset-spec"
    """How a dataset is accessed."""
    CONNECTOR_SPEC = "connector-spec"
    """How a connector is called."""


class Binding(StrEnum):
    """How a target is spoken to."""

    HTTP = "http"
    """The HTTP binding."""
    MCP = "mcp"
    """The Model Context Protocol over streamable HTTP."""
    STDIO = "stdio"
    """The Model Context Protocol over standard input and output."""


class ControlFlow(StrEnum):
    """How the steps of a composition follow each other."""

    SEQUENTIAL = "sequential"
    """One after the other, in their order."""
    CONDITIONAL = "conditional"
    """In their order, but a step whose condition does not hold is left out."""
    PARALLEL = "parallel"
    """At the same time; the order says only how they are listed."""


class Enforcement(StrEnum):
    """How firmly a policy binds."""

    HARD = "hard"
    """What breaks a rule is not done."""
    SOFT = "soft"
    """What breaks a rule is done only after a person agrees."""
    AUDIT = "audit"
    """What breaks a rule is done, and recorded."""


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


class Maturity(StrEnum):
    """How far a resource has come."""

    DRAFT = "draft"
    """Written down, not yet usable."""
    ALPHA = "alpha"
    """Usable for trials; anything may change."""
    BETA = "beta"
    """Complete, and still being proven."""
    STABLE = "stable"
    """Proven; changes keep its users working."""
    DEPRECATED = "deprecated"
    """Still there, not to be used for anything new."""


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


class ResourceType(StrEnum):
    """The types of a resource."""

    TOOL = "tool"
    """Something that can be called: a function, an API, a skill of an agent."""
    PROMPT = "prompt"
    """Instructions, or a strategy, for the agent itself."""
    DOCUMENT = "document"
    """Something to read: a knowledge base, a procedure, reference material."""
    WORKFLOW = "workflow"
    """Other resources in an order, some of them under a condition."""
    POLICY = "policy"
    """Rules that bind the use of other resources."""
    MODEL = "model"
    """A model that classifies, predicts or generates."""
    DATASET = "dataset"
    """Structured data."""
    CONNECTOR = "connector"
    """A bridge to another system, called or accessed."""
    CUSTOM = "custom"
    """A type of a domain's own, with any of the blocks."""


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
    DOCUMENT = "document"
    """A document, wherever it comes from; a run asks no target about it."""


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


ARDF_CONTENT_RESOURCE_TYPE: Final[Mapping[ArdfContent, ResourceType]] = MappingProxyType(
    {
        ArdfContent.TOOL_IO: ResourceType.TOOL,
        ArdfContent.DOCUMENT_REF: ResourceType.DOCUMENT,
        ArdfContent.WORKFLOW_STEPS: ResourceType.WORKFLOW,
        ArdfContent.POLICY_RULES: ResourceType.POLICY,
        ArdfContent.PROMPT_TEMPLATE: ResourceType.PROMPT,
        ArdfContent.PROMPT_FLOW: ResourceType.PROMPT,
        ArdfContent.MODEL_SPEC: ResourceType.MODEL,
        ArdfContent.DATASET_SPEC: ResourceType.DATASET,
        ArdfContent.CONNECTOR_SPEC: ResourceType.CONNECTOR,
    }
)
"""The type of the resource that it belongs to."""

ARDF_CONTENT_WRITTEN: Final[Mapping[ArdfContent, str]] = MappingProxyType(
    {
        ArdfContent.TOOL_IO: 'tool/io',
        ArdfContent.DOCUMENT_REF: 'document/ref',
        ArdfContent.WORKFLOW_STEPS: 'workflow/steps',
        ArdfContent.POLICY_RULES: 'policy/rules',
        ArdfContent.PROMPT_TEMPLATE: 'prompt/template',
        ArdfContent.PROMPT_FLOW: 'prompt/flow',
        ArdfContent.MODEL_SPEC: 'model/spec',
        ArdfContent.DATASET_SPEC: 'dataset/spec',
        ArdfContent.CONNECTOR_SPEC: 'connector/spec',
    }
)
"""How a document names it."""

ARDF_CONTENT_BLOCK: Final[Mapping[ArdfContent, ArdfBlock]] = MappingProxyType(
    {
        ArdfContent.TOOL_IO: ArdfBlock.INVOCATION,
        ArdfContent.DOCUMENT_REF: ArdfBlock.ACCESS,
        ArdfContent.WORKFLOW_STEPS: ArdfBlock.COMPOSITION,
        ArdfContent.POLICY_RULES: ArdfBlock.GUARDRAILS,
        ArdfContent.PROMPT_TEMPLATE: ArdfBlock.CONTENT,
        ArdfContent.PROMPT_FLOW: ArdfBlock.COMPOSITION,
        ArdfContent.MODEL_SPEC: ArdfBlock.INVOCATION,
        ArdfContent.DATASET_SPEC: ArdfBlock.ACCESS,
        ArdfContent.CONNECTOR_SPEC: ArdfBlock.INVOCATION,
    }
)
"""The block that says the same."""

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

RESOURCE_TYPE_BLOCKS: Final[Mapping[ResourceType, tuple[ArdfBlock, ...]]] = MappingProxyType(
    {
        ResourceType.TOOL: (ArdfBlock.INVOCATION,),
        ResourceType.PROMPT: (ArdfBlock.CONTENT, ArdfBlock.COMPOSITION),
        ResourceType.DOCUMENT: (ArdfBlock.ACCESS,),
        ResourceType.WORKFLOW: (ArdfBlock.COMPOSITION,),
        ResourceType.POLICY: (ArdfBlock.GUARDRAILS,),
        ResourceType.MODEL: (ArdfBlock.INVOCATION,),
        ResourceType.DATASET: (ArdfBlock.ACCESS,),
        ResourceType.CONNECTOR: (ArdfBlock.INVOCATION, ArdfBlock.ACCESS),
        ResourceType.CUSTOM: (ArdfBlock.INVOCATION, ArdfBlock.ACCESS, ArdfBlock.COMPOSITION, ArdfBlock.GUARDRAILS, ArdfBlock.CONTENT),
    }
)
"""The blocks that say how it is used; one of them will do."""

RESOURCE_TYPE_BLOCK_REQUIRED: Final[Mapping[ResourceType, bool]] = MappingProxyType(
    {
        ResourceType.TOOL: True,
        ResourceType.PROMPT: False,
        ResourceType.DOCUMENT: True,
        ResourceType.WORKFLOW: False,
        ResourceType.POLICY: False,
        ResourceType.MODEL: False,
        ResourceType.DATASET: False,
        ResourceType.CONNECTOR: False,
        ResourceType.CUSTOM: False,
    }
)
"""Whether one of the blocks has to be there."""

RESOURCE_TYPE_PATH: Final[Mapping[ResourceType, str]] = MappingProxyType(
    {
        ResourceType.TOOL: '/tools',
        ResourceType.PROMPT: '/prompts',
        ResourceType.DOCUMENT: '/documents',
        ResourceType.WORKFLOW: '/workflows',
        ResourceType.POLICY: '/policies',
        ResourceType.MODEL: '/models',
        ResourceType.DATASET: '/datasets',
        ResourceType.CONNECTOR: '/connectors',
        ResourceType.CUSTOM: '/custom',
    }
)
"""Where a server usually lists resources of the type."""

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
