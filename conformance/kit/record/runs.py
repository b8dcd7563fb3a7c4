"""A run as JSON, and back: the same fields in `results.json` and in `exchanges.ndjson`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.kit.model.run import Run
from conformance.spec.vocabulary import Binding, RunKind


def run_fields(run: Run, clean: Callable[[str], str]) -> dict[str, Any]:
    """Give the fields of a run; `clean` goes over what came from the command line."""
    return {
        "run": run.id,
        "target": clean(run.target),
        "binding": run.binding.value,
        "version": run.version,
        "endpoint": clean(run.endpoint),
        "kind": run.kind.value,
    }


def read_run(data: Mapping[str, Any]) -> Run:
    """Make the run of its fields again; raises KeyError or ValueError."""
    return Run(
        id=data["run"],
        target=data["target"],
        binding=Binding(data["binding"]),
        endpoint=data["endpoint"],
        version=data["version"],
        kind=RunKind(data["kind"]),
    )
