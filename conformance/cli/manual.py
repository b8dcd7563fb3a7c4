"""The look of every `--help`: what a command does, examples, options in groups, exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from conformance.kit.config.command_words import plain, unknown_option
from conformance.kit.report.safe_text import visible

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
        said = visible(plain(message), None)
        self.exit(self._unusable, f"{self.prog}: {said}\nSee: {self.prog} --help\n")

    def parse_args(  # type: ignore[override]  # argparse types it for any namespace
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse the words; of one that is not known, say which option is the nearest."""
        words = self._known(args)
        return self._whole(*self.parse_known_args(words, namespace))

    def parse_intermixed_args(  # type: ignore[override]  # the same
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """The same where options and words may come in any order."""
        words = self._known(args)
        return self._whole(*self.parse_known_intermixed_args(words, namespace))

    def _known(self, args: Sequence[str] | None) -> list[str]:
        """The words, where each option is known: argparse would first ask for what is missing."""
        words = list(sys.argv[1:] if args is None else args)
        ours = words[: words.index("--")] if "--" in words else words
        options = self._option_string_actions
        self._refuse([w for w in ours if w[:2] == "--" and w.partition("=")[0] not in options])
        return words

    def _whole(self, found: argparse.Namespace, others: list[str]) -> argparse.Namespace:
        self._refuse(others)
        return found

    def _refuse(self, words: list[str]) -> None:
        if words:
            self.error(unknown_option(words, self._option_string_actions))


def _columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(first) for first, _ in rows)
    return [f"  {first:<{width}}  {second}" for first, second in rows]
