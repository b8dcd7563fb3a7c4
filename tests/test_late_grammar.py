"""The grammar of internationalised identifiers is loaded when it is asked for, and only then."""

import subprocess
import sys

import pytest

ASKING = """
import sys
import conformance.kit.plugin
from jsonschema import Draft202012Validator as V
loaded = "rfc3987_syntax.syntax_helpers" in sys.modules
check = V.FORMAT_CHECKER
print(loaded, check.conforms("http://\\u00e9.example/", "iri"), check.conforms("a b", "iri"),
      check.conforms("a/b", "iri-reference"), "rfc3987_syntax.syntax_helpers" in sys.modules)
"""


@pytest.mark.parametrize("first", ["", "import rfc3987_syntax"])
def test_the_grammar_waits_until_a_format_needs_it(first):
    ran = subprocess.run(
        [sys.executable, "-c", first + ASKING], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == [str(bool(first)), "True", "False", "True", "True"]
