"""Writing what was found in files, one after the other, so that memory stays flat."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections import Counter
from pathlib import PurePath
from typing import Any, TextIO
from urllib.parse import quote

from conformance.cli.documents.judged import Judged, Located, Verdict, heading
from conformance.kit.report.safe_text import in_json, visible
from conformance.spec.clauses import clause_url, clauses, id_base, site
from conformance.spec.messages import message

MOST = 100
"""Problems of one file that are written out; a file with more is fixed from the top anyway."""

MOST_RESULTS = 25_000
"""Results of a SARIF file: a code host refuses one with more, and shows none of them."""

_LISTED = 50
"""Up to so many valid files are each named in the text."""

_WRITE = ("documents.help.error", "guides/error-design/")
_CHECK = ("documents.help.check", "conformance/quick-start/")
_CALLS = ("documents.help.calls", "conformance/options/#option-examples")
_WAIVERS = ("documents.help.waivers", "conformance/waivers/")
_FORMATS = ("documents.help.formats", "start/reader/#recognise")
_HELP = {
    f"documents.unknown.{name}".rstrip("."): page
    for page, names in (
        (_WRITE, ("rpc_error", "tool_error", "error", "problem")),
        (_CHECK, ("configuration", "initialize", "tool_result")),
        (_CALLS, ("calls",)),
        (_WAIVERS, ("waivers",)),
        (_FORMATS, ("", "kind", "lacks", "rule")),
    )
    for name in names
}
"""For texts that are not our documents: the words of a link, and its page on the site."""


class Report(ABC):
    """Takes one file after the other; what was written counts only once it has ended."""

    def __init__(self, out: TextIO, language: str) -> None:
        self.out = out
        self.language = language
        self.counts: Counter[str] = Counter()

    def add(self, each: Judged) -> None:
        """Write what was found in a file."""
        self.counts["files"] += 1
        self.counts[each.verdict.value] += 1
        self.counts["errors"] += sum(located.must for located in each.problems)
        self.counts["warnings"] += sum(not located.must for located in each.problems)
        self.write(each)

    def summary(self) -> str:
        """All files in one sentence."""
        names = ("files", "valid", "invalid", "unusable", "other", "errors", "warnings")
        said = message("validate.summary", **{name: self.counts[name] for name in names})
        return said.words(self.language)

    @abstractmethod
    def write(self, each: Judged) -> None:
        """Write one file."""

    @abstractmethod
    def end(self) -> None:
        """Write what comes last."""


class Text(Report):
    """Lines for people: a heading for each file, below it a line for each problem."""

    def __init__(self, out: TextIO, language: str) -> None:
        super().__init__(out, language)
        self._unlisted = 0

    def write(self, each: Judged) -> None:
        """Write one file; of very many only those that are not valid."""
        quiet = each.verdict in (Verdict.VALID, Verdict.OTHER) and not (each.problems or each.notes)
        if quiet and self.counts["files"] > _LISTED:
            self._unlisted += 1
            return
        self._print(f"{each.name}: {heading(each, self.language)}")
        for located in each.problems[:MOST]:
            word = "validate.error" if located.must else "validate.warning"
            self._print(f"  {self._line(located, word)}")
        for located in each.notes[:MOST]:
            self._print(f"  {self._line(located, 'validate.note')}")
        left = len(each.problems[MOST:]) + len(each.notes[MOST:])
        if left:
            self._print(f"  {message('validate.more', count=left).words(self.language)}")

    def end(self) -> None:
        """Write how many files are not listed, if any, and the summary."""
        if self._unlisted:
            said = message("validate.unlisted", count=self._unlisted, most=_LISTED)
            self._print(said.words(self.language))
        self._print(self.summary())

    def _print(self, line: str) -> None:
        print(visible(line, None), file=self.out)

    def _line(self, located: Located, kind: str) -> str:
        found, position = located.problem, located.position
        where = f"{position.line}:{position.column}  " if position else ""
        word = message(kind)
        said = found.message.words(self.language)
        clause = f"  [{found.clause}]" if found.clause else ""
        help_, page = _HELP.get(found.message.id, ("", ""))
        more = (
            f" {message(help_).words(self.language)}: {site(self.language)}{page}" if page else ""
        )
        return f"{where}{found.path}  {word.words(self.language)}: {said}{more}{clause}"


class Json(Report):
    """One JSON object: `files`, each with its verdict and problems, and `summary`."""

    def __init__(self, out: TextIO, language: str) -> None:
        super().__init__(out, language)
        self.out.write('{"files": [')
        self._first = True

    def write(self, each: Judged) -> None:
        """Write one file."""
        made = {
            "file": each.name,
            "verdict": each.verdict.value,
            "document": each.document,
            "version": each.version,
            "rule": each.rule,
            "dialects": list(each.dialects),
            "problems": [
                self._problem(located, "error" if located.must else "warning")
                for located in each.problems[:MOST]
            ],
            "notes": [self._problem(located, "note") for located in each.notes[:MOST]],
        }
        self.out.write(("\n" if self._first else ",\n") + in_json(json.dumps(made)))
        self._first = False

    def end(self) -> None:
        """Close the list, and write the counts."""
        names = ("files", "valid", "invalid", "unusable", "other", "errors", "warnings")
        counts = {name: self.counts[name] for name in names}
        self.out.write('\n], "summary": ' + json.dumps(counts) + "}\n")

    def _problem(self, located: Located, level: str) -> dict[str, Any]:
        found, position = located.problem, located.position
        return {
            "path": found.path,
            "pointer": found.pointer,
            "line": position.line if position else None,
            "column": position.column if position else None,
            "level": level,
            "keyword": found.keyword,
            "clause": found.clause,
            "message": found.message.words(self.language),
        }


class Sarif(Report):
    """SARIF 2.1.0, for tools that show findings next to the code."""

    def __init__(self, out: TextIO, language: str) -> None:
        super().__init__(out, language)
        self._rules: dict[str, int] = {}
        self._results = 0
        self._first = True
        schema = "https://json.schemastore.org/sarif-2.1.0.json"
        self.out.write(f'{{"$schema": "{schema}", "version": "2.1.0", "runs": [{{"results": [')

    def write(self, each: Judged) -> None:
        """Write a result for each problem of a file."""
        told = [(one, "error" if one.must else "warning") for one in each.problems[:MOST]]
        told += [(one, "note") for one in each.notes[:MOST]]
        for located, level in told:
            self._results += 1
            if self._results > MOST_RESULTS:
                continue
            made = in_json(json.dumps(self._result(each, located, level)))
            self.out.write(("\n" if self._first else ",\n") + made)
            self._first = False

    def end(self) -> None:
        """Write the rules that were used, and close the run."""
        driver = {
            "name": "agent-formats",
            "informationUri": id_base(),
            "rules": [self._rule(name) for name in self._rules],
        }
        self.out.write('\n], "columnKind": "unicodeCodePoints", ')
        if self._results > MOST_RESULTS:
            said = message("validate.more", count=self._results - MOST_RESULTS)
            text = {"text": _unformatted(said.words(self.language))}
            told = [{"level": "warning", "message": text}]
            ended = {"executionSuccessful": True, "toolExecutionNotifications": told}
            self.out.write(f'"invocations": {json.dumps([ended])}, ')
        self.out.write('"tool": ')
        self.out.write(json.dumps({"driver": driver}) + "}]}\n")

    def _result(self, each: Judged, located: Located, level: str) -> dict[str, Any]:
        found, position = located.problem, located.position
        rule = found.clause or f"document-{found.keyword}"
        index = self._rules.setdefault(rule, len(self._rules))
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(each.name)}}
        if position is not None:
            physical["region"] = {"startLine": position.line, "startColumn": position.column}
        return {
            "ruleId": rule,
            "ruleIndex": index,
            "level": level,
            "message": {"text": _unformatted(found.message.words(self.language))},
            "locations": [
                {
                    "physicalLocation": physical,
                    "logicalLocations": [{"fullyQualifiedName": found.path}],
                }
            ],
        }

    def _rule(self, name: str) -> dict[str, Any]:
        clause = clauses().get(name)
        if clause is None:
            return {"id": name}
        text = clause.text[self.language]
        url = clause_url(clause, self.language)
        return {"id": name, "shortDescription": {"text": _unformatted(text)}, "helpUri": url}


REPORTS: dict[str, type[Report]] = {"text": Text, "json": Json, "sarif": Sarif}


def _unformatted(text: str) -> str:
    """A message of SARIF in which no text of a stranger is a link or a placeholder (§3.11.5).

    With the space, nothing is a link, whatever is before the bracket.
    """
    return text.replace("](", "] (").replace("{", "{{").replace("}", "}}")


def _uri(name: str) -> str:
    """A reference to the file: relative where its name is, else an absolute address."""
    if name == "-":
        return "stdin"
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
