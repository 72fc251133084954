"""Turns the figures into text for people and into JSON for programs, and says whether the goals are met."""

import dataclasses
from dataclasses import dataclass

import world
from columns import table
from tamper import Tampered
from world import Installed

TIMES = 10
HEAD = ("", "skills", "wall ms", "CPU ms", "peak MB", "× guild", "")
VERDICTS = {True: "met", False: "NOT MET", None: "unknown"}
# What each command of `guild` is compared with.
AGAINST = {
    world.ADD: (world.SKILLS_ADD, world.OPENSKILLS_ADD),
    world.VERIFY: (world.SKILLS_RESTORE, world.OPENSKILLS_UPDATE),
    world.FROZEN: (world.SKILLS_RESTORE, world.OPENSKILLS_UPDATE),
}


@dataclass(frozen=True)
class Outcome:
    """Everything a report tells."""

    machine: dict[str, str]
    rows: dict[str, Installed]
    tampered: Tampered


def as_text(outcome: Outcome) -> str:
    """The whole report."""
    lines = [", ".join(f"{key} {value}" for key, value in outcome.machine.items()), ""]
    lines += [table([HEAD, *(row(outcome, label) for label in outcome.rows)], numbers=range(1, 6)), ""]
    lines += [table([(VERDICTS[met], text, figures) for met, text, figures in goals(outcome)])]
    return "\n".join(lines)


def as_json(outcome: Outcome) -> dict:
    """Every run's figures; nothing is averaged away."""
    return dataclasses.asdict(outcome)


def goals(outcome: Outcome) -> list[tuple[bool | None, str, str]]:
    """Whether each is met, what it is, and the figures."""
    found = [goal(outcome, mine, other) for mine, others in AGAINST.items() for other in others]
    tampered = outcome.tampered
    missed = len(tampered.overlooked)
    told = f"{tampered.count - missed} of {tampered.count}"
    return [*found, (missed == 0 and tampered.count > 0, "every changed byte is found", told)]


def goal(outcome: Outcome, mine: str, other: str) -> tuple[bool | None, str, str]:
    text = f"`{mine}` is {TIMES} times as fast as `{other}`"
    ratio = times(outcome, mine, other)
    if ratio is None:
        return None, text, "not measured"
    least = "at least " if outcome.rows[other].was_stopped else ""
    return ratio >= TIMES, text, f"{least}{ratio:.1f} times"


def times(outcome: Outcome, mine: str, other: str) -> float | None:
    """How many times as long the other takes, by the clock: installers wait for disks and other programs."""
    rows = [outcome.rows.get(label) for label in (mine, other)]
    if not all(row is not None and row.counts() for row in rows):
        return None
    return rows[1].series.median("wall_ms") / rows[0].series.median("wall_ms")


def guild_failed(outcome: Outcome) -> bool:
    """A guild that breaks, installs less than it should or overlooks a byte fails the benchmark; slowness does not."""
    mine = [outcome.rows.get(label) for label in AGAINST]
    return not all(row is not None and row.counts() for row in mine) or bool(outcome.tampered.overlooked)


def row(outcome: Outcome, label: str) -> tuple[str, ...]:
    found = outcome.rows[label]
    if not found.counts():
        complaint = next((run.complaint for run in found.series.runs if run.exit_code != 0), "")
        return (label, f"{found.there} of {found.wanted}", "", "", "", "", f"does not count: {complaint}"[:120])
    mine = next(mine for mine, others in AGAINST.items() if label == mine or label in others)
    ratio = times(outcome, mine, label)
    note = "stopped before its end" if found.was_stopped else ""
    figures = [found.series.median(quantity) for quantity in ("wall_ms", "cpu_ms", "peak_mb")]
    return (label, str(found.there), *(f"{figure:,.0f}" for figure in figures), f"{ratio:.1f}" if ratio else "", note)
