"""Checks the reference gateway, or a faulty one, in both profiles.

Runs as `python -m scripts.gateway`; `--fault NAME` plants a fault, `--list` names all faults.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fixtures.gateways.faults import FAULTS
from fixtures.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
POLICY = ROOT / "fixtures" / "gateways" / "reference.policy.json"
PROFILES = {"native": "/native/v1", "openai": "/v1"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the gateway; return the kit's exit code."""
    parser = argparse.ArgumentParser(prog="gateway", description=__doc__)
    parser.add_argument("--fault", choices=FAULTS, metavar="NAME", help="plant this fault")
    parser.add_argument("--list", action="store_true", help="name all faults, and end")
    options, more = parser.parse_known_args(arguments)
    if options.list:
        for name, fault in FAULTS.items():
            print(f"{fault.clause}  {name}")
        return 0
    with serving(options.fault) as (targets, port):
        check = [sys.executable, "-m", "pytest", "conformance/gateway", *more]
        for target in targets:
            check += ["--gateway", target]
        check += ["--provider", f"127.0.0.1:{port}", "--gateway-policy", str(POLICY)]
        return subprocess.run(check, check=False, cwd=ROOT).returncode


@contextmanager
def serving(fault: str | None = None) -> Iterator[tuple[list[str], int]]:
    """Run the gateway in a separate process; yield a target per profile, and the provider's port.

    The gateway has the policy of the reference.
    """
    port = free_port()
    words = [sys.executable, "-m", "fixtures.gateways.serve", "--policy", str(POLICY)]
    words += ["--provider", f"http://127.0.0.1:{port}"]
    words += ["--fault", fault] if fault else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as served:
        try:
            assert served.stdout is not None
            url = served.stdout.readline().rstrip().rpartition(" ")[2]
            yield [f"{profile}+{url}{path}" for profile, path in PROFILES.items()], port
        finally:
            served.terminate()


if __name__ == "__main__":
    sys.exit(main())
