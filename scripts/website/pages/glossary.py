"""The terms of the project, in the order of the source, the same in each language."""

from __future__ import annotations

from scripts.generator.texts import LANGUAGES
from scripts.website.pages.context import Context, dashed
from scripts.website.pages.markdown import escaped, heading, page

_OWN = "glossary"


def glossary_page(context: Context) -> bytes:
    """Return the page: each term under a heading, with its names in the other languages."""
    about = context.said("glossary_about")
    parts = [escaped(about)]
    for word in context.source.glossary:
        others = (
            f"{language}: {escaped(word.term.in_language(language))}"
            for language in LANGUAGES
            if language != context.language
        )
        parts += [
            heading(2, context.text(word.term), dashed(word.name)),
            context.prose(word.text),
            f"{' · '.join(others)}\n{{ .facts }}",
        ]
    return page(context.said("glossary"), _OWN, about, parts)
