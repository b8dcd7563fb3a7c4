"""Starts a command in a sandbox, on Linux. A program of its own: it imports the standard library.

    python -I -S sandboxed.py PARENT BUBBLEWRAP -- COMMAND …

Bubblewrap makes the namespaces. Where BUBBLEWRAP is empty, this program makes them itself. PARENT
is the process that starts this one: if it ends, the sandbox ends. The command sees all files, and
can write to none. Its working directory, HOME and TMPDIR are in memory, and are gone when the last
process has ended. The network is a loopback of its own. When the command ends, all that it started
is ended, too.
"""

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import stat
import struct
import sys
from contextlib import suppress
from itertools import chain
from typing import Any

SCRATCH = "/dev/shm"  # noqa: S108 - a file system of its own is mounted there
PLACES = {name: f"{SCRATCH}/{name}" for name in ("work", "home", "tmp")}
FAILED = 126
"""The exit code if the sandbox cannot be made; the reason is on standard error."""

_NEW = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""Namespaces of its own: mount, uts, ipc, user, pid and net."""
_SIZE = "size=1g,mode=0755"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = {"fd": "self/fd", "stdin": "self/fd/0", "stdout": "self/fd/1", "stderr": "self/fd/2"}
_MOST_LOOKED = 20_000
"""Files of /run that are looked at."""
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_AT_FDCWD, _AT_RECURSIVE, _READ_ONLY, _MOUNT_SETATTR = -100, 0x8000, 1, 442
_PDEATHSIG, _CAPBSET_DROP, _NO_NEW_PRIVS, _CAP_AMBIENT, _CLEAR_ALL = 1, 24, 38, 47, 4
_SIOCSIFFLAGS, _UP = 0x8914, 0x41
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


def main(words: list[str]) -> None:
    """Start the command, and end with its exit code: 128 and more if a signal ended it."""
    outside, bubblewrap, _, *command = words
    # A session's processes get SIGTERM together. Only the command is asked to end.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        if outside == _ENTERED:
            sys.exit(_as_first(command, json.loads(bubblewrap)))
        here, doors = os.getcwd(), _doors()
        if bubblewrap:
            _ends_with(int(outside))
            again = [sys.executable, "-I", "-S", __file__, _ENTERED, json.dumps([here, doors])]
            os.execv(bubblewrap, [bubblewrap, *_BUBBLEWRAP, "--", *again, "--", *command])
        _enter()
        _ends_with(int(outside))
        first = os.fork()
        if first == 0:
            _ends_with(0)
            _mount()
            sys.exit(_as_first(command, [here, doors]))
        _leave_pipes()
        sys.exit(_code(os.waitpid(first, 0)[1]))
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        sys.exit(FAILED)


def _enter() -> None:
    """Be in namespaces of its own, as the same user; its next child is the first process there."""
    user, group = os.getuid(), os.getgid()
    _done(_libc.unshare(_NEW))
    for name, said in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(said)


def _ends_with(parent: int) -> None:
    """Be ended with the process that started this one; `parent` is 0 for one outside of here."""
    _done(_libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))


def _mount() -> None:
    """Make every file system read-only, /proc the one of these processes, and /dev a small one."""
    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    _attach(None, "/", None, _MS_REC | _MS_PRIVATE)
    _attach("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    wanted = struct.pack("QQQQ", _READ_ONLY, 0, 0, 0)
    _done(
        _libc.syscall(
            _MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, wanted, ctypes.c_size_t(len(wanted))
        )
    )
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


def _prepare(here: str, doors: list[str]) -> None:
    """Close the doors, make the scratch directories, and go to the first of them.

    It has a link for each file of the directory from which the kit was started: a command may name
    such a file, or import it.
    """
    for door in doors:
        with suppress(FileNotFoundError, PermissionError):
            _attach("/dev/null", door, None, _MS_BIND)
    _attach("tmpfs", SCRATCH, "tmpfs", _MS_NOSUID | _MS_NODEV, _SIZE)
    for place in PLACES.values():
        os.mkdir(place)
    with suppress(OSError):
        for name in os.listdir(here):
            os.symlink(os.path.join(here, name), os.path.join(PLACES["work"], name))
    os.chdir(PLACES["work"])
    os.environ.update(HOME=PLACES["home"], TMPDIR=PLACES["tmp"])


def _doors() -> list[str]:
    """Sockets and pipes that lead out: a read-only file system does not keep from using them."""
    with open("/proc/net/unix") as file:
        fields = [line.split(None, 7) for line in file]
    paths = {each[7].rstrip("\n") for each in fields if len(each) == 8}
    with open("/proc/self/mountinfo") as file:
        paths |= {line.split()[4] for line in file}
    looked = 0
    for folder, _, names in os.walk("/run"):
        paths |= {os.path.join(folder, name) for name in names}
        looked += len(names)
        if looked > _MOST_LOOKED:
            break
    return sorted(path for path in paths if path.startswith("/") and _is_door(path))


def _is_door(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)


def _as_first(command: list[str], place: list[Any]) -> int:
    """Run the command without any privilege, as the first process of all but one.

    When it ends, this process ends, and the system ends all others. Gives the exit code.
    """
    _prepare(*place)
    child = os.fork()
    if child == 0:
        _give_up()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            sys.stderr.write(f"{command[0]}: {error.strerror}\n")
            sys.stderr.flush()
            os._exit(FAILED + isinstance(error, FileNotFoundError))
    _leave_pipes()
    while True:
        ended, status = os.wait()
        if ended == child:
            return _code(status)


def _leave_pipes() -> None:
    """Leave standard input and output to the command: they end when it closes them."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    os.close(nothing)


def _give_up() -> None:
    """Give up all capabilities for good: root would keep them, and could make files writable."""
    _done(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))
    _done(_libc.prctl(_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0))
    number = 0
    while _libc.prctl(_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _done(_libc.capset(struct.pack("Ii", 0x20080522, 0), struct.pack("6I", *(0,) * 6)))


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _attach(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    texts = (None if text is None else os.fsencode(text) for text in (source, target, kind))
    _done(_libc.mount(*texts, ctypes.c_ulong(flags), None if data is None else data.encode()))


def _done(result: int) -> None:
    """Raise OSError for a call of the system that failed."""
    if result != 0:
        number = ctypes.get_errno()
        if number == errno.ENOENT:
            raise FileNotFoundError(number, os.strerror(number))
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main(sys.argv[1:])
