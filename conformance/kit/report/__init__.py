"""The report: what a session found, for people and for machines (the kit's section 7)."""

from conformance.kit.report.write import write_files

__all__ = ["write_files"]
