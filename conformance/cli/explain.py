"""Says what clauses ask for, where they come from, and how they are checked."""

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
    options = parser().parse_intermixed_args(arguments)
    return explain(options.clause, options.language)


def explain(ids: Sequence[str], language: str) -> int:
    """Write what each of these clauses says; gives the exit code."""
    try:
        found = [clause_of(id, language) for id in dict.fromkeys(ids)]
    except NoSuchClauseError as error:
        print(error.words.words(language), file=sys.stderr)
        return UNUSABLE
    print("\n\n".join(explained(clause, language) for clause in found))
    return DONE


def parser() -> Manual:
    """The command's options."""
    made = Manual(
        "explain",
        "CLAUSE... [--language LANGUAGE]",
        "Say what a clause asks for, where it comes from, and how it is checked.",
        (
            ("agent-formats explain ATDF-ERR-012", "in English"),
            ("agent-formats explain ATDF-ERR-012 --language es", "in Spanish"),
        ),
        {DONE: "the clause is on standard output", UNUSABLE: "there is no such clause"},
        UNUSABLE,
    )
    named = made.add_argument(
        "clause",
        nargs="+",
        metavar="CLAUSE",
        help="its id, as in a report; several are explained in turn",
    )
    named.completer = lambda **_: clauses()  # type: ignore[attr-defined]  # argcomplete's
    made.add_argument("--language", choices=LANGUAGES, default="en", help="default: en")
    return made
