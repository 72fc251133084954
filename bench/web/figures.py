"""Turns the figures into text for people and into JSON for programs, and says which goals are met."""

import statistics
from dataclasses import dataclass, field

from columns import table

HEAD = ("", "times", "min", "median", "p95", "goal", "")


@dataclass(frozen=True)
class Row:
    """What was measured: the figures, the bound that the median has to stay below, or why there are no figures."""

    label: str
    unit: str
    figures: list[float] = field(default_factory=list)
    goal: float | None = None
    skipped: str = ""

    def met(self) -> bool | None:
        """Whether the median is below the goal; unknown without one, or without figures."""
        return statistics.median(self.figures) < self.goal if self.figures and self.goal is not None else None


def p95(figures: list[float]) -> float:
    """What all but one in twenty stay below."""
    return sorted(figures)[min(len(figures) - 1, int(len(figures) * 0.95))]


def verdict(met: bool | None) -> str:
    return {True: "met", False: "NOT MET", None: ""}[met]


def line(row: Row) -> tuple[str, ...]:
    goal = "" if row.goal is None else f"< {row.goal:g}"
    label = f"{row.label}, {row.unit}"
    if not row.figures:
        return (label, "", "", "", "", goal, row.skipped or "not measured")
    shown = (min(row.figures), statistics.median(row.figures), p95(row.figures))
    return (label, str(len(row.figures)), *(f"{figure:.1f}" for figure in shown), goal, verdict(row.met()))


def as_text(facts: dict[str, str], rows: list[Row], notes: list[str]) -> str:
    lines = [", ".join(f"{key} {value}" for key, value in facts.items()), ""]
    lines += [table([HEAD, *map(line, rows)], numbers=range(1, 6)), ""]
    return "\n".join(lines + notes)


def as_json(facts: dict[str, str], rows: list[Row], notes: list[str]) -> dict:
    shown = [{"label": row.label, "unit": row.unit, "figures": row.figures, "goal": row.goal, "met": row.met(),
              "skipped": row.skipped} for row in rows]
    return {"machine": facts, "rows": shown, "notes": notes}
