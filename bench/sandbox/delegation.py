"""Cgroups of version 1 for an ordinary user, as an administrator would delegate them; root alone can.

With version 2 nothing is to be done here: that user runs the benchmark itself, in a session with systemd.
"""

import os
from pathlib import Path
from typing import Callable

# A user that nobody is.
ORDINARY = 54321
NEEDED = ("memory", "pids", "cpu", "cpuacct")


class Delegation:
    """A directory in each hierarchy that belongs to the ordinary user; `with Delegation() as delegation` removes them."""

    def __init__(self) -> None:
        self.directories: list[Path] = []

    def __enter__(self) -> "Delegation":
        for place in sorted(set(own_places())):
            directory = place / f"guild-bench-{os.getpid()}"
            directory.mkdir()
            self.directories.append(directory)
            for path in (directory, directory / "tasks", directory / "cgroup.procs"):
                os.chown(path, ORDINARY, ORDINARY)
        return self

    def __exit__(self, *_exception) -> None:
        for directory in self.directories:
            remove(directory)

    def become(self) -> Callable[[], None]:
        """Makes a new process enter the directories and be the ordinary user."""
        doors = [directory / "tasks" for directory in self.directories]

        def enter() -> None:
            for door in doors:
                door.write_text("0")
            os.setgroups([])
            os.setresgid(ORDINARY, ORDINARY, ORDINARY)
            os.setresuid(ORDINARY, ORDINARY, ORDINARY)

        return enter


def own_places() -> list[Path]:
    """This process's own directory in each hierarchy that limits need; none with version 2."""
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own.update((controller, path) for controller in controllers.split(","))
    return [
        point / own[controller].lstrip("/")
        for point, options in mounted("cgroup") for controller in options if controller in NEEDED and controller in own
    ]


def mounted(kind: str) -> list[tuple[Path, list[str]]]:
    """Mount points and options of the file systems of this kind."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        name, _, options = after.split(" ", 2)
        if name == kind:
            found.append((Path(before.split(" ")[4]), options.split(",")))
    return found


def remove(directory: Path) -> None:
    """Removes a cgroup with those in it; what still has processes stays."""
    for within in directory.iterdir():
        if within.is_dir():
            remove(within)
    try:
        directory.rmdir()
    except OSError as error:
        print(f"{directory} stays: {error}")
