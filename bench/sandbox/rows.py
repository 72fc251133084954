"""What is compared, one row each: what is launched, and what walls it has.

A row that cannot be had here keeps its place, with the reason.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

TRUE = "/usr/bin/true"

BARE = "fork and exec"
BARE_STATIC = "fork and exec, static"
FLOOR = "floor"
EMBEDDED = "embedded"
PREPARED = "embedded, prepared"
FRESH = "embedded, fresh process"
GUILD = "guild sandbox run"
GUILD_VERSION = "guild --version"
BWRAP = "bwrap"
CRUN = "crun run"
RUNC = "runc run"
PODMAN = "podman run"
DOCKER = "docker run"
SRT = "sandbox-runtime"


@dataclass(frozen=True)
class Row:
    """A request to the launcher, or the reason why there is none. `{n}` in arguments becomes the number of the run."""

    label: str
    request: dict | None
    missing: str = ""

    def numbered(self, number: int) -> dict:
        """The request for this run."""
        argv = self.request.get("argv")
        if argv is None:
            return self.request
        return {**self.request, "argv": [argument.replace("{n}", str(number)) for argument in argv]}


def ours(launch: Path, guild: Path, home: Path) -> list[Row]:
    """The floor, and the embedded runtime in its forms."""
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    if "XDG_RUNTIME_DIR" in os.environ:
        env["XDG_RUNTIME_DIR"] = os.environ["XDG_RUNTIME_DIR"]
    return [
        Row(BARE, program([TRUE])),
        static(),
        Row(FLOOR, {"launch": "floor", "argv": [TRUE]}),
        Row(EMBEDDED, {"launch": "embedded"}),
        Row(PREPARED, {"launch": "prepared"}),
        Row(FRESH, program([str(launch), "once"], env)),
        Row(GUILD, program([str(guild), "sandbox", "run", "--", TRUE], env)),
        Row(GUILD_VERSION, program([str(guild), "--version"], env)),
    ]


def static() -> Row:
    busybox = shutil.which("busybox")
    if busybox is None:
        return Row(BARE_STATIC, None, "not installed: busybox-static")
    return Row(BARE_STATIC, program([busybox, "true"]))


def bwrap() -> Row:
    """bubblewrap with the walls that it has: namespaces and mounts, no cgroup, no filter of system calls."""
    found = shutil.which("bwrap")
    if found is None:
        return Row(BWRAP, None, "not installed: bubblewrap")
    argv = [
        found, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
        "--uid", "1000", "--gid", "1000", "--hostname", "guild", "--ro-bind", "/usr", "/usr",
    ]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        link = Path("/") / name
        if link.is_symlink():
            argv += ["--symlink", os.readlink(link), str(link)]
        elif link.is_dir():
            argv += ["--ro-bind", str(link), str(link)]
    for setting in ("/etc/ld.so.cache", "/etc/ssl", "/etc/alternatives", "/etc/localtime"):
        argv += ["--ro-bind-try", setting, setting]
    argv += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/output", "--remount-ro", "/", "--chdir", "/"]
    return Row(BWRAP, program([*argv, TRUE]))


def oci(label: str, bundle: Path, state: Path) -> Row:
    """A runtime of OCI's, by itself."""
    name = label.split()[0]
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        return Row(label, None, f"not installed: {name}")
    container = f"guild-bench-{os.getpid()}-{name}-{{n}}"
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return Row(label, program([found, "--root", str(state / name), "run", "--bundle", str(bundle), container], env))


def program(argv: list[str], env: dict[str, str] | None = None) -> dict:
    """A request for a program of the host's."""
    return {"launch": "program", "argv": argv, "env": env or {}}
