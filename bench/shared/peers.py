"""Installs the tools that `guild` is compared with, once, into a directory outside the repository.

A peer that cannot be installed is a result ("not installed" and why), never a failure of the benchmark.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# The versions that are compared; change them here and nowhere else. Node is pinned with the npm peers
# because `skills` needs a newer one than many machines have.
VERSIONS = {
    "skilo": ["skilo@0.11.1"],
    "openskills": ["openskills@1.5.0", "node@22.23.3"],
    "skills": ["skills@1.7.4", "node@22.23.3"],
    "skills-ref": ["skills-ref==0.1.1"],
    "skillport": ["skillport-mcp==1.1.2"],
    "skillz": ["skillz==0.1.14"],
    "fastmcp": ["fastmcp==4.1.0"],
}

# Those that Python's own installer installs.
OF_PYPI = {"skills-ref", "skillport", "skillz", "fastmcp"}

PROGRAMS = {
    "skilo": "bin/skilo",
    "openskills": "node_modules/.bin/openskills",
    "skills": "node_modules/.bin/skills",
    "skills-ref": "bin/agentskills",
    "skillport": "bin/skillport-mcp",
    "skillz": "bin/skillz",
    "fastmcp": "bin/python",
}


@dataclass(frozen=True)
class Peer:
    """An installed peer, or the reason why it is not."""

    name: str
    version: str
    program: Path
    missing: str = ""


def install_all(cache: Path, names: tuple[str, ...]) -> dict[str, Peer]:
    """These peers, installed when absent."""
    return {name: install(name, cache) for name in names}


def install(name: str, cache: Path) -> Peer:
    """One peer. The directory's name carries the versions, so a changed table installs anew."""
    # Servers are started in other directories.
    home = cache.resolve() / "+".join(VERSIONS[name]).replace("==", "@")
    program = home / PROGRAMS[name]
    version = VERSIONS[name][0].replace("==", "@").rpartition("@")[2]
    done = home / ".complete"
    if done.exists() and program.exists():
        return Peer(name, version, program)
    print(f"installing {' '.join(VERSIONS[name])} …", file=sys.stderr)
    home.mkdir(parents=True, exist_ok=True)
    for step in install_steps(name, home):
        reason = failure_of(step)
        if reason:
            return Peer(name, version, program, missing=reason)
    if not program.exists():
        return Peer(name, version, program, missing=f"{PROGRAMS[name]} is absent after installing")
    done.touch()
    return Peer(name, version, program)


def install_steps(name: str, home: Path) -> list[list[str]]:
    wanted = VERSIONS[name]
    if name == "skilo":
        return [["cargo", "install", "--quiet", "--locked", "--root", str(home), *wanted]]
    if name in OF_PYPI:
        # Some ask for a newer Python than many machines have, and run without it; what they need is then not built from its newest source.
        pip = [str(home / "bin/pip"), "install", "--quiet", "--ignore-requires-python", "--prefer-binary"]
        return [[sys.executable, "-m", "venv", str(home)], [*pip, *wanted]]
    return [["npm", "install", "--prefix", str(home), "--no-audit", "--no-fund", "--loglevel=error", *wanted]]


def failure_of(step: list[str]) -> str:
    """Why the step failed; empty when it did not."""
    try:
        done = subprocess.run(step, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{os.path.basename(step[0])}: {error}"
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
    return f"{os.path.basename(step[0])} exited with {done.returncode}: {lines[-1]}"
