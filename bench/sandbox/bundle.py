"""What the runtimes of others launch: a root file system with busybox, and a bundle for those that take OCI's format."""

import json
import os
import shutil
import subprocess
from pathlib import Path

MEMORY = 512 << 20
PIDS = 128
PERIOD = 100_000
NAMESPACES = ("user", "mount", "pid", "network", "ipc", "uts", "cgroup")
# The container's users, outside. Nobody is one of them.
FIRST_USER = 1_900_000_000


class NoBusybox(Exception):
    """There is nothing to make a root file system from."""


def make_root(directory: Path) -> Path:
    """A root file system with a static `true`, and places to mount on."""
    busybox = shutil.which("busybox")
    if busybox is None:
        raise NoBusybox("no busybox; install busybox-static")
    for name in ("bin", "dev", "etc", "proc", "sys", "tmp", "output", "usr"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(busybox, directory / "bin/busybox")
    for name in ("true", "sh"):
        link = directory / "bin" / name
        if not link.is_symlink():
            link.symlink_to("busybox")
    return directory


def make_archive(root: Path, archive: Path) -> Path:
    """The same as a tar, for engines that import one."""
    subprocess.run(["tar", "--create", "--file", archive, "--directory", root, "--owner=0", "--group=0", "."], check=True)
    return archive


def make_bundle(directory: Path) -> Path:
    """A bundle that is as isolated as its format goes, with the default limits of `guild`."""
    make_root(directory / "rootfs")
    for path in (directory, directory / "rootfs"):
        os.chmod(path, 0o755)
    (directory / "config.json").write_text(json.dumps(configuration(), indent=1))
    return directory


def configuration() -> dict:
    """OCI's description of the container."""
    map_users = [{"containerID": 0, "hostID": FIRST_USER, "size": 65536}]
    return {
        "ociVersion": "1.0.2",
        "root": {"path": "rootfs", "readonly": True},
        "hostname": "guild",
        "process": {
            "user": {"uid": 1000, "gid": 1000},
            "args": ["/bin/true"],
            "env": ["PATH=/usr/bin:/bin"],
            "cwd": "/",
            "noNewPrivileges": True,
            "capabilities": {kind: [] for kind in ("bounding", "effective", "permitted", "inheritable", "ambient")},
        },
        "mounts": mounts(),
        "linux": {
            "namespaces": [{"type": name} for name in NAMESPACES],
            "uidMappings": map_users,
            "gidMappings": map_users,
            "resources": {
                "memory": {"limit": MEMORY},
                "pids": {"limit": PIDS + 1},
                "cpu": {"period": PERIOD, "quota": PERIOD},
            },
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/acpi", "/proc/scsi"],
            "readonlyPaths": ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"],
        },
    }


def mounts() -> list[dict]:
    """The host's programs, processes, devices and two places to write to."""
    confined = ["nosuid", "nodev"]
    memory = {"type": "tmpfs", "source": "tmpfs", "options": [*confined, "size=256m", "mode=1777"]}
    return [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=64k"]},
        {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro", *confined]},
        {"destination": "/tmp", **memory},
        {"destination": "/output", **memory},
    ]
