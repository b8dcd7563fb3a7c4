"""What the pages of clauses say about how to fix them: code in four languages, and documents."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
import tree_sitter_c_sharp
import tree_sitter_java
import tree_sitter_typescript
from tree_sitter import Language, Parser

from conformance.formats.validate.validate import validate
from conformance.spec.clauses import clauses
from conformance.spec.messages import is_message
from scripts.generator.build import load_source, read_source
from scripts.website.pages.context import Context
from scripts.website.pages.corrections import changed, correction, shortest
from scripts.website.pages.remedies import CODE, LANGUAGES, REMEDIES, remedy, remedy_of
from scripts.website.pages.vocabularies import homes
from tests.needs import need_packages
from tests.root import ROOT

MOST_LINES = 25
"""Of the code of a remedy, without blank ones."""
WITHOUT = {"the kit does not check it: its page says why": 13}
"""How many clauses have no remedy, by the reason. A number may only fall."""
_GRAMMARS = {
    "ts": tree_sitter_typescript.language_typescript(),
    "java": tree_sitter_java.language(),
    "cs": tree_sitter_c_sharp.language(),
}
_NEEDS_PACKAGES = {"strict.java"}
_GUIDES = ROOT / "fixtures" / "guides"
_CONFIG = {
    "compilerOptions": {
        **{"module": "nodenext", "target": "es2023", "lib": ["es2023"]},
        **{"strict": True, "noUncheckedIndexedAccess": True, "noEmit": True, "skipLibCheck": True},
        **{"types": ["node"], "moduleDetection": "force"},
    }
}


@pytest.fixture(scope="module")
def context() -> Context:
    """English pages."""
    source, problems = read_source(load_source(ROOT))
    assert not problems
    return Context(source, "en", homes(source))


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_clause_about_refused_valid_values_says_what_a_business_rule_does(context, language):
    own = Context(context.source, language, context.homes)
    told = {
        each.id: "\n".join(remedy(own, each, "conformance/clauses/x.md"))
        for each in own.source.clauses
    }
    ruled = {name for name, text in told.items() if "error-design.md#meaning" in text}
    assert ruled == {"ATDF-CALL-004", "ATDF-CALL-010"}
    assert "`business-rule`" in told["ATDF-CALL-004"]


def test_each_remedy_is_for_clauses_that_there_are_and_has_its_code():
    used = {remedy_of(each) for each in clauses()}
    assert set(REMEDIES) <= used
    for name, ids in REMEDIES.items():
        assert is_message(f"site.remedy_{name}")
        for each in ids.split():
            assert any(id == each or id.startswith(f"{each}-") for id in clauses()), each
        for suffix in LANGUAGES.values():
            assert (CODE / f"{name.replace('_', '-')}.{suffix}").is_file()
    files = {each.name for each in CODE.iterdir() if each.is_file()}
    assert len(files) == len(REMEDIES) * len(LANGUAGES)


def test_no_clause_is_of_two_remedies():
    for id in clauses():
        named = [
            name
            for name, ids in REMEDIES.items()
            if any(id == each or id.startswith(f"{each}-") for each in ids.split())
        ]
        assert len(named) <= 1, (id, named)


def test_only_clauses_that_nobody_checks_have_no_remedy(context):
    lacking = [each for each in context.source.clauses if not list(remedy(context, each, "a/b"))]
    assert [each.id for each in lacking if each.excluded is None] == []
    assert len(lacking) <= sum(WITHOUT.values())


@pytest.mark.parametrize("file", sorted(CODE.glob("*.*")), ids=lambda each: each.name)
def test_the_code_of_a_remedy_is_short_and_can_be_read(file):
    text = file.read_bytes()
    assert len([line for line in text.splitlines() if line.strip()]) <= MOST_LINES
    if file.suffix == ".py":
        compile(text, file.name, "exec")
        return
    tree = Parser(Language(_GRAMMARS[file.suffix[1:]])).parse(text)
    assert not tree.root_node.has_error, file.name


@pytest.mark.slow
def test_the_python_of_the_remedies_has_its_types(tmp_path):
    for each in CODE.glob("*.py"):
        shutil.copy(each, tmp_path / each.name.replace("-", "_"))
    options = ("--strict", "--config-file=", "--ignore-missing-imports")
    command = [sys.executable, "-m", "mypy", *options, *sorted(tmp_path.glob("*.py"))]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_java_of_the_remedies_compiles(tmp_path):
    compiler = shutil.which("javac")
    if compiler is None:
        pytest.skip("there is no Java compiler")
    files = [each for each in CODE.glob("*.java") if each.name not in _NEEDS_PACKAGES]
    command = [compiler, "-Xlint:all", "-Werror", "-d", tmp_path, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.needs
def test_the_typescript_of_the_remedies_compiles(tmp_path):
    need_packages(_GUIDES)
    for each in CODE.glob("*.ts"):
        shutil.copy(each, tmp_path)
    (tmp_path / "node_modules").symlink_to(_GUIDES / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    (tmp_path / "tsconfig.json").write_text(json.dumps(_CONFIG), encoding="utf-8")
    command = ["node", "node_modules/typescript/bin/tsc"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_correction_makes_a_wrong_document_right(context):
    corrected = 0
    for clause in context.source.clauses:
        pair = shortest(context, clause.id)
        if pair is None or clause.excluded is not None:
            continue
        bad, good = pair
        assert clause.id in {each.clause for each in validate(bad.data, bad.document)}
        assert clause.id not in {each.clause for each in validate(good.data, good.document)}
        corrected += 1
    assert corrected >= 230


def test_a_correction_shows_what_differs(context):
    for clause in context.source.clauses:
        parts = list(correction(context, clause))
        if parts:
            _, before, _, after = parts
            assert before.partition("\n")[2] != after.partition("\n")[2], clause.id
            assert all(each.count("\n") <= 40 for each in parts), clause.id


def test_the_smallest_part_that_differs_is_shown():
    bad, good = {"a": 1, "b": [{"c": 1}, {"c": 2}]}, {"a": 1, "b": [{"c": 1}, {"c": 3}]}
    assert changed(bad, good) == (("b", 1), {"c": 2}, {"c": 3})
    assert changed({"b": [1]}, {"b": [1, 2]}) == (("b",), [1], [1, 2])
    assert changed({"b": [1]}, {"b": {}}) == ((), {"b": [1]}, {"b": {}})
