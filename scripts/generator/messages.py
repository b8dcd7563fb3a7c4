"""`messages/*.yaml`: all sentences of the kit and the validator, by id."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scripts.generator.load import Json, SourceFile
from scripts.generator.texts import LANGUAGES, Gathered, Text, placeholders

_ID = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")


def read_messages(sources: Iterable[SourceFile], gathered: Gathered) -> dict[str, Text]:
    """Read all message files: each maps an id to a text with `{placeholders}`.

    Returns the texts by id; a file may be empty. It is a problem if an id is defined twice, or if
    the languages have different placeholders.
    """
    messages: dict[str, Text] = {}
    homes: dict[str, str] = {}
    for source in sources:
        if source.data is None:
            continue
        if not isinstance(source.data, dict):
            gathered.problems.append(
                source.problem((), "A message file is a map of ids to texts.", "Write it so.")
            )
            continue
        for name, value in source.data.items():
            if not _ID.fullmatch(name):
                what = f"`{name}` is not a message id."
                do = "Use lower-case words joined by dots, dashes or underscores."
                gathered.problems.append(source.problem((name,), what, do))
            if name in homes:
                what = f"The message `{name}` is in {homes[name]}, too."
                gathered.problems.append(source.problem((name,), what, "Keep one of them."))
            homes[name] = source.file
            text = gathered.text(source, (name,), value, f"message:{name}")
            if text is not None and _placeholders_agree(source, name, text, gathered):
                messages[name] = text
    return messages


def _placeholders_agree(source: SourceFile, name: str, text: Text, gathered: Gathered) -> bool:
    found = {}
    for language in LANGUAGES:
        try:
            found[language] = placeholders(text.in_language(language))
        except ValueError as error:
            what = f"`{error}` is not a placeholder."
            do = "Write `{name}` with lower-case letters; a brace itself is `{{` or `}}`."
            gathered.problems.append(source.problem((name, language), what, do))
            return False
    for language in ("es", "pt"):
        odd = sorted(found[language] ^ found["en"])
        if odd:
            what = f"The placeholder {{{odd[0]}}} is not in both `en` and `{language}`."
            gathered.problems.append(
                source.problem(
                    (name, language), what, "Use the same placeholders in each language."
                )
            )
            return False
    return True


def messages_json(messages: dict[str, Text], vocabulary_texts: dict[str, Text]) -> Json:
    """Return the content of `messages.json`: each id with its three languages, in order of ids.

    The text of a vocabulary's value has the id `vocabulary.<name>.<value>`.
    """
    every = messages | vocabulary_texts
    return {name: every[name].as_json() for name in sorted(every)}
