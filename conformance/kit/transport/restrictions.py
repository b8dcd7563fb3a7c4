"""Takes rights away from a command in the sandbox.

It imports `system` of this package, and the standard library.

The command can use no socket or pipe that leads out. It has no capability and writes to no file of
the system. It can make no system call that leads out of the namespaces.
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
"""The most files that are searched for sockets and pipes."""
_PUBLIC = ("/run", "/tmp", "/var/tmp")  # noqa: S108 - nothing is written there
"""The directories where programs leave sockets and pipes for others."""
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
"""The numbers of some system calls, by machine type: x86 and ARM with 64 and 32 bits, and RISC-V.

The first number is that of the first of three calls for keyrings, which no namespace separates. The
other two are `mount` and `socket`.
"""
_SOCKETCALL = {0x40000003: 102}
"""The old system call for sockets. Its first argument says what to do; 1 makes a socket."""
_MOUNTING = ((428, 433), (442, 442), (467, 467))
"""The newer calls that mount, on all machines. In its own user namespace, a server could mount the
control groups, and stop processes outside with them.
"""
_RINGS = (425, 425)
"""`io_uring_setup`: calls through a ring bypass the filter."""
_FAMILIES = (1, 2, 10, 16, 17)
"""The socket families that the namespaces separate: Unix, IPv4, IPv6, netlink and packets. One of
the other families leads out of a virtual machine.
"""
_LOAD, _AND, _EQUAL, _LEAST, _ABOVE, _GIVE = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
"""Instructions of a filter for system calls."""
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000
_NUMBER, _MACHINE, _FIRST = 0, 4, 16
"""Offsets in the filter's data: the number of the call, the machine type, the first argument."""
_NOT_X32 = 0xBFFFFFFF
_LANDLOCK = (444, 445, 446)
"""Three system calls, on all machines: make a set of rules, add a rule, and apply the set."""
_WRITE, _REACH_SOCKETS, _BENEATH = 2, 1 << 16, 1
_KNOWS_SOCKETS = 9
"""The first Landlock version, that of Linux 7.1, that can also refuse sockets made outside."""


def doors() -> list[str]:
    """Return the sockets and pipes that lead out. A read-only file system does not prevent their
    use.
    """
    paths = set(chain.from_iterable(map(_sockets, _networks())))
    paths |= _from_somewhere(path for path in paths if not path.startswith(("/", "@")))
    # A program may rename the socket that it opened, but the system lists its first name.
    around = {os.path.dirname(path) for path in paths if path.startswith("/")}
    paths |= set(_special(sorted(around), below=False))
    with open("/proc/self/mountinfo", "rb") as file:
        mounted = [_unescaped(line.split()[4]) for line in file]
    own = ("/proc", "/sys", "/dev")
    others = [path for path in mounted if path != "/" and not path.startswith(own)]
    paths |= {*mounted, *_special(dict.fromkeys((*_PUBLIC, *others)))}
    return sorted(path for path in paths if path.startswith("/") and _is_door(path))


def _networks() -> list[str]:
    """Return a process of each network namespace, because each lists only its own sockets."""
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
    """Return a path from the system's list, where white space is escaped as three octal digits."""
    for sign in b" \t\n\\":
        path = path.replace(b"\\%03o" % sign, bytes([sign]))
    return os.fsdecode(path)


def _special(folders: Iterable[str], *, below: bool = True) -> Iterator[str]:
    """Yield the sockets, pipes and devices in these directories, and then those below them."""
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
    """Return where relative names may be: in the working directory of any process."""
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
    """Give up all capabilities for good. With them, root could make files writable."""
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
    """Return what this version of Landlock can refuse: writing, and sockets made outside."""
    return _WRITE | (_REACH_SOCKETS if version >= _KNOWS_SOCKETS else 0)


def _refuse_writing() -> None:
    """Refuse to write outside /dev, because a pipe is writable on any file system.

    The doors that were found are blocked already. That covers pipes if the system has no Landlock,
    and sockets if its version cannot refuse them.
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
    """Refuse the system calls that lead out of the namespaces."""
    import struct  # noqa: PLC0415

    words = [
        *chain.from_iterable(_filter(machine) for machine in _MACHINES),
        (_GIVE, 0, 0, _ALLOWED),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *word) for word in words))
    told = ctypes.create_string_buffer(struct.pack("HP", len(words), ctypes.addressof(program)))
    done(LIBC.prctl(_SECCOMP, _FILTER, told, 0, 0))


def _filter(machine: int) -> list[tuple[int, int, int, int]]:
    """Return the filter for calls that were made for this machine type."""
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
