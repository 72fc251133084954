"""What the figures were measured on."""

import os
import platform
from pathlib import Path


def facts() -> dict[str, str]:
    """Processor, cores, memory, kernel, load and Python, as text."""
    return {
        "processor": field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": field("/proc/meminfo", "MemTotal"),
        "kernel": f"{platform.system()} {platform.release()}",
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "python": platform.python_version(),
    }


def field(path: str, key: str) -> str:
    """The first value of `key` in one of the kernel's `key : value` files."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""
