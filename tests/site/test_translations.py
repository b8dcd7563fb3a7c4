"""A translation that says less, more, or something older than the English page is found."""

from __future__ import annotations

import pytest

from scripts.check_translations import main
from scripts.website.prose import read_prose
from tests.needs import lacking

ENGLISH = """---
description: How it works.
---

# How it works { #how }

A tool says what it takes, and an error says which value would have worked: see ATDF-ERR-004 and
[the levels](../levels.md#all). Call it with `--target`.

```sh
make conformance
```
"""
SPANISH = """---
description: Cómo funciona.
---

# Cómo funciona { #how }

Una herramienta dice qué necesita, y un error dice qué valor habría servido: véanse ATDF-ERR-004 y
[los niveles](../levels.md#all). Se llama con `--target`.

```sh
make conformance
```
"""
PORTUGUESE = """---
description: Como funciona.
---

# Como funciona { #how }

Uma ferramenta diz do que precisa, e um erro diz qual valor teria servido: veja ATDF-ERR-004 e
[os níveis](../levels.md#all). Chama-se com `--target`.

```sh
make conformance
```
"""


@pytest.fixture
def tree(tmp_path):
    for language, text in (("en", ENGLISH), ("es", SPANISH), ("pt", PORTUGUESE)):
        folder = tmp_path / "docs" / language
        folder.mkdir(parents=True)
        (folder / "how.md").write_text(text, encoding="utf-8")
    assert main(["--root", str(tmp_path), "--accept"]) == 0
    return tmp_path


def said(tree, capsys):
    capsys.readouterr()
    code = main(["--root", str(tree)])
    lines = capsys.readouterr().err.splitlines()
    assert code == (1 if lines else 0)
    return lines


def change(tree, old, new, page="es/how.md"):
    file = tree / "docs" / page
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_pages_that_agree_pass(tree, capsys):
    assert said(tree, capsys) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("{ #how }", "{ #como }", "Here the English page has `#how`."),
        (" { #how }", "", "The heading has no anchor of its own."),
        ("levels.md#all", "levels.md", "The link to ../levels.md#all of the English page"),
        ("ATDF-ERR-004", "ATDF-ERR-005", "The clause ATDF-ERR-004 of the English page is missing"),
        ("`--target`", "`--objetivo`", "The English page has the code `--target`."),
        ("make conformance", "make conformidad", "Block 1 of code is not that of the English"),
        (
            "Una herramienta dice qué necesita, y un error dice qué valor habría servido",
            "A tool says what it takes, and an error says which value would have worked",
            "reads like English",
        ),
        (
            "Una herramienta dice qué necesita, y un error dice qué valor habría servido",
            "Uma ferramenta não esconde do que precisa, e um erro também diz qual valor teria "
            "então funcionado sem outra chamada",
            "reads like Portuguese",
        ),
    ],
)
def test_a_difference_is_found(tree, capsys, old, new, what):
    change(tree, old, new)
    assert any(what in line and line.startswith("docs/es/how.md") for line in said(tree, capsys))


def test_a_command_may_ask_for_the_language_of_its_page(tree, capsys):
    change(tree, "make conformance", "make conformance --language es")
    assert said(tree, capsys) == []
    change(tree, "--language es", "--language pt")
    assert any("Block 1 of code" in line for line in said(tree, capsys))


def test_what_an_error_says_to_people_is_translated_and_its_other_members_are_not(tree, capsys):
    for language, said_there in (("en", "No room"), ("es", "No hay"), ("pt", "Não há")):
        code = f'`{{"detail": "{said_there}", "code": "full"}}` `--target`'
        change(tree, "`--target`", code, f"{language}/how.md")
    assert main(["--root", str(tree), "--accept"]) == 0
    assert said(tree, capsys) == []
    change(tree, '"full"', '"lleno"')
    assert any("has no code" in line and "lleno" in line for line in said(tree, capsys))


def test_a_changed_english_page_makes_its_translations_stale(tree, capsys):
    change(tree, "A tool says", "Each tool says", "en/how.md")
    stale = [line for line in said(tree, capsys) if "has changed since" in line]
    assert [line.partition(":")[0] for line in stale] == ["docs/es/how.md", "docs/pt/how.md"]


def test_a_missing_page_and_one_too_many_are_found(tree, capsys):
    (tree / "docs/pt/how.md").rename(tree / "docs/pt/other.md")
    lines = said(tree, capsys)
    assert any("There is no Portuguese page how.md." in line for line in lines)
    assert any("There is no English page of this name." in line for line in lines)


@pytest.fixture
def dictionaries():
    from scripts.website.spelling import NoDictionaryError, dictionary_of

    try:
        return {language: dictionary_of(language) for language in ("en", "es", "pt")}
    except NoDictionaryError as reason:
        lacking(str(reason))


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [
        ("en/how.md", "would have worked", "would have wroked"),
        ("es/how.md", "qué valor habría", "qué balor habría"),
        ("es/how.md", "véanse", "veanse"),
        ("es/how.md", "qué necesita", "qué tool necesita"),
        ("pt/how.md", "qual valor teria", "qual valor theria"),
    ],
)
@pytest.mark.usefixtures("dictionaries")
def test_a_misspelt_word_is_named_with_its_page_and_line(tree, capsys, page, old, new):
    change(tree, old, new, page)
    wrong = next(word for word in new.split() if word not in old.split())
    spelling = [line for line in said(tree, capsys) if f"“{wrong}” is no" in line]
    assert [line.partition(": ")[0] for line in spelling] == [f"docs/{page}:{LINE_OF[page]}"]


LINE_OF = {"en/how.md": 7, "es/how.md": 8, "pt/how.md": 8}
"""Of the paragraph; a translation has one line of front matter more."""


@pytest.mark.usefixtures("dictionaries")
def test_words_of_the_project_and_names_that_a_translation_keeps_are_right(tree, capsys):
    (tree / "docs/words").mkdir()
    (tree / "docs/words/all.txt").write_text("Zorblax\nqwertyfy\n")
    change(tree, "A tool says", "Zorblax: *Plug it in*, Qwertyfy. A tool says", "en/how.md")
    for page, old in (("es/how.md", "Una herramienta"), ("pt/how.md", "Uma ferramenta")):
        change(tree, old, f"Zorblax: *Plug it in*, Qwertyfy. {old}", page)
    assert [line for line in said(tree, capsys) if " is no " in line] == []


@pytest.mark.parametrize("verb", ["escríbalo", "auméntelo", "evalúelas", "quítesela", "dígaselo"])
def test_a_spanish_verb_may_carry_pronouns(dictionaries, verb):
    from scripts.website.spelling import verbs_without_pronouns

    assert dictionaries["es"](verb) or any(map(dictionaries["es"], verbs_without_pronouns(verb)))


def test_diagrams_and_texts_may_differ():
    one = read_prose("```mermaid\nflowchart LR\n  a[Tool]\n```\n")
    other = read_prose("```mermaid\nflowchart LR\n  a[Herramienta]\n```\n")
    assert one.blocks == other.blocks == (("mermaid", ""),)
