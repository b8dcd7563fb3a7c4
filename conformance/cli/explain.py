"""Says what a clause asks for, where it comes from, and how it is checked."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from conformance.cli.manual import Manual
from conformance.kit.report.clause_listing import NoSuchClauseError, clause_of, explained
from conformance.spec.clauses import clauses
from conformance.spec.messages import LANGUAGES

DONE, UNUSABLE = 0, 4


def main(arguments: Sequence[str]) -> int:
    """Run the command line; gives the exit code."""
    options = parser().parse_args(arguments)
    return explain(options.clause, options.language)


def explain(id: str, language: str) -> int:
    """Write what a clause says; gives the exit code."""
    try:
        clause = clause_of(id, language)
    except NoSuchClauseError as error:
        print(error.words.words(language), file=sys.stderr)
        return UNUSABLE
    print(explained(clause, language))
    return DONE


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "explain",
        "CLAUSE [--language LANGUAGE]",
        "Say what a clause asks for, where it comes from, and how it is checked.",
        (
            ("agent-formats explain ATDF-ERR-012", "in English"),
            ("agent-formats explain ATDF-ERR-012 --language es", "in Spanish"),
        ),
        {DONE: "the clause is on standard output", UNUSABLE: "there is no such clause"},
        UNUSABLE,
    )
    named = made.add_argument("clause", metavar="CLAUSE", help="its id, as in a report")
    named.completer = lambda **_: clauses()  # type: ignore[attr-defined]  # argcomplete's
    made.add_argument("--language", choices=LANGUAGES, default="en", help="default: en")
    return made
