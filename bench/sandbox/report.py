"""Turns the outcome of a benchmark into text for people and into JSON for programs."""

import dataclasses
from dataclasses import dataclass

import rows
from columns import table
from contest import Series
from goals import Goal

HEAD = ("launched", "runs", "min ms", "median ms", "p95 ms", "× floor", "× bwrap", "")
VERDICTS = {True: "met", False: "NOT MET", None: "unknown"}


@dataclass(frozen=True)
class Part:
    """What was measured as one user."""

    user: str
    contest: list[Series]
    residue: dict
    goals: list[Goal]


@dataclass(frozen=True)
class Outcome:
    """Everything a report tells."""

    machine: dict[str, str]
    versions: dict[str, str]
    parts: list[Part]


def as_text(outcome: Outcome) -> str:
    """The whole report."""
    lines = [", ".join(f"{key} {value}" for key, value in outcome.machine.items())]
    lines.append(", ".join(f"{name} {version}" for name, version in outcome.versions.items()))
    for part in outcome.parts:
        lines += [f"\nas {part.user}", table([HEAD, *map(row_of(part.contest), part.contest)], numbers=range(1, 7))]
        lines += ["", table([(VERDICTS[goal.met], goal.text, goal.figures) for goal in part.goals])]
    return "\n".join(lines)


def as_json(outcome: Outcome) -> dict:
    """Every run's figures; nothing is averaged away."""
    return dataclasses.asdict(outcome)


def row_of(contest: list[Series]):
    """Makes the cells below HEAD."""
    medians = {series.label: series.median() for series in contest if series.counts()}

    def row(series: Series) -> tuple[str, ...]:
        if not series.counts():
            return (series.label, *[""] * 6, series.note)
        median = series.median()
        ratios = (f"{median / medians[base]:.2f}" if base in medians else "" for base in (rows.FLOOR, rows.BWRAP))
        times = (series.least(), median, series.nearly_all())
        return (series.label, str(len(series.runs)), *(f"{time:.2f}" for time in times), *ratios, series.note)

    return row
