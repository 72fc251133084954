"""Docker and Podman for the time of the benchmark: with stores of their own, started by hand, stopped by process number.

Nothing is pulled: the one image is imported.
"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from launcher import last_line

IMAGE = "guild-bench:latest"
LIMITS = (
    "--memory", "512m", "--pids-limit", "128", "--cpus", "1", "--network", "none", "--read-only", "--cap-drop", "ALL",
    "--security-opt", "no-new-privileges", "--pull", "never", "--rm",
)
START_S = 90


class Unavailable(Exception):
    """Why an engine cannot be measured here."""


def program(name: str, package: str) -> str:
    """Where a program is."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        raise Unavailable(f"not installed: {package}")
    return found


class Podman:
    """Podman as root. It has no daemon."""

    def __init__(self, directory: Path, archive: Path):
        store = ["--root", str(directory / "root"), "--runroot", str(directory / "run")]
        quiet = ["--cgroup-manager", "cgroupfs", "--events-backend", "none", "--log-level", "error"]
        self.directory = directory
        self.base = [program("podman", "podman"), *store, *quiet]
        call([*self.base, "import", str(archive), IMAGE])

    def argv(self) -> list[str]:
        """One container. Root without the right to raise limits has to name them."""
        limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]
        return [*self.base, "run", *LIMITS, *limits, IMAGE, "/bin/true"]

    def stop(self) -> None:
        """Removes what it has stored, with its own command: mounts may be left in it."""
        subprocess.run([*self.base, "rmi", "--all", "--force"], capture_output=True)


class Docker:
    """Docker's daemon, with a socket and a store of its own and no network."""

    def __init__(self, directory: Path, archive: Path):
        self.client = [program("docker", "docker.io"), "--host", f"unix://{directory}/docker.sock"]
        daemon = [
            program("dockerd", "docker.io"), "--host", f"unix://{directory}/docker.sock", "--data-root", str(directory / "data"),
            "--exec-root", str(directory / "exec"), "--pidfile", str(directory / "docker.pid"), "--oom-score-adjust", "0",
            "--iptables=false", "--bridge=none",
        ]
        directory.mkdir(parents=True, exist_ok=True)
        self.log = directory / "docker.log"
        with self.log.open("w") as log:
            self.daemon = subprocess.Popen(daemon, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            self.wait_for_life()
            call([*self.client, "import", str(archive), IMAGE])
        except Unavailable:
            self.stop()
            raise

    def wait_for_life(self) -> None:
        deadline = time.monotonic() + START_S
        while subprocess.run([*self.client, "version"], capture_output=True).returncode != 0:
            if self.daemon.poll() is not None or time.monotonic() > deadline:
                raise Unavailable(f"dockerd does not start: {last_line(self.log.read_text())}")
            time.sleep(0.2)

    def argv(self) -> list[str]:
        """One container."""
        return [*self.client, "run", *LIMITS, IMAGE, "/bin/true"]

    def stop(self) -> None:
        """Asks it to end, which ends its containerd too, and waits."""
        self.daemon.send_signal(signal.SIGTERM)
        try:
            self.daemon.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.kill(self.daemon.pid, signal.SIGKILL)
            self.daemon.wait()


def call(argv: list[str]) -> None:
    """Runs a command that has to succeed."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable(last_line(done.stderr) or f"exit code {done.returncode}")
