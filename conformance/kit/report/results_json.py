"""`results.json`: all verdicts, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.kit.report.data import results_document
from conformance.kit.report.reporter import Report

RESULTS = "results.json"


class ResultsJson:
    """Writes the session as data, an item at a time."""

    name = RESULTS

    def parts(self, report: Report) -> Iterator[str]:
        """Give the document; ASCII only, so that lone surrogates survive."""
        document = results_document(report.session, report.language, report.redact, to_write=True)
        yield from json.JSONEncoder(indent=1).iterencode(document)
        yield "\n"
