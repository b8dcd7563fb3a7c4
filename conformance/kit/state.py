"""What the plugin's hooks share in one session."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from conformance.kit.engine import Engine
from conformance.kit.reference import ReferenceServer
from conformance.kit.report.html_plugin import ReportState
from conformance.kit.results import SessionResult
from conformance.kit.secrets import Redactor
from conformance.kit.settings import Settings


@dataclass(slots=True)
class State:
    """What the hooks of one session share."""

    settings: Settings
    engine: Engine
    redact: Redactor
    report: ReportState
    reference: ReferenceServer | None = None
    deselected: bool = False
    result: SessionResult | None = None
    said_first: str = ""
    said_at_exit: str = ""
    scripts_of: set[str] = field(default_factory=set)


STATE = pytest.StashKey[State]()
