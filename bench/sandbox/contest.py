"""Holds the contest: all rows in turn, round after round, so that a busy moment of the machine hits all of them."""

import statistics
import sys
from dataclasses import dataclass, field

from launcher import Launcher, Run
from rows import Row

WARM_UPS = 3
# What is slower than this runs less often, but not less often than that.
SLOW_MS = 100
FEWEST = 20


@dataclass
class Series:
    """All runs of one row, or the reason why there are none."""

    label: str
    runs: list[float] = field(default_factory=list)
    note: str = ""

    def counts(self) -> bool:
        """Whether there are figures to compare."""
        return bool(self.runs)

    def median(self) -> float:
        """The middle one, in milliseconds."""
        return statistics.median(self.runs)

    def least(self) -> float:
        """The one that was disturbed least."""
        return min(self.runs)

    def nearly_all(self) -> float:
        """What 95 of 100 are not above: the nearest of the measured ones."""
        ordered = sorted(self.runs)
        return ordered[min(len(ordered) - 1, -(-len(ordered) * 95 // 100) - 1)]


def hold(launcher: Launcher, rows: list[Row], rounds: int, evenly: bool = False) -> list[Series]:
    """Runs all rows in turn; `evenly` runs slow ones as often as the others. A row that fails once is out, with its own words."""
    contest = {row.label: (row, Series(row.label, note=row.missing)) for row in rows}
    running = {label for label, (row, _) in contest.items() if row.request is not None}
    every = {}
    for turn in range(WARM_UPS + rounds):
        for label in [label for label in contest if label in running]:
            row, series = contest[label]
            if turn >= WARM_UPS and turn % every.get(label, 1):
                continue
            run = launcher.launch(row.numbered(turn))
            if run.code != 0:
                running.discard(label)
                series.runs.clear()
                series.note = f"failed: {reason(run)}"
            elif turn < WARM_UPS:
                every[label] = 1 if evenly else pace(run.wall_ms, rounds)
            else:
                series.runs.append(run.wall_ms)
        show_progress(turn + 1, WARM_UPS + rounds)
    return [series for _, series in contest.values()]


def pace(wall_ms: float, rounds: int) -> int:
    """Every how many rounds a row that takes this long runs."""
    return max(1, rounds // FEWEST) if wall_ms > SLOW_MS else 1


def reason(run: Run) -> str:
    return run.complaint or f"exit code {run.code}"


def show_progress(done: int, of: int) -> None:
    if sys.stderr.isatty() or done == of:
        print(f"\r  round {done} of {of}", end="\n" if done == of else "", file=sys.stderr)
