"""What a command in the sandbox may not do.

It imports `system` of this package, and the standard library.

It may use no socket or pipe that leads out, has no capability, writes to no file of the system, and
makes none of the calls that lead out of the namespaces.
"""

import ctypes
import errno
import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain

from conformance.kit.transport.system import LIBC, done

_MOST_LOOKED = 5_000
"""Files that are looked at, to find the sockets and pipes among them."""
_PUBLIC = ("/run", "/tmp", "/var/tmp")  # noqa: S108 - nothing is written there
"""Where programs leave sockets and pipes for others."""
_CAPBSET_DROP, _NO_NEW_PRIVS = 24, 38
_CAP_AMBIENT, _CLEAR_ALL = 47, 4
_SECCOMP, _FILTER = 22, 2
_MACHINES = {
    0xC000003E: (248, 165, 41),
    0x40000003: (286, 21, 359),
    0xC00000B7: (217, 40, 198),
    0x40000028: (309, 21, 281),
    0xC00000F3: (217, 40, 198),
}
"""By kind of machine, the numbers of some calls of the system: the first of the three that reach
its keyrings, which no namespace keeps apart; `mount`; `socket`. They are x86 and ARM with 64 and 32
bits, and RISC-V.
"""
_SOCKETCALL = {0x40000003: 102}
"""The old call, which begins with what is to be done: 1 is to make a socket."""
_MOUNTING = ((428, 433), (442, 442), (467, 467))
"""The newer calls that mount, on all machines. In a user namespace of its own, a server could mount
the control groups, and stop what is outside with them.
"""
_RINGS = (425, 425)
"""`io_uring_setup`: what is called by way of a ring passes no filter."""
_FAMILIES = (1, 2, 10, 16, 17)
"""Sockets that the namespaces keep apart: Unix, both of IP, netlink and packets. Of the others, one
leads out of a virtual machine.
"""
_LOAD, _AND, _EQUAL, _LEAST, _ABOVE, _GIVE = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
"""Instructions of a filter for calls of the system."""
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000
_NUMBER, _MACHINE, _FIRST = 0, 4, 16
"""Where the number of a call is, for which kind of machine it was made, and what it is given."""
_NOT_X32 = 0xBFFFFFFF
_LANDLOCK = (444, 445, 446)
"""Three calls of the system, on all machines: make rules for files, add one, and obey them."""
_WRITE, _REACH_SOCKETS, _BENEATH = 2, 1 << 16, 1
_KNOWS_SOCKETS = 9
"""The version of Landlock, that of Linux 7.1, which also keeps from sockets made outside."""


def doors() -> list[str]:
    """Sockets and pipes that lead out: a read-only file system does not keep from using them."""
    paths = set(chain.from_iterable(map(_sockets, _networks())))
    paths |= _from_somewhere(path for path in paths if not path.startswith(("/", "@")))
    # Who opens a socket may give it another name: the system lists the first one.
    around = {os.path.dirname(path) for path in paths if path.startswith("/")}
    paths |= set(_special(sorted(around), below=False))
    with open("/proc/self/mountinfo", "rb") as file:
        mounted = [_unescaped(line.split()[4]) for line in file]
    own = ("/proc", "/sys", "/dev")
    others = [path for path in mounted if path != "/" and not path.startswith(own)]
    paths |= {*mounted, *_special(dict.fromkeys((*_PUBLIC, *others)))}
    return sorted(path for path in paths if path.startswith("/") and _is_door(path))


def _networks() -> list[str]:
    """A process of each namespace for the network: each tells of its own sockets alone."""
    found: dict[str, str] = {}
    for pid in ("self", *filter(str.isdecimal, os.listdir("/proc"))):
        with suppress(OSError):
            found.setdefault(os.readlink(f"/proc/{pid}/ns/net"), pid)
    return list(found.values())


def _sockets(pid: str) -> Iterator[str]:
    with suppress(OSError), open(f"/proc/{pid}/net/unix", errors="surrogateescape") as file:
        for line in file:
            fields = line.split(None, 7)
            if len(fields) == 8:
                yield fields[7].rstrip("\n")


def _unescaped(path: bytes) -> str:
    """A path as the system lists it: in it, signs of white space are three octal digits."""
    for sign in b" \t\n\\":
        path = path.replace(b"\\%03o" % sign, bytes([sign]))
    return os.fsdecode(path)


def _special(folders: Iterable[str], *, below: bool = True) -> Iterator[str]:
    """What is neither a file nor a folder, first in these folders and then below them."""
    waiting, looked = deque(folders), 0
    while waiting:
        with suppress(OSError), os.scandir(waiting.popleft()) as entries:
            for entry in entries:
                looked += 1
                if looked > _MOST_LOOKED:
                    return
                if entry.is_dir(follow_symlinks=False):
                    waiting.extend([entry.path] if below else ())
                elif not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                    yield entry.path


def _from_somewhere(names: Iterable[str]) -> set[str]:
    """Where names may be that were not given from the root: in the directory of any process."""
    asked, folders = list(names), set()
    for pid in filter(str.isdecimal, os.listdir("/proc") if asked else ()):
        with suppress(OSError):
            folders.add(os.readlink(f"/proc/{pid}/cwd"))
    return {os.path.join(folder, name) for folder in folders for name in asked}


def _is_door(path: str) -> bool:
    import stat  # noqa: PLC0415

    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)


def give_up() -> None:
    """Give up all capabilities for good: root would keep them, and could make files writable."""
    import struct  # noqa: PLC0415

    done(LIBC.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    done(LIBC.prctl(_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0))
    number = 0
    while LIBC.prctl(_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    done(LIBC.capset(struct.pack("Ii", 0x20080522, 0), struct.pack("6I", *(0,) * 6)))
    _refuse_writing()
    _refuse_calls()


def refused_by(version: int) -> int:
    """What this version of Landlock can refuse: to write, and to reach sockets made outside."""
    return _WRITE | (_REACH_SOCKETS if version >= _KNOWS_SOCKETS else 0)


def _refuse_writing() -> None:
    """Refuse to write to what is not below /dev: a pipe can be written to on any file system.

    Where the system has no Landlock, the pipes that were found are closed, and so are the sockets
    where an older one cannot refuse them.
    """
    import struct  # noqa: PLC0415

    make, add, obey = _LANDLOCK
    version = LIBC.syscall(make, None, ctypes.c_size_t(0), 1)
    if version == -1:
        return
    rules = LIBC.syscall(make, struct.pack("Q", refused_by(version)), ctypes.c_size_t(8), 0)
    below = os.open("/dev", os.O_PATH)
    done(LIBC.syscall(add, rules, _BENEATH, struct.pack("=Qi", _WRITE, below), 0))
    done(LIBC.syscall(obey, rules, 0))
    os.close(below)
    os.close(rules)


def _refuse_calls() -> None:
    """Refuse the calls of the system that lead out of the namespaces."""
    import struct  # noqa: PLC0415

    words = [
        *chain.from_iterable(_filter(machine) for machine in _MACHINES),
        (_GIVE, 0, 0, _ALLOWED),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *word) for word in words))
    told = ctypes.create_string_buffer(struct.pack("HP", len(words), ctypes.addressof(program)))
    done(LIBC.prctl(_SECCOMP, _FILTER, told, 0, 0))


def _filter(machine: int) -> list[tuple[int, int, int, int]]:
    """What is done with a call that was made for this kind of machine."""
    keys, mount, socket = _MACHINES[machine]
    unknown = _REFUSED | errno.ENOSYS
    ranges = {(keys, keys + 2): unknown, _RINGS: unknown}
    ranges |= dict.fromkeys(((mount, mount), *_MOUNTING), _REFUSED | errno.EPERM)
    words = [(_LOAD, 0, 0, _NUMBER), (_AND, 0, 0, _NOT_X32)]
    for (first, last), refusal in ranges.items():
        words += [(_LEAST, 0, 2, first), (_ABOVE, 1, 0, last), (_GIVE, 0, 0, refusal)]
    if machine in _SOCKETCALL:
        words += [
            (_EQUAL, 0, 4, _SOCKETCALL[machine]),
            (_LOAD, 0, 0, _FIRST),
            (_EQUAL, 0, 1, 1),
            (_GIVE, 0, 0, unknown),
            (_GIVE, 0, 0, _ALLOWED),
        ]
    count = len(_FAMILIES)
    words += [(_EQUAL, 0, count + 2, socket), (_LOAD, 0, 0, _FIRST)]
    words += [(_EQUAL, count - number, 0, one) for number, one in enumerate(_FAMILIES)]
    words += [(_GIVE, 0, 0, _REFUSED | errno.EAFNOSUPPORT), (_GIVE, 0, 0, _ALLOWED)]
    return [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 0, len(words), machine), *words]
