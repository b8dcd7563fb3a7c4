"""The report: what a session found, for people and for machines."""

from conformance.kit.report.write import write_files

__all__ = ["write_files"]
