"""Measures commands: how often each runs, in which order, and what is kept of it.

It knows neither skills nor tools; a command is an argument list, a directory and an environment.
"""

import os
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

STOPWATCH = Path(__file__).with_name("stopwatch.py")
WARM_UPS = 2
LIMIT_S = 120


@dataclass(frozen=True)
class Command:
    """What to run. `prepare` is called before every run and is not measured."""

    argv: list[str]
    cwd: Path
    env: dict[str, str]
    prepare: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Run:
    """What one run cost."""

    wall_ms: float
    cpu_ms: float
    peak_mb: float
    exit_code: int
    complaint: str = ""


@dataclass
class Series:
    """All measured runs of one command."""

    runs: list[Run] = field(default_factory=list)

    def median(self, quantity: str) -> float:
        """The median of `wall_ms`, `cpu_ms` or `peak_mb`."""
        return statistics.median(getattr(run, quantity) for run in self.runs)

    def least(self, quantity: str) -> float:
        """The smallest value: the run that was disturbed least."""
        return min(getattr(run, quantity) for run in self.runs)


class TooSlow(Exception):
    """The command did not finish in the time it was given."""


def run_once(command: Command, stdout: Path) -> Run:
    """Runs the command once with its output in `stdout`."""
    command.prepare()
    watch = subprocess.Popen(
        [sys.executable, "-I", "-S", str(STOPWATCH), str(stdout), *command.argv],
        cwd=command.cwd, env=command.env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    )
    try:
        figures, complaint = watch.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(watch.pid, signal.SIGKILL)
        watch.communicate()
        raise TooSlow(f"stopped after {LIMIT_S} s") from None
    wall, cpu, peak_kb, code = figures.split()
    return Run(float(wall) * 1e3, float(cpu) * 1e3, int(peak_kb) / 1024, int(code), complaint.strip()[-400:])


def run_in_turn(commands: dict[str, Command], repetitions: int) -> dict[str, Series]:
    """Runs all commands once, then all again, and so on: a busy minute of the machine then hits all of them."""
    series = {label: Series() for label in commands}
    for turn in range(WARM_UPS + repetitions):
        for label, command in commands.items():
            try:
                run = run_once(command, Path(os.devnull))
            except TooSlow:
                continue
            if turn >= WARM_UPS:
                series[label].runs.append(run)
    return series
