"""What the pages of clauses say about how to fix them: code in four languages, and documents."""

from __future__ import annotations

import json
import re
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
from scripts.website.pages.corrections import changed, correction, nearest
from scripts.website.pages.remedies import CODE, LANGUAGES, REMEDIES, remedy, remedy_of
from scripts.website.pages.vocabularies import homes
from tests.needs import need_packages
from tests.root import ROOT

MOST_LINES = 25
"""Of the code of a remedy, without blank ones."""
WITHOUT = {
    "the kit does not check it: its page says why": 13,
    "it is a permission": 1,
}
"""How many clauses have no remedy, by the reason. A number may only fall."""
_GRAMMARS = {
    "ts": tree_sitter_typescript.language_typescript(),
    "java": tree_sitter_java.language(),
    "cs": tree_sitter_c_sharp.language(),
}
_NEEDS_PACKAGES = {"strict.java", "timeouts.java"}
_NAMED = re.compile(r"(?<!\d)[2-5]\d\d(?!\d)|-32\d{3}|`[A-Z][a-z]+(?:-[A-Z][a-z]+)*`")
"""A status, a code of JSON-RPC, or a header."""
_NOT_ASKED_FOR = {
    "RT-META-005",
    *("DECL-LINK-001", "MCP-CALL-005", "MCP-RPC-009", "MCP-WIRE-002"),
}
"""The clauses that name such a thing in a condition, or forbid it."""
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


@pytest.mark.parametrize(
    ("clause", "steps"),
    [
        ("ATDF-ERR-006", ["express.md#recoverable", "aspnet-core.md#explained"]),
        ("ATDF-CALL-002", ["fastapi.md#recoverable", "spring-boot.md#guarded"]),
        ("ATDF-ERR-012", ["fastmcp.md#recoverable", "aspnet-core.md#recoverable"]),
        ("HTTP-CORS-001", ["fastapi.md", "spring-boot.md"]),
    ],
)
def test_a_guide_is_linked_at_the_step_that_fixes_a_clause(context, clause, steps):
    [named] = [each for each in context.source.clauses if each.id == clause]
    text = "\n".join(remedy(context, named, "conformance/clauses/x.md"))
    assert [step for step in steps if f"guides/{step})" not in text] == []


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


def test_only_permissions_and_clauses_that_nobody_checks_have_no_remedy(context):
    lacking = [each for each in context.source.clauses if not list(remedy(context, each, "a/b"))]
    checked = [each for each in lacking if each.excluded is None]
    assert [each.id for each in checked if each.facts["requirement"] != "MAY"] == []
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


def test_a_remedy_has_the_statuses_and_headers_that_its_clause_asks_for(context):
    for clause in context.source.clauses:
        name = remedy_of(clause.id)
        if name is None or clause.excluded is not None or clause.id in _NOT_ASKED_FOR:
            continue
        code = (CODE / f"{name.replace('_', '-')}.py").read_text(encoding="utf-8")
        told = f"{context.said(f'remedy_{name}', url='')}\n{code}".lower()
        asked = [each for each in clause.text.en.split(". ") if re.search("MUST|SHOULD", each)]
        for named in _NAMED.findall(" ".join(asked)):
            assert named.strip("`").lower() in told, (clause.id, named)


def test_no_remedy_answers_with_a_failure_below_a_clause_that_forbids_it(context):
    forbids = re.compile(r"(?:no|with) 5xx")
    forbidding = [each.id for each in context.source.clauses if forbids.search(each.text.en)]
    assert len(forbidding) == 3
    for id in forbidding:
        name = remedy_of(id)
        assert name is not None
        for file in CODE.glob(f"{name.replace('_', '-')}.*"):
            assert not re.search(r"\b50\d\b|-32603", file.read_text(encoding="utf-8")), file.name


@pytest.mark.parametrize("name", ["tool-error", "output", "mcp-resource", "mcp-list", "mcp-input"])
def test_a_result_of_mcp_has_its_type_in_the_newest_version(name):
    for file in CODE.glob(f"{name}.*"):
        assert "resultType" in file.read_text(encoding="utf-8"), file.name  # MCP-RPC-010


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
        pair = nearest(context, clause.id)
        if pair is None or clause.excluded is not None:
            continue
        bad, good = pair
        assert clause.id in {each.clause for each in validate(bad.data, bad.document)}
        assert clause.id not in {each.clause for each in validate(good.data, good.document)}
        corrected += 1
    assert corrected >= 229


def test_a_correction_shows_what_differs(context):
    for clause in context.source.clauses:
        parts = list(correction(context, clause))
        if parts:
            _, before, _, after = parts
            assert before.partition("\n")[2] != after.partition("\n")[2], clause.id
            assert all(each.count("\n") <= 40 for each in parts), clause.id


def test_a_correction_leaves_out_no_member_that_another_clause_asks_for(context):
    *_, after = correction(context, context.clauses["RT-HINT-001"])
    assert '"missing_fields": […],' in after  # RT-HINT-003 asks for them
    assert '"example_input": {…},' in after


def test_the_smallest_part_that_differs_is_shown():
    bad, good = {"a": 1, "b": [{"c": 1}, {"c": 2}]}, {"a": 1, "b": [{"c": 1}, {"c": 3}]}
    assert changed(bad, good) == (("b", 1), {"c": 2}, {"c": 3})
    assert changed({"b": [1]}, {"b": [1, 2]}) == (("b",), [1], [1, 2])
    assert changed({"b": [1]}, {"b": {}}) == ((), {"b": [1]}, {"b": {}})
