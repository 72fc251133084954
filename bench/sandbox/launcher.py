"""Talks to the program that launches everything: one process, so that all are measured by the same clock from the same place."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

# In mounts of its own, where crun finds the hierarchy that it asks for and the host's do not change.
HUGETLB = Path("/sys/fs/cgroup/hugetlb")
WITH_HUGETLB = f"""
mkdir -p {HUGETLB} && mount -t cgroup -o hugetlb cgroup {HUGETLB} 2>/dev/null || true
exec "$@"
"""


@dataclass(frozen=True)
class Run:
    """One launch: what it took, how it ended, and what it complained of."""

    wall_ms: float
    code: int
    complaint: str = ""


@dataclass(frozen=True)
class Account:
    """Who launches: a number, and what its processes do before they are this user."""

    name: str
    uid: int
    become: Callable[[], None] | None = None


class Launcher:
    """The running program. `with Launcher(…) as launcher` ends it."""

    def __init__(self, program: Path, account: Account):
        argv = [str(program), "serve"]
        self.had_hugetlb = HUGETLB.exists()
        if os.geteuid() == 0 and account.uid == 0:
            argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", WITH_HUGETLB, "sh", *argv]
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
            preexec_fn=account.become,
        )

    def __enter__(self) -> "Launcher":
        return self

    def __exit__(self, *_exception) -> None:
        self.process.stdin.close()
        self.process.wait()
        if not self.had_hugetlb and HUGETLB.exists() and not HUGETLB.is_mount():
            HUGETLB.rmdir()

    def launch(self, request: dict) -> Run:
        """Has something launched once, and waits for its end."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the launcher ended: {self.process.stderr.read().strip()}")
        answer = json.loads(line)
        return Run(answer["nanoseconds"] / 1e6, answer["code"], last_line(answer["said"]))


def residue(program: Path, account: Account, launches: int) -> dict:
    """What a process has before and after that many launches; `{"failed": …}` if it could not."""
    with tempfile.TemporaryDirectory(prefix="guild-bench-") as directory:
        os.chmod(directory, 0o777)
        done = subprocess.run(
            [str(program), "residue", str(launches)], cwd=directory, env={**os.environ, "TMPDIR": directory},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=account.become,
        )
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": last_line(done.stderr)}


def last_line(text: str) -> str:
    """The last thing that was said, which usually is the reason."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
