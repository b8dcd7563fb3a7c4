"""The look of every `--help`: what a command does, examples, options in groups, exit codes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NoReturn

PROGRAM = "agent-formats"


class Manual(argparse.ArgumentParser):
    """A parser whose help shows examples first; a wrong command line ends with `unusable`."""

    def __init__(
        self,
        command: str,
        usage: str,
        about: str,
        examples: Sequence[tuple[str, str]],
        exits: Mapping[int, str],
        unusable: int,
        commands: Mapping[str, str] | None = None,
    ) -> None:
        name = f"{PROGRAM} {command}".rstrip()
        shown = [about, "", "examples:", *_columns(examples)]
        if commands:
            shown += ["", f"commands ({name} COMMAND --help says more):"]
            shown += _columns(list(commands.items()))
        codes = _columns([(str(code), said) for code, said in exits.items()])
        super().__init__(
            prog=name,
            usage=f"{name} {usage}",
            description="\n".join(shown),
            epilog="\n".join(["exit codes:", *codes]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._unusable = unusable

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where the help is."""
        self.exit(self._unusable, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


def _columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(first) for first, _ in rows)
    return [f"  {first:<{width}}  {second}" for first, second in rows]
