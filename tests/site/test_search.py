"""The search of the built site answers what people ask, in each language."""

from __future__ import annotations

import json
import subprocess
import unicodedata
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from scripts.website.layout import LANGUAGES
from scripts.website.search import search_script
from tests.needs import need_site

QUESTIONS = YAML(typ="safe").load(Path(__file__).with_name("questions.yaml"))
FIRST = 3
"""One of the first results has to be right."""
TYPOS = {
    "en": {"recoverble": "conformance/levels", "sugested_value": "atdf/error"},
    "es": {"pasarela politca": "runtime/gateway-policy", "sugested_value": "atdf/error"},
    "pt": {"glosário": "about/glossary", "sugested_value": "atdf/error"},
}
NAMES = {
    "how_to_use": "/#field-how_to_use",
    "E3001": "runtime/vocabularies/#",
    "MCP-CALL-001": "conformance/clauses/mcp-call-001/",
    "max-time": "conformance/options/#option-max-time",
}
NOTHING = ("", "   ", "xyzzyqwv", "de la", "***")
SHOWN = ("suggested_value", "error", "retry", "mcp")
RUN = """
const fs = require("fs"), vm = require("vm");
const answers = JSON.parse(fs.readFileSync(0, "utf8")).map(({ script, docs, questions }) => {
  const said = [], heard = [];
  const self = {
    addEventListener: (_, listener) => heard.push(listener),
    postMessage: (message) => said.push(message),
  };
  vm.runInNewContext(script, { self, console });
  const hear = (data) => heard.forEach((each) => each({ data }));
  hear({ type: 0, data: { docs } });
  for (const data of questions) hear({ type: 2, data });
  return said;
});
process.stdout.write(JSON.stringify(answers));
"""
pytestmark = pytest.mark.needs


def asked(language):
    """All questions that are asked in a language."""
    own = [each[language] for each in QUESTIONS]
    also = [*TYPOS[language], *NAMES, *NOTHING, *SHOWN]
    return list(dict.fromkeys([*own, *map(bare, own), *also]))


@pytest.fixture(scope="session")
def answers(node):
    """The results of each question in each language, from one start of Node: the script of the
    built site is asked as the theme does it.
    """
    site = need_site()
    given = []
    for language in LANGUAGES:
        folder = site if language == "en" else site / language
        (script,) = folder.glob("assets/javascripts/workers/search.*.js")
        index = json.loads((folder / "search" / "search_index.json").read_text("utf-8"))
        words = {"script": script.read_text("utf-8"), "docs": index["docs"]}
        given.append(words | {"questions": asked(language)})
    done = subprocess.run(
        [node, "-e", RUN], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    found = {}
    for language, (ready, *said) in zip(LANGUAGES, json.loads(done.stdout), strict=True):
        assert ready == {"type": 1}
        assert {each["type"] for each in said} == {3}
        items = (each["data"]["items"] for each in said)
        found[language] = dict(zip(asked(language), items, strict=True))
    return found


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture
def found(answers, language):
    return answers[language]


def pages(items):
    """The pages of the first results; the landing page is `index`."""
    return [(held[0]["location"].split("#")[0].strip("/") or "index") for held in items[:FIRST]]


def bare(text):
    """The text without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def test_questions_are_answered_with_and_without_accents(language, found):
    assert len(QUESTIONS) >= 60
    wrong = [
        f"{text}: {pages(found[text])}, not {each['pages']}"
        for each in QUESTIONS
        for text in {each[language], bare(each[language])}
        if not set(each["pages"]) & set(pages(found[text]))
    ]
    assert wrong == []


def test_what_was_answered_by_another_page_has_the_right_one_first(language, found):
    firsts = {each[language]: each["pages"] for each in QUESTIONS if each.get("first")}
    assert len(firsts) >= 3
    assert [text for text, right in firsts.items() if pages(found[text])[0] not in right] == []


def test_a_typo_is_forgiven(language, found):
    for text, right in TYPOS[language].items():
        assert right in pages(found[text]), text


def test_what_is_shown_is_marked_and_escaped(found):
    items = found["suggested_value"]
    first = items[0][0]
    assert "<mark>suggested_value</mark>" in first["title"] + first["text"]
    texts = "".join(each["title"] + each["text"] for held in items for each in held)
    assert "<" not in texts.replace("<mark>", "").replace("</mark>", "")


@pytest.mark.parametrize("question", SHOWN)
def test_every_result_shows_its_page(found, question):
    assert found[question]
    for held in found[question]:
        assert any("#" not in each["location"] for each in held)


@pytest.mark.parametrize("question", ["", "   ", "xyzzyqwv", "***"])
def test_a_question_without_an_answer_has_no_results(found, question):
    assert found[question] == []


def test_stop_words_alone_are_searched_for(found):
    assert found["de la"]


def test_a_record_is_found_by_its_exact_name(found):
    for name, place in NAMES.items():
        assert place in found[name][0][0]["location"], name


LONG = ("a" * 200_000, "error " * 50_000, "a" + "/" * 200_000 + "b", "ñ" * 200_000)


def test_a_question_without_an_end_is_answered_as_its_beginning(node):
    docs = [{"location": f"{n}/#{n}", "title": "error", "text": "a" * n} for n in range(50)]
    given = {"script": search_script("en"), "docs": docs, "questions": ["error", *LONG, "error"]}
    done = subprocess.run(
        [node, "-e", RUN], input=json.dumps([given]), capture_output=True, text=True,
        check=True, timeout=60,
    )  # fmt: skip
    [[_, first, *_, last]] = json.loads(done.stdout)
    assert first == last
    assert first["data"]["items"]
