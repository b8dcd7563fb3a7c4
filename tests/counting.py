"""Counts calls of functions, so that a test can say that something ends: no clock decides."""

from conformance.kit.cases.random.effort import Counter


class TooLong(AssertionError):
    """Something takes more calls of functions than it may."""


def counting(most):
    """Raise TooLong at the end of what takes more calls of functions, and end it before that."""
    said = TooLong(f"more than {most:,} calls of functions")
    return Counter(most, {"call": 1, "c_call": 1}, said)
