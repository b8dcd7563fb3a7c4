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
_CAPBSET_DROP, _NO_NEW_PRIVS, _DUMPABLE = 24, 38, 4
_CAP_AMBIENT, _CLEAR_ALL = 47, 4
_NO_DUMP = (1, 1)
"""The limit with which the kernel starts no program for a dump. With 0, it would start one."""
_SECCOMP, _FILTER = 22, 2
_MACHINES = {
    0xC000003E: (248, 165, 321, 16, 41),
    0x40000003: (286, 21, 357, 54, 359),
    0xC00000B7: (217, 40, 280, 29, 198),
    0x40000028: (309, 21, 386, 54, 281),
    0xC00000F3: (217, 40, 280, 29, 198),
}
"""The numbers of some system calls, by machine type: x86 and ARM with 64 and 32 bits, and RISC-V.

The first number is that of the first of three calls for keyrings, which no namespace separates. The
others are `mount`, `bpf`, `ioctl` and `socket`. With `bpf`, root could change the maps of programs
outside: a read-only file system does not prevent it.
"""
_X32 = (512, 547)
"""Other numbers of some calls, such as `ioctl`, for programs of x86 with short addresses."""
_OF_ENCRYPTION = (0x6617, 0x6619)
"""The ends of the commands that add and remove keys of encrypted directories. Only a directory that
is open for reading is needed to lock all of a user's files.
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
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in the filter's data: the number of the call, the machine type, and the arguments."""
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
    own = _mounts("self")
    paths = set(chain.from_iterable(map(_sockets, _networks())))
    relative = [path for path in paths if not path.startswith(("/", "@"))]
    places = _links("cwd") if relative else ()
    paths |= {os.path.join(place, name) for place in places for name in relative}
    paths |= {root + path for root in _links("root") - {"/"} for path in paths if path[0] == "/"}
    paths |= _as_mounted(own, paths)
    # A program may rename the socket that it opened, but the system lists its first name.
    around = {os.path.dirname(path) for path in paths if path.startswith("/")}
    paths |= set(_special(sorted(around), below=False))
    mounted = [point for _, _, point in own]
    hidden = ("/proc", "/sys", "/dev")
    others = [path for path in mounted if path != "/" and not path.startswith(hidden)]
    paths |= {*mounted, *_special(dict.fromkeys((*_PUBLIC, *others)))}
    return sorted(path for path in paths if path.startswith("/") and _is_door(path))


def _processes() -> Iterator[str]:
    return filter(str.isdecimal, os.listdir("/proc"))


def _networks() -> Iterable[str]:
    """Return a process of each network namespace, because each lists only its own sockets.

    The number of the list's file tells them apart, also for the processes of other users.
    """
    found: dict[int, str] = {}
    for pid in ("self", *_processes()):
        with suppress(OSError):
            found.setdefault(os.stat(f"/proc/{pid}/net/unix").st_ino, pid)
    return found.values()


def _sockets(pid: str) -> Iterator[str]:
    with suppress(OSError), open(f"/proc/{pid}/net/unix", errors="surrogateescape") as file:
        for line in file:
            fields = line.split(None, 7)
            if len(fields) == 8:
                yield fields[7].rstrip("\n")


def _links(name: str) -> set[str]:
    """Return where this link leads for each process, such as its working directory."""
    found = set()
    for pid in _processes():
        with suppress(OSError):
            found.add(os.readlink(f"/proc/{pid}/{name}"))
    return found


def _mounts(*pids: str) -> list[tuple[str, str, str]]:
    """Return what these processes see mounted: a device, its directory, and where it is mounted.

    Most processes see the same: their list is read once.
    """
    lists = set()
    for pid in pids:
        with suppress(OSError), open(f"/proc/{pid}/mountinfo", "rb") as file:
            lists.add(file.read())
    lines = set(chain.from_iterable(each.splitlines() for each in lists))
    fields = (map(_unescaped, line.split()[2:5]) for line in sorted(lines))
    return [(device, directory, point) for device, directory, point in fields]


def _unescaped(path: bytes) -> str:
    """Return a path from the system's list, where white space is escaped as three octal digits."""
    for sign in b" \t\n\\":
        path = path.replace(b"\\%03o" % sign, bytes([sign]))
    return os.fsdecode(path)


def _as_mounted(own: Iterable[tuple[str, str, str]], paths: Iterable[str]) -> set[str]:
    """Return the other paths here of files that a program calls so, and of the directories.

    A container, for example, has a directory of this machine as a volume at another path. A file
    system may also be mounted here twice.
    """
    here: dict[str, list[tuple[str, str]]] = {}
    for device, directory, point in own:
        here.setdefault(device, []).append((directory, point))
    ways: dict[str, set[str]] = {}
    for device, directory, point in {*own, *_mounts(*_processes())}:
        for known, at in here.get(device, ()):
            if (rest := _below(directory, known)) is not None:
                ways.setdefault(point.rstrip("/"), set()).add(at.rstrip("/") + rest)
            elif (rest := _below(known, directory)) is not None:
                ways.setdefault(point.rstrip("/") + rest, set()).add(at.rstrip("/"))
    places = {way for point, found in ways.items() for way in found - {point}}
    found = {f"{place}/." for place in places}
    for path in paths:
        start = path
        while start := start.rpartition("/")[0]:
            found |= {way + path[len(start) :] for way in ways.get(start, ())}
        found |= {way + path for way in ways.get("", ())}
    return found


def _below(path: str, top: str) -> str | None:
    """Return the steps that lead from a directory to a path; None if it is not in there."""
    start = top.rstrip("/")
    is_there = f"{path}/".startswith(f"{start}/")
    return path.removeprefix(start).rstrip("/") if is_there else None


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


def _is_door(path: str) -> bool:
    import stat  # noqa: PLC0415

    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)


def give_up() -> None:
    """Give up all capabilities for good. With them, root could make files writable.

    The command, which this process starts next, cannot trace this process, and so cannot make it
    live on after the kit. If the command crashes, the kernel starts no program for the dump, unless
    the hard limit of a dump is 0.
    """
    import resource  # noqa: PLC0415
    import struct  # noqa: PLC0415

    done(LIBC.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    done(LIBC.prctl(_DUMPABLE, 0, 0, 0, 0))
    with suppress(ValueError):  # the hard limit is 0, which only root outside can raise
        resource.setrlimit(resource.RLIMIT_CORE, _NO_DUMP)
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
    keys, mount, bpf, ioctl, socket = _MACHINES[machine]
    unknown, forbidden = _REFUSED | errno.ENOSYS, _REFUSED | errno.EPERM
    ranges = dict.fromkeys(((keys, keys + 2), _RINGS, _X32), unknown)
    ranges |= dict.fromkeys(((mount, mount), (bpf, bpf), *_MOUNTING), forbidden)
    words = [(_LOAD, 0, 0, _NUMBER), (_AND, 0, 0, _NOT_X32)]
    for each, refusal in ranges.items():
        words += _refused_between(each, refusal)
    words += [(_EQUAL, 0, 6, ioctl), (_LOAD, 0, 0, _SECOND), (_AND, 0, 0, 0xFFFF)]
    words += [*_refused_between(_OF_ENCRYPTION, forbidden), (_GIVE, 0, 0, _ALLOWED)]
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


def _refused_between(ends: tuple[int, int], refusal: int) -> list[tuple[int, int, int, int]]:
    first, last = ends
    return [(_LEAST, 0, 2, first), (_ABOVE, 1, 0, last), (_GIVE, 0, 0, refusal)]
