"""The fields of a document, from its schema: a table for each object in it."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.formats.schema.blank import SAYS_SOMETHING
from conformance.spec.pointer import to_pointer
from scripts.generator.ages import Age, age_of
from scripts.generator.clauses import Clause
from scripts.generator.keywords import IN_PLACE
from scripts.generator.load import Path_
from scripts.generator.schemas import Schema
from scripts.website.pages.context import CONFORMANCE, Context, dashed, up
from scripts.website.pages.kit import catches
from scripts.website.pages.markdown import anchor_of, anchored, code, escaped, heading, link, table

_FAULTS = 3
"""The most faults that are listed with a field; the pages of its clauses list all."""

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One row: `name` has dots for nested objects, `at` is the place in the schema.

    `owner` is the schema of the object that has the field.
    """

    name: str
    at: Path_
    node: Node
    required: bool
    owner: Node


def field_tables(context: Context, schema: Schema, here: str) -> Iterator[str]:
    """Yield the tables of a document as Markdown: its own fields, then those of its parts."""
    root = schema.source.data
    yield from _taken(context, schema, here, root)
    if rows := list(_fields(root, ())):
        yield _table(context, schema, here, rows, "field")
    for name, node in root.get("$defs", {}).items():
        at: Path_ = ("$defs", name)
        rows = list(_inside(node, at, ""))
        yield heading(3, name, f"fields-{dashed(name)}")
        if "description" in node:
            yield escaped(node["description"][context.language])
        facts = [_kind(context, schema, here, node), *_limits(context, node)]
        if not rows:
            yield ". ".join(part.rstrip(".") for part in facts if part) + "."
        else:
            yield from _taken(context, schema, here, node)
            yield _table(context, schema, here, rows, f"field-{dashed(name)}")


def anchors(schema: Schema) -> Iterator[tuple[str, Path_]]:
    """Yield the anchor of each row of a document's tables, and its place in the schema."""
    for field in _fields(schema.source.data, ()):
        yield anchor_of(field.name, "field"), field.at
    for name, node in schema.source.data.get("$defs", {}).items():
        for field in _inside(node, ("$defs", name), ""):
            yield anchor_of(field.name, f"field-{dashed(name)}"), field.at


def _taken(context: Context, schema: Schema, here: str, node: Node) -> Iterator[str]:
    """Yield a line that names the schemas whose fields an object also has, if there are any."""
    if taken := [each["$ref"] for each in node.get("allOf", ()) if "$ref" in each]:
        others = ", ".join(_elsewhere(context, schema, here, ref) for ref in taken)
        yield context.said("fields_shared", others=others)


def _elsewhere(context: Context, schema: Schema, here: str, ref: str) -> str:
    """Return a link to a schema, and the title of its document if that is another one."""
    target, inside, _ = _target(context, schema, ref)
    shown = _ref(context, schema, here, ref)
    if target is schema or not inside:
        return shown
    return context.said("field_elsewhere", field=shown, document=context.text(target.title))


def _bases(context: Context, schema: Schema, node: Node) -> Iterator[tuple[Schema, str]]:
    """Yield each reference that a value must match as well, and the document that has it."""
    for ref in (each["$ref"] for each in node.get("allOf", ()) if "$ref" in each):
        yield schema, ref
        target, _, inner = _target(context, schema, ref)
        yield from _bases(context, target, inner)


def _fields(node: Node, at: Path_, before: str = "") -> Iterator[Field]:
    """Yield the fields of an object, and of the objects inside it."""
    required = node.get("required", ())
    seen = set()
    for path, part in same_value(node, at):
        for name, child in part.get("properties", {}).items():
            if not isinstance(child, dict) or name in seen or not _says_something(child):
                continue
            seen.add(name)
            place = (*path, "properties", name)
            is_required = name in required or name in part.get("required", ())
            yield Field(before + name, place, child, is_required, node)
            yield from _inside(child, place, before + name)


def _inside(node: Node, at: Path_, name: str) -> Iterator[Field]:
    yield from _fields(node, at, f"{name}." if name else "")
    if isinstance(node.get("items"), dict):
        yield from _fields(node["items"], (*at, "items"), f"{name}[].")
    others = node.get("additionalProperties")
    if isinstance(others, dict):
        before = f"{name}." if name else ""
        yield from _fields(others, (*at, "additionalProperties"), f"{before}*.")


def same_value(node: Node, at: Path_) -> Iterator[tuple[Path_, Node]]:
    """Yield the schemas that are about the same value: the node, and its branches."""
    yield at, node
    for keyword in IN_PLACE:
        if keyword in ("if", "not"):
            continue
        inside = node.get(keyword, [])
        listed = enumerate(inside) if isinstance(inside, list) else [(None, inside)]
        for index, child in listed:
            if isinstance(child, dict):
                steps = (keyword,) if index is None else (keyword, index)
                yield from same_value(child, (*at, *steps))


def _says_something(node: Node) -> bool:
    return "description" in node or "$ref" in node


def _table(context: Context, schema: Schema, here: str, rows: list[Field], before: str) -> str:
    """Return a table whose rows have anchors: `before` and the name of the field."""
    head = [context.said(name) for name in ("field", "type", "meaning")]
    return table(head, (_row(context, schema, here, each, before) for each in rows))


def _row(context: Context, schema: Schema, here: str, field: Field, before: str) -> list[str]:
    name = anchored(field.name, before)
    if field.required:
        name += f" *{context.said('required')}*{{ .required }}"
    kind = _kind_of(context, schema, here, field)
    return [name, kind, _meaning(context, schema, here, field, kind)]


def _kind_of(context: Context, schema: Schema, here: str, field: Field) -> str:
    """Return the type of a field, which may be only in a schema that its object also matches."""
    kind = _kind(context, schema, here, field.node)
    if kind == context.said("any_value"):
        leaf = field.at[-1]
        for home, ref in _bases(context, schema, field.owner):
            if leaf in _target(context, home, ref)[2].get("properties", {}):
                start = ref if "#" in ref else f"{ref}#"
                return _ref(context, home, here, f"{start}/properties/{leaf}")
    return kind


def _meaning(context: Context, schema: Schema, here: str, field: Field, kind: str) -> str:
    node = field.node
    parts = []
    if "description" in node:
        said = node["description"][context.language]
        parts += [] if said.rstrip(".").casefold() == kind.casefold() else [escaped(said)]
        parts += _limits(context, _unsaid(node, said))
    else:
        if "$ref" in node:
            parts += _referred(context, schema, node["$ref"])
        parts += _limits(context, node)
    if (own := age_of(schema, node)) != age_of(schema):
        parts.append(f"*{said_age(context, own)}.*")
    asked = [
        clause
        for clause in context.source.clauses
        if clause.document == schema.name
        and clause.spec == schema.spec
        and (any(_below(at, field) for at in clause.at) or _opens_with(schema, clause, field))
    ]
    links = [context.clause_link(clause, here) for clause in asked]
    return " ".join([*filter(None, parts), *links, *_faults(context, asked, here)])


_SUBJECTS = re.compile(r"`[^`]+`(?:(?:, | and |, and )`[^`]+`)*(?= )")


def _opens_with(schema: Schema, clause: Clause, field: Field) -> bool:
    """Return whether a clause without a place in the schema begins with the name of the field.

    Of several fields of that name, the outermost is meant.
    """
    opening = _SUBJECTS.match(clause.text.en)
    if clause.at or opening is None or f"`{field.at[-1]}`" not in opening.group():
        return False
    alike = [len(at) for _, at in anchors(schema) if at[-1] == field.at[-1]]
    return len(field.at) == min(alike)


def _unsaid(node: Node, said: str) -> Node:
    """Return the node without the bounds whose numbers are already in its text."""
    named = re.findall(r"(?<![\w.])\d+(?:\.\d+)*(?!\w)", said)
    bounds = [each for each, _ in _BOUNDS if str(node.get(each)) in named]
    return {keyword: value for keyword, value in node.items() if keyword not in bounds}


def _faults(context: Context, clauses: list[Clause], here: str) -> Iterator[str]:
    """Yield the first planted faults that the clauses of a field catch."""
    caught = dict.fromkeys(name for each in clauses for name in catches().get(each.id, ()))
    if caught:
        to = f"{up(here)}{CONFORMANCE}/faults.md#fault-"
        named = ", ".join(link(code(each), f"{to}{each}") for each in list(caught)[:_FAULTS])
        yield context.said("field_faults", faults=named)


def said_age(context: Context, age: Age) -> str:
    """Return a status, and the version that introduced it, in words."""
    return context.said(f"status_{age.status}", version=age.since)


def _below(at: str, field: Field) -> bool:
    """Return whether a clause's place is in this field, and not in a field inside it."""
    own = to_pointer(field.at)
    rest = at.removeprefix(own)
    return at == own or (at.startswith(own + "/") and "/properties/" not in rest)


def _referred(context: Context, schema: Schema, ref: str) -> list[str]:
    """Return the description of what a reference points to, and the limits of a plain value."""
    _, _, node = _target(context, schema, ref)
    said = node["description"][context.language] if "description" in node else ""
    limits = [] if "properties" in node else _limits(context, _unsaid(node, said))
    return [escaped(said), *limits] if said else limits


def _target(context: Context, schema: Schema, ref: str) -> tuple[Schema, str, Node]:
    """Return the document that a reference points to, the pointer in it, and the node there."""
    file, _, inside = ref.partition("#")
    target = schema if not file else context.schemas[_resolved(schema, file)]
    node: Any = target.source.data
    for step in inside.strip("/").split("/") if inside else ():
        node = node[int(step) if isinstance(node, list) else step]
    return target, inside, node


def _resolved(schema: Schema, file: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(schema.file), file))


def _kind(context: Context, schema: Schema, here: str, node: Node) -> str:
    """Return the type of a field's value, as Markdown."""
    if "$ref" in node:
        return _ref(context, schema, here, node["$ref"])
    for keyword in ("then", "else"):
        if "type" not in node and isinstance(node.get(keyword), dict):
            branches = [node[each] for each in ("then", "else") if isinstance(node.get(each), dict)]
            kinds = dict.fromkeys(_kind(context, schema, here, each) for each in branches)
            return " · ".join(kinds)
    if "enum" in node:
        vocabulary = context.source.vocabularies[node["enum"]["$vocabulary"]]
        return context.said("word_of", table=context.vocabulary_link(vocabulary, here))
    if "const" in node:
        return context.said("always", value=code(_json(node["const"])))
    if "type" not in node and (bases := list(_bases(context, schema, node))):
        home, ref = bases[0]
        target, _, inherited = _target(context, home, ref)
        kind = _kind(context, target, here, inherited)
        return context.said("as_in", kind=kind, field=_elsewhere(context, home, here, ref))
    kinds = node.get("type", ())
    listed = [kinds] if isinstance(kinds, str) else list(kinds)
    items = node.get("items")
    if isinstance(items, dict) and "array" in listed:
        listing = "array_of"
        if "enum" in items:
            listing, vocabulary = "array_of_words", items["enum"]["$vocabulary"]
            inner = context.vocabulary_link(context.source.vocabularies[vocabulary], here)
        else:
            inner = _kind(context, schema, here, items)
        made = [context.said(listing, kind=inner) if k == "array" else code(k) for k in listed]
        return " · ".join(made)
    object_of = [node[each]["$ref"] for each in ("then", "else") if "$ref" in node.get(each, {})]
    shown = [_ref(context, schema, here, each) for each in object_of] or [code("object")]
    named = [" · ".join(shown) if each == "object" else code(each) for each in listed]
    return " · ".join(named) or context.said("any_value")


def _ref(context: Context, schema: Schema, here: str, ref: str) -> str:
    target, inside, node = _target(context, schema, ref)
    name = inside.removeprefix("/$defs/") if inside else target.name
    page = f"{target.spec}/{target.name}.md"
    if "/" in name:  # one place in the other document, without a heading there
        kind = _kind(context, target, here, node)
        if page == here or "object" not in kind:
            return kind
        steps = [each for each in inside.split("/") if each not in ("", "properties")]
        field = link(code(".".join(steps)), f"{up(here)}{page}#fields")
        return context.said("as_in", kind=kind, field=field)
    anchor = f"#fields-{dashed(name)}" if inside else ""
    to = (anchor or "#fields") if page == here else f"{up(here)}{page}{anchor}"
    return link(code(name), to)


def _printable(pattern: str) -> str:
    """Return a regular expression with its invisible characters as escapes."""
    return "".join(each if each.isprintable() else f"\\u{ord(each):04X}" for each in pattern)


_BOUNDS = (
    ("minimum", "least"),
    ("exclusiveMinimum", "more_than"),
    ("maximum", "most"),
    ("exclusiveMaximum", "less_than"),
)
"""The bounds of a number, with the messages that tell them."""


def _limits(context: Context, node: Node) -> list[str]:
    said = []
    if node.get("minLength") or (node.get("minItems") == 1):
        said.append(context.said("not_empty"))
    if node.get("minItems", 0) > 1 and node["minItems"] == node.get("maxItems"):
        said.append(context.said("items_exactly", value=node["minItems"]))
    else:
        if node.get("minItems", 0) > 1:
            said.append(context.said("items_least", value=node["minItems"]))
        if "maxItems" in node:
            said.append(context.said("items_most", value=node["maxItems"]))
    for keyword, name in _BOUNDS:
        if keyword in node:
            said.append(context.said(name, value=_json(node[keyword])))
    if node.get("uniqueItems"):
        said.append(context.said("unique"))
    if "format" in node:
        said.append(context.said("format", value=code(node["format"])))
    elif node.get("pattern") == SAYS_SOMETHING:
        said.append(context.said("not_blank"))
    elif "pattern" in node:
        said.append(context.said("pattern", value=code(_printable(node["pattern"]))))
    if node.get("additionalProperties") is False:
        said.append(context.said("closed"))
    return said


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
