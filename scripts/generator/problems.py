"""Problems in the source. Each says what is wrong, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault of the source or of a generated file.

    `file` is relative to the root of the project. `line` counts from 1 (0: the whole file). `path`
    is a JSON pointer into the file (empty: the whole file).
    """

    file: str
    line: int
    path: str
    what: str
    do: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.path, f"{self.what} {self.do}") if part)


class SourceError(Exception):
    """The source cannot be used; `problems` has all reasons."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))
