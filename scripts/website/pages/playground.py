"""The playground: documents, schemas, clauses and messages, for a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jsonschema_specifications import (
    REGISTRY as METASCHEMAS,
)

from conformance.convert.form import FAILED, TARGETS
from conformance.formats.catalog.openapi_problems import FIELDS
from conformance.formats.catalog.openapi_schema import modern
from conformance.formats.runtime.recognition import RuntimeRow
from conformance.formats.tool.declared import SCHEMA_WORDS
from conformance.formats.tool.meta import names_of
from conformance.formats.validate.recognize import ENHANCED, TABLE
from conformance.spec.vocabulary import (
    ERROR_TYPE_STATUSES,
    ErrorType,
    JsonType,
    MetaKey,
    StreamEventName,
    ToolEventName,
)
from scripts.generator.build import Source
from scripts.generator.schemas import schema_json
from scripts.website.layout import DOCS
from scripts.website.pages.context import Context
from scripts.website.pages.examples import in_words
from scripts.website.pages.markdown import escaped, page

_CODE = DOCS / "playground"
_SHOWN = (
    ("atdf", "hotel-catalog"),
    ("atdf", "invalid-date-error"),
    ("atdf", "error-without-instance"),
    ("atdf", "descriptor-two-ids"),
    ("ardf", "discharge-letter"),
    ("ardf", "resource-without-version"),
    ("runtime", "manifest-headers-as-list"),
)
"""The examples that the page offers."""
_PARTS = (
    "values", "read", "recognize", "keywords", "repair", "validate", "instances", "subschemas",
    "schemas", "references", "hints", "examine", "forms", "inside", "problems",
)  # fmt: skip
_CONVERTING = ("openapi", "convert", "errors")
"""The parts that the worker fetches for the first conversion."""
_KNOWN = (
    "documents.keyword.", "documents.of.", "documents.openapi.", "documents.unknown",
    "site.playground.is.",
)  # fmt: skip
_SAID = (
    "documents.ambiguous", "documents.meta.no_object", "documents.misspelled",
    "documents.misspelled.required", "documents.catalog.name_twice", "documents.tool.undescribed",
    "documents.half_pair", "documents.no_number", "documents.resource.version",
    "documents.tool.undeclared", "documents.tool.unfilled", "documents.schema.dangling_ref",
    "documents.schema.dialect", "documents.schema.invalid", "documents.schema.list",
    "documents.schema.remote_ref", "documents.schema.type",
    "documents.schema.empty_enum", "documents.schema.no_value", "documents.too_deep",
    "finding.mcp.tool_name",
    "site.playground.failed", "site.playground.html", "site.playground.no_document",
    "site.playground.not_json", "site.playground.not_yaml", "site.playground.twice",
)  # fmt: skip
"""Messages of the engine; the page has separate ones."""
_ANNOTATIONS = ("title", "description", "$schema", "$id")
_DIALECTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)
"""The dialects whose metaschemas the page has; only the command supports draft 3."""
_UNSAID = (
    *_ANNOTATIONS, "$comment", "$dynamicAnchor", "$vocabulary", "default", "deprecated", "examples",
    "$recursiveAnchor", "format", "id", "readOnly",
)  # fmt: skip
"""Keywords of a metaschema that do not affect whether a schema is valid."""
_WORDS = (
    "label", "choose", "example", "file", "empty", "busy", "large", "slow", "valid", "clean",
    "one", "many", "listed", "more", "inside", "first", "stream", "as_json", "alone", "repair",
    "share", "shared", "unreadable", "by_keys", "as", "fix", "convert", "command", "command_alone",
    "hint", "hints", "same", "copy", "copied", "lost", "changed", "made", "mcp", "beyond",
)  # fmt: skip
_HELP = {
    "rpc_error": ("guides/error-design/", "error"),
    "tool_error": ("guides/error-design/", "error"),
    "tool_result": ("conformance/quick-start/", "check"),
    "error": ("guides/error-design/", "error"),
    "problem": ("guides/error-design/", "error"),
    "openapi": ("conformance/quick-start/", "check"),
    "configuration": ("conformance/quick-start/", "check"),
    "initialize": ("conformance/quick-start/", "check"),
    "calls": ("conformance/options/#option-examples", "calls"),
    "waivers": ("conformance/waivers/", "waivers"),
}
"""For texts that are not our documents: the page to link to, and the words of the link."""
_UNREAD = re.compile(r"""^\s+|^\s*//.*\n|(?<=[;,{}()]) //[^"'`\n]*$""", re.MULTILINE)
"""What no browser needs: comments, and the spaces that lines begin with."""


def data(source: Source, language: str) -> dict[str, Any]:
    """Return the data of the engine, with texts in `language`."""
    known = {(row.spec, row.document) for row in TABLE}
    schemas = {
        schema.file.removeprefix("schema/"): bare(
            schema_json(schema, source.project.id_base, source.vocabularies)
        )
        for schema in source.schemas
        if (schema.spec, schema.name) in known
    }
    messages = {
        name: text.in_language(language)
        for name, text in source.messages.items()
        if name.startswith(_KNOWN) or name in _SAID
    }
    versions = {(each.spec, each.name): each.version for each in source.schemas}
    owners: dict[str, dict[str, str]] = {}
    for clause in source.clauses:
        if clause.document is not None:
            version = versions[clause.spec, clause.document]
            file = f"{clause.spec}/{version}/{clause.document}.schema.json"
            owners.setdefault(file, {}).update(dict.fromkeys(clause.at, clause.id))
    return {
        "table": [_row(each) for each in TABLE],
        "enhanced": list(ENHANCED),
        "targets": {
            "tools": [each.value for each in TARGETS if each not in FAILED],
            "errors": [each.value for each in TARGETS if each in FAILED],
        },
        "statuses": {each: list(ERROR_TYPE_STATUSES[each]) for each in ErrorType},
        "terms": {
            "base": source.project.id_base,
            "json_types": list(JsonType),
            "schema_words": sorted(SCHEMA_WORDS),
            "meta_keys": names_of(MetaKey.ATDF),
            "error_keys": names_of(MetaKey.ERROR),
        },
        "fields": {part: sorted(names) for part, names in FIELDS.items()},
        "stream_events": list(StreamEventName),
        "tool_events": list(ToolEventName),
        "schemas": schemas | {name: metaschema(name) for name in _DIALECTS},
        "owners": owners,
        "messages": messages,
    }


def _row(row: Any) -> dict[str, Any]:
    runtime = isinstance(row, RuntimeRow)
    return {
        "spec": row.spec,
        "document": row.document,
        "version": row.version,
        "rule": row.rule,
        "needs": [list(group) for group in row.needs],
        "known": sorted(row.known) if runtime and row.known is not None else None,
        "outranks": None if runtime else list(row.outranks),
        "conditional": (row.also if runtime else row.when) is not None,
    }


def bare(schema: Any) -> Any:
    """Return a schema without the texts that only people read."""
    if isinstance(schema, list):
        return [bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: bare(each) for name, each in value.items()}
        if key in ("properties", "$defs")
        else bare(value)
        for key, value in schema.items()
        if key not in _ANNOTATIONS
    }


def metaschema(name: str) -> Any:
    """Return the metaschema of a dialect as one schema, with only the keywords that decide."""
    whole = METASCHEMAS.contents(name)
    if name.endswith("draft-04/schema"):
        whole = modern(whole)  # its exclusive bounds are flags
    base = name.removesuffix("schema")
    vocabularies = [f"{base}{each['$ref']}" for each in whole.get("allOf", ())]
    parts = [whole, *map(METASCHEMAS.contents, vocabularies)]
    made = {
        key: {inner: value for part in parts for inner, value in part.get(key, {}).items()}
        for key in ("$defs", "definitions", "properties")
    }
    kept = {key: whole[key] for key in ("type", "dependencies") if key in whole}
    return _decisive(kept | {key: held for key, held in made.items() if held})


def _decisive(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_decisive(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$dynamicRef" in schema or "$recursiveRef" in schema:
        return {"$ref": "#"}
    if "$ref" in schema:  # a reference to another vocabulary: here all are one schema
        return {"$ref": f"#{schema['$ref'].partition('#')[2]}"}
    return {
        key: {name: _decisive(each) for name, each in value.items()}
        if key in ("$defs", "definitions", "properties")
        else value
        if key == "dependencies"
        else _decisive(value)
        for key, value in schema.items()
        if key not in _UNSAID
    }


def engine() -> str:
    """Return the engine, joined from its parts; it needs the result of `data`."""
    return _joined(_PARTS)


def converter() -> str:
    """Return what converts documents; it needs the engine."""
    return _joined(_CONVERTING)


def _joined(names: Iterable[str]) -> str:
    files = (_CODE / "engine" / f"{name}.js" for name in names)
    return _UNREAD.sub("", "\n".join(file.read_text(encoding="utf-8") for file in files))


def scripts(source: Source, language: str) -> Iterator[tuple[str, bytes]]:
    """Yield the scripts of the page, with their paths below the root of a language."""
    parts = [
        f"const DATA = {json.dumps(data(source, language), separators=(',', ':'))};",
        engine(),
        _UNREAD.sub("", (_CODE / "worker.js").read_text(encoding="utf-8")),
    ]
    yield "assets/playground.worker.js", "\n".join(parts).encode()
    yield "assets/playground.convert.js", converter().encode()
    page = _UNREAD.sub("", (_CODE / "page.js").read_text(encoding="utf-8"))
    yield "assets/playground.js", page.encode()


def playground_page(context: Context) -> bytes:
    """Return the page; it has all texts, so that its script needs none."""
    words = {
        name: context.text(context.source.messages[f"site.playground.{name}"]) for name in _WORDS
    }
    words["line"] = context.text(context.source.messages["site.line"])
    words["line_column"] = context.text(context.source.messages["site.line_column"])
    forms = {each.value: context.said(f"site.playground.form.{each.value}") for each in TARGETS}
    help_ = {
        name: (page, context.text(context.source.messages[f"documents.help.{words}"]))
        for name, (page, words) in _HELP.items()
    }
    known = {(row.spec, row.document) for row in TABLE}
    titles = {
        f"{each.spec}/{each.name}": context.text(each.title)
        for each in context.source.schemas
        if (each.spec, each.name) in known
    }
    shown = {(each.spec, each.id): each for each in context.source.examples}
    noscript = context.said("site.playground.noscript").replace("`", "")
    parts = [
        f"{escaped(context.said('site.playground.intro'))}\n{{ .lead }}",
        '<div id="playground" class="playground" data-worker="../assets/playground.worker.js"'
        f' data-clauses="../conformance/clauses/"><p>{noscript}</p></div>',
        _island("playground-words", words | {"titles": titles, "forms": forms, "help": help_}),
        _island("playground-examples", _examples(context, shown, titles)),
        '<script src="../assets/playground.js" defer></script>',
    ]
    about = context.said("site.playground.about")
    return page(context.said("playground"), "playground-page", about, parts, hide="navigation")


def _island(name: str, value: Any) -> str:
    held = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{held}</script>'


def _examples(
    context: Context, shown: Mapping[tuple[str, str], Any], titles: Mapping[str, str]
) -> list[dict[str, str]]:
    return [
        {
            "title": f"{titles[f'{shown[key].spec}/{shown[key].document}']}: "
            + context.text(shown[key].title).replace("`", ""),
            "text": json.dumps(in_words(context, shown[key]), ensure_ascii=False, indent=2),
        }
        for key in _SHOWN
        if key in shown
    ]
