"""The goals that the embedded runtime is held to, and whether a run met them."""

from dataclasses import dataclass

import rows
from contest import Series


@dataclass(frozen=True)
class Goal:
    """One goal. `met` is None when the figures for it are absent."""

    text: str
    met: bool | None
    figures: str


# What is held to how many times the median of what.
BOUNDS = (
    ("all walls up, at most 1.5 times the floor", rows.EMBEDDED, 1.5, rows.FLOOR),
    ("all walls up, no slower than bwrap without them", rows.EMBEDDED, 1.0, rows.BWRAP),
    ("all walls up, 50 times faster than docker run", rows.EMBEDDED, 1 / 50, rows.DOCKER),
    ("prepared, at most half of bwrap", rows.PREPARED, 0.5, rows.BWRAP),
)


def judge(contest: list[Series], residue: dict) -> list[Goal]:
    """All goals that this contest has rows for."""
    known = {series.label: series for series in contest}
    goals = [within(known, *bound) for bound in BOUNDS if bound[3] in known]
    return [*goals, clean(residue)]


def within(known: dict[str, Series], text: str, label: str, share: float, of: str) -> Goal:
    """Compares two medians."""
    mine, theirs = known[label], known[of]
    if not (mine.counts() and theirs.counts()):
        return Goal(text, None, "not measured")
    bound = theirs.median() * share
    figures = f"{mine.median():.2f} ms of {bound:.2f} ms ({theirs.median() / mine.median():.2f} times {of}'s speed)"
    return Goal(text, mine.median() <= bound, figures)


def clean(residue: dict) -> Goal:
    """Compares what there was before and after many launches."""
    if "failed" in residue:
        return Goal("many launches leave nothing behind", False, residue["failed"])
    launches, containers = residue["launches"], residue["containers"]
    text = f"{launches:,} launches and {containers:,} containers leave nothing behind"
    changed = [
        f"{name} {count} → {residue['after'][name]}"
        for name, count in residue["before"].items() if residue["after"][name] > count
    ]
    kept = ", ".join(f"{name} {count}" for name, count in residue["after"].items())
    return Goal(text, not changed, "; ".join(changed) or f"as before: {kept}")
