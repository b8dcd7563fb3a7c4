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


class ApiFamily(StrEnum):
    """Whose form of requests and answers a provider follows."""

    OPENAI = "openai"
    """The form of OpenAI, which many others follow."""
    ANTHROPIC = "anthropic"
    """The form of the messages of Anthropic."""
    GEMINI = "gemini"
    """The form of Google Gemini."""
    CUSTOM = "custom"
    """A custom form."""


class ArdfBlock(StrEnum):
    """The blocks of `how_to_use`."""

    INVOCATION = "invocation"
    """How it is called: inputs, outputs, endpoint and method."""
    ACCESS = "access"
    """How it is reached, in what format, and whether an agent may change it."""
    COMPOSITION = "composition"
    """Which other resources it consists of, and in what order."""
    GUARDRAILS = "guardrails"
    """What it forbids or demands, and for which resources."""
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


class ArdfContentName(StrEnum):
    """The names that the dialect `ardf-content` has for members of a block."""

    TEMPLATE_TEXT = "template-text"
    """The text of a prompt. `{name}` and `${name}` stand for a variable of `input_variables`."""
    INPUT_VARIABLES = "input-variables"
    """The names of a prompt's variables."""
    DOCUMENT_ACCESS = "document-access"
    """What an agent may do with a document."""
    STEP_TOOL = "step-tool"
    """The tool that a step calls."""
    STEP_PROMPT = "step-prompt"
    """The prompt that a step uses."""
    STEP_POLICY = "step-policy"
    """The policy that a step applies."""
    STEP_DESCRIPTION = "step-description"
    """What a step does."""
    RULE_STATEMENT = "rule-statement"
    """A rule of a policy, in words."""
    MODEL_INPUTS = "model-inputs"
    """The names of a model's inputs."""
    DATASET_SCHEMA = "dataset-schema"
    """The JSON Schema of the records of a dataset. The block has a name for each kind of record; here it is `record`."""
    DATASET_CONNECTOR = "dataset-connector"
    """The connector that reaches a dataset."""
    CONNECTOR_URL = "connector-url"
    """The address of a connector."""


class AuthType(StrEnum):
    """How a credential is sent."""

    BEARER = "bearer"
    """As a bearer token, in the header `Authorization`."""
    CUSTOM_HEADER = "custom_header"
    """In a header that the manifest names."""
    QUERY_PARAM = "query_param"
    """As a parameter of the query."""


class Binding(StrEnum):
    """How the kit talks to a target."""

    HTTP = "http"
    """The HTTP binding."""
    MCP = "mcp"
    """The Model Context Protocol over streamable HTTP."""
    STDIO = "stdio"
    """The Model Context Protocol over standard input and output."""
    NATIVE = "native"
    """Model calls through a gateway, in the names of the runtime vocabulary."""
    OPENAI = "openai"
    """Model calls through a gateway, as chat completions of OpenAI."""


class CallOutcome(StrEnum):
    """The statuses with which a call ends and leaves a result or an error."""

    COMPLETED = "completed"
    """It ended well."""
    FAILED = "failed"
    """It ended with an error."""


class CallStatus(StrEnum):
    """The state of a call that outlives its request."""

    RUNNING = "running"
    """It has no result yet."""
    COMPLETED = "completed"
    """It ended well; its result can be fetched."""
    FAILED = "failed"
    """It ended with an error, which can be fetched."""
    CANCELLED = "cancelled"
    """It was ended from outside, and has no result."""


class ChangeKind(StrEnum):
    """What an entry of a changelog says."""

    INTRODUCED = "introduced"
    """New in this version."""
    SETTLED = "settled"
    """The original texts contradicted each other or were unclear. This was decided."""
    COMPLETED = "completed"
    """The original texts left this open, and this version fills the gap."""
    DIALECT = "dialect"
    """Documents in use have this form, and the kit reads it."""


class ConformanceClass(StrEnum):
    """The classes of conformance that a server may claim."""

    DESCRIBED = "described"
    """The level Described."""
    GUARDED = "guarded"
    """The level Guarded."""
    EXPLAINED = "explained"
    """The level Explained."""
    RECOVERABLE = "recoverable"
    """The level Recoverable."""
    RESOURCES = "resources"
    """The server offers ARDF resources."""
    TOOLSETS = "toolsets"
    """The server offers a toolset catalog."""
    SERVER_V1 = "server-v1"
    """The server has the routes of the server profile."""


class ControlFlow(StrEnum):
    """How the steps of a composition follow each other."""

    SEQUENTIAL = "sequential"
    """One after the other, in their order."""
    CONDITIONAL = "conditional"
    """In their order, but a step whose condition does not hold is skipped."""
    PARALLEL = "parallel"
    """At the same time; the order says only how they are listed."""


class DecoderFormat(StrEnum):
    """How the frames of a stream are separated."""

    SSE = "sse"
    """Server-sent events, one JSON value in the data of each."""
    ANTHROPIC_SSE = "anthropic_sse"
    """Like `sse`, but the name of the event is in `type` of the data, too."""
    GEMINI_SSE = "gemini_sse"
    """Like `sse`, but each value has the form of a whole answer, and the stream just ends."""
    NDJSON = "ndjson"
    """One JSON value on each line."""


class Disguise(StrEnum):
    """The forms by which a result that says that it succeeded is read as an error."""

    LEADING_WORD = "leading_word"
    """A short text begins with one of these words and a colon."""
    ERROR_CLASS = "error_class"
    """A short text begins with the name of a class that ends in one of these words, and a colon."""
    LIBRARY_ERROR = "library_error"
    """A short line is, or begins as, the error of a widespread library. `#` is a number, and `…` a text. A form that ends with a letter or a number is the whole line. There may be words such as `Failed to load` and a colon before it."""
    ERROR_MEMBER = "error_member"
    """An object has one of these members, and no other data. Its value is `true`, a text, or an object with a text."""
    SUCCESS_MEMBER = "success_member"
    """An object has one of these members with the value `false`. It has no other data, or it names the parameter that the kit broke in the call."""
    STATUS_MEMBER = "status_member"
    """An object has the member `status` with one of these values, and no other data."""
    NESTED_RESULT = "nested_result"
    """An object has `content`, its `isError` is `true`, and it has no member that a result of MCP does not have."""
    NOT_A_VALUE = "not_a_value"
    """The answer to a baseline call is a text whose only value is one of these. The call is not a baseline then, and the answer is not a refusal either."""


class DownloadKind(StrEnum):
    """What a downloaded file contains."""

    SCHEMA = "schema"
    """The schema of a document."""
    CLAUSES = "clauses"
    """The clauses of a specification, in three languages."""
    CHANGES = "changes"
    """What each version brought and corrected, and since when each field is there, in three languages."""
    EXAMPLE = "example"
    """An example, or the list of them."""
    LATEST = "latest"
    """A copy of the latest version."""
    ALIAS = "alias"
    """A copy under an older name."""
    EDITOR = "editor"
    """For editors: which schema belongs to which file name."""
    INDEX = "index"
    """The list of the files of all specifications, with sizes and sums."""
    SUMS = "sums"
    """The sums of the other files, as `sha256sum -c` reads them."""
    ARCHIVE = "archive"
    """The other files of all specifications, in one archive."""


class Emission(StrEnum):
    """Whether optional server data is sent."""

    ON = "on"
    """It is sent."""
    OFF = "off"
    """It is not sent."""


class Enforcement(StrEnum):
    """How firmly a policy binds."""

    HARD = "hard"
    """An action that breaks a rule is not taken."""
    SOFT = "soft"
    """An action that breaks a rule is taken only after a person agrees."""
    AUDIT = "audit"
    """An action that breaks a rule is taken, and recorded."""


class Era(StrEnum):
    """The two ways in which a connection begins, by the version of the Model Context Protocol."""

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
    TEMPORARILY_UNAVAILABLE = "temporarily-unavailable"
    """What the tool needs cannot be reached for now. The same call may succeed later."""
    TIMEOUT = "timeout"
    """What the tool needs did not answer in time. The same call may succeed later."""
    INTERNAL_ERROR = "internal-error"
    """The server failed."""


class Family(StrEnum):
    """What the check of a declared clause looks at. One test of a chapter checks every clause of a family."""

    TOOL = "tool"
    """The declaration of a tool."""
    CATALOG = "catalog"
    """The catalog as a whole."""
    ERROR = "error"
    """Each error envelope that a call received."""
    RESOURCE = "resource"
    """Each ARDF resource of the target."""
    MANIFEST = "manifest"
    """The manifest that names the collections of resources."""
    OPENAPI = "openapi"
    """An OpenAPI document, or one operation of it."""
    TOOLSET_CATALOG = "toolset-catalog"
    """The toolset catalog. `has` names a field that one of its tools has."""
    TOOL_RESULT = "tool-result"
    """Each tool result, together with the call that it answers."""
    CALL_STATUS = "call-status"
    """Each status of a call whose result is fetched later."""


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


class Jitter(StrEnum):
    """How a delay is spread at random, so that clients do not return all at the same time."""

    FULL = "full"
    """Anything from 0 to the delay."""
    EQUAL = "equal"
    """Anything from half of the delay to all of it."""


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
    """The conformance levels. Each includes the ones before it on its ladder; the last three are those of gateways."""

    NONE = "none"
    """No level is reached."""
    DESCRIBED = "described"
    """Described: every document is valid, references resolve, and examples are valid."""
    GUARDED = "guarded"
    """Guarded: every plainly invalid input is refused (with ATDF: most other invalid input, too), no valid input is refused as invalid, and nothing crashes, hangs or leaks a credential."""
    EXPLAINED = "explained"
    """Explained: every refusal has one error shape that names the tool and the parameter correctly."""
    RECOVERABLE = "recoverable"
    """Recoverable: every repairable mistake can be fixed from its error alone, and no suggestion is wrong."""
    FAITHFUL = "faithful"
    """Faithful: what was asked reaches the provider, and what the provider said reaches the client, both unchanged in meaning."""
    HONEST = "honest"
    """Honest: every failure is reported as the failure that it is, in time, and no credential goes where it does not belong."""
    RESILIENT = "resilient"
    """Resilient: retries, fallback and cancellation follow the rules, and one call never harms another."""


class Maturity(StrEnum):
    """How mature a resource is."""

    DRAFT = "draft"
    """Written down, not yet usable."""
    ALPHA = "alpha"
    """Usable for trials; anything may change."""
    BETA = "beta"
    """Complete, but still on trial."""
    STABLE = "stable"
    """Proven; changes do not break what uses it."""
    DEPRECATED = "deprecated"
    """Still available; do not use it for anything new."""


class MessagePart(StrEnum):
    """What a part of a message contains."""

    TEXT = "text"
    """A text."""
    IMAGE = "image"
    """An image."""


class MessageRole(StrEnum):
    """Who speaks in a message."""

    SYSTEM = "system"
    """The application, which says how the model should behave."""
    USER = "user"
    """A person, or a program in place of one."""
    ASSISTANT = "assistant"
    """The model."""
    TOOL = "tool"
    """A tool that the model called."""


class MetaKey(StrEnum):
    """The reserved keys of `_meta` over MCP."""

    ATDF = "atdf"
    """The fields of a tool that MCP has no field for."""
    ARDF = "ardf"
    """The fields of a prompt or of a resource that MCP has no field for."""
    ERROR = "error"
    """The error of a failed call, for programs."""
    TOOLSET = "toolset"
    """The entry of a tool in the toolset catalog."""
    CALL_META = "call_meta"
    """The meta of a call."""
    RETRY_HINT = "retry_hint"
    """The retry hint of a failed call."""
    RUN_LINK = "run_link"
    """The link to the run of an agent."""
    SERVER_DATA = "server_data"
    """Server data, which the model does not see."""


class Missing(StrEnum):
    """What may be missing around a server, so that a call fails through no fault of the server."""

    BROWSER = "browser"
    """A browser."""
    DISPLAY = "display"
    """A screen."""
    DATABASE = "database"
    """A database."""
    CREDENTIALS = "credentials"
    """An API key, or other credentials of a service that the server calls."""
    SETTING = "setting"
    """A setting of the server, such as an environment variable."""
    NETWORK = "network"
    """The network."""
    SERVICE = "service"
    """A service that the server calls."""
    PROGRAM = "program"
    """A program that the server starts."""
    FILES = "files"
    """Files that the server may write to."""
    QUOTA = "quota"
    """Permission to send more requests: the server, or a service that it calls, takes only so many in a given time."""


class NamedChoice(StrEnum):
    """What kind of thing is chosen by name."""

    FUNCTION = "function"
    """A function."""
    TOOL = "tool"
    """A tool."""


class NeededFor(StrEnum):
    """The level that a clause is needed for."""

    PROTOCOL = "protocol"
    """Conformance to the protocol underneath. A broken MUST is a failure, but it changes no level."""
    DESCRIBED = "described"
    """The level Described."""
    GUARDED = "guarded"
    """The level Guarded."""
    EXPLAINED = "explained"
    """The level Explained."""
    RECOVERABLE = "recoverable"
    """The level Recoverable."""
    FAITHFUL = "faithful"
    """The level Faithful."""
    HONEST = "honest"
    """The level Honest."""
    RESILIENT = "resilient"
    """The level Resilient."""


class Offer(StrEnum):
    """What a target may offer in addition to tools. Some clauses apply only if it does."""

    RESOURCES = "resources"
    """ARDF resources, in a collection, or as MCP resources with the media type of ARDF."""
    TOOLSETS = "toolsets"
    """A toolset catalog, in one document over HTTP or, over MCP, entry by entry in the `_meta` of the tools."""


class OpenapiPlace(StrEnum):
    """Where frameworks serve the OpenAPI document, unless an application says otherwise."""

    ROOT = "root"
    """FastAPI, APIFlask, Quart-Schema, Connexion, BlackSheep, LoopBack, Huma."""
    API_DOCS = "api_docs"
    """A usual choice with Express."""
    SPRINGDOC = "springdoc"
    """springdoc-openapi."""
    SWAGGER = "swagger"
    """Flask-RESTX, tsoa, drf-yasg."""
    SPECTREE = "spectree"
    """SpecTree."""
    LITESTAR = "litestar"
    """Litestar."""
    NINJA = "ninja"
    """Django Ninja. Also `flask-smorest`, set up at `/api`."""
    SPECTACULAR = "spectacular"
    """drf-spectacular."""
    FLASK_OPENAPI = "flask_openapi"
    """flask-openapi3."""
    SANIC = "sanic"
    """Sanic Extensions."""
    NEST_API = "nest_api"
    """NestJS, set up at `api`."""
    NEST_DOCS = "nest_docs"
    """NestJS, set up at `docs`."""
    FASTIFY = "fastify"
    """Fastify."""
    HONO = "hono"
    """Hono: Zod OpenAPI."""
    ELYSIA = "elysia"
    """Elysia."""
    DOTNET = "dotnet"
    """ASP.NET Core."""
    SWASHBUCKLE = "swashbuckle"
    """Swashbuckle, NSwag, FastEndpoints."""
    QUARKUS = "quarkus"
    """Quarkus."""
    MICROPROFILE = "microprofile"
    """MicroProfile OpenAPI, Phoenix."""
    UTOIPA = "utoipa"
    """utoipa."""
    ORPC = "orpc"
    """oRPC."""
    AIOHTTP_PYDANTIC = "aiohttp_pydantic"
    """aiohttp-pydantic."""
    AIOHTTP_SWAGGER = "aiohttp_swagger"
    """aiohttp-swagger3."""
    RESPONDER = "responder"
    """Responder."""
    YAML = "yaml"
    """Applications that serve a YAML file."""


class Outcome(StrEnum):
    """What an answer to a call means."""

    ACCEPTED = "accepted"
    """The call was carried out, or its form was accepted."""
    INPUT_REFUSED = "input_refused"
    """The input was refused as invalid."""
    OTHER_REFUSED = "other_refused"
    """The call was refused for something other than the form of its input; that proves nothing about that form."""
    ENVIRONMENT = "environment"
    """The call failed because something around the server is missing; that proves nothing about the server."""
    SERVER_FAULT = "server_fault"
    """The server failed."""
    NO_ANSWER = "no_answer"
    """No whole answer came in time, or it was larger than the kit reads."""


class ParameterType(StrEnum):
    """The types of parameters, as manifests name them."""

    FLOAT = "float"
    """A number."""
    INTEGER = "integer"
    """A whole number."""
    BOOLEAN = "boolean"
    """True or false."""
    STRING = "string"
    """A string."""
    ARRAY = "array"
    """A list."""
    OBJECT = "object"
    """An object."""


class Requirement(StrEnum):
    """How binding a clause is."""

    MUST = "MUST"
    """Required; breaking it is a failure."""
    SHOULD = "SHOULD"
    """Recommended; breaking it is a warning."""
    MAY = "MAY"
    """Permitted; leaving it out has no effect."""


class ResourceType(StrEnum):
    """The types of a resource."""

    TOOL = "tool"
    """Something that can be called: a function, an API, a skill of an agent."""
    PROMPT = "prompt"
    """Instructions, or a strategy, for the agent itself."""
    DOCUMENT = "document"
    """Something to read: a knowledge base, a procedure, reference material."""
    WORKFLOW = "workflow"
    """Other resources in an order; a step may have a condition."""
    POLICY = "policy"
    """Rules that bind the use of other resources."""
    MODEL = "model"
    """A model that classifies, predicts or generates."""
    DATASET = "dataset"
    """Structured data."""
    CONNECTOR = "connector"
    """A bridge to another system, called or accessed."""
    CUSTOM = "custom"
    """A custom type of a domain, with any of the blocks."""


class ResponseFormat(StrEnum):
    """The form that the text of an answer has."""

    TEXT = "text"
    """Plain text."""
    JSON_OBJECT = "json_object"
    """The text of a JSON object."""
    JSON_SCHEMA = "json_schema"
    """The text of a JSON value that is valid for a schema."""


class RetryReason(StrEnum):
    """Why a tool call may be worth another try."""

    INVALID_ARGUMENTS = "invalid_arguments"
    """The arguments do not fit the schema of the tool."""
    MISSING_FIELDS = "missing_fields"
    """Required arguments are missing."""
    MALFORMED_RESPONSE = "malformed_response"
    """The tool answered with something that could not be decoded."""
    TIMEOUT = "timeout"
    """The tool did not answer in time."""
    RATE_LIMITED = "rate_limited"
    """The tool refuses for now, because it was called too often."""
    TOOL_UNAVAILABLE = "tool_unavailable"
    """The tool cannot be reached at the moment."""


class RetryStrategy(StrEnum):
    """How failed model calls are repeated."""

    EXPONENTIAL_BACKOFF = "exponential_backoff"
    """After delays that grow by a factor."""
    NONE = "none"
    """Not at all."""


class RpcError(StrEnum):
    """The errors of JSON-RPC and of MCP, by their meaning."""

    PARSE_ERROR = "parse_error"
    """The message is not JSON."""
    INVALID_REQUEST = "invalid_request"
    """It is JSON, but not a request."""
    METHOD_NOT_FOUND = "method_not_found"
    """There is no such method."""
    INVALID_PARAMS = "invalid_params"
    """The method exists, but not with these parameters."""
    INTERNAL_ERROR = "internal_error"
    """The server failed."""
    RESOURCE_NOT_FOUND = "resource_not_found"
    """There is no such resource; retired with 2026-07-28."""
    URL_ELICITATION_REQUIRED = "url_elicitation_required"
    """A page has to be visited first; retired with 2026-07-28."""
    HEADER_MISMATCH = "header_mismatch"
    """A header is missing, or says something other than the body."""
    MISSING_CAPABILITY = "missing_capability"
    """The client did not declare a capability that is needed."""
    UNSUPPORTED_VERSION = "unsupported_version"
    """The server does not speak that version of the protocol."""


class RunKind(StrEnum):
    """What a run does."""

    FULL = "full"
    """It calls the tools or the models."""
    PROTOCOL = "protocol"
    """It speaks the protocol alone; it has no level."""


class RuntimeCategory(StrEnum):
    """Whose fault an error of a model call is."""

    CLIENT = "client"
    """The request is the cause."""
    RATE = "rate"
    """The caller asked too often, or for too much."""
    SERVER = "server"
    """The provider is the cause."""
    OPERATIONAL = "operational"
    """Something around the call is the cause."""
    UNKNOWN = "unknown"
    """Nobody knows."""


class RuntimeErrorCode(StrEnum):
    """The codes of the thirteen errors."""

    E1001 = "E1001"
    """The code of `invalid_request`."""
    E1002 = "E1002"
    """The code of `authentication`."""
    E1003 = "E1003"
    """The code of `permission_denied`."""
    E1004 = "E1004"
    """The code of `not_found`."""
    E1005 = "E1005"
    """The code of `request_too_large`."""
    E2001 = "E2001"
    """The code of `rate_limited`."""
    E2002 = "E2002"
    """The code of `quota_exhausted`."""
    E3001 = "E3001"
    """The code of `server_error`."""
    E3002 = "E3002"
    """The code of `overloaded`."""
    E3003 = "E3003"
    """The code of `timeout`."""
    E4001 = "E4001"
    """The code of `conflict`."""
    E4002 = "E4002"
    """The code of `cancelled`."""
    E9999 = "E9999"
    """The code of `unknown`."""


class RuntimeErrorName(StrEnum):
    """The thirteen errors of model calls."""

    INVALID_REQUEST = "invalid_request"
    """The request is malformed or has an invalid value."""
    AUTHENTICATION = "authentication"
    """The credentials are missing or not valid."""
    PERMISSION_DENIED = "permission_denied"
    """The credentials do not allow this."""
    NOT_FOUND = "not_found"
    """The model or the resource does not exist."""
    REQUEST_TOO_LARGE = "request_too_large"
    """The request is larger than the provider or the model takes."""
    RATE_LIMITED = "rate_limited"
    """Too much was asked in too short a time."""
    QUOTA_EXHAUSTED = "quota_exhausted"
    """The quota or the credit is used up; 429 only where the code or the message of the provider says so."""
    SERVER_ERROR = "server_error"
    """The provider failed."""
    OVERLOADED = "overloaded"
    """The provider has too much to do."""
    TIMEOUT = "timeout"
    """The provider did not answer in time, or the client did not get its answer in time."""
    CONFLICT = "conflict"
    """Something else changed the same thing at the same time."""
    CANCELLED = "cancelled"
    """The caller gave up."""
    UNKNOWN = "unknown"
    """What happened is in none of the other classes."""


class Scope(StrEnum):
    """What one verdict of a clause is about."""

    TOOL = "tool"
    """One tool; a run has one verdict for each."""
    TARGET = "target"
    """The whole target; a run has one verdict."""
    DOCUMENT = "document"
    """A document, wherever it comes from; a run asks no target about it."""


class Seen(StrEnum):
    """What is seen at the ends of a gateway."""

    ARRIVED = "arrived"
    """A request arrived at the provider."""
    HEAD = "head"
    """The provider sent the status."""
    SENT = "sent"
    """The provider sent bytes of the body."""
    BARRIER = "barrier"
    """The provider waited until the client had seen something."""
    ENDED = "ended"
    """The provider sent its answer to the end."""
    BROKEN = "broken"
    """The provider closed or broke the connection on purpose."""
    LEFT = "left"
    """The gateway closed its connection to the provider before the answer ended."""
    CUT = "cut"
    """The kit stopped its provider before the answer ended."""
    CLIENT_STATUS = "client_status"
    """The client got a status."""
    CLIENT_GOT = "client_got"
    """The client got bytes of the body."""
    CLIENT_CONTENT = "client_content"
    """The client has the first piece of content."""
    CLIENT_LEFT = "client_left"
    """The client closed its connection to the gateway on purpose."""
    CLIENT_DONE = "client_done"
    """The answer ended for the client, whole or not."""


class Specification(StrEnum):
    """The specifications that a server may claim to follow."""

    ATDF = "atdf"
    """The descriptions of tools, and their errors."""
    ARDF = "ardf"
    """The descriptions of resources."""
    RUNTIME = "runtime"
    """The vocabulary of model calls and tool calls."""
    BINDINGS = "bindings"
    """How all of it travels over HTTP and MCP."""


class StandardParameter(StrEnum):
    """The eight parameters that mean the same to every provider."""

    TEMPERATURE = "temperature"
    """How random the answer is, from 0 to 2."""
    MAX_TOKENS = "max_tokens"
    """The most tokens that the answer may have."""
    TOP_P = "top_p"
    """The threshold of nucleus sampling, from 0 to 1."""
    STREAM = "stream"
    """Whether the answer comes in pieces."""
    STOP = "stop"
    """Texts that end the answer."""
    TOOLS = "tools"
    """The tools that the model may call."""
    TOOL_CHOICE = "tool_choice"
    """How a tool is chosen."""
    RESPONSE_FORMAT = "response_format"
    """The form of the answer."""


class Status(StrEnum):
    """How final a clause, a document or a field is."""

    DRAFT = "draft"
    """It may still change before its version is released."""
    STABLE = "stable"
    """Its version is released, and its meaning never changes."""
    DEPRECATED = "deprecated"
    """It still holds, and a later version will drop it."""


class StreamEventName(StrEnum):
    """The eight events of a stream."""

    PARTIALCONTENTDELTA = "PartialContentDelta"
    """A piece of the text of the answer."""
    THINKINGDELTA = "ThinkingDelta"
    """A piece of what the model thinks before it answers."""
    TOOLCALLSTARTED = "ToolCallStarted"
    """The model begins to call a tool."""
    PARTIALTOOLCALL = "PartialToolCall"
    """A piece of the arguments of a call, as JSON text."""
    TOOLCALLENDED = "ToolCallEnded"
    """The arguments of a call are complete."""
    STREAMEND = "StreamEnd"
    """The provider ended the answer."""
    STREAMERROR = "StreamError"
    """The stream failed."""
    METADATA = "Metadata"
    """The use of tokens, the model, and what else belongs to the answer as a whole. It may come anywhere before the end, and more than once. A later value of a field replaces the earlier one."""


class TerminationReason(StrEnum):
    """Why an answer ended."""

    END_TURN = "end_turn"
    """The model had said what it wanted to say."""
    MAX_TOKENS = "max_tokens"
    """The limit of tokens was reached."""
    TOOL_USE = "tool_use"
    """The model wants a tool to be called."""
    STOP_SEQUENCE = "stop_sequence"
    """A stop sequence came up."""
    CONTENT_FILTER = "content_filter"
    """A policy on content cut the answer off, or the model refused."""


class ToolChoice(StrEnum):
    """How freely the model chooses a tool."""

    AUTO = "auto"
    """The model decides whether and what to call."""
    NONE = "none"
    """The model calls nothing."""
    REQUIRED = "required"
    """The model calls something."""


class ToolEventName(StrEnum):
    """What happens to a tool call, as observers see it."""

    TOOL_START = "tool_start"
    """The call began."""
    TOOL_END = "tool_end"
    """The call ended, well or badly."""
    CHILD_RUN_LINKED = "child_run_linked"
    """The call started a run of another agent."""


class ToolTrait(StrEnum):
    """What a toolset catalog says of a tool. Some declared clauses are only about tools of one trait."""

    AGENT = "agent"
    """Its `kind` is `agent`."""
    BOUNDED = "bounded"
    """Its `bounded` is `true`."""
    UNBOUNDED = "unbounded"
    """Its `bounded` is missing or not `true`."""
    SERVER_DATA = "server_data"
    """It declares server data."""


class ToolsetKind(StrEnum):
    """What runs behind the tools of a toolset."""

    SERVICE = "service"
    """A method of a service, or code that the service registered."""
    AGENT = "agent"
    """An agent, which works on the call in a run of its own."""
    MCP = "mcp"
    """A server that speaks the Model Context Protocol."""


class Verdict(StrEnum):
    """What was found about one clause on one tool or target."""

    PASS = "pass"
    """Verified, and followed."""
    FAIL = "fail"
    """A MUST is broken."""
    WARN = "warn"
    """A SHOULD is broken."""
    NOT_APPLICABLE = "not_applicable"
    """The clause does not apply here, for example because the target does not declare what it is about."""
    NOT_VERIFIED = "not_verified"
    """It could not be checked."""
    WAIVED = "waived"
    """It is broken, and a waiver says why that is accepted for now."""
    FLAKY = "flaky"
    """It failed, and did not fail each time when the case was sent again alone."""
    KIT_ERROR = "kit_error"
    """The kit itself is at fault."""


class Verified(StrEnum):
    """How a clause is verified."""

    SCHEMA = "schema"
    """By a JSON Schema, applied to a document or to the answer of a tool."""
    STATIC = "static"
    """By a rule that no schema can express, applied to a document or to the answer of a tool."""
    CALL = "call"
    """By calling the tool, with valid or with invalid input."""
    REPAIR = "repair"
    """By following the suggestions of an error and calling again."""
    WIRE = "wire"
    """By requests other than planned calls of a tool, such as malformed requests, or model calls to a gateway."""
    PROTOCOL = "protocol"
    """By a sequence of messages of the protocol."""
    PARITY = "parity"
    """By comparing two bindings of the same server."""


class WireForm(StrEnum):
    """How a stream of events is written down."""

    SSE = "sse"
    """Server-sent events: the name of the event in `event:`, its payload in `data:`."""
    NDJSON = "ndjson"
    """One JSON object on each line, with the name of the event in `event`."""


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

ARDF_CONTENT_NAME_CONTENT: Final[Mapping[ArdfContentName, ArdfContent]] = MappingProxyType(
    {
        ArdfContentName.TEMPLATE_TEXT: ArdfContent.PROMPT_TEMPLATE,
        ArdfContentName.INPUT_VARIABLES: ArdfContent.PROMPT_TEMPLATE,
        ArdfContentName.DOCUMENT_ACCESS: ArdfContent.DOCUMENT_REF,
        ArdfContentName.STEP_TOOL: ArdfContent.WORKFLOW_STEPS,
        ArdfContentName.STEP_PROMPT: ArdfContent.WORKFLOW_STEPS,
        ArdfContentName.STEP_POLICY: ArdfContent.WORKFLOW_STEPS,
        ArdfContentName.STEP_DESCRIPTION: ArdfContent.WORKFLOW_STEPS,
        ArdfContentName.RULE_STATEMENT: ArdfContent.POLICY_RULES,
        ArdfContentName.MODEL_INPUTS: ArdfContent.MODEL_SPEC,
        ArdfContentName.DATASET_SCHEMA: ArdfContent.DATASET_SPEC,
        ArdfContentName.DATASET_CONNECTOR: ArdfContent.DATASET_SPEC,
        ArdfContentName.CONNECTOR_URL: ArdfContent.CONNECTOR_SPEC,
    }
)
"""The kind of `content` that uses the name."""

ARDF_CONTENT_NAME_WITHIN: Final[Mapping[ArdfContentName, tuple[str, ...]]] = MappingProxyType(
    {
        ArdfContentName.TEMPLATE_TEXT: (),
        ArdfContentName.INPUT_VARIABLES: (),
        ArdfContentName.DOCUMENT_ACCESS: (),
        ArdfContentName.STEP_TOOL: ('steps',),
        ArdfContentName.STEP_PROMPT: ('steps',),
        ArdfContentName.STEP_POLICY: ('steps',),
        ArdfContentName.STEP_DESCRIPTION: ('steps',),
        ArdfContentName.RULE_STATEMENT: ('rules',),
        ArdfContentName.MODEL_INPUTS: ('signature',),
        ArdfContentName.DATASET_SCHEMA: (),
        ArdfContentName.DATASET_CONNECTOR: (),
        ArdfContentName.CONNECTOR_URL: (),
    }
)
"""Where the member is: in `data` itself, in each item of a list, or in an object."""

ARDF_CONTENT_NAME_WRITTEN: Final[Mapping[ArdfContentName, str]] = MappingProxyType(
    {
        ArdfContentName.TEMPLATE_TEXT: 'template_text',
        ArdfContentName.INPUT_VARIABLES: 'input_variables',
        ArdfContentName.DOCUMENT_ACCESS: 'access',
        ArdfContentName.STEP_TOOL: 'tool_id',
        ArdfContentName.STEP_PROMPT: 'prompt_id',
        ArdfContentName.STEP_POLICY: 'policy_id',
        ArdfContentName.STEP_DESCRIPTION: 'description',
        ArdfContentName.RULE_STATEMENT: 'statement',
        ArdfContentName.MODEL_INPUTS: 'inputs',
        ArdfContentName.DATASET_SCHEMA: 'schema',
        ArdfContentName.DATASET_CONNECTOR: 'connector',
        ArdfContentName.CONNECTOR_URL: 'base_url',
    }
)
"""The name in the dialect."""

ARDF_CONTENT_NAME_MEMBER: Final[Mapping[ArdfContentName, str]] = MappingProxyType(
    {
        ArdfContentName.TEMPLATE_TEXT: 'template',
        ArdfContentName.INPUT_VARIABLES: 'variables',
        ArdfContentName.DOCUMENT_ACCESS: 'mode',
        ArdfContentName.STEP_TOOL: 'resource_ref',
        ArdfContentName.STEP_PROMPT: 'resource_ref',
        ArdfContentName.STEP_POLICY: 'resource_ref',
        ArdfContentName.STEP_DESCRIPTION: 'notes',
        ArdfContentName.RULE_STATEMENT: 'description',
        ArdfContentName.MODEL_INPUTS: 'inputs',
        ArdfContentName.DATASET_SCHEMA: 'schemas',
        ArdfContentName.DATASET_CONNECTOR: 'connector',
        ArdfContentName.CONNECTOR_URL: 'endpoint',
    }
)
"""The name in the block."""

ARDF_CONTENT_NAME_REFERS_TO: Final[Mapping[ArdfContentName, tuple[ResourceType, ...]]] = MappingProxyType(
    {
        ArdfContentName.TEMPLATE_TEXT: (),
        ArdfContentName.INPUT_VARIABLES: (),
        ArdfContentName.DOCUMENT_ACCESS: (),
        ArdfContentName.STEP_TOOL: (ResourceType.TOOL,),
        ArdfContentName.STEP_PROMPT: (ResourceType.PROMPT,),
        ArdfContentName.STEP_POLICY: (ResourceType.POLICY,),
        ArdfContentName.STEP_DESCRIPTION: (),
        ArdfContentName.RULE_STATEMENT: (),
        ArdfContentName.MODEL_INPUTS: (),
        ArdfContentName.DATASET_SCHEMA: (),
        ArdfContentName.DATASET_CONNECTOR: (ResourceType.CONNECTOR,),
        ArdfContentName.CONNECTOR_URL: (),
    }
)
"""The type of the resource whose id is the value, if it is an id."""

CALL_STATUS_FINAL: Final[Mapping[CallStatus, bool]] = MappingProxyType(
    {
        CallStatus.RUNNING: False,
        CallStatus.COMPLETED: True,
        CallStatus.FAILED: True,
        CallStatus.CANCELLED: True,
    }
)
"""Whether the status never changes again."""

CONFORMANCE_CLASS_SPECIFICATION: Final[Mapping[ConformanceClass, Specification]] = MappingProxyType(
    {
        ConformanceClass.DESCRIBED: Specification.ATDF,
        ConformanceClass.GUARDED: Specification.ATDF,
        ConformanceClass.EXPLAINED: Specification.ATDF,
        ConformanceClass.RECOVERABLE: Specification.ATDF,
        ConformanceClass.RESOURCES: Specification.ARDF,
        ConformanceClass.TOOLSETS: Specification.RUNTIME,
        ConformanceClass.SERVER_V1: Specification.BINDINGS,
    }
)
"""The specification with which the class is claimed."""

CONFORMANCE_CLASS_SEEN: Final[Mapping[ConformanceClass, str]] = MappingProxyType(
    {
        ConformanceClass.DESCRIBED: 'level',
        ConformanceClass.GUARDED: 'level',
        ConformanceClass.EXPLAINED: 'level',
        ConformanceClass.RECOVERABLE: 'level',
        ConformanceClass.RESOURCES: 'offer',
        ConformanceClass.TOOLSETS: 'offer',
        ConformanceClass.SERVER_V1: 'path',
    }
)
"""How the kit compares the claim: with the level of the session, with what the server offers, or with what a path answers."""

DISGUISE_WORDS: Final[Mapping[Disguise, tuple[str, ...]]] = MappingProxyType(
    {
        Disguise.LEADING_WORD: ('error', 'err', 'errors', 'error executing tool', 'fatal error', 'internal error', 'internal server error', 'error occurred', 'an error occurred', 'unexpected error', 'database error', 'query error', 'validation error', 'runtime error', 'server error', 'execution error', 'api error', 'network error', 'connection error', 'syntax error', 'parse error', 'fehler', 'erreur', 'erro', 'errore', 'ошибка', '错误', '錯誤', 'エラー', '오류'),
        Disguise.ERROR_CLASS: ('Error', 'Exception'),
        Disguise.LIBRARY_ERROR: ('[Errno #] ', '<urlopen error ', 'HTTPConnectionPool(host=', 'HTTPSConnectionPool(host=', '[SSL: …] ', "Client error '# …' for url '", "Server error '# …' for url '", 'All connection attempts failed', 'Cannot connect to host …:# ssl:', 'Request failed with status code #', 'fetch failed', 'connect ECONNREFUSED ', 'connect ETIMEDOUT ', 'getaddrinfo ENOTFOUND ', 'getaddrinfo EAI_AGAIN ', 'ENOENT: no such file or directory, ', 'EACCES: permission denied, ', 'EISDIR: illegal operation on a directory, '),
        Disguise.ERROR_MEMBER: ('error', 'isError', 'is_error'),
        Disguise.SUCCESS_MEMBER: ('success', 'ok', 'succeeded'),
        Disguise.STATUS_MEMBER: ('error', 'failed', 'failure', 'fail'),
        Disguise.NESTED_RESULT: ('isError',),
        Disguise.NOT_A_VALUE: ('NaN', 'undefined', '[object Object]'),
    }
)
"""The words or members that make the form."""

DISGUISE_UNLESS_ABOUT: Final[Mapping[Disguise, tuple[str, ...]]] = MappingProxyType(
    {
        Disguise.LEADING_WORD: ('error', 'errors', 'exception', 'exceptions', 'log', 'logs', 'logging', 'traceback', 'tracebacks', 'crash', 'crashes', 'incident', 'incidents', 'alert', 'alerts', 'warning', 'warnings', 'failure', 'failures', 'bug', 'bugs', 'stderr'),
        Disguise.ERROR_CLASS: ('error', 'errors', 'exception', 'exceptions', 'log', 'logs', 'logging', 'traceback', 'tracebacks', 'crash', 'crashes', 'incident', 'incidents', 'alert', 'alerts', 'warning', 'warnings', 'failure', 'failures', 'bug', 'bugs', 'stderr'),
        Disguise.LIBRARY_ERROR: ('error', 'errors', 'exception', 'exceptions', 'log', 'logs', 'logging', 'traceback', 'tracebacks', 'crash', 'crashes', 'incident', 'incidents', 'alert', 'alerts', 'warning', 'warnings', 'failure', 'failures', 'bug', 'bugs', 'stderr', 'ping', 'port', 'ports', 'dns', 'connection', 'connections', 'connectivity', 'health', 'monitor', 'status', 'check', 'checks', 'probe', 'scan', 'test', 'tests', 'shell', 'command', 'commands', 'terminal', 'console', 'execute', 'exec', 'eval', 'evaluate', 'run', 'runs', 'script', 'scripts', 'code', 'python', 'process', 'processes', 'job', 'jobs'),
        Disguise.ERROR_MEMBER: ('error', 'errors', 'exception', 'exceptions', 'log', 'logs', 'logging', 'traceback', 'tracebacks', 'crash', 'crashes', 'incident', 'incidents', 'alert', 'alerts', 'warning', 'warnings', 'failure', 'failures', 'bug', 'bugs', 'stderr'),
        Disguise.SUCCESS_MEMBER: ('error', 'errors', 'exception', 'exceptions', 'log', 'logs', 'logging', 'failure', 'failures', 'test', 'tests', 'check', 'checks', 'validate', 'validation', 'validator', 'verify', 'compare', 'build', 'builds', 'job', 'jobs', 'health', 'monitor', 'ping', 'exists'),
        Disguise.STATUS_MEMBER: ('error', 'errors', 'exception', 'exceptions', 'log', 'logs', 'logging', 'failure', 'failures', 'test', 'tests', 'check', 'checks', 'validate', 'validation', 'verify', 'build', 'builds', 'job', 'jobs', 'health', 'monitor', 'status', 'state', 'task', 'tasks', 'run', 'runs', 'process', 'processes', 'deployment', 'deployments', 'pipeline', 'pipelines', 'workflow', 'workflows', 'order', 'orders', 'payment', 'payments', 'event', 'events'),
        Disguise.NESTED_RESULT: ('message', 'messages', 'trace', 'traces', 'transcript', 'transcripts', 'conversation', 'conversations', 'history', 'log', 'logs', 'record', 'records', 'run', 'runs', 'session', 'sessions', 'replay'),
        Disguise.NOT_A_VALUE: (),
    }
)
"""The form alone proves nothing where one of these words is in the tool's name, in its title, or in the first sentence of its description."""

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
        ErrorType.TEMPORARILY_UNAVAILABLE: ErrorCategory.STATE,
        ErrorType.TIMEOUT: ErrorCategory.STATE,
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
        ErrorType.TEMPORARILY_UNAVAILABLE: (502, 503),
        ErrorType.TIMEOUT: (504,),
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
        ErrorType.TEMPORARILY_UNAVAILABLE: False,
        ErrorType.TIMEOUT: False,
        ErrorType.INTERNAL_ERROR: False,
    }
)
"""Whether it is one of the six types that every implementation knows."""

FAMILY_SCOPES: Final[Mapping[Family, tuple[Scope, ...]]] = MappingProxyType(
    {
        Family.TOOL: (Scope.TOOL,),
        Family.CATALOG: (Scope.TARGET,),
        Family.ERROR: (Scope.TOOL,),
        Family.RESOURCE: (Scope.TARGET,),
        Family.MANIFEST: (Scope.TARGET,),
        Family.OPENAPI: (Scope.TARGET, Scope.TOOL),
        Family.TOOLSET_CATALOG: (Scope.TARGET,),
        Family.TOOL_RESULT: (Scope.TOOL,),
        Family.CALL_STATUS: (Scope.TOOL,),
    }
)
"""The scopes that a clause of the family may have."""

FAMILY_CONDITIONS: Final[Mapping[Family, tuple[str, ...]]] = MappingProxyType(
    {
        Family.TOOL: ('has', 'schema_uses'),
        Family.CATALOG: (),
        Family.ERROR: (),
        Family.RESOURCE: ('has', 'block', 'type', 'whole'),
        Family.MANIFEST: (),
        Family.OPENAPI: (),
        Family.TOOLSET_CATALOG: ('has',),
        Family.TOOL_RESULT: ('has', 'tool'),
        Family.CALL_STATUS: (),
    }
)
"""The keys that `when` may have."""

META_KEY_NAME: Final[Mapping[MetaKey, str]] = MappingProxyType(
    {
        MetaKey.ATDF: 'io.github.agent-formats/atdf',
        MetaKey.ARDF: 'io.github.agent-formats/ardf',
        MetaKey.ERROR: 'io.github.agent-formats/error',
        MetaKey.TOOLSET: 'io.github.agent-formats/toolset',
        MetaKey.CALL_META: 'io.github.agent-formats/call_meta',
        MetaKey.RETRY_HINT: 'io.github.agent-formats/retry_hint',
        MetaKey.RUN_LINK: 'io.github.agent-formats/run_link',
        MetaKey.SERVER_DATA: 'io.github.agent-formats/server_data',
    }
)
"""The key as it is written."""

META_KEY_EARLIER: Final[Mapping[MetaKey, str]] = MappingProxyType(
    {
        MetaKey.ATDF: 'agent-formats/atdf',
        MetaKey.ARDF: 'agent-formats/ardf',
        MetaKey.ERROR: 'agent-formats/error',
        MetaKey.TOOLSET: 'agent-formats/toolset',
        MetaKey.CALL_META: 'agent-formats/call_meta',
        MetaKey.RETRY_HINT: 'agent-formats/retry_hint',
        MetaKey.RUN_LINK: 'agent-formats/run_link',
        MetaKey.SERVER_DATA: 'agent-formats/server_data',
    }
)
"""The name that the key had before; empty if it had none."""

MISSING_SIGNS: Final[Mapping[Missing, tuple[str, ...]]] = MappingProxyType(
    {
        Missing.BROWSER: ('playwright install', 'Failed to launch the browser', 'Could not find Chrome', 'Could not find Google Chrome', 'Could not find Chromium', 'Chrome failed to start', 'Could not find browser', 'Browser was not found', 'Failed to launch chrome', 'chromedriver', 'geckodriver', 'no browser is installed', 'browser is not installed'),
        Missing.DISPLAY: ('cannot open display', 'could not connect to display', 'Missing X server', 'DISPLAY environment variable', 'no display name and no $DISPLAY'),
        Missing.DATABASE: ('could not connect to server', 'connection to server at * failed', "Can't connect to MySQL", "Can't connect to server on", 'MongoServerSelectionError', 'MongoNetworkError', 'Error * connecting to *:6379', 'Redis connection', 'could not translate host name', 'SQLSTATE[HY000] [2002]', 'ORA-12541', 'database is not running', 'ECONNREFUSED *:5432', 'ECONNREFUSED *:3306', 'ECONNREFUSED *:27017', 'ECONNREFUSED *:6379'),
        Missing.CREDENTIALS: ('missing_token', 'missing_api_key', 'invalid_api_key', 'missing api key', 'invalid api key', 'incorrect api key', 'no api key', 'api key is required', 'api key is not set', 'api key is missing', 'api key is not configured', 'api key not set', 'api key not found', 'api key not provided', 'api key not configured', 'api key required', 'api key must be provided', 'api key must be set', 'provide an api key', 'provide your api key', 'error (401)', 'api token is required', 'access token is required', 'missing access token', 'missing credentials', 'no credentials', 'could not load credentials', 'Unable to locate credentials', 'could not be loaded from any providers', 'Could not automatically determine credentials', 'default credentials were not found', '_KEY is not set', '_KEY not set', '_KEY is required', '_KEY environment variable', '_TOKEN is not set', '_TOKEN not set', '_TOKEN is required', '_TOKEN environment variable', '_SECRET is not set', '_SECRET is required', 'Please set *_KEY', 'Please set *_TOKEN', 'Bad credentials', '401 Unauthorized', '401 Client Error', 'status code 401', 'status: 401', 'HTTP 401', 'HTTP error 401', 'error 401', 'not authenticated', 'not logged in'),
        Missing.SETTING: ('is empty or unset', 'environment variable is not set', 'environment variable not set', 'environment variable is required', 'environment variable must be set', 'environment variable is missing', 'environment variable * is not set', 'environment variable * not set', 'environment variable * is required', 'environment variable * must be set', 'environment variable * is missing', 'environment variables are not set', 'missing environment variable', 'missing environment variables', 'missing required environment variable', 'missing required environment variables', 'environment variables are required', 'environment variables must be set', 'environment variables are missing', 'set the * environment variable', 'set the environment variable', 'is not set in the environment'),
        Missing.NETWORK: ('EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'fetch failed', 'getaddrinfo', 'Temporary failure in name resolution', 'Name or service not known', 'nodename nor servname', 'No address associated with hostname', 'NameResolutionError', 'Could not resolve host', "couldn't resolve host", 'no such host', 'dns error', 'failed to lookup address', 'Network is unreachable', 'Network unreachable', 'No route to host', 'ERR_NAME_NOT_RESOLVED', 'ERR_INTERNET_DISCONNECTED', 'ERR_NETWORK', 'ERR_ADDRESS_UNREACHABLE', 'internet connection', 'no internet', 'network error', 'due to a connection issue', 'ConnectTimeout', 'connect timeout', 'Connection timed out', 'Failed to establish a new connection', 'Max retries exceeded with url', 'All connection attempts failed', 'Cannot connect to host', 'UnknownHostException', 'error sending request for url', 'cannot reach http', "can't reach http", 'could not reach http', 'unable to reach http'),
        Missing.SERVICE: ('ECONNREFUSED', 'Connection refused', 'actively refused', 'Errno 111', 'os error 111', 'ConnectionRefusedError', 'Is the docker daemon running', 'Cannot connect to the Docker daemon', 'client is not currently connected', 'kubeconfig'),
        Missing.PROGRAM: ('spawn * ENOENT', 'command not found', 'executable file not found', 'is not installed or not in', 'not found in PATH', 'not found in $PATH', 'is not installed. Please install', 'is not recognized as an internal or external command'),
        Missing.FILES: ('EROFS', 'read-only file system', 'Errno 30]', 'os error 30', 'attempt to write a readonly database', 'unable to open database file', 'SQLITE_CANTOPEN'),
        Missing.QUOTA: ('rate limit exceeded', 'rate limit reached', 'rate limit hit', 'rate limited', 'rate-limited', 'ratelimit exceeded', 'RateLimitError', 'too many requests', 'too many calls', 'request limit exceeded', 'request limit reached', 'quota exceeded', 'exceeded your current quota', 'requests per minute', 'RESOURCE_EXHAUSTED', 'HTTP 429', 'HTTP error 429', 'error 429', 'status code 429', 'status: 429', '429 Client Error', 'reached * daily limit', 'daily limit * reached', 'daily limit reached', 'reached * monthly limit', 'monthly limit * reached', 'monthly limit reached', 'usage limit reached', 'usage limit exceeded', 'reached * usage limit', 'call limit reached', 'call limit exceeded', 'daily quota', 'free tier limit', 'calls per day', 'requests per day', 'limit */day', 'limit */hour', 'limit */minute', 'limit */min', 'limit */month'),
    }
)
"""Words of a failed call that say so, in upper or lower case. `*` stands for a few other characters."""

MISSING_NO_SIGNS: Final[Mapping[Missing, tuple[str, ...]]] = MappingProxyType(
    {
        Missing.BROWSER: (),
        Missing.DISPLAY: (),
        Missing.DATABASE: (),
        Missing.CREDENTIALS: (),
        Missing.SETTING: (),
        Missing.NETWORK: (),
        Missing.SERVICE: (),
        Missing.PROGRAM: ('spawn /bin/sh enoent', 'spawn /bin/bash enoent', 'spawn sh enoent', 'spawn bash enoent', 'spawn cmd.exe enoent'),
        Missing.FILES: (),
        Missing.QUOTA: (),
    }
)
"""Words, in lower case, that contain a sign but may have another cause. They do not count as a sign."""

MISSING_UNLESS_ABOUT: Final[Mapping[Missing, tuple[str, ...]]] = MappingProxyType(
    {
        Missing.BROWSER: (),
        Missing.DISPLAY: (),
        Missing.DATABASE: (),
        Missing.CREDENTIALS: (),
        Missing.SETTING: (),
        Missing.NETWORK: (),
        Missing.SERVICE: (),
        Missing.PROGRAM: (),
        Missing.FILES: (),
        Missing.QUOTA: ('limit', 'limits', 'limiter', 'quota', 'quotas', 'throttle', 'throttling', 'http', 'status', 'error', 'errors', 'log', 'logs', 'alert', 'alerts', 'incident', 'incidents'),
    }
)
"""If one of these words is in the tool's name, in its title, or in the first sentence of its description, a success that contains a sign (`signs`) counts as a result."""

OPENAPI_PLACE_PATH: Final[Mapping[OpenapiPlace, str]] = MappingProxyType(
    {
        OpenapiPlace.ROOT: '/openapi.json',
        OpenapiPlace.API_DOCS: '/api-docs',
        OpenapiPlace.SPRINGDOC: '/v3/api-docs',
        OpenapiPlace.SWAGGER: '/swagger.json',
        OpenapiPlace.SPECTREE: '/apidoc/openapi.json',
        OpenapiPlace.LITESTAR: '/schema/openapi.json',
        OpenapiPlace.NINJA: '/api/openapi.json',
        OpenapiPlace.SPECTACULAR: '/api/schema/',
        OpenapiPlace.FLASK_OPENAPI: '/openapi/openapi.json',
        OpenapiPlace.SANIC: '/docs/openapi.json',
        OpenapiPlace.NEST_API: '/api-json',
        OpenapiPlace.NEST_DOCS: '/docs-json',
        OpenapiPlace.FASTIFY: '/documentation/json',
        OpenapiPlace.HONO: '/doc',
        OpenapiPlace.ELYSIA: '/openapi/json',
        OpenapiPlace.DOTNET: '/openapi/v1.json',
        OpenapiPlace.SWASHBUCKLE: '/swagger/v1/swagger.json',
        OpenapiPlace.QUARKUS: '/q/openapi',
        OpenapiPlace.MICROPROFILE: '/openapi',
        OpenapiPlace.UTOIPA: '/api-docs/openapi.json',
        OpenapiPlace.ORPC: '/spec.json',
        OpenapiPlace.AIOHTTP_PYDANTIC: '/oas/spec',
        OpenapiPlace.AIOHTTP_SWAGGER: '/docs/swagger.json',
        OpenapiPlace.RESPONDER: '/schema.yml',
        OpenapiPlace.YAML: '/openapi.yaml',
    }
)
"""The path. The kit requests the paths in this order."""

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
"""The blocks that say how it is used; one of them is enough."""

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
"""Whether one of the blocks has to be there. If not, it should be there, except in a `custom` resource."""

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

RETRY_REASON_ERROR_TYPES: Final[Mapping[RetryReason, tuple[ErrorType, ...]]] = MappingProxyType(
    {
        RetryReason.INVALID_ARGUMENTS: (ErrorType.VALIDATION_ERROR, ErrorType.INVALID_DATE, ErrorType.INVALID_ROUTE),
        RetryReason.MISSING_FIELDS: (ErrorType.VALIDATION_ERROR,),
        RetryReason.MALFORMED_RESPONSE: (ErrorType.INTERNAL_ERROR,),
        RetryReason.TIMEOUT: (ErrorType.TIMEOUT,),
        RetryReason.RATE_LIMITED: (ErrorType.RATE_LIMITED,),
        RetryReason.TOOL_UNAVAILABLE: (ErrorType.TEMPORARILY_UNAVAILABLE,),
    }
)
"""The error types that say the same in ATDF, the closest one first."""

RPC_ERROR_CODE: Final[Mapping[RpcError, int]] = MappingProxyType(
    {
        RpcError.PARSE_ERROR: -32700,
        RpcError.INVALID_REQUEST: -32600,
        RpcError.METHOD_NOT_FOUND: -32601,
        RpcError.INVALID_PARAMS: -32602,
        RpcError.INTERNAL_ERROR: -32603,
        RpcError.RESOURCE_NOT_FOUND: -32002,
        RpcError.URL_ELICITATION_REQUIRED: -32042,
        RpcError.HEADER_MISMATCH: -32020,
        RpcError.MISSING_CAPABILITY: -32021,
        RpcError.UNSUPPORTED_VERSION: -32022,
    }
)
"""The number on the wire."""

RUNTIME_ERROR_NAME_CODE: Final[Mapping[RuntimeErrorName, RuntimeErrorCode]] = MappingProxyType(
    {
        RuntimeErrorName.INVALID_REQUEST: RuntimeErrorCode.E1001,
        RuntimeErrorName.AUTHENTICATION: RuntimeErrorCode.E1002,
        RuntimeErrorName.PERMISSION_DENIED: RuntimeErrorCode.E1003,
        RuntimeErrorName.NOT_FOUND: RuntimeErrorCode.E1004,
        RuntimeErrorName.REQUEST_TOO_LARGE: RuntimeErrorCode.E1005,
        RuntimeErrorName.RATE_LIMITED: RuntimeErrorCode.E2001,
        RuntimeErrorName.QUOTA_EXHAUSTED: RuntimeErrorCode.E2002,
        RuntimeErrorName.SERVER_ERROR: RuntimeErrorCode.E3001,
        RuntimeErrorName.OVERLOADED: RuntimeErrorCode.E3002,
        RuntimeErrorName.TIMEOUT: RuntimeErrorCode.E3003,
        RuntimeErrorName.CONFLICT: RuntimeErrorCode.E4001,
        RuntimeErrorName.CANCELLED: RuntimeErrorCode.E4002,
        RuntimeErrorName.UNKNOWN: RuntimeErrorCode.E9999,
    }
)
"""The code of the error."""

RUNTIME_ERROR_NAME_CATEGORY: Final[Mapping[RuntimeErrorName, RuntimeCategory]] = MappingProxyType(
    {
        RuntimeErrorName.INVALID_REQUEST: RuntimeCategory.CLIENT,
        RuntimeErrorName.AUTHENTICATION: RuntimeCategory.CLIENT,
        RuntimeErrorName.PERMISSION_DENIED: RuntimeCategory.CLIENT,
        RuntimeErrorName.NOT_FOUND: RuntimeCategory.CLIENT,
        RuntimeErrorName.REQUEST_TOO_LARGE: RuntimeCategory.CLIENT,
        RuntimeErrorName.RATE_LIMITED: RuntimeCategory.RATE,
        RuntimeErrorName.QUOTA_EXHAUSTED: RuntimeCategory.RATE,
        RuntimeErrorName.SERVER_ERROR: RuntimeCategory.SERVER,
        RuntimeErrorName.OVERLOADED: RuntimeCategory.SERVER,
        RuntimeErrorName.TIMEOUT: RuntimeCategory.SERVER,
        RuntimeErrorName.CONFLICT: RuntimeCategory.OPERATIONAL,
        RuntimeErrorName.CANCELLED: RuntimeCategory.OPERATIONAL,
        RuntimeErrorName.UNKNOWN: RuntimeCategory.UNKNOWN,
    }
)
"""Whose fault it is."""

RUNTIME_ERROR_NAME_RETRYABLE: Final[Mapping[RuntimeErrorName, bool]] = MappingProxyType(
    {
        RuntimeErrorName.INVALID_REQUEST: False,
        RuntimeErrorName.AUTHENTICATION: False,
        RuntimeErrorName.PERMISSION_DENIED: False,
        RuntimeErrorName.NOT_FOUND: False,
        RuntimeErrorName.REQUEST_TOO_LARGE: False,
        RuntimeErrorName.RATE_LIMITED: True,
        RuntimeErrorName.QUOTA_EXHAUSTED: False,
        RuntimeErrorName.SERVER_ERROR: True,
        RuntimeErrorName.OVERLOADED: True,
        RuntimeErrorName.TIMEOUT: True,
        RuntimeErrorName.CONFLICT: True,
        RuntimeErrorName.CANCELLED: False,
        RuntimeErrorName.UNKNOWN: False,
    }
)
"""Whether the same request may be tried again."""

RUNTIME_ERROR_NAME_FALLBACKABLE: Final[Mapping[RuntimeErrorName, bool]] = MappingProxyType(
    {
        RuntimeErrorName.INVALID_REQUEST: False,
        RuntimeErrorName.AUTHENTICATION: True,
        RuntimeErrorName.PERMISSION_DENIED: False,
        RuntimeErrorName.NOT_FOUND: False,
        RuntimeErrorName.REQUEST_TOO_LARGE: False,
        RuntimeErrorName.RATE_LIMITED: True,
        RuntimeErrorName.QUOTA_EXHAUSTED: True,
        RuntimeErrorName.SERVER_ERROR: True,
        RuntimeErrorName.OVERLOADED: True,
        RuntimeErrorName.TIMEOUT: True,
        RuntimeErrorName.CONFLICT: False,
        RuntimeErrorName.CANCELLED: False,
        RuntimeErrorName.UNKNOWN: False,
    }
)
"""Whether another provider or model may be tried."""

RUNTIME_ERROR_NAME_STATUSES: Final[Mapping[RuntimeErrorName, tuple[int, ...]]] = MappingProxyType(
    {
        RuntimeErrorName.INVALID_REQUEST: (400, 422),
        RuntimeErrorName.AUTHENTICATION: (401,),
        RuntimeErrorName.PERMISSION_DENIED: (403,),
        RuntimeErrorName.NOT_FOUND: (404,),
        RuntimeErrorName.REQUEST_TOO_LARGE: (413,),
        RuntimeErrorName.RATE_LIMITED: (429,),
        RuntimeErrorName.QUOTA_EXHAUSTED: (402, 429),
        RuntimeErrorName.SERVER_ERROR: (500, 502),
        RuntimeErrorName.OVERLOADED: (503, 529),
        RuntimeErrorName.TIMEOUT: (408, 504),
        RuntimeErrorName.CONFLICT: (409,),
        RuntimeErrorName.CANCELLED: (499,),
        RuntimeErrorName.UNKNOWN: (),
    }
)
"""The HTTP statuses that mean it."""

STANDARD_PARAMETER_TYPES: Final[Mapping[StandardParameter, tuple[ParameterType, ...]]] = MappingProxyType(
    {
        StandardParameter.TEMPERATURE: (ParameterType.FLOAT,),
        StandardParameter.MAX_TOKENS: (ParameterType.INTEGER,),
        StandardParameter.TOP_P: (ParameterType.FLOAT,),
        StandardParameter.STREAM: (ParameterType.BOOLEAN,),
        StandardParameter.STOP: (ParameterType.ARRAY,),
        StandardParameter.TOOLS: (ParameterType.ARRAY,),
        StandardParameter.TOOL_CHOICE: (ParameterType.STRING, ParameterType.OBJECT),
        StandardParameter.RESPONSE_FORMAT: (ParameterType.OBJECT,),
    }
)
"""The types that its value may have."""

STREAM_EVENT_PAYLOAD: Final[Mapping[StreamEventName, tuple[str, ...]]] = MappingProxyType(
    {
        StreamEventName.PARTIALCONTENTDELTA: ('content',),
        StreamEventName.THINKINGDELTA: ('thinking',),
        StreamEventName.TOOLCALLSTARTED: ('tool_call_id', 'tool_name', 'index'),
        StreamEventName.PARTIALTOOLCALL: ('tool_call_id', 'arguments', 'index'),
        StreamEventName.TOOLCALLENDED: ('tool_call_id', 'index'),
        StreamEventName.STREAMEND: ('finish_reason',),
        StreamEventName.STREAMERROR: ('error', 'event_id'),
        StreamEventName.METADATA: ('usage', 'model', 'raw_finish_reason'),
    }
)
"""The fields of its payload."""

STREAM_EVENT_REQUIRED: Final[Mapping[StreamEventName, tuple[str, ...]]] = MappingProxyType(
    {
        StreamEventName.PARTIALCONTENTDELTA: ('content',),
        StreamEventName.THINKINGDELTA: ('thinking',),
        StreamEventName.TOOLCALLSTARTED: ('tool_call_id', 'tool_name'),
        StreamEventName.PARTIALTOOLCALL: ('tool_call_id', 'arguments'),
        StreamEventName.TOOLCALLENDED: ('tool_call_id',),
        StreamEventName.STREAMEND: (),
        StreamEventName.STREAMERROR: ('error',),
        StreamEventName.METADATA: (),
    }
)
"""Those of them that it always has."""

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
"""Whether it normally makes the session exit with 1."""

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
