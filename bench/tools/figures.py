"""Turns the figures into text for people and into JSON for programs, and says whether the goal is met."""

import statistics
from dataclasses import asdict, dataclass, field

from columns import table

GOAL_MS = 2.0
WARM = "guild, stands by"
HEAD = ("", "calls", "min ms", "median ms", "p95 ms", "")


@dataclass(frozen=True)
class Row:
    """One way to call the tool: how long each call took, or why there are none."""

    label: str
    runs: list[float] = field(default_factory=list)
    skipped: str = ""


def p95(runs: list[float]) -> float:
    """The time that all but one in twenty stay below."""
    return sorted(runs)[min(len(runs) - 1, int(len(runs) * 0.95))]


def line(row: Row) -> tuple[str, ...]:
    if not row.runs:
        return (row.label, "", "", "", "", row.skipped)
    figures = (min(row.runs), statistics.median(row.runs), p95(row.runs))
    return (row.label, str(len(row.runs)), *(f"{figure:.2f}" for figure in figures), "")


def goal(rows: list[Row]) -> bool | None:
    """Whether a tool that stands by answers in time; unknown without figures."""
    found = [row.runs for row in rows if row.label == WARM and row.runs]
    return statistics.median(found[0]) < GOAL_MS if found else None


def as_text(facts: dict[str, str], rows: list[Row]) -> str:
    verdict = {True: "met", False: "NOT MET", None: "unknown"}[goal(rows)]
    lines = [", ".join(f"{key} {value}" for key, value in facts.items()), ""]
    lines += [table([HEAD, *map(line, rows)], numbers=range(1, 5)), ""]
    lines += [f"{verdict}: a tool that stands by answers in less than {GOAL_MS:g} ms at the median"]
    return "\n".join(lines)


def as_json(facts: dict[str, str], rows: list[Row]) -> dict:
    return {"machine": facts, "rows": [asdict(row) for row in rows], "met": goal(rows)}
