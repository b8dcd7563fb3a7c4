"""What the pages show as code is code: every block is read by a parser of its language."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import textwrap
import tomllib
from dataclasses import dataclass

import pytest
import tree_sitter_c_sharp
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_typescript
from ruamel.yaml import YAML
from tree_sitter import Language, Parser

from scripts.website.layout import DOCS, ROOT

_BLOCK = re.compile(r"^( *)```(\S+)[^\n]*\n(.*?)^\1```$", re.DOTALL | re.M)
_SHOWN = re.compile(r'--8<-- "([^":]+)(?::(\d+):(\d+))?"')


@dataclass(frozen=True, slots=True)
class Block:
    page: str
    line: int
    language: str
    text: str


def shown(found):
    lines = (ROOT / found[1]).read_text("utf-8").splitlines()
    first, last = int(found[2] or 1), int(found[3] or len(lines))
    assert 1 <= first <= last <= len(lines), found[0]
    return "\n".join(lines[first - 1 : last])


def blocks():
    for page in sorted((DOCS / "en").rglob("*.md")):
        text = page.read_text("utf-8")
        for found in _BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            lines = [each.removeprefix(found[1]) for each in found[3].splitlines()]
            code = textwrap.dedent(_SHOWN.sub(shown, "\n".join(lines)))
            if re.search(r'--8<-- "[^"]+:\d+"', found[3]):
                continue  # lines of a file that the guides' tests run, which may begin anywhere
            name = page.relative_to(DOCS / "en").as_posix()
            yield Block(name, line, found[2], code)


def tree(grammar):
    parser = Parser(Language(grammar))

    def read(text):
        for given in (text, f"class Shown {{ {text} }}"):  # a page may show members alone
            if not parser.parse(given.encode()).root_node.has_error:
                return
        raise SyntaxError("The grammar does not know it.")

    return read


def shell(text):
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SyntaxError(done.stderr)


def json_lines(text):
    json.loads(re.sub(r"…", "0", text))


READERS = {
    "python": ast.parse,
    "json": json_lines,
    "yaml": YAML(typ="safe", pure=True).load,
    "toml": tomllib.loads,
    "sh": shell if shutil.which("bash") else lambda text: None,
    "js": tree(tree_sitter_javascript.language()),
    "ts": tree(tree_sitter_typescript.language_typescript()),
    "java": tree(tree_sitter_java.language()),
    "csharp": tree(tree_sitter_c_sharp.language()),
}
PROSE = {"mermaid", "text", "http"}
"""Blocks without a parser: test_diagrams reads those of mermaid."""


@pytest.mark.parametrize("language", sorted(READERS))
def test_every_block_of_code_is_read_by_a_parser_of_its_language(language):
    wrong = []
    read = 0
    for block in blocks():
        if block.language == language:
            read += 1
            try:
                READERS[language](block.text)
            except Exception as error:
                wrong.append(f"{block.page}:{block.line}: {str(error)[:200]}")
    assert read
    assert wrong == []


def test_every_block_says_its_language_and_it_is_known():
    assert {block.language for block in blocks()} <= READERS.keys() | PROSE


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("java", "record Reservation(String name { }"),
        ("csharp", "public static object Error(string kind => 1;"),
        ("js", "const a = {;"),
        ("ts", "const a: = 1;"),
        ("sh", "if true; then"),
        ("json", '{"a": }'),
        ("yaml", "a: [1"),
        ("toml", "a = "),
        ("python", "def f(:"),
    ],
)
def test_a_parser_refuses_what_is_no_code(language, text):
    with pytest.raises(Exception):  # noqa: B017, PT011 - each parser has errors of its own
        READERS[language](text)


@pytest.mark.parametrize(
    ("guide", "words"),
    [("spring-boot", "isBindingFailure"), ("aspnet-core", "SetAttemptedValueIsInvalidAccessor")],
)
def test_where_a_framework_would_repeat_a_value_the_guide_has_words_of_its_own(guide, words):
    for language in ("en", "es", "pt"):
        assert words in (DOCS / language / "guides" / f"{guide}.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("guide", "words"),
    [("spring-boot", "extends JsonDeserializer<Integer>"), ("aspnet-core", "JsonConverter<int>")],
)
def test_where_a_framework_refuses_a_whole_float_the_guide_accepts_it(guide, words):
    for language in ("en", "es", "pt"):
        assert words in (DOCS / language / "guides" / f"{guide}.md").read_text("utf-8")
