"""Each policy of the source is broken in a scratch copy, and the message is seen."""

from __future__ import annotations

import re

import pytest

from tests.scripts.generator.scratch import (
    CLAUSES,
    ERROR,
    MESSAGES,
    TOOL,
    VERDICT,
    Scratch,
)


def test_a_source_without_faults_is_not_complained_about(scratch: Scratch):
    assert scratch.check() == []


EXAMPLE = "schema/source/atdf/examples/hotel-catalog.yaml"
INVALID = "schema/source/atdf/examples/tool-without-name.yaml"

FAULTS = {
    "a text that lacks a language": (
        TOOL,
        "      pt: O nome da ferramenta, único no seu catálogo.\n",
        "",
        "/properties/name/description: The Portuguese text is missing.",
    ),
    "a text in one language": (
        VERDICT,
        "    text:\n      en: A MUST is broken.\n      es: Se incumple un DEBE.\n"
        "      pt: Um DEVE foi descumprido.\n",
        "    text: A MUST is broken.\n",
        "/values/1/text: A text stands here in one language only.",
    ),
    "a text in a language that the project has not": (
        MESSAGES,
        "  pt: O",
        "  fr: Le niveau est {level}.\n  pt: O",
        "/few.level/fr: A text has no language `fr`.",
    ),
    "a text that was not translated": (
        MESSAGES,
        "  es: El nivel es {level}.",
        "  es: The level is {level}.",
        "The Spanish text equals the English one.",
    ),
    "a placeholder that one language lacks": (
        MESSAGES,
        "O nível é {level}.",
        "O nível mudou.",
        "The placeholder {level} is not in both `en` and `pt`.",
    ),
    "a placeholder that is malformed": (
        MESSAGES,
        "The level is {level}.",
        "The level is {0}.",
        "`0` is not a placeholder.",
    ),
    "a count without words for all others": (
        MESSAGES,
        "The level is {level}.",
        "The {level|level} is reached.",
        "`level|level` is not a placeholder.",
    ),
    "a clause id in two places": (
        CLAUSES,
        "id: ATDF-CAT-002",
        "id: ATDF-CAT-001",
        "The clause id ATDF-CAT-001 stands at",
    ),
    "a clause without a requirement": (
        CLAUSES,
        "    requirement: MUST\n",
        "",
        "/clauses/0: `requirement` is missing.",
    ),
    "a word outside a vocabulary": (
        CLAUSES,
        "needed_for: described",
        "needed_for: decorated",
        "/clauses/0/needed_for: `decorated` is not in the vocabulary `needed_for`.",
    ),
    "a clause with two requirements": (
        CLAUSES,
        "A server MUST NOT reject a valid input as invalid.",
        "A server MUST NOT reject a valid input as invalid, and MUST NOT lose it.",
        "has 2 requirements in one text.",
    ),
    "a text without a requirement": (
        CLAUSES,
        "A server MUST NOT reject a valid input as invalid.",
        "A server does not reject a valid input as invalid.",
        "requires nothing.",
    ),
    "a clause of another strength than its text": (
        CLAUSES,
        "A server MUST NOT reject a valid input as invalid.",
        "A server SHOULD NOT reject a valid input as invalid.",
        "says SHOULD, and its `requirement` another strength.",
    ),
    "a clause that is both verified and excluded": (
        CLAUSES,
        "    verified: static\n",
        "    verified: static\n    excluded: {en: Why, es: Por qué, pt: Por quê}\n",
        "A clause has either `verified` or `excluded`.",
    ),
    "a declared clause of no family": (
        CLAUSES,
        "family: catalog",
        "family: catalogs",
        "/clauses/0/family: `catalogs` is not in the vocabulary `family`.",
    ),
    "a condition without a family": (
        CLAUSES,
        "    family: catalog\n",
        "    when: {has: [name]}\n",
        "/clauses/0/when: `when` is only for a declared clause.",
    ),
    "a condition that the family does not know": (
        CLAUSES,
        "    when: {has: [examples]}\n",
        "    when: {block: [content]}\n",
        "/when/block: The family `tool` does not know `block`.",
    ),
    "a condition with a word outside its vocabulary": (
        CLAUSES,
        "    when: {has: [examples]}\n",
        "    when: {block: [contents]}\n",
        "/when/block: `contents` is not in the vocabulary `ardf_block`.",
    ),
    "a condition that no family knows": (
        CLAUSES,
        "    when: {has: [examples]}\n",
        "    when: {lacks: [examples]}\n",
        "/when/lacks: Nothing here is called `lacks`.",
    ),
    "a declared clause of another scope than its family": (
        CLAUSES,
        "    scope: target\n    document: catalog\n",
        "    scope: tool\n    document: catalog\n",
        "/clauses/0/scope: The family `catalog` has no clauses of the scope `tool`.",
    ),
    "a declared clause that is excluded": (
        CLAUSES,
        "    verified: static\n",
        "    excluded: {en: Why, es: Por qué, pt: Por quê}\n",
        "/clauses/0/family: A clause that is excluded belongs to no family.",
    ),
    "a clause about no document": (
        CLAUSES,
        "document: catalog",
        "document: catalogue",
        "atdf has no document `catalogue`.",
    ),
    "a second position of no clause": (
        ERROR,
        "- ref: ATDF-ERR-003",
        "- ref: ATDF-ERR-999",
        "`ref` names ATDF-ERR-999, which no position of this file owns.",
    ),
    "an enum without descriptions": (
        TOOL,
        "    type: string\n    minLength: 1\n",
        "    type: string\n    enum: [one, two]\n",
        "/properties/name/enum: The values of this `enum` have no descriptions.",
    ),
    "an unknown vocabulary": (
        TOOL,
        "    type: string\n    minLength: 1\n",
        "    type: string\n    enum: {$vocabulary: names}\n",
        "There is no vocabulary `names`.",
    ),
    "a vocabulary's value without a description": (
        VERDICT,
        "    text:\n      en: A MUST is broken.\n      es: Se incumple un DEBE.\n"
        "      pt: Um DEVE foi descumprido.\n",
        "",
        "/values/1: `text` is missing.",
    ),
    "a cell of the wrong type": (
        VERDICT,
        "fails_run: true",
        "fails_run: often",
        "`fail` has no boolean in its column `fails_run`.",
    ),
    "a property without a description": (
        ERROR,
        "    description:\n      en: 'Optional: usually `error`, and never `success`.'\n"
        "      es: 'Opcional: normalmente `error`, y nunca `success`.'\n"
        "      pt: 'Opcional: normalmente `error`, e nunca `success`.'\n",
        "",
        "The property `status` has no description.",
    ),
    "a reference that leads nowhere": (
        ERROR,
        "'#/$defs/error'",
        "'#/$defs/errror'",
        "`#/$defs/errror` leads nowhere.",
    ),
    "a reference to a file that the source has not": (
        "schema/source/atdf/catalog.yaml",
        "else: {$ref: descriptor.schema.json}",
        "else: {$ref: describer.schema.json}",
        "`describer.schema.json` leads nowhere.",
    ),
    "a keyword that JSON Schema has not": (
        ERROR,
        "minItems: 1",
        "minimumItems: 1",
        "`minimumItems` is not a keyword of JSON Schema 2020-12",
    ),
    "a schema that is not valid": (
        ERROR,
        "minItems: 1",
        "minItems: -1",
        "/properties/errors/minItems: This is not valid JSON Schema 2020-12",
    ),
    "a format without a pattern": (
        ERROR,
        """        pattern: "^[A-Za-z0-9._~:/?#\\\\[\\\\]@!$&'()*+,;=%-]+$"\n""",
        "",
        "`format` stands alone",
    ),
    "a pattern that validators read differently": (
        TOOL,
        "^[A-Za-z]+$",
        "^\\w+$",
        "`\\w` does not mean the same to every validator.",
    ),
    "a pattern that may let a line end pass": (
        TOOL,
        """        not: {pattern: "\\n"}\n""",
        "",
        "To some validators `$` also matches before a last line end.",
    ),
    "a bare union": (
        TOOL,
        "      if: {required: [input_values]}\n",
        "      anyOf: [{required: [name]}, {required: [goal]}]\n"
        "      if: {required: [input_values]}\n",
        "A bare `anyOf` hides the place where a branch is broken.",
    ),
    "a valid example that breaks something": (
        EXAMPLE,
        "- name: hotel_reservation",
        "- name: ''",
        "It must pass; it breaks ATDF-TOOL-001 at $.tools[0].name by `minLength`.",
    ),
    "an invalid example that fails elsewhere": (
        INVALID,
        "at: $.tools[0]",
        "at: $.tools[1]",
        "It must break ATDF-TOOL-001 at $.tools[1] by `required` and nothing else;",
    ),
    "an invalid example that fails by another keyword": (
        INVALID,
        "keyword: required",
        "keyword: minLength",
        "it breaks ATDF-TOOL-001 at $.tools[0] by `required`.",
    ),
    "an invalid example that breaks two clauses": (
        INVALID,
        "change:\n",
        "change:\n  - {op: remove, path: /tools/0/description}\n",
        "it breaks ATDF-TOOL-001 at $.tools[0] by `required`; ATDF-TOOL-002 at",
    ),
    "an invalid example that is valid": (
        INVALID,
        "{op: remove, path: /tools/0/name}",
        "{op: replace, path: /tools/0/name, value: other}",
        "and nothing else; it breaks nothing.",
    ),
    "a change of what the data has not": (
        INVALID,
        "/tools/0/name",
        "/tools/7/name",
        "The change cannot be made: `/tools/7/name` leads nowhere.",
    ),
    "an example that is made from none": (
        INVALID,
        "from: hotel-catalog",
        "from: motel-catalog",
        "There is no valid example `motel-catalog`.",
    ),
    "an example of an unknown clause": (
        INVALID,
        "breaks: ATDF-TOOL-001",
        "breaks: ATDF-TOOL-999",
        "There is no clause ATDF-TOOL-999.",
    ),
    "an erratum that is not in the data": (
        "schema/source/atdf/examples/invalid-date-error.yaml",
        "    corrected: '2025-01-16T14:00:00Z'",
        "    corrected: '2026-01-16T14:00:00Z'",
        "`corrected` is not what the data holds there.",
    ),
    "a translation of a place that the data has not": (
        EXAMPLE,
        "/tools/0/description: Hace",
        "/tools/3/description: Hace",
        "`/tools/3/description` leads nowhere in the data.",
    ),
    "a key that stands twice": (
        MESSAGES,
        "  es: El",
        "  en: Once more {level}.\n  es: El",
        "/few.level/en: The key `en` stands twice in one mapping.",
    ),
    "a file that is not YAML": (MESSAGES, "  es: El", " es: [El", "The file is not YAML:"),
    "a number that JSON has not": (
        EXAMPLE,
        "maximum: 4",
        "maximum: .inf",
        "JSON has no value .inf.",
    ),
    "a version that is no text": (
        "schema/source/project.yaml",
        'version: "1.0"',
        "version: 1.0",
        "/specs/atdf/version: Here stands a number, where a text belongs.",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "message"), FAULTS.values(), ids=list(FAULTS))
def test_the_check_finds(scratch: Scratch, file: str, old: str, new: str, message: str):
    scratch.edit(file, old, new)
    code, said = scratch.run("--check")
    named = [line for line in said.splitlines() if message in line]
    assert code == 1
    assert named, said
    assert re.match(rf"{re.escape(file)}:[0-9]+: ", named[0]), "names the file and the line"


def test_a_file_that_the_generator_does_not_know_is_named(scratch: Scratch):
    scratch.write("schema/source/atdf/notes.yaml", "some: thing\n")
    assert "notes.yaml:1: The generator does not know what this file is." in scratch.run()[1]


def test_a_folder_that_is_no_specification_is_named(scratch: Scratch):
    scratch.write("schema/source/other/clauses.yaml", "clauses: []\n")
    assert "The folder `other` is no specification of project.yaml." in scratch.run()[1]


def test_two_vocabularies_of_one_python_name_are_named(scratch: Scratch):
    scratch.write("schema/source/vocabularies/copy.yaml", scratch.read(VERDICT))
    said = scratch.run()[1]
    assert "Another vocabulary is called `verdict` too." in said
    assert "Another vocabulary is called `Verdict` too." in said


@pytest.mark.parametrize("text", ["a: &a [*a]\n", "[" * 2000 + "]" * 2000])
def test_a_value_without_end_is_named(scratch: Scratch, text: str):
    scratch.write(MESSAGES, text)
    assert f"{MESSAGES}: " in scratch.run()[1]


def test_an_empty_file_is_named(scratch: Scratch):
    scratch.write("schema/source/atdf/empty.yaml", "# nothing\n")
    assert "empty.yaml:1: The file is empty." in scratch.run()[1]


def test_a_file_that_is_not_utf8_is_named(scratch: Scratch):
    (scratch.root / MESSAGES).write_bytes("few.level: ñ".encode("latin-1"))
    assert f"{MESSAGES}: The file is not UTF-8" in scratch.run()[1]


def test_two_english_texts_share_no_translation(scratch: Scratch):
    text = "few.shown:\n  en: It was {level}.\n  es: El nivel es {level}.\n  pt: Foi o {level}.\n"
    scratch.write("schema/source/messages/more.yaml", text)
    code, said = scratch.run()
    assert code == 1
    assert "`message:few.level` has the same Spanish text, but another English one" in said


def test_an_english_text_has_one_translation(scratch: Scratch):
    text = "few.other:\n  en: the level is {level}.\n  es: el nivel es {level}.\n  pt: É {level}.\n"
    scratch.write("schema/source/messages/more.yaml", text)
    code, said = scratch.run()
    assert code == 1
    assert "`message:few.level` has the same English text, but another Portuguese one" in said
    assert "another Spanish one" not in said


def test_equal_texts_may_be_meant(scratch: Scratch):
    text = "few.http:\n  en: HTTP\n  es: HTTP\n  pt: HTTP\n  same: true\n"
    scratch.write("schema/source/messages/more.yaml", text)
    assert scratch.run()[0] == 0


def test_members_named_like_keywords_are_no_texts(scratch: Scratch):
    member = "  {name}:\n    type: string\n    description: {{en: Yes, es: Sí, pt: Sim}}\n"
    added = "".join(member.format(name=name) for name in ("title", "en", "no", "items"))
    scratch.edit(TOOL, "properties:\n", "properties:\n" + added)
    assert scratch.run() == (0, "")


def test_what_looks_like_a_date_stays_a_text(scratch: Scratch):
    scratch.edit(EXAMPLE, "version: 1.0.0", "version: 2025-01-15")
    assert scratch.run() == (0, "")
    made = scratch.read("fixtures/examples/atdf/valid/hotel-catalog.json")
    assert '"version": "2025-01-15"' in made


def test_a_recommendation_may_be_broken_beside(scratch: Scratch):
    untranslated = scratch.read(EXAMPLE).partition("text:\n")[0]
    described = "            description: Number of guests\n"
    assert described in untranslated
    scratch.write(EXAMPLE, untranslated.replace(described, ""))
    assert scratch.run() == (0, "")


def test_a_document_that_no_clause_owns_is_named(scratch: Scratch):
    title = "{en: Extra, es: Otro, pt: Outro}"
    document = f'{{spec: atdf, version: "1.0", name: extra, title: {title}}}'
    scratch.write("schema/source/atdf/extra.yaml", f"x-document: {document}\ntype: object\n")
    said = scratch.run()[1]
    assert "extra.yaml:1: No clause owns the document itself." in said
    assert "extra.yaml:1: The document has no description." in said


@pytest.mark.parametrize("value", ["7", "[]", "x", "null", "[[1]]", "{a: 1}", "true"])
@pytest.mark.parametrize("file", [TOOL, CLAUSES, VERDICT, MESSAGES, EXAMPLE, INVALID])
def test_a_file_that_holds_something_else_never_ends_in_a_traceback(
    scratch: Scratch, file: str, value: str
):
    scratch.write(file, f"{value}\n")
    code, said = scratch.run()
    assert "Traceback" not in said
    assert (code == 1) == bool(said)


HISTORY = "schema/source/atdf/changes.yaml"
ENTRY = """
changes:
  - id: two-forms
    version: "1.0"
    kind: settled
    title: {en: Two forms, es: Dos formas, pt: Duas formas}
    text: {en: There are two., es: Hay dos., pt: São duas.}
    clauses: [ATDF-CAT-001]
    examples: [hotel-catalog]
"""
ERRATUM = """
errata:
  - id: a-zone
    where: {en: Here, es: Aquí, pt: Aqui}
    as_printed: "12:00"
    corrected: "12:00Z"
    why: {en: It has an offset., es: Lleva desplazamiento., pt: Tem deslocamento.}
"""
HISTORY_FAULTS = {
    "another clause": ("ATDF-CAT-001", "ATDF-CAT-999", "There is no clause ATDF-CAT-999."),
    "another example": ("hotel-catalog", "motel", "There is no example of atdf motel."),
    "another kind": ("settled", "guessed", "is not in the vocabulary `change_kind`"),
    "another version": ('"1.0"', '"7.0"', "atdf has no version 7.0."),
    "no Spanish": (", es: Hay dos.", "", "The Spanish text is missing."),
    "no id": ("two-forms", "Two forms", "`Two forms` is not an id."),
    "no title": (
        "    title: {en: Two forms, es: Dos formas, pt: Duas formas}\n",
        "",
        "`title` is missing.",
    ),
}


def test_a_changelog_and_errata_are_part_of_the_source(scratch: Scratch):
    scratch.write(HISTORY, ENTRY)
    scratch.write("schema/source/atdf/errata.yaml", ERRATUM)
    scratch.run()
    assert scratch.check() == []


@pytest.mark.parametrize("fault", list(HISTORY_FAULTS))
def test_a_fault_in_a_changelog_is_named_with_its_place(scratch: Scratch, fault: str):
    old, new, said = HISTORY_FAULTS[fault]
    assert old in ENTRY
    scratch.write(HISTORY, ENTRY.replace(old, new))
    told = scratch.run()[1]
    assert f"{HISTORY}:" in told
    assert said in told


def test_an_erratum_that_corrects_nothing_is_named(scratch: Scratch):
    scratch.write("schema/source/atdf/errata.yaml", ERRATUM.replace('"12:00Z"', '"12:00"'))
    assert "/errata/0: Nothing was corrected." in scratch.run()[1]


def test_an_id_twice_in_a_changelog_is_named(scratch: Scratch):
    scratch.write(HISTORY, ENTRY + ENTRY.split("changes:\n")[1])
    assert "The id `two-forms` stands twice." in scratch.run()[1]


def test_an_alias_of_no_document_is_named(scratch: Scratch):
    scratch.edit("schema/source/project.yaml", "atdf/descriptor", "atdf/leaflet")
    assert "/aliases/atdf_schema.json: There is no document `atdf/leaflet`." in scratch.run()[1]


def test_a_clause_without_a_reason_is_found(scratch):
    scratch.edit("schema/source/atdf/why.yaml", "[ATDF-CAT-002]", "[]")
    scratch.run()
    assert any("Nothing says why ATDF-CAT-002 is there." in line for line in scratch.check())


def test_a_reason_names_a_clause_once_and_one_that_exists(scratch):
    scratch.edit("schema/source/atdf/why.yaml", "[ATDF-CAT-003]", "[ATDF-CAT-003, ATDF-CAT-002]")
    assert any("ATDF-CAT-002 has a reason already" in line for line in scratch.check())
    scratch.edit("schema/source/atdf/why.yaml", "ATDF-CAT-003, ATDF-CAT-002", "ATDF-CAT-999")
    assert any("ATDF-CAT-999 has a reason already, or is not" in line for line in scratch.check())
