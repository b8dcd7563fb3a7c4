"""Starts a command on Linux, and ends all that it started. It imports the standard library alone.

    python -I -S launcher.py PARENT -- COMMAND …
    python -I -S launcher.py PARENT sandbox BUBBLEWRAP -- COMMAND …

All that the command started ends when the command ends, when PARENT does, and at SIGUSR1: also what
left its session. PARENT is the process that starts this one.

In the sandbox, the command sees all files, and can write to none. Its working directory, HOME and
TMPDIR are in memory, and are gone when the last process has ended. The network is a loopback of its
own. Bubblewrap makes the namespaces; if BUBBLEWRAP is empty, this program makes them itself.
"""

import ctypes
import errno
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NoReturn

SCRATCH = "/dev/shm"  # noqa: S108 - a file system of its own is mounted there
PLACES = {name: f"{SCRATCH}/{name}" for name in ("work", "home", "tmp")}
FAILED = 126
"""The exit code if the sandbox cannot be made; the reason is on standard error."""

_NEW = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""Namespaces of its own: mount, uts, ipc, user, pid and net."""
_SIZE = "size=1g,mode=0755"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = {"fd": "self/fd", "stdin": "self/fd/0", "stdout": "self/fd/1", "stderr": "self/fd/2"}
_MOST_LOOKED = 5_000
"""Files that are looked at, to find the sockets and pipes among them."""
_PUBLIC = ("/run", "/tmp", "/var/tmp")  # noqa: S108 - nothing is written there
"""Where programs leave sockets and pipes for others."""
_STUBBORN = 5.0
"""Seconds after which processes that do not end are left: they belong to somebody else."""
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_MS_RDONLY, _MS_REMOUNT = 1, 32
_AT_FDCWD, _AT_RECURSIVE, _READ_ONLY, _MOUNT_SETATTR = -100, 0x8000, 1, 442
_PDEATHSIG, _CAPBSET_DROP, _SUBREAPER, _NO_NEW_PRIVS = 1, 24, 36, 38
_CAP_AMBIENT, _CLEAR_ALL = 47, 4
_SIOCSIFFLAGS, _UP = 0x8914, 0x41
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
_ENTERED = "entered"
_BUBBLEWRAP = (
    *("--unshare-all", "--die-with-parent", "--as-pid-1"),
    *("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"),
    *("--ro-bind", "/", "/", "--proc", "/proc", "--remount-ro", "/proc"),
    *("--tmpfs", "/dev", "--dir", SCRATCH),  # its --dev would take the right to mount away
    *chain(*(("--dev-bind", f"/dev/{name}", f"/dev/{name}") for name in _DEVICES)),
    *chain(*(("--symlink", f"/proc/{to}", f"/dev/{name}") for name, to in _LINKS.items())),
)
_libc = ctypes.CDLL(None, use_errno=True)


class _Told(BaseException):
    """Somebody told the program to end everything."""


def main(words: list[str]) -> None:
    """Start the command, and end as it ended; in the sandbox, 128 and more for a signal."""
    at = words.index("--")
    (parent, *how), command = words[:at], words[at + 1 :]
    # A session's processes get SIGTERM together. Only the command is asked to end.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        if not how:
            _watch(int(parent), command)
        elif parent == _ENTERED:
            sys.exit(_as_first(command, *how))
        else:
            _enter(int(parent), how[1], command)
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        sys.exit(FAILED)


def _watch(parent: int, command: list[str]) -> None:
    """Run the command; when it has ended, or at a signal, end what is left, and end as it did.

    The command's own parent is a process between, in a session of its own: a command may kill or
    stop its parent and its group, and all that it started is ended even so.
    """
    _done(_libc.prctl(_SUBREAPER, 1, 0, 0, 0))
    status = signal.SIGKILL.value
    try:
        signal.signal(signal.SIGUSR1, _tell)
        _ends_with(parent, signal.SIGUSR1)
        between = _parent_of(command)
        signal.signal(signal.SIGTERM, lambda *_: _hand_on(between))
        _leave_pipes()
        status = _wait_for(between)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    except _Told:
        pass
    _end_all()
    _end_as(status)


def _parent_of(command: list[str]) -> int:
    """Start a process that does nothing but start the command, and end as it ends."""
    first = os.getpid()
    between = os.fork()
    if between == 0:
        os.setsid()
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        _ends_with(first)
        child = _fork(command, os.getpid())
        _leave_pipes()
        _end_as(_wait_for(child))
    return between


def _hand_on(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGTERM)


def _end_as(status: int) -> NoReturn:
    """End as another process ended."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        _done(_libc.prctl(4, 0, 0, 0, 0))  # PR_SET_DUMPABLE: the command has dumped its core
        with suppress(OSError):  # of SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


def _tell(*_: object) -> None:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    raise _Told


def _end_all() -> None:
    """End all processes below this one: orphans become its children, so that it finds them."""
    ends = time.monotonic() + _STUBBORN
    while time.monotonic() < ends:
        for pid in _children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _children() -> list[int]:
    own, found = str(os.getpid()), []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/stat", errors="replace") as file:
            if file.read().rpartition(")")[2].split()[1] == own:
                found.append(int(pid))
    return found


def _fork(command: list[str], parent: int) -> int:
    """Start the command as a child, which ends with its parent."""
    child = os.fork()
    if child:
        return child
    _ends_with(parent)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(FAILED + isinstance(error, FileNotFoundError))


def _wait_for(child: int) -> int:
    """Bury the children that end, up to this one; gives how it ended."""
    while True:
        ended, status = os.wait()
        if ended == child:
            return status


def _leave_pipes() -> None:
    """Leave the pipes to the command: they end when it closes them."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _ends_with(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Get a signal when the process ends that started this one; 0 is one outside of here."""
    _done(_libc.prctl(_PDEATHSIG, by, 0, 0, 0))
    if os.getppid() != parent:
        raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))


def _enter(parent: int, bubblewrap: str, command: list[str]) -> None:
    """Run the command as the first process but one of namespaces of its own."""
    import json  # noqa: PLC0415 - each start of a server waits for what is imported

    here, doors = os.getcwd(), _doors()
    if bubblewrap:
        _ends_with(parent)
        again = [sys.executable, "-I", "-S", __file__, _ENTERED, here, json.dumps(doors)]
        os.execv(bubblewrap, [bubblewrap, *_BUBBLEWRAP, "--", *again, "--", *command])
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(FAILED))
    user, group = os.getuid(), os.getgid()
    _done(_libc.unshare(_NEW))
    for name, said in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(said)
    _ends_with(parent)
    first = os.fork()
    if first == 0:
        _ends_with(0)
        _mount()
        sys.exit(_as_first(command, here, json.dumps(doors)))
    _leave_pipes()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]))


def _mount() -> None:
    """Make every file system read-only, /proc the one of these processes, and /dev a small one."""
    import fcntl  # noqa: PLC0415
    import socket  # noqa: PLC0415
    import struct  # noqa: PLC0415

    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    _attach(None, "/", None, _MS_REC | _MS_PRIVATE)
    _attach("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    wanted = struct.pack("QQQQ", _READ_ONLY, 0, 0, 0)
    size = ctypes.c_size_t(len(wanted))
    _done(_libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, wanted, size))
    _attach("tmpfs", "/dev", "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755")
    for name, device in devices.items():
        with open(f"/dev/{name}", "w"):
            pass
        _attach(f"/proc/self/fd/{device}", f"/dev/{name}", None, _MS_BIND)
        os.close(device)
    for name, target in _LINKS.items():
        os.symlink(f"/proc/{target}", f"/dev/{name}")
    os.mkdir(SCRATCH)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
        fcntl.ioctl(loopback, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", _UP))


def _as_first(command: list[str], here: str, doors: str) -> int:
    """Run the command without any privilege; gives its exit code.

    When this process ends, the system ends all others.
    """
    _prepare(here, doors)
    _give_up()
    child = _fork(command, os.getpid())
    _leave_pipes()
    code = os.waitstatus_to_exitcode(_wait_for(child))
    return code if code >= 0 else 128 - code


def _prepare(here: str, doors: str) -> None:
    """Close the doors, make the scratch directories, and go to the first of them.

    It has a link for each file of the directory from which the kit was started: a command may name
    such a file, or import it.
    """
    import json  # noqa: PLC0415

    for door in json.loads(doors):
        with suppress(FileNotFoundError, PermissionError):
            _attach("/dev/null", door, None, _MS_BIND)
    _attach("tmpfs", SCRATCH, "tmpfs", _MS_NOSUID | _MS_NODEV, _SIZE)
    _attach(None, "/dev", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)
    for place in PLACES.values():
        os.mkdir(place)
    with suppress(OSError):
        for name in os.listdir(here):
            os.symlink(os.path.join(here, name), os.path.join(PLACES["work"], name))
    os.chdir(PLACES["work"])
    os.environ.update(HOME=PLACES["home"], TMPDIR=PLACES["tmp"])


def _doors() -> list[str]:
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


def _give_up() -> None:
    """Give up all capabilities for good: root would keep them, and could make files writable."""
    import struct  # noqa: PLC0415

    _done(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    _done(_libc.prctl(_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0))
    number = 0
    while _libc.prctl(_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _done(_libc.capset(struct.pack("Ii", 0x20080522, 0), struct.pack("6I", *(0,) * 6)))
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
    version = _libc.syscall(make, None, ctypes.c_size_t(0), 1)
    if version == -1:
        return
    rules = _libc.syscall(make, struct.pack("Q", refused_by(version)), ctypes.c_size_t(8), 0)
    below = os.open("/dev", os.O_PATH)
    _done(_libc.syscall(add, rules, _BENEATH, struct.pack("=Qi", _WRITE, below), 0))
    _done(_libc.syscall(obey, rules, 0))
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
    _done(_libc.prctl(_SECCOMP, _FILTER, told, 0, 0))


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


def _attach(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    texts: list[Any] = [None if each is None else os.fsencode(each) for each in (source, target)]
    texts.append(None if kind is None else kind.encode())
    _done(_libc.mount(*texts, ctypes.c_ulong(flags), None if data is None else data.encode()))


def _done(result: int) -> None:
    """Raise OSError for a call of the system that failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main(sys.argv[1:])
