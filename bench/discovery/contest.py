"""One contest per number of skills: check that each tool sees all of them, then measure those that can run."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import skills
from measure import LIMIT_S, Command, Run, Series, TooSlow, run_in_turn, run_once
from peers import Peer
from tools import TOOLS, Place, Tool, command_for, reason_to_skip

# A tool that needs longer than this runs once: its figures do not hang on a few milliseconds.
SLOW_S = 10
START_UPS = 50
VERSION = "guild --version"


@dataclass
class Result:
    """What is known of one tool at one size. `note` says why figures are absent, single or worthless."""

    label: str
    size: int
    saw: int | None = None
    note: str = ""
    series: Series = field(default_factory=Series)

    def counts(self) -> bool:
        """True when the figures may be compared: they exist, and the tool did the whole work."""
        return bool(self.series.runs) and self.saw == self.size


@dataclass(frozen=True)
class Contest:
    """Who takes part, and the directory in which everything happens."""

    data: Path
    guild: Path
    peers: dict[str, Peer]

    def hold(self, size: int, repetitions: int, earlier: list[Result]) -> list[Result]:
        """Measures all tools on `size` skills. `earlier` are the results of smaller sizes, to predict from."""
        results, ready = [], {}
        for tool in TOOLS:
            command = command_for(tool, self.program(tool), self.place(tool, size))
            result = Result(tool.label, size)
            result.note = reason_to_skip(tool, self.peers, command) or too_slow_by_prediction(result, earlier)
            if not result.note and check(tool, command, result, self.data / "output"):
                ready[tool.label] = command
            results.append(result)
        measured = run_in_turn(ready, repetitions)
        for result in results:
            result.series = measured.get(result.label, result.series)
        return results

    def start_up(self) -> dict[str, Series]:
        """What it costs to start `guild` at all, beside a program that does nothing: the least that is measurable."""
        env = {"HOME": str(self.data), "PATH": "/usr/bin:/bin"}
        commands = {VERSION: [str(self.guild), "--version"], "true": ["/bin/true"]}
        return run_in_turn({label: Command(argv, self.data, env) for label, argv in commands.items()}, START_UPS)

    def program(self, tool: Tool) -> Path:
        return self.guild if tool.peer == "guild" else self.peers[tool.peer].program

    def place(self, tool: Tool, size: int) -> Place:
        """The project of that size, and a home directory for this tool and size alone."""
        print(f"{size} skills: checking {tool.label} …", file=sys.stderr)
        slug = "".join(letter if letter.isalnum() else "-" for letter in tool.label)
        home = self.data / "homes" / f"{slug}-{size}"
        home.mkdir(parents=True, exist_ok=True)
        return Place(skills.generate(self.data, size, tool.dialect), home)


def check(tool: Tool, command: Command, result: Result, output: Path) -> bool:
    """Runs the tool and counts what it shows. True when it is worth measuring further."""
    try:
        if tool.cache == "kept":
            run_once(command, output)
        run = run_once(command, output)
    except TooSlow as slow:
        result.note = str(slow)
        return False
    result.saw = tool.count(output.read_text(encoding="utf-8", errors="replace"))
    result.note = complaint_of(run, result)
    if run.wall_ms <= SLOW_S * 1e3:
        return True
    result.series.runs.append(run)
    result.note = result.note or "one run, no warm-up"
    return False


def complaint_of(run: Run, result: Result) -> str:
    if run.exit_code != 0:
        last_line = (run.complaint.splitlines() or ["no message"])[-1]
        return f"exit code {run.exit_code}: {last_line[:100]}"
    return "" if result.saw == result.size else "does not show every skill"


def too_slow_by_prediction(result: Result, earlier: list[Result]) -> str:
    """Predicts from the next smaller size; no tool here gets cheaper by the crowd."""
    walls = [
        before.series.median("wall_ms") * result.size / before.size / 1e3
        for before in earlier
        if before.label == result.label and before.series.runs
    ]
    if walls and walls[-1] > LIMIT_S:
        return f"skipped: about {walls[-1]:.0f} s predicted"
    return ""
