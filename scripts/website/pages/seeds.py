"""Every fact of the original texts, with links to its evidence: `schema/source/seeds/`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from scripts.generator.seeds import DIFFERS, OUT, PRESENT, Item
from scripts.generator.texts import Text
from scripts.website.layout import DOCS
from scripts.website.pages.context import Context, dashed, up
from scripts.website.pages.markdown import code, escaped, heading, link, page, table

SEEDS = "about/original-texts.md"
_UP = up(SEEDS)
_TITLE = re.compile(r"^# (.+?) \{ #", re.MULTILINE)


def seeds_page(context: Context) -> bytes:
    """Return the page: a table for each group of facts of each text."""
    about = context.said("seeds_about")
    seeds = context.source.seeds.seeds
    states = Counter(item.state for seed in seeds for each in seed.groups for item in each.items)
    intro = context.said(
        "seeds_intro",
        count=states.total(),
        present=states[PRESENT],
        differs=states[DIFFERS],
        out=states[OUT],
    )
    parts = [intro]
    head = [context.said(f"seed_{name}") for name in ("item", "fact", "state", "shown")]
    for seed in seeds:
        parts.append(heading(2, context.text(seed.title), f"text-{seed.id}"))
        for number, group in enumerate(seed.groups, 1):
            anchor = f"text-{seed.id}-{number}"
            parts.append(heading(3, context.text(group.title), anchor))
            parts.append(table(head, [_row(context, item) for item in group.items]))
    return page(context.said("seeds"), "original-texts", about, parts)


def _row(context: Context, item: Item) -> list[str]:
    fact = context.prose(item.fact) if isinstance(item.fact, Text) else code(item.fact)
    shown = [_shown(context, each) for each in item.shown]
    return [
        f'<a id="item-{item.id}"></a>{item.id}',
        fact,
        context.said(f"seed_{item.state}"),
        " · ".join(shown),
    ]


def _shown(context: Context, shown: str) -> str:
    kind, _, rest = shown.partition(" ")
    return _KINDS[kind](context, rest)


def _clause(context: Context, name: str) -> str:
    return context.clause_link(context.clauses[name], SEEDS)


def _example(context: Context, name: str) -> str:
    spec, _, wanted = name.partition("/")
    found = next(e for e in context.source.examples if (e.spec, e.id) == (spec, wanted))
    to = f"{_UP}{spec}/{found.document}.md#example-{wanted}"
    return link(context.prose(found.title), to)


def _change(context: Context, name: str) -> str:
    spec, _, wanted = name.partition("/")
    found = next(e for e in context.source.changes if (e.spec, e.id) == (spec, wanted))
    return link(context.prose(found.title), f"{_UP}{spec}/changes.md#{wanted}")


def _erratum(context: Context, name: str) -> str:
    spec, _, wanted = name.partition("/")
    found = next(e for e in context.source.errata if (e.spec, e.id) == (spec, wanted))
    return link(context.prose(found.where), f"{_UP}{spec}/changes.md#erratum-{wanted}")


def _field(_: Context, place: str) -> str:
    document, path = place.split(" ", 1)
    return link(code(path), f"{_UP}{document}.md#fields")


def _vocabulary(context: Context, name: str) -> str:
    return context.vocabulary_link(context.source.vocabularies[name], SEEDS)


def _value(context: Context, name: str) -> str:
    vocabulary, _, word = name.partition(" ")
    to = f"{_UP}{context.homes[vocabulary]}/vocabularies.md#{dashed(vocabulary)}"
    return link(code(word), to)


def _anchor(context: Context, place: str) -> str:
    file, _, _ = place.partition("#")
    text = (DOCS / context.language / file).read_text(encoding="utf-8")
    found = _TITLE.search(text)
    title = found[1] if found is not None else file
    return link(escaped(context.said("seed_page", title=title)), f"{_UP}{place}")


def _block(context: Context, name: str) -> str:
    seen: Mapping[str, object] = context.source.seeds.trials["blocks"][name]
    problems = seen.get("problems", [])
    assert isinstance(problems, list)
    told = [_clause(context, each) if each in context.clauses else code(each) for each in problems]
    outcome = ", ".join(told) or context.said("seed_clean")
    return context.said("seed_block", name=name, document=code(str(seen["as"])), outcome=outcome)


def _conversion(context: Context, name: str) -> str:
    trial = context.source.seeds.trials["conversions"][name]
    word = "seed_refused" if "no" in trial else "seed_conversion"
    return context.said(word, form=code(trial["to"]), name=code(name))


def _request(context: Context, name: str) -> str:
    trial = context.source.seeds.trials["requests"][name]
    return code(f"{trial['method']} {trial['path']} → {trial['status']}")


def _reason(context: Context, name: str) -> str:
    return link(escaped(context.said(f"seed_out_{name}")), f"{_UP}about/index.md#not")


_KINDS: Mapping[str, Callable[[Context, str], str]] = {
    "clause": _clause,
    "example": _example,
    "change": _change,
    "erratum": _erratum,
    "field": _field,
    "required": _field,
    "vocabulary": _vocabulary,
    "value": _value,
    "anchor": _anchor,
    "block": _block,
    "conversion": _conversion,
    "request": _request,
    "reason": _reason,
    "alias": lambda _, name: code(name),
    "label": lambda _, name: code(name),
    "file": lambda _, name: code(name),
    "command": lambda _, name: code(f"agent-formats {name}"),
}
