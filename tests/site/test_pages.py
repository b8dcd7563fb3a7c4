"""The pages that are made of the source: all of it is shown, in each language."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import tomllib
import zlib

import pytest

from conformance.spec.clauses import clause_url, clauses
from conformance.spec.published import validator
from fixtures.implementations.outcome import read
from fixtures.implementations.tried import tried
from scripts.generator.build import load_source, read_source
from scripts.generator.keywords import positions
from scripts.generator.texts import LANGUAGES
from scripts.website.layout import DOCS, ROOT
from scripts.website.pages.context import Context
from scripts.website.pages.exchanges import exchange, seen
from scripts.website.pages.found import said
from tests.site.made import made_once

_ANCHOR = re.compile(r"\{ ?#([a-z0-9-]+) ?\}")


@pytest.fixture(scope="module")
def made():
    return made_once()


@pytest.fixture(scope="module")
def source():
    read, problems = read_source(load_source(ROOT))
    assert problems == []
    return read


@pytest.fixture(scope="module")
def pages(made):
    return {path: text.decode() for path, text in made.files.items() if path.endswith(".md")}


def test_the_languages_have_the_same_pages_with_the_same_anchors(pages):
    shapes = {
        language: {
            path.removeprefix(f"{language}/"): _ANCHOR.findall(text)
            for path, text in pages.items()
            if path.startswith(f"{language}/")
        }
        for language in LANGUAGES
    }
    assert shapes["es"] == shapes["en"]
    assert shapes["pt"] == shapes["en"]
    assert len(shapes["en"]) > 30


def test_the_row_of_a_field_says_nothing_twice(pages):
    english = [text for path, text in pages.items() if path.startswith("en/")]
    rows = [row for text in english for row in text.splitlines() if row.startswith("|")]
    assert not [row for row in rows if re.search(r"(?i)(always `\w+`).*\1", row)]
    assert not [row for row in rows if re.search(r"from (\d+) to (\d+)\. At least \1\.", row)]
    assert not [row for row in rows if re.search(r"At least (\d+) items\. At most \1 items", row)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_row_of_a_field_has_the_clause_that_begins_with_its_name(pages, language):
    row, *_ = re.findall(
        r"^\| [^|]*`[^|`]*parameter_name`.*$", pages[f"{language}/atdf/error.md"], re.M
    )
    assert "ATDF-ERR-007" in row and "ATDF-ERR-008" in row


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Not only white space."),
        ("es", "No solo espacios en blanco."),
        ("pt", "Não só espaços em branco."),
    ],
)
def test_the_pattern_of_a_text_that_says_something_is_in_words(pages, language, said):
    row, *_ = re.findall(r"^\| [^|]*`description`.*$", pages[f"{language}/atdf/tool.md"], re.M)
    assert said in row and "u0085" not in row


@pytest.mark.parametrize(
    ("language", "said"), [("en", "More than 0."), ("es", "Mayor que 0."), ("pt", "Maior que 0.")]
)
def test_a_row_says_which_bound_a_number_must_not_reach(pages, language, said):
    page = pages[f"{language}/runtime/gateway-policy.md"]
    assert sum(said in row for row in page.splitlines() if "_ms`" in row) >= 3


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "At least 0. At most 2."), ("es", "Como mínimo 0. Como máximo 2."),
     ("pt", "No mínimo 0. No máximo 2.")],
)  # fmt: skip
def test_a_row_says_the_limits_of_a_value_that_another_document_describes(pages, language, said):
    [row] = re.findall(
        r"^\| [^|]*`temperature`.*$", pages[f"{language}/runtime/model-request.md"], re.M
    )
    assert said in row


def test_code_in_a_table_is_shown_as_it_is(pages):
    assert "`^(/|https?://)`" in pages["en/ardf/manifest.md"]
    assert "`POST /tools/hotel_reservation/invoke → 422`" in pages["en/about/original-texts.md"]


def test_no_anchor_stands_twice_on_a_page(pages):
    for path, text in pages.items():
        anchors = _ANCHOR.findall(text) + re.findall(r'<span id="([^"]+)">', text)
        assert len(anchors) == len(set(anchors)), path


def test_every_word_of_the_kit_on_a_page_is_filled_in(pages):
    # A place of a message, such as `{judged|# clause|# clauses}`, is nothing to read.
    left = {path for path, text in pages.items() if re.search(r"\{\w+\|[^}]*\}|\{passed\}", text)}
    assert left == set()


def test_no_row_of_a_table_shows_an_anchor(pages):
    rows = re.compile(r"^\|.*\{ #[^}]*\}.*", re.MULTILINE)
    assert {path: rows.findall(text)[:1] for path, text in pages.items() if rows.search(text)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_links_to_a_page_that_is_there(made, language):
    start = f"{language}/conformance/clauses/"
    held = {path.removesuffix(".md") for path in made.clauses if path.startswith(start)}
    linked = {clause_url(each).removesuffix("/") for each in clauses().values()}
    assert {each.rpartition("/")[2] for each in linked} == {
        each.rpartition("/")[2] for each in held
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_landing_page_links_to_the_repository_of_the_project(source, language):
    assert f"]({source.project.repository})" in (DOCS / language / "index.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Repository"] == source.project.repository


@pytest.mark.parametrize("path", ["clauses", "faults", "messages"])
def test_each_row_of_a_table_that_is_chosen_from_has_its_facets(pages, path):
    text = pages[f"en/conformance/{path}.md"]
    facets = json.loads(html.unescape(re.search('data-facets="([^"]*)"', text)[1]))
    rows = len(re.findall(r"^\| <a ", text, re.MULTILINE))
    assert rows > 300
    for facet in facets:
        assert len(facet["rows"]) == rows
        assert {number for row in facet["rows"] for number in row} == set(
            range(len(facet["values"]))
        )
    if path != "messages":
        assert {"spec", "level", "binding", "method"} <= {each["key"] for each in facets}
        assert all(row for facet in facets for row in facet["rows"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_is_a_row_with_the_clause_that_it_is_about(pages, source, language):
    text = pages[f"{language}/conformance/messages.md"]
    findings = [each for each in source.messages if each.startswith("finding.")]
    lost = [each for each in findings if f"`{each}`" not in text]
    assert [each for each in lost if " " in source.messages[each].in_language(language)] == []
    row = next(line for line in text.splitlines() if "`finding.mcp.origin`" in line)
    assert "clauses/mcp-orig-00" in row
    bare = re.findall(r"^\| <a id=\S+</a>`(finding[\w.]+)` .* \| – \|$", text, re.MULTILINE)
    assert len(bare) < len(findings) / 10
    shown = next(line for line in text.splitlines() if "`documents.request.no_call`" in line)
    assert "clauses/rt-req-004" in shown  # an invalid example shows it


def test_a_field_that_its_branch_requires_says_so(pages):
    text = pages["en/runtime/call-parameters.md"]
    row = next(line for line in text.splitlines() if "`tool_choice.name`" in line)
    assert "required" in row


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rows_that_older_reports_link_to_are_there(pages, language):
    rows = set(re.findall(r'<a id="([^"]+)"', pages[f"{language}/conformance/clauses.md"]))
    assert {each.lower() for each in clauses()} <= rows


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_clause_stands_under_one_heading(pages, source, language):
    headings = [
        found
        for path, text in pages.items()
        if path.startswith(f"{language}/")
        for found in re.findall(r"^### (\S+) \{ #", text, re.MULTILINE)
    ]
    assert sorted(each for each in headings if each in clauses()) == sorted(
        each.id for each in source.clauses
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_described_field_is_a_row(pages, source, language):
    missing = []
    for schema in source.schemas:
        text = pages[f"{language}/{schema.spec}/{schema.name}.md"]
        for path, node in positions(schema.source.data):
            if len(path) < 2 or path[-2] != "properties" or {"if", "not"} & set(path):
                continue
            shown = isinstance(node, dict) and ("description" in node or "$ref" in node)
            name = rf"`([^`|]*\.)?{re.escape(path[-1])}`"
            if shown and not re.search(rf'^\| <a id="field[\w-]+"></a>{name}', text, re.M):
                missing.append(f"{schema.name}: {'/'.join(map(str, path))}")
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_and_every_word_is_shown(pages, source, language):
    for example in source.examples:
        text = pages[f"{language}/{example.spec}/{example.document}.md"]
        assert f'id="example-{example.id}"' in text
    vocabularies = "".join(
        text
        for path, text in pages.items()
        if path.endswith("vocabularies.md") and path[:2] == language
    )
    for vocabulary in source.vocabularies.values():
        for value in vocabulary.values:
            assert f"</a>`{value.value}` |" in vocabularies


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_anchor_is_on_a_page_twice(pages, language):
    for path, text in pages.items():
        if path.startswith(f"{language}/") and path.endswith(".md"):
            anchors = re.findall(r'<a id="([\w.-]+)"></a>|\{ #([\w.-]+) \}$', text, re.M)
            found = [one or other for one, other in anchors]
            assert len(found) == len(set(found)), path


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_clause_names_the_faults_that_it_catches(pages, language):
    text = pages[f"{language}/atdf/error.md"]
    faults = pages[f"{language}/conformance/faults.md"]
    linked = re.findall(r"\.\./conformance/faults\.md#(fault-[\w-]+)", text)
    assert linked
    assert all(f'<a id="{each}"></a>' in faults for each in linked)


def test_an_invalid_example_marks_the_line_of_its_error(pages):
    text = pages["en/atdf/error.md"]
    shown = text.partition('id="example-error-without-instance"')[2].partition("<span")[0]
    assert 'hl_lines="3"' in shown
    assert "**Line 3**, `$.errors[0]`" in shown
    assert "[ATDF-ERR-004](#atdf-err-004)" in shown


def test_the_human_text_of_an_example_is_in_the_language_of_the_page(pages):
    assert "Se requiere autenticación" in pages["es/atdf/error.md"]
    assert "É necessária autenticação" in pages["pt/atdf/error.md"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_option_is_told_in_the_language_of_the_page(pages, language):
    text = pages[f"{language}/conformance/options.md"]
    told = {"en": "what to check", "es": "Qué se evalúa", "pt": "O que avaliar"}
    assert told[language].lower() in text.lower()
    assert "{{" not in text
    assert "None" not in text
    for name in ("--target", "--waivers", "--language"):
        assert f"## {name} {{ #option-{name[2:]} }}" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_has_each_word_of_the_source(pages, source, language):
    text = pages[f"{language}/about/glossary.md"]
    assert len(source.glossary) > 20
    for word in source.glossary:
        assert f"{{ #{word.name.replace('_', '-')} }}" in text


_RECORDED = {
    "message": "1 of the 3 requests in a batch got no result.",
    "message_id": "finding.mcp.batch",
    "values": {"count": "3", "missing": "1", "version": "2025-03-26"},
}


def test_what_was_found_elsewhere_is_said_in_the_language_of_the_page(source):
    text = said(Context(source, "es", {}), _RECORDED)
    assert text.startswith("De las 3 peticiones de un lote, 1 quedó sin resultado.")


def test_an_english_sentence_that_lacks_a_value_stays_as_it_was_recorded(source):
    words = "A sentence whose words have changed."
    recorded = {**_RECORDED, "message": words, "values": {}}
    assert said(Context(source, "en", {}), recorded) == words


@pytest.mark.parametrize(("language", "begins"), [("es", "De las 3"), ("pt", "Das 3")])
def test_a_value_that_nobody_kept_leaves_no_english_sentence(source, language, begins):
    words = "A sentence whose words have changed."
    values = dict(list(_RECORDED["values"].items())[:1])
    text = said(Context(source, language, {}), {**_RECORDED, "message": words, "values": values})
    assert text.startswith(begins)
    assert "…" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_state_of_the_ecosystem_begins_with_pictures(pages, language):
    text = pages[f"{language}/conformance/ecosystem.md"]
    assert text.count('<figure class="chart">') == 3
    assert text.index("<figure") < text.index("| --- |")
    level = "Guarded" if language == "en" else "Protegido"
    assert re.search(rf'<span class="af-said">[^<]*{level}: \d', text)


def test_servers_without_a_framework_and_versions_of_one_count_as_no_framework_more(pages):
    text = pages["en/conformance/ecosystem.md"]
    named = {each["framework"] for each in read()}
    (count,) = re.findall(r"They use (\d+) SDKs and frameworks", text)
    assert int(count) == len(named) - 1
    assert "by hand" in named


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_framework_gets_no_share_for_the_errors_of_the_routes_next_to_it(pages, language):
    text = pages[f"{language}/conformance/ecosystem.md"]
    names = text[text.index("{ #names }") : text.index("{ #defects }")]
    assert "django-mcp-server" not in names
    assert re.search(r"fastapi-mcp 0\.x \(1\)(?s:.*?)4\s?%", names)
    assert "24" not in names[names.index("fastapi-mcp 0.x (1)") :].partition("</g>")[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commonest_defects_have_names_of_the_language_and_no_two_are_alike(pages, language):
    text = pages[f"{language}/conformance/ecosystem.md"]
    defects = text[text.index("{ #defects }") :]
    named = re.findall(r"<dt>([A-Z]+-[A-Z]+-\d+: [^<]+)</dt>", defects)
    assert len(set(named)) == 10
    causes = {found["cause"] for each in read() for found in each["findings"]}
    assert not {name.partition(": ")[2] for name in named} & causes
    for clause, version in (("MCP-LIFE-010", "2025-06-18"), ("MCP-LIFE-011", "2025-03-26")):
        (row,) = re.findall(rf"^\|[^|]*{clause}[^|]*\|([^|]*)\|", defects, re.M)
        assert version in row


@pytest.mark.parametrize("language", ["es", "pt"])
def test_what_was_found_elsewhere_is_not_left_in_english(pages, language):
    text = pages[f"{language}/conformance/implementations.md"]
    assert "in the schema, but was accepted" not in text
    assert "The server sent" not in text


@pytest.mark.parametrize(("language", "begin"), [("es", "Mientras"), ("pt", "Enquanto")])
def test_the_sentence_of_a_common_defect_has_what_the_server_handled(pages, language, begin):
    cells = re.findall(r"\| *([^|\n]+) \|$", pages[f"{language}/conformance/ecosystem.md"], re.M)
    found = [each for each in cells if each.startswith(begin)]
    assert len(found) == 2
    assert not [each for each in found if "…" in each.partition(",")[0]]


def test_a_server_without_a_failure_shows_what_keeps_it_from_a_level(pages):
    text = pages["en/conformance/implementations.md"]
    names = ("hapi-rooms", "eslint-mcp")
    of = {name: text[text.index(f"{{ #server-{name} }}") :] for name in names}
    assert "| not verified |" in text
    assert "No clause fails. Of its verdicts, 3 are" in of["hapi-rooms"].partition("\n## ")[0]
    assert "only in 2025-03-26: not counted" in of["eslint-mcp"].partition("\n## ")[0]


@pytest.mark.parametrize(("language", "share"), [("en", "100%"), ("es", "100 %"), ("pt", "100%")])
def test_a_share_is_written_as_the_language_writes_it(pages, language, share):
    assert f"| {share} |" in pages[f"{language}/conformance/implementations.md"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_tried_once_is_listed_with_what_was_found_wrongly(pages, language):
    text = pages[f"{language}/conformance/implementations.md"]
    part = text[text.index("{ #tried }") :]
    for each in tried():
        (row,) = (line for line in part.splitlines() if f"`{each.package}` {each.version}" in line)
        assert all(clause in row for clause in (*each.found, *each.mistaken))


@pytest.mark.parametrize("spec", ["atdf", "ardf", "runtime", "bindings"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_downloads_shows_whole_sums(pages, made, language, spec):
    text = pages[f"{language}/{spec}/downloads.md"]
    row = re.compile(r"^\| \[`(.+?)`\]\((.+?)\) .*`([0-9a-f]*)`\{ \.sum \} \|$", re.MULTILINE)
    rows = row.findall(text)
    assert len(rows) == text.count(" .sum }") > 4
    for _, address, shown in rows:
        content = made.files[f"{language}/{address.removeprefix('../')}"]
        assert hashlib.sha256(content).hexdigest() == shown


@pytest.mark.skipif(not shutil.which("unzip"), reason="there is no unzip")
def test_the_lines_that_check_downloads_accept_them_and_refuse_others(pages, made, tmp_path):
    checked, single = re.findall(r"```sh\n(.*?)\n```", pages["en/atdf/downloads.md"], re.DOTALL)
    name = single.partition("'")[2].partition("'")[0].split()[1]
    [schema] = [
        text
        for path, text in made.files.items()
        if path.startswith("en/schema/atdf/latest/") and path.endswith(f"/{name}")
    ]
    for given, expected in ((lambda text: text, 0), (lambda text: text + b" ", 1)):
        (tmp_path / "all.zip").write_bytes(given(made.files["en/schema/all.zip"]))
        (tmp_path / name).write_bytes(given(schema))
        for lines in (checked, single):
            command = ["sh", "-ec", lines]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
            assert done.returncode == expected, done.stderr
        shutil.rmtree(tmp_path / "schema", ignore_errors=True)


def test_a_page_says_that_lines_are_marked_only_if_some_are(source):
    context = Context(source, "en", {})
    shown = {clause: "\n".join(exchange(context, context.clauses[clause], "atdf/clauses/x.md"))
             for clause in seen()["clauses"]}  # fmt: skip
    marked = {clause for clause, text in shown.items() if "hl_lines=" in text}
    assert marked == {each for each, text in shown.items() if "Lines that differ" in text}
    # Two bindings differ in their lists: both answers are the same, and neither is wrong.
    assert "**The kit says:**" in shown["ATDF-PAR-002"]
    assert "answer" not in shown["ATDF-PAR-002"]


def test_a_table_names_the_fields_that_a_part_shares_with_another(pages):
    page = pages["en/bindings/results.md"]
    repair = page[page.index("{ #fields-repair }") :]
    assert "also has the fields of [rate](#fields-rate)" in repair.replace("`", "")[:900]


_ROW = re.compile(r'^\| <a id="field[\w-]*"></a>`([^`]+)`[^|]*\| ([^|]*) \|', re.M)


def _value_at(name, value):
    """Return an object with `value` at the place that a row of a table names."""
    first, _, rest = name.partition(".")
    inner = _value_at(rest, value) if rest else value
    inner = [inner] if first.endswith("[]") else inner
    key = first.removesuffix("[]")
    return {key: inner} if key else inner


def test_a_field_of_any_value_may_have_any_value(pages, source):
    wrong = []
    for schema in source.schemas:
        text = pages[f"en/{schema.spec}/{schema.name}.md"].partition("{ #clauses }")[0]
        whole = validator(schema.name)
        for section in re.split(r"^### ", text, flags=re.M):
            own = section.partition(" ")[0]
            parts = schema.source.data.get("$defs", {})
            inside = f"{whole.schema['$id']}#/$defs/{own}" if own in parts else ""
            judge = whole.evolve(schema={"$ref": inside}) if inside else whole
            rows = [name for name, kind in _ROW.findall(section) if kind == "any value"]
            facts = "\nany value." in section
            for name in [*rows, *([""] if facts else [])]:
                for value in ("text", 1, True, None, ["text"], {"text": 1}):
                    data = _value_at(name, value) if name else value
                    at = [0 if each == "[]" else each for each in re.findall(r"[^.\[]+|\[\]", name)]
                    if any(
                        each.validator == "type" and list(each.absolute_path) == at
                        for each in judge.iter_errors(data)
                    ):
                        wrong.append(f"{schema.name} {own} {name}: {value!r}")
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_names_every_schema_that_it_takes_fields_from(pages, source, language):
    missing = []
    for schema in source.schemas:
        text = pages[f"{language}/{schema.spec}/{schema.name}.md"]
        for path, node in positions(schema.source.data):
            for each in node.get("allOf", ()) if isinstance(node, dict) else ():
                if "$ref" not in each:
                    continue
                head = "#fields" if not path else f"#fields-{path[-1].replace('_', '-')}"
                section = text[text.index(f"{{ {head} }}") :]
                section = section[: section.index("\n#")]
                file, _, inside = each["$ref"].replace("_", "-").partition("#/$defs/")
                document = file.rpartition("/")[2].partition(".")[0]
                if f"{document}.md" not in section and f"(#fields-{inside})" not in section:
                    missing.append(f"{schema.name}: {'/'.join(map(str, path))}")
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_heading_of_a_correction_names_the_field_that_it_is_about(pages, language):
    text = pages[f"{language}/atdf/changes.md"].partition("{ #errata }")[2]
    headings = re.findall(r"^### (.*) \{ #erratum", text, re.MULTILINE)
    assert len(headings) == len(set(headings)) > 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_row_of_a_field_leads_to_the_line_of_the_field_in_the_example(pages, language):
    counted = 0
    for path, content in pages.items():
        found = re.search(r'#text=([\w-]+)" data-lines="([^"]*)"', content)
        if found is None or not path.startswith(f"{language}/") or path.endswith("/all.md"):
            continue
        packed = base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
        lines = zlib.decompress(packed, wbits=-15).decode().splitlines()
        for anchor, line in json.loads(html.unescape(found[2])).items():
            row = re.search(rf'<a id="{anchor}"></a>`([^`]+)`', content)
            leaf = re.split(r"[.\]]", row[1])[-1]
            assert lines[line - 1].lstrip().startswith(f'"{leaf}": '), (path, anchor, line)
            counted += 1
    assert counted > 300
