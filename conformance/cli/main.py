"""The command `agent-formats`: one line on each command, and the way to it.

A command's module is loaded when it is needed: `--help` has to answer without delay.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Protocol, TextIO, cast

from conformance.cli.manual import PROGRAM, Manual
from conformance.kit.config.command_words import OPTION, language_in, nearest
from conformance.kit.transport.memory_limit import memory_is_full, set_limit
from conformance.spec.messages import LANGUAGES, message

COMMANDS = {
    "check": "check an HTTP or MCP server from outside, and write a report",
    "validate": "name the format of documents, and what is wrong with them",
    "convert": "convert a document to another form, and list what is lost",
    "merge": "merge the results of many servers into one table",
    "provider": "play a model provider that fails as you choose",
    "explain": "say what a clause asks for, and how it is checked",
}
EXAMPLES = (
    (f"{PROGRAM} check http://127.0.0.1:8000", "a server that is running"),
    (f"{PROGRAM} check 'stdio:uvx mcp-server-time'", "a server that the kit starts"),
    (f"{PROGRAM} check http://127.0.0.1:8000 --level guarded", "fail below a level"),
    (f"{PROGRAM} validate catalog.json", "a document"),
    (f"{PROGRAM} convert catalog.json --to descriptor", "the same in another form"),
    (f"{PROGRAM} provider --scenario flaky-429-2", "a model provider that fails twice"),
    (f"{PROGRAM} explain ATDF-ERR-012", "a clause, in words"),
    (f'eval "$({PROGRAM} --completion bash)"', "complete words with the Tab key"),
)
_FAULT, UNUSABLE = 3, 4
_INTERRUPTED = 130
"""As a shell has it for SIGINT. A session of `check` ends with a report, and a code of its own."""
SHELLS = ("bash", "zsh", "fish", "powershell")


class _Command(Protocol):
    def parser(self) -> Manual: ...
    def main(self, arguments: Sequence[str]) -> int: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    _have_streams()
    if arguments is None:
        set_limit()
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        try:
            return _run(words)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return _INTERRUPTED
    except MemoryError:
        print(memory_is_full().words(language_in(words)), file=sys.stderr)
        return UNUSABLE
    except BrokenPipeError:
        # The program that read the output wants no more of it, and there is nobody to tell.
        _write_no_more(sys.stdout)
        return UNUSABLE
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            return _failed(error, words)
        said = f"The output cannot be written: {error.strerror}.\n"
        for stream, line in ((sys.stdout, ""), (sys.stderr, said)):
            try:
                stream.write(line)
                stream.flush()
            except OSError:
                _write_no_more(stream)
        return UNUSABLE
    except Exception as error:
        return _failed(error, words)


def _failed(error: Exception, words: Sequence[str]) -> int:
    """Say in one sentence that the kit itself failed; the text of the error may hold a secret."""
    from conformance.kit.model.fault import ended_by  # noqa: PLC0415 - for this alone

    language = "en"
    with suppress(Exception):
        language = language_in(words)
    print(ended_by(error, language, str if isinstance(error, OSError) else None), file=sys.stderr)
    return _FAULT


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""What the system says where an output takes nothing more; of a file, it says the name, too."""


def _write_no_more(stream: TextIO) -> None:
    """Discard what is still to be written: at its end, Python would try it again, and say so."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_WIDEST = "999"
"""Columns of a line that are filled: a terminal of a billion of them would fill the disk."""


def _have_streams() -> None:
    """Open what the caller closed, and write signs that a stream has not as their escapes."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115
        elif number and isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if len(os.environ.get("COLUMNS", "")) > len(_WIDEST):
        os.environ["COLUMNS"] = _WIDEST


def _run(words: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        _complete()
    words = _command_first(words)
    if words and words[0] in COMMANDS:
        try:
            os.getcwd()  # without one, Python 3.13 cannot load what a command needs
        except FileNotFoundError:
            print("The current directory is gone: change to one that exists.", file=sys.stderr)
            return UNUSABLE
        return _command(words[0]).main(words[1:])
    parser = _parser()
    if words and not words[0].startswith("-"):
        parser.language = language_in(words)
        told = message("command.no_command", name=words[0])
        parser.refuse(nearest(told, words[0], COMMANDS))
    if not words:
        parser.print_help(sys.stderr)
        return UNUSABLE
    asked = parser.parse_args(words)
    if asked.completion is not None:
        from argcomplete.shell_integration import shellcode  # noqa: PLC0415 - for this alone

        print(shellcode([PROGRAM], shell=asked.completion))
    elif asked.version:
        print(_versions())
    else:
        parser.refuse(message("command.none"))
    return 0


def _command_first(words: list[str]) -> list[str]:
    """The words with a `--language` that precedes the command behind it, where each takes it."""
    lead = 2 if words[:1] == [OPTION] else int("".join(words[:1]).startswith(f"{OPTION}="))
    if "".join(words[lead : lead + 1]).startswith("-"):
        return words
    return [*words[lead : lead + 1], *words[:lead], *words[lead + 1 :]]


def _command(name: str) -> _Command:
    return cast(_Command, import_module(f"conformance.cli.{name}"))


def _parser() -> Manual:
    parser = Manual(
        "",
        "COMMAND [OPTIONS]",
        "Check agent-facing servers and documents against the Agent Formats specifications.\n"
        "Commands answer in English, Spanish or Portuguese: --language en, es or pt.",
        EXAMPLES,
        {
            0: "the answer is on standard output",
            4: "the command line cannot be used; `COMMAND --help` lists the codes of a command",
        },
        UNUSABLE,
        COMMANDS,
    )
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="default: en")
    parser.add_argument(
        "--version",
        action="store_true",
        help="show the versions of the kit and of the specifications",
    )
    parser.add_argument(
        "--completion",
        choices=SHELLS,
        metavar="SHELL",
        help=f"write code that completes words, for {', '.join(SHELLS)}",
    )
    return parser


def _versions() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - for this alone

    from conformance.spec.clauses import SCHEMAS, newest  # noqa: PLC0415 - for this alone

    specs = sorted({file.parents[1] for file in SCHEMAS.glob("*/*/clauses.json")})
    lines = [f"{spec.name:<13}  {newest(spec).name}" for spec in specs]
    return "\n".join([f"{PROGRAM:<13}  {version(PROGRAM)}", *lines])


def _complete() -> None:
    """Answer the shell, and end. What no shell asks gets no answer."""
    numbers = (os.environ.get(name, "") for name in ("_ARGCOMPLETE", "COMP_POINT"))
    if "COMP_LINE" not in os.environ or not all(each.isdecimal() for each in numbers):
        raise SystemExit(UNUSABLE)
    from argcomplete import autocomplete  # noqa: PLC0415 - for this alone

    parser = _parser()
    commands = parser.add_subparsers(parser_class=argparse.ArgumentParser)
    for name, said in COMMANDS.items():
        commands.add_parser(name, help=said, parents=[_command(name).parser()], add_help=False)
    autocomplete(parser)
