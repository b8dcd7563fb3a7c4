"""Starts a command on Linux, and ends all processes that the command started.

Its arguments are `PARENT:MEMORY -- COMMAND …` or `PARENT:MEMORY sandbox BUBBLEWRAP -- COMMAND …`.
It runs without installed packages: it imports three modules of this package and the standard
library.

All processes of the command end when the command ends, when PARENT ends, and at SIGUSR1. This
includes processes that left its session. PARENT is the process that starts this one.

In the sandbox, the command can see all files, and can change none. Its working directory, HOME and
TMPDIR are in memory, and are gone when the last process has ended. Its network has only its own
loopback. Bubblewrap makes the namespaces; if BUBBLEWRAP is empty, this program makes them itself.
"""

import ctypes
import errno
import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from typing import NoReturn

from conformance.kit.transport.memory_limit import lift_limit
from conformance.kit.transport.restrictions import doors, give_up
from conformance.kit.transport.system import LIBC, attach, done

SCRATCH = "/dev/shm"  # noqa: S108 - a file system of its own is mounted there
PLACES = {name: f"{SCRATCH}/{name}" for name in ("work", "home", "tmp")}
FAILED = 126
"""The exit code if the sandbox cannot be made; the reason is on standard error."""

_NEW = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
"""Flags for new namespaces: mount, uts, ipc, user, pid and net."""
_SIZE = "size=1g,mode=0755"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_LINKS = {"fd": "self/fd", "stdin": "self/fd/0", "stdout": "self/fd/1", "stderr": "self/fd/2"}
_STUBBORN = 5.0
"""Seconds until processes that do not end are left alone, because another user owns them."""
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_MS_RDONLY, _MS_REMOUNT = 1, 32
_SIOCSIFFLAGS, _UP = 0x8914, 0x41
_AT_FDCWD, _AT_RECURSIVE, _READ_ONLY, _MOUNT_SETATTR = -100, 0x8000, 1, 442
_PDEATHSIG, _SUBREAPER = 1, 36
_ENTERED = "entered"
_BUBBLEWRAP = (
    *("--unshare-all", "--die-with-parent", "--as-pid-1"),
    *("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"),
    *("--ro-bind", "/", "/", "--proc", "/proc", "--remount-ro", "/proc"),
    *("--tmpfs", "/dev", "--dir", SCRATCH),  # its --dev would remove the right to mount
    *chain(*(("--dev-bind", f"/dev/{name}", f"/dev/{name}") for name in _DEVICES)),
    *chain(*(("--symlink", f"/proc/{to}", f"/dev/{name}") for name, to in _LINKS.items())),
)


class _Told(BaseException):
    """Raised when a signal asks the program to end everything."""


def main(words: list[str]) -> None:
    """Start the command and exit as it did; in the sandbox, with 128 + N for signal N."""
    at = words.index("--")
    (parent, *how), command = words[:at], words[at + 1 :]
    # All processes of a session get SIGTERM together, but only the command should end by it.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent, _, before = parent.partition(":")
    lift_limit(int(before or -1))
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
    """Run the command. When it ends, or at a signal, end all other processes and exit as it did.

    The command's parent is a process in between, in its own session. So everything ends even if the
    command kills or stops its parent and its process group.
    """
    done(LIBC.prctl(_SUBREAPER, 1, 0, 0, 0))
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
    """Start the process in between, which only starts the command and exits as it did."""
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
    """Exit as another process did, with the same code or by the same signal."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        done(LIBC.prctl(4, 0, 0, 0, 0))  # PR_SET_DUMPABLE: only the command dumps its core
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


def _tell(*_: object) -> None:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    raise _Told


def _end_all() -> None:
    """End all processes below this one. Orphans become its children, so it finds them all."""
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
    """Start the command as a child that ends with its parent."""
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
    """Wait for children until this one has ended, and return its status."""
    while True:
        ended, status = os.wait()
        if ended == child:
            return status


def _leave_pipes() -> None:
    """Let go of the pipes, so that they end when the command closes them."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _ends_with(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Request a signal for the end of the parent process. 0 is a parent outside the namespace."""
    done(LIBC.prctl(_PDEATHSIG, by, 0, 0, 0))
    if os.getppid() != parent:
        raise OSError(errno.ESRCH, os.strerror(errno.ESRCH))


def _enter(parent: int, bubblewrap: str, command: list[str]) -> None:
    """Run the command in new namespaces, as their second process."""
    here, closed = os.getcwd(), doors()
    if bubblewrap:
        _ends_with(parent)
        program = [sys.executable, *sys.orig_argv[1 : -len(sys.argv) + 1]]
        again = [*program, _ENTERED, here, *closed]  # each argument has a limit of 128 KiB
        os.execv(bubblewrap, [bubblewrap, *_BUBBLEWRAP, "--", *again, "--", *command])
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(FAILED))
    user, group = os.getuid(), os.getgid()
    done(LIBC.unshare(_NEW))
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
        sys.exit(_as_first(command, here, *closed))
    _leave_pipes()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]))


def _mount() -> None:
    """Make every file system read-only, with a /proc for the new namespace and a minimal /dev."""
    import fcntl  # noqa: PLC0415
    import socket  # noqa: PLC0415
    import struct  # noqa: PLC0415

    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    attach(None, "/", None, _MS_REC | _MS_PRIVATE)
    attach("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    wanted = struct.pack("QQQQ", _READ_ONLY, 0, 0, 0)
    size = ctypes.c_size_t(len(wanted))
    done(LIBC.syscall(_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, wanted, size))
    attach("tmpfs", "/dev", "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755")
    for name, device in devices.items():
        with open(f"/dev/{name}", "w"):
            pass
        attach(f"/proc/self/fd/{device}", f"/dev/{name}", None, _MS_BIND)
        os.close(device)
    for name, target in _LINKS.items():
        os.symlink(f"/proc/{target}", f"/dev/{name}")
    os.mkdir(SCRATCH)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
        fcntl.ioctl(loopback, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", _UP))


def _as_first(command: list[str], here: str, *closed: str) -> int:
    """Run the command without any privilege, and return its exit code.

    When this process ends, the system ends all others in its namespace.
    """
    _prepare(here, closed)
    give_up()
    child = _fork(command, os.getpid())
    _leave_pipes()
    code = os.waitstatus_to_exitcode(_wait_for(child))
    return code if code >= 0 else 128 - code


def _prepare(here: str, closed: Iterable[str]) -> None:
    """Block the doors, make the scratch directories, and change to the work directory.

    The work directory has a link to each file of the directory from which the kit was started. A
    command may name such a file, or import it.
    """
    for door in closed:
        with suppress(FileNotFoundError, PermissionError):
            attach("/dev/null", door, None, _MS_BIND)
    attach("tmpfs", SCRATCH, "tmpfs", _MS_NOSUID | _MS_NODEV, _SIZE)
    to_read = _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID
    attach(None, "/dev", None, to_read | _MS_NODEV)
    for name in _DEVICES:  # under bubblewrap, root could change their mode
        attach(None, f"/dev/{name}", None, to_read | _MS_NOEXEC)
    for place in PLACES.values():
        os.mkdir(place)
    with suppress(OSError):
        for name in os.listdir(here):
            os.symlink(os.path.join(here, name), os.path.join(PLACES["work"], name))
    os.chdir(PLACES["work"])
    own = os.environ.get("JAVA_TOOL_OPTIONS", "")
    places = f"{own} -Djava.io.tmpdir={PLACES['tmp']} -Duser.home={PLACES['home']}".lstrip()
    # Java knows neither HOME nor TMPDIR.
    os.environ.update(HOME=PLACES["home"], TMPDIR=PLACES["tmp"], JAVA_TOOL_OPTIONS=places)
