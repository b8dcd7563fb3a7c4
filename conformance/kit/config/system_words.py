"""Says what the operating system says about a failure, in the language of the reader."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from ruamel.yaml.composer import ComposerError
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

from conformance.kit.config.given_files import FileTooMuch
from conformance.spec.messages import Message, message

_BY_NUMBER: Final = {
    errno.EADDRINUSE: "kit.system.taken",
    errno.ECONNREFUSED: "kit.system.refused",
    errno.ECONNRESET: "kit.system.reset",
    errno.ETIMEDOUT: "kit.system.timeout",
    errno.EHOSTUNREACH: "kit.system.unreachable",
    errno.ENETUNREACH: "kit.system.unreachable",
    errno.ENOENT: "kit.system.no_file",
    errno.EEXIST: "kit.system.file",
    errno.ENOSPC: "kit.system.full",
    errno.EDQUOT: "kit.system.full",
    errno.EROFS: "kit.system.read_only",
    errno.EACCES: "kit.system.denied",
    errno.EPERM: "kit.system.denied",
    errno.EISDIR: "kit.system.folder",
    errno.ENOTDIR: "kit.system.no_folder",
    errno.ENOEXEC: "kit.system.no_program",
}


_NO_HOST: Final = (
    "Name or service not known",
    "No address associated with hostname",
    "Non-recoverable failure in name resolution",
    "Temporary failure in name resolution",
    "nodename nor servname provided, or not known",
)
"""What systems say if a name cannot be looked up. Their error numbers differ between systems."""
UNUSABLE_PROXY: Final = "unusable proxy"
"""What the kit says about a proxy of another kind, or with an invalid address."""
UNUSABLE_CERTIFICATES: Final = "unusable certificates"
"""What the kit says about a `SSL_CERT_FILE` that cannot be read, or has no certificate."""
_BY_WORDS: Final = {
    UNUSABLE_CERTIFICATES: "kit.system.certificates",
    UNUSABLE_PROXY: "kit.system.proxy",
    **{os.strerror(number): id for number, id in _BY_NUMBER.items()},
    **dict.fromkeys(_NO_HOST, "kit.system.no_host"),
}


def system_words(said: str) -> Message | str:
    """Return the message for what a system says; unchanged if there is none."""
    id = _BY_WORDS.get(said)
    return message(id) if id is not None else said


_SINGLE = "expected a single document in the stream"
"""What the YAML reader says before "but found another document": half a sentence if shown alone."""


def in_one_line(error: Exception) -> Message | str:
    """Return what an error says, as a message if there is one for it."""
    if isinstance(error, FileTooMuch):
        return error.words
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        if isinstance(error, ComposerError) and error.context == _SINGLE:
            return message("kit.system.documents", line=mark.line + 1)
        # The reader's own words quote the file, and a link may lead to somebody's secrets.
        twice = isinstance(error, DuplicateKeyError)
        id = "kit.system.twice" if twice else "kit.system.no_yaml"
        return message(id, line=mark.line + 1, column=mark.column + 1)
    if isinstance(error, UnicodeDecodeError | ReaderError):
        return message("kit.system.no_text")
    return system_words(getattr(error, "strerror", None) or " ".join(str(error).split()))


def why_no_file(path: Path) -> Message | str | None:
    """Why there is no file to read at a path; None where there is one."""
    try:
        return None if path.is_file() else message("kit.system.no_file")
    except OSError as error:  # a name that is too long, or a directory that nobody may look into
        return in_one_line(error)


def why_no_new_file(path: Path) -> Message | str | None:
    """Why no file can be made at a path where none is; None where one can be."""
    try:
        path.lstat()
    except FileNotFoundError:
        if os.access(path.parent, os.W_OK):
            return None
        return message("kit.system.denied" if path.parent.is_dir() else "kit.system.no_file")
    except (OSError, ValueError) as error:
        return in_one_line(error)
    return None
