"""The sandbox: a server in it is of use, and whatever it tries, nothing outside of it changes."""

import asyncio
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from conformance.kit.drive.unusable_target import TargetUnusable
from conformance.kit.model.exchange import StdioRequest
from conformance.kit.model.settings import Settings
from conformance.kit.session import Session
from conformance.kit.transport import sandbox
from conformance.kit.transport.restrictions import refused_by
from conformance.kit.transport.sandbox import launched, way, why_no_sandbox
from conformance.kit.transport.stdio_connection import StdioConnection
from conformance.spec.messages import Message
from tests.needs import lacking
from tests.waiting import until

LONG = 60.0
PRIVATE = [shutil.which("unshare") or "unshare", "--user", "--map-root-user"]
"""Begins a program that may have a network, mounts and a root directory of its own."""
SERVER = """
import ctypes, fcntl, json, os, pathlib, platform, socket, subprocess, sys
def keyring(call):
    first = {"x86_64": 248, "aarch64": 217}[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    if call == "keep":
        done = libc.syscall(first, b"user", b"harm", b"harm", 4, -3)
    else:
        done = libc.syscall(first + 2, 10, -3, b"user", b"outside", 0)
    if done == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return done
def tried(do, *values):
    try:
        return [str(do(*values))]
    except OSError as error:
        return type(error).__name__
def write(path):
    return pathlib.Path(path).expanduser().write_text("harm")
def loopback():
    server = socket.create_server(("127.0.0.1", 0))
    return bool(socket.create_connection(server.getsockname(), 9))
def leave():
    words = [sys.executable, "-c", "import time; time.sleep(600) # " + sys.argv[2]]
    nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return subprocess.Popen(words, start_new_session=True, **nowhere).pid
for line in sys.stdin:
    outside = json.loads(sys.argv[1])
    asked = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {
        "connect": tried(socket.create_connection, ("192.0.2.1", 80), 9),
        "a port of this machine": tried(socket.create_connection, ("127.0.0.1", outside["port"])),
        "a socket": tried(socket.socket(socket.AF_UNIX).connect, outside["socket"]),
        "a socket of here": tried(socket.socket(socket.AF_UNIX).connect, outside["near"]),
        "resolve": tried(socket.getaddrinfo, "example.org", 80),
        "files": [tried(write, path) for path in outside["files"]],
        "another process": tried(os.kill, outside["process"], 0),
        "keys": [tried(keyring, call) for call in ("keep", "find")],
        "terminal": [tried(fcntl.ioctl, stream, 0x5412, b"x") for stream in (0, 1, 2)],
        "open": sorted(os.listdir("/proc/self/fd"))[:3],
        "more open": len(os.listdir("/proc/self/fd")) - 3,
        "mount": tried(pathlib.Path("/proc/sys/kernel/core_pattern").write_text, "harm"),
        "set the host's name": tried(socket.sethostname, "harm"),
        "own": [tried(write, path) for path in ("~/own", os.environ["TMPDIR"] + "/own", "own")],
        "loopback": tried(loopback),
        "sees": tried(pathlib.Path(outside["sees"]).read_text),
        "finds": tried(pathlib.Path("beside.txt").read_text),
        "privileges": [
            line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")
        ],
        "left": tried(leave),
    }}), flush=True)
"""


@pytest.fixture(params=["bubblewrap", "the kit's own"])
def ready(request, monkeypatch, tmp_path):
    """Each of the two ways to make a sandbox, in an empty working directory."""
    way.cache_clear()
    own = request.param != "bubblewrap"
    if own:
        monkeypatch.setenv("PATH", str(tmp_path))
    elif shutil.which("bwrap") is None:
        lacking("bubblewrap")
    found = way()
    if isinstance(found, Message):
        pytest.skip(f"lacks a sandbox: {found.words('en')}")  # nothing that CI could install
    if not own and found == "":
        pytest.skip("lacks a bubblewrap that this machine lets make namespaces")
    assert (found == "") == own
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    yield tmp_path
    way.cache_clear()


def served(code, *words):
    """What a server in the sandbox answers to its first request, and how it ended."""

    async def main():
        connection = StdioConnection(
            [sys.executable, "-c", code, *words],
            timeout=LONG,
            sandbox=True,
            environment={"HOME": str(Path.home()), "PATH": os.environ["PATH"]},
        )
        await connection.start()
        try:
            sent = await connection.send(StdioRequest(b'{"jsonrpc":"2.0","id":1}', answer_to=1))
        finally:
            ended = await connection.close()
        assert sent.answer is not None, connection.process
        return sent.answer.messages[-1]["result"], ended

    return asyncio.run(main())


def is_alive(word):
    """Whether a process has this word on its command line."""
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in each.read_bytes():
                return True
        except OSError:
            continue  # it ended meanwhile
    return False


@pytest.mark.needs
def test_nothing_outside_is_reached_or_changed(ready):
    Path("beside.txt").write_text("here")
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(ready / "door"))
    door.listen()
    near = socket.socket(socket.AF_UNIX)
    near.bind("near")  # the system knows it by this name alone, which is not from the root
    near.listen()
    port = socket.create_server(("127.0.0.1", 0))
    files = [ready / "new", Path("beside.txt").absolute(), Path.home() / "agent-formats-harm",
             Path("/tmp/agent-formats-harm"), Path("/etc/agent-formats-harm"),
             Path("/dev/agent-formats-harm")]  # fmt: skip
    outside = {
        "port": port.getsockname()[1],
        "socket": str(ready / "door"),
        "near": str(ready / "work" / "near"),
        "files": list(map(str, files)),
        "process": os.getpid(),
        "sees": str(Path("beside.txt").absolute()),
    }
    word = f"left-by-{ready.name}"
    with door, near, port:
        said, ended = served(SERVER, json.dumps(outside), word)
    refused = ("connect", "a port of this machine", "a socket", "a socket of here", "resolve",
               "another process")  # fmt: skip
    assert {name: said[name] for name in refused if isinstance(said[name], list)} == {}
    assert not any(isinstance(each, list) for each in said["files"])
    assert Path("beside.txt").read_text() == "here"
    assert not any(path.exists() for path in files if path.name != "beside.txt")
    assert said["terminal"] == ["OSError"] * 3  # a byte put into its input would be typed there
    assert (said["open"], said["more open"]) == (["0", "1", "2"], 1)  # and the one that lists them
    assert said["mount"] == "OSError"
    assert said["keys"] == ["OSError", "OSError"]
    assert said["set the host's name"] == "PermissionError"
    assert set(said["privileges"]) == {"0000000000000000"}
    assert ended.answer.status == 0
    assert isinstance(said["left"], list)
    assert until(lambda: not is_alive(word))


WAYS_OUT = """
import ctypes, fcntl, json, os, platform, resource, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
bpf = {"x86_64": 321, "aarch64": 280}[platform.machine()]
outside = json.loads(sys.argv[1])
def done(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
def tried(do, *values):
    try:
        do(*values)
    except OSError as error:
        return error.errno
    return "done"
def control_groups():
    done(libc.unshare(0x10000000 | 0x20000 | 0x2000000))
    done(libc.mount(None, b"/", None, ctypes.c_ulong(16384 | 1 << 18), None))
    done(libc.mount(b"none", os.environ["TMPDIR"].encode(), b"cgroup2", ctypes.c_ulong(0), None))
def within(do, *values):
    read, write = os.pipe()
    if os.fork() == 0:
        made = tried(lambda: done(libc.unshare(0x10000000 | 0x20000)))  # it may do all in there
        os.write(write, f"{made} {tried(do, *values)}".encode())
        os._exit(0)
    os.wait()
    return os.read(read, 99).decode()
def take_off(path):
    done(libc.umount2(path.encode(), 2))
    socket.socket(socket.AF_UNIX).connect(path)
def make_writable(path):
    done(libc.mount(None, b"/", None, ctypes.c_ulong(32 | 4096), None))
    os.utime(path)
def privileges_of_the_first():
    told = dict(line.split(":") for line in open("/proc/1/status"))
    return {told[name].strip().lstrip("0") for name in ("CapEff", "CapPrm", "CapBnd")}
line = sys.stdin.readline()
print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {
    "named anew": tried(socket.socket(socket.AF_UNIX).connect, outside["named anew"]),
    "named twice": tried(socket.socket(socket.AF_UNIX).connect, outside["named twice"]),
    "a lid, in namespaces within": within(take_off, outside["elsewhere"]),
    "a file, in namespaces within": within(make_writable, outside["file"]),
    "the first": sorted(privileges_of_the_first()),
    "a dump": resource.getrlimit(resource.RLIMIT_CORE),
    "to trace the first": tried(lambda: done(libc.ptrace(0x4206, 1, None, None))),
    "the kernel": tried(os.open, "/proc/sysrq-trigger", os.O_WRONLY),
    "other namespaces": tried(lambda: done(libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))),
    "all events of files": tried(lambda: done(libc.fanotify_init(0, 0))),
    "the clock": tried(lambda: done(libc.clock_settime(0, (ctypes.c_long * 2)()))),
    "times of a file": tried(os.utime, outside["file"]),
    "times of a device": tried(os.utime, "/dev/null"),
    "mode of a device": tried(os.chmod, "/dev/null", 0o666),
    "marks of a file": tried(os.setxattr, outside["file"], "user.x", b"1"),
    "a second name of a file": tried(os.link, outside["file"], outside["file"] + "2"),
    "a device": tried(os.mknod, os.environ["TMPDIR"] + "/disk", 0o60666, os.makedev(8, 0)),
    **{name: tried(socket.socket(socket.AF_UNIX).connect, outside[name]) for name in
       ("elsewhere", "mounted", "by a link", "below another root")},
    "maps of the kernel": tried(lambda: done(libc.syscall(bpf, 7, None, 0))),
    "keys of files": tried(fcntl.ioctl, os.open("/", os.O_RDONLY), 0xC0406618, bytes(64)),
    "a pipe": tried(os.open, outside["pipe"], os.O_WRONLY | os.O_NONBLOCK),
    "a pipe that nobody looked at": tried(os.open, outside["deep"], os.O_WRONLY | os.O_NONBLOCK),
    "the machine around": tried(socket.socket, 40, socket.SOCK_STREAM),
    "a ring": tried(lambda: done(libc.syscall(425, 8, ctypes.create_string_buffer(200)))),
    "a system of files": tried(lambda: done(libc.syscall(430, b"cgroup2", 0))),
    "control groups": tried(control_groups),
    "an address": tried(socket.socket, socket.AF_INET6, socket.SOCK_STREAM),
}}), flush=True)
"""
LISTENS = """
import ctypes, os, socket, sys
path, root, *mounted = sys.argv[1:]
if mounted and ctypes.CDLL(None).mount(*map(str.encode, mounted), None, 4096, None):
    sys.exit("cannot mount")
if root:
    os.chroot(root)
door = socket.socket(socket.AF_UNIX)
door.bind(path)
door.listen()
print("listens", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def elsewhere(ready):
    """Sockets of programs that have a network, a mount or a root directory of their own."""
    for name in ("volume", "mounted", "root"):
        (ready / name).mkdir()
    volume, mounted, link = ready / "volume", ready / "mounted", ready / "link"
    link.symlink_to(mounted)
    programs = {
        "elsewhere": (ready / "elsewhere", ["--net"], ready / "elsewhere", ""),
        "mounted": (volume / "door", ["--mount"], mounted / "door", "", volume, mounted),
        "by a link": (volume / "other", ["--mount"], link / "other", "", volume, mounted),
        "below another root": (ready / "root" / "door", [], "/door", ready / "root"),
    }
    with ExitStack() as stack:
        for _, how, *words in programs.values():
            command = [*PRIVATE, *how, sys.executable, "-c", LISTENS, *map(str, words)]
            process = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stdout.readline() == b"listens\n"
            stack.callback(process.stdin.close)
        yield {name: str(path) for name, (path, *_) in programs.items()}


@pytest.mark.needs
def test_no_way_leads_out_of_the_namespaces(ready, elsewhere):
    deep = ready.joinpath(*"abcdefghij", "pipe")
    deep.parent.mkdir(parents=True)
    readers = []
    for pipe in (ready / "pipe", deep):
        os.mkfifo(pipe)
        readers.append(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
    (ready / "file").touch()
    names = {"named anew": "anew", "named twice": "twice", "pipe": "pipe", "file": "file"}
    outside = {name: str(ready / path) for name, path in names.items()}
    outside |= {"deep": str(deep), **elsewhere}
    with socket.socket(socket.AF_UNIX) as anew, socket.socket(socket.AF_UNIX) as twice:
        for door, name in ((anew, "first"), (twice, "once")):
            door.bind(str(ready / name))
            door.listen()
        (ready / "first").rename(ready / "anew")  # as programs do
        (ready / "twice").hardlink_to(ready / "once")
        said, _ = served(WAYS_OUT, json.dumps(outside))
    for reader in readers:
        os.close(reader)
    assert said.pop("an address") == "done"
    assert said.pop("the first") == [""]
    assert said.pop("a dump") == [1, 1]  # with 0, the kernel starts a program for it
    assert said.pop("maps of the kernel") == said.pop("keys of files") == errno.EPERM
    assert not any(str(each).endswith("done") for each in said.values()), said


@pytest.mark.needs
def test_a_server_starts_also_where_the_sockets_fill_more_than_an_argument(ready):
    paths = [f"{ready}/{number}".ljust(107, "x") for number in range(1_300)]
    with socket.socket(socket.AF_UNIX) as first:
        first.bind(paths.pop())
        for path in paths:
            with socket.socket(socket.AF_UNIX) as each:
                each.bind(path)
        words = launched(["/bin/echo", "started"], os.environ, sandbox=True)
        ended = subprocess.run(words, capture_output=True, text=True, timeout=LONG, check=False)
    assert (ended.stdout, ended.stderr) == ("started\n", "")


@pytest.mark.parametrize(("version", "sockets"), [(1, False), (8, False), (9, True), (12, True)])
def test_a_system_that_can_keep_from_sockets_made_outside_is_asked_to(version, sockets):
    assert refused_by(version) == (2 | 1 << 16 if sockets else 2)


@pytest.mark.needs
def test_a_server_finds_its_files_a_loopback_and_places_to_write_to(ready):
    Path("beside.txt").write_text("here")
    outside = {"port": 1, "socket": "/", "near": "/", "files": [], "process": 1}
    outside["sees"] = str(ready / "seen")
    (ready / "seen").write_text("seen")
    said, _ = served(SERVER, json.dumps(outside), "x")
    assert said["own"] == [["4"], ["4"], ["4"]]
    assert said["loopback"] == ["True"]
    assert (said["sees"], said["finds"]) == (["seen"], ["here"])


@pytest.mark.needs
@pytest.mark.usefixtures("ready")
def test_java_which_reads_no_home_and_tmpdir_is_told_where_it_may_write():
    code = """
import json, os, pathlib, sys
sys.stdin.readline()
told = dict(word.split("=", 1) for word in os.environ["JAVA_TOOL_OPTIONS"].split())
names = ("-Djava.io.tmpdir", "-Duser.home")
wrote = [pathlib.Path(told[name], "java").write_text("x") for name in names]
print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": wrote}), flush=True)
"""
    assert served(code)[0] == [1, 1]


@pytest.mark.needs
@pytest.mark.usefixtures("ready")
def test_what_a_server_wrote_is_gone_when_the_next_one_starts():
    code = """
import json, pathlib, sys
sys.stdin.readline()
files = [pathlib.Path(name).expanduser() for name in ("own", "~/own", "/dev/shm/own")]
print(json.dumps({"jsonrpc": "2.0", "id": 1, "result": [f.exists() for f in files]}), flush=True)
for file in files:
    file.write_text("x")
"""
    assert served(code)[0] == [False] * 3
    assert served(code)[0] == [False] * 3


@pytest.mark.needs
@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(("end", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", 137)])
def test_the_way_in_which_a_server_ends_is_seen_from_outside(end, code):
    answer = '{"jsonrpc": "2.0", "id": 1, "result": 1}'
    served_, ended = served(
        f"import os, sys\nsys.stdin.readline()\nprint('{answer}', flush=True)\n{end}"
    )
    assert (served_, ended.answer.status) == (1, code)


@pytest.mark.needs
def test_a_path_that_leads_up_is_found_from_the_scratch_directory(ready):
    (ready / "server.py").write_text("")
    words = launched([sys.executable, "../server.py", "../nothing"], {}, sandbox=True)
    assert words[-2:] == [str(ready / "work" / "../server.py"), "../nothing"]


@pytest.mark.needs
@pytest.mark.usefixtures("ready")
def test_a_command_that_there_is_not_is_no_fault_of_the_sandbox():
    with pytest.raises(FileNotFoundError, match="no-such-command"):
        launched(["no-such-command"], {}, sandbox=True)


def test_a_system_without_sandboxes_is_named_in_one_sentence(monkeypatch):
    monkeypatch.setattr(sandbox.sys, "platform", "darwin")
    assert why_no_sandbox().words("en").startswith("--sandbox works on Linux only")


def test_without_a_sandbox_no_server_is_started(monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox.sys, "platform", "win32")
    target = f"stdio:{sys.executable} -c \"open('{tmp_path}/started', 'w')\""
    with pytest.raises(TargetUnusable, match=r"kit\.sandbox"):
        Session(Settings(sandbox=True)).discover((target,))
    assert not (tmp_path / "started").exists()


def test_a_system_that_refuses_one_is_named_in_one_sentence(monkeypatch, tmp_path):
    way.cache_clear()
    (tmp_path / "python").write_text("#!/bin/sh\necho 'Operation not permitted.' >&2\nexit 1\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(sandbox.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(sandbox.sys, "platform", "linux")
    said = why_no_sandbox().words("en")
    way.cache_clear()
    assert "(Operation not permitted)" in said
    assert "bubblewrap" in said
