"""Names of tests that are the same in every process: two workers have to collect the same ones."""


def in_order(value):
    """The value as text; a set in the order of its members' texts, as its own is random."""
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(repr, value)))}}}"
    return str(value)
