"""The look of every `--help`: what a command does, examples, options in groups, exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from conformance.kit.config.command_words import language_in, plain, unknown_options
from conformance.kit.report.safe_text import visible
from conformance.spec.messages import Message, message

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
        self.language = "en"
        """The language of what is said about a wrong command line."""

    def error(self, said: str) -> NoReturn:
        """Say what argparse finds wrong, and where the help is."""
        told = plain(said)
        self._end(said if told is None else told.words(self.language))

    def refuse(self, *said: Message) -> NoReturn:
        """Say what is wrong, and where the help is."""
        self._end("; ".join(each.words(self.language) for each in said))

    def _end(self, said: str) -> NoReturn:
        see = message("command.see", command=f"{self.prog} --help").words(self.language)
        self.exit(self._unusable, f"{self.prog}: {visible(said, None)}\n{see}\n")

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
        self.language = language_in(words, self.language)
        ours = words[: words.index("--")] if "--" in words else words
        options = self._option_string_actions
        self._refuse([w for w in ours if w[:2] == "--" and w.partition("=")[0] not in options])
        return words

    def _whole(self, found: argparse.Namespace, others: list[str]) -> argparse.Namespace:
        self._refuse(others)
        return found

    def _refuse(self, words: list[str]) -> None:
        if words:
            self.refuse(*unknown_options(words, self._option_string_actions))


def _columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(first) for first, _ in rows)
    return [f"  {first:<{width}}  {second}" for first, second in rows]
