"""The repositories that are installed from, the places that are installed to, and the commands under comparison."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import skills
from measure import LIMIT_S, Command, Run, Series, TooSlow, run_in_turn, run_once
from peers import Peer

ADD = "guild add"
SKILLS_ADD = "skills add"
OPENSKILLS_ADD = "openskills install"
VERIFY = "guild verify"
FROZEN = "guild sync --frozen"
SKILLS_RESTORE = "skills experimental_install"
OPENSKILLS_UPDATE = "openskills update"
# What takes longer runs once.
QUICK_MS = 10_000


@dataclass(frozen=True)
class Place:
    """A project and a home of one tool alone."""

    project: Path
    home: Path

    def empty(self) -> None:
        """As if nothing had ever been installed."""
        # Moved aside and not removed: some file systems are slow for seconds after many files are.
        for directory in (self.project, self.home):
            if directory.exists():
                aside = directory.with_name("aside")
                aside.mkdir(exist_ok=True)
                directory.rename(aside / str(len(list(aside.iterdir()))))
            directory.mkdir(parents=True)
        (self.project / ".git").mkdir()


@dataclass(frozen=True)
class Installed:
    """What one command did, with how many skills its project has afterwards."""

    series: Series
    wanted: int
    there: int
    # It did not come to its end in the time that it was given, which its one figure is.
    was_stopped: bool = False

    def counts(self) -> bool:
        """Whether its figures mean anything."""
        return bool(self.series.runs) and self.there == self.wanted and all(run.exit_code == 0 for run in self.series.runs)


class Contest:
    """Everything that is compared, below one directory."""

    def __init__(self, scratch: Path, guild: Path, peers: dict[str, Peer]):
        self.scratch, self.guild, self.peers = scratch, guild, peers

    def adding(self, count: int, runs: int) -> dict[str, Installed]:
        """A whole repository added to a project that has nothing."""
        source = repository(self.scratch, count)
        commands = {}
        for label, argv in self.adders(source).items():
            place = self.place(f"add-{label}")
            commands[label] = (place, Command(argv, place.project, environment(argv, place), place.empty))
        return self.hold(commands, count, runs)

    def keeping(self, count: int, runs: int) -> dict[str, Installed]:
        """What is installed held to its lock, or made what the lock says, with nothing to change."""
        source = repository(self.scratch, count)
        adders, places = self.adders(source), {}
        for label, argv in adders.items():
            places[label] = self.place(f"keep-{label}")
            places[label].empty()
            subprocess.run(argv, cwd=places[label].project, env=environment(argv, places[label]), check=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
        self.keeper = places[ADD]
        commands = {}
        for label, adder, rest in self.keepers():
            if adder in adders:
                argv = [*self.program(adder), *rest]
                commands[label] = (places[adder], Command(argv, places[adder].project, environment(argv, places[adder])))
        return self.hold(commands, count, runs)

    def kept_by_guild(self, count: int) -> Callable[[], tuple[Path, Command]]:
        """The skills that `guild` keeps, and the command that verifies them."""
        argv = [str(self.guild), "verify", "--json"]
        return lambda: (self.keeper.project / ".guild/skills", Command(argv, self.keeper.project, environment(argv, self.keeper)))

    def adders(self, source: str) -> dict[str, list[str]]:
        known = {
            ADD: ["add", source, "--all", "--quiet"],
            SKILLS_ADD: ["add", source, "--skill", "*", "--agent", "claude-code", "--copy", "--yes"],
            OPENSKILLS_ADD: ["install", source, "--yes"],
        }
        return {label: [*self.program(label), *rest] for label, rest in known.items() if self.program(label)}

    @staticmethod
    def keepers() -> list[tuple[str, str, list[str]]]:
        return [
            (VERIFY, ADD, ["verify", "--quiet"]),
            (FROZEN, ADD, ["sync", "--frozen", "--quiet"]),
            (SKILLS_RESTORE, SKILLS_ADD, ["experimental_install"]),
            (OPENSKILLS_UPDATE, OPENSKILLS_ADD, ["update"]),
        ]

    def program(self, label: str) -> list[str]:
        """What is run for a row; nothing where it is not installed."""
        name = label.split()[0]
        if name == "guild":
            return [str(self.guild)]
        peer = self.peers[name]
        return [] if peer.missing else [str(peer.program)]

    def place(self, name: str) -> Place:
        directory = self.scratch / name.replace(" ", "-")
        return Place(directory / "project", directory / "home")

    @staticmethod
    def hold(commands: dict[str, tuple[Place, Command]], count: int, runs: int) -> dict[str, Installed]:
        """Each once; then those in turn that are quick enough to be run often."""
        print(f"{', '.join(commands)}: {count:,} skills", file=sys.stderr)
        held, quick = {}, {}
        for label, (place, command) in commands.items():
            try:
                once = run_once(command, Path(os.devnull))
            except TooSlow:
                once = Run(LIMIT_S * 1e3, 0.0, 0.0, 0)
            was_stopped = once.wall_ms >= LIMIT_S * 1e3
            held[label] = Installed(Series([once]), count, installed(place), was_stopped)
            if once.wall_ms < QUICK_MS:
                quick[label] = command
        for label, series in run_in_turn(quick, runs).items():
            held[label] = Installed(series, count, installed(commands[label][0]))
        return held


def repository(scratch: Path, count: int) -> str:
    """The address of a repository with so many skills."""
    bare = scratch / f"skills-{count}.git"
    if not bare.exists():
        work = scratch / f"work-{count}"
        for index in range(count):
            directory = work / "skills" / skills.skill_name(index)
            directory.mkdir(parents=True)
            (directory / "SKILL.md").write_text(skills.skill_text(index, skills.SPEC))
            (directory / "reference.md").write_text(skills.skill_text(index + count, skills.SPEC))
        git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        for step in (["init", "--quiet", "."], ["add", "--all"], ["commit", "--quiet", "--message", "skills"]):
            subprocess.run([*git, *step], cwd=work, check=True)
        subprocess.run(["git", "clone", "--quiet", "--bare", str(work), str(bare)], check=True)
    return f"file://{bare}"


def installed(place: Place) -> int:
    """How many skills are there with all of their files."""
    roots = (place.project / ".guild/skills", place.project / ".claude/skills")
    directories = [directory for root in roots if root.is_dir() for directory in root.iterdir()]
    return sum((directory / "SKILL.md").is_file() and (directory / "reference.md").is_file() for directory in directories)


def environment(argv: list[str], place: Place) -> dict[str, str]:
    path = [str(Path(argv[0]).parent), "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "HOME": str(place.home), "PATH": ":".join(path), "LANG": "C.UTF-8", "CI": "1",
        "NO_COLOR": "1", "TERM": "dumb", "DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1",
    }
