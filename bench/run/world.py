"""The installation in which runs are measured, and what is compared there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rows import Row, program

SKILL = """---
name: greet
description: Says one word
script: greet.sh
---
Say it.
"""
# Every run says something else, so that what it said has to be kept every time.
SCRIPT = 'echo "hello at $EPOCHREALTIME"\n'
# What `guild run` makes of that script.
COMMAND = ["bash", "-lc", "cd /skill && bash greet.sh"]

START = "guild --version"
BARE = "the script in its container"
CONTAINED = "guild sandbox run"
RUN = "guild run"
# Where filling is quick, since nothing is synced for real.
MEMORY = Path("/dev/shm")


class Site:
    """A project with one skill, and a home in which it is always allowed."""

    def __init__(self, scratch: Path, programs: dict[str, Path]):
        self.scratch, self.programs = scratch, programs
        self.project, self.home = scratch / "project", scratch / "home"
        self.skill = self.project / ".guild/skills/greet"
        self.skill.mkdir(parents=True)
        (self.project / ".git").mkdir()
        (self.skill / "SKILL.md").write_text(SKILL)
        (self.skill / "greet.sh").write_text(SCRIPT)
        self.input = scratch / "input"
        self.input.mkdir()
        (self.input / "request.json").write_text("{}")
        self.allow(self.home)

    def rows(self) -> list[Row]:
        """The script with the same walls and mounts, alone, by way of `guild sandbox run`, and by way of `guild run`."""
        mounts = {"/input": self.input, "/skill": self.skill, "/workspace": self.project}
        kept = self.scratch / "kept"
        shown = [part for inside, outside in mounts.items() for part in ("--mount", f"{outside}:{inside}")]
        bare = {"launch": "mounted", "argv": COMMAND, "keep": str(kept),
                "mounts": {inside: str(outside) for inside, outside in mounts.items()}}
        contained = ["sandbox", "run", *shown, "--out", str(kept), "--workdir", "/skill", "--", *COMMAND]
        return [
            Row(START, self.guild(self.home, "--version")),
            Row(BARE, bare),
            Row(CONTAINED, self.guild(self.home, *contained)),
            self.run_row(RUN, self.home),
        ]

    def run_row(self, label: str, home: Path) -> Row:
        return Row(label, self.guild(home, "run", "greet"))

    def guild(self, home: Path, *arguments: str) -> dict:
        return program([str(self.programs["guild"]), "-C", str(self.project), *arguments], environment(home))

    def allow(self, home: Path) -> None:
        """Makes the installation's books, with the grant in them."""
        home.mkdir()
        allowed = self.guild(home, "run", "greet", "--approve", "always")
        subprocess.run(allowed["argv"], env=allowed["env"], check=True, stdout=subprocess.DEVNULL)

    def sustained(self, seconds: int, workers: int) -> "Sustained":
        """As many runs as one process does in that time."""
        print(f"one process, {workers} at a time: {seconds} seconds", file=sys.stderr)
        said = self.ask("sustained", self.home, self.project, "greet", seconds, workers)
        return Sustained(said["workers"], said["runs"], said["seconds"])

    def filled(self, receipts: int) -> Path:
        """A home whose ledger holds so many receipts, made in memory and then moved to the disk."""
        print(f"a ledger of {receipts:,} receipts", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="guild-bench-", dir=MEMORY if MEMORY.is_dir() else self.scratch) as memory:
            quick = Path(memory) / "home"
            # The head remembers where its database lies, so that the link is what the ledger is opened by, before and after.
            home = self.scratch / f"home-{receipts}"
            home.symlink_to(quick)
            quick.mkdir()
            self.ask("fill", home, receipts)
            home.unlink()
            shutil.copytree(quick, home)
        subprocess.run(["sync", "-f", str(home)], check=True)
        allowed = self.guild(home, "run", "greet", "--approve", "always")
        subprocess.run(allowed["argv"], env=allowed["env"], check=True, stdout=subprocess.DEVNULL)
        return home

    def ask(self, *arguments: object) -> dict:
        """What the program says that does things in process."""
        argv = [str(self.programs["runs"]), *map(str, arguments)]
        return json.loads(subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout)


@dataclass(frozen=True)
class Sustained:
    """What one process has done with so many workers."""

    workers: int
    runs: int
    seconds: float

    def rate(self) -> float:
        """Runs in a second."""
        return self.runs / self.seconds


def environment(home: Path) -> dict[str, str]:
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    if "XDG_RUNTIME_DIR" in os.environ:
        env["XDG_RUNTIME_DIR"] = os.environ["XDG_RUNTIME_DIR"]
    return env
