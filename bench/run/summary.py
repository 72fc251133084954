"""Turns the figures into text for people and into JSON for programs, and says whether the goals are met."""

import dataclasses
import statistics
from dataclasses import dataclass

import world
from columns import table
from contest import Series

GOAL_MS = 10.0
# A ledger a thousand times as long may cost this much more, in parts of one.
FLAT = 0.10
HEAD = ("", "runs", "min ms", "median ms", "p95 ms", "")
VERDICTS = {True: "met", False: "NOT MET", None: "unknown"}


@dataclass(frozen=True)
class Goal:
    """One goal. `met` is None when the figures for it are absent."""

    text: str
    met: bool | None
    figures: str


@dataclass(frozen=True)
class Outcome:
    """Everything a report tells."""

    machine: dict[str, str]
    overhead: list[Series]
    sustained: list[world.Sustained]
    sizes: list[Series]


def as_text(outcome: Outcome) -> str:
    """The whole report."""
    lines = [", ".join(f"{key} {value}" for key, value in outcome.machine.items()), "", "one run"]
    lines += [table([HEAD, *map(row, [*outcome.overhead, *differences(outcome.overhead)])], numbers=range(1, 5))]
    lines += ["", "many runs from one process"]
    lines += [table([("at a time", "runs", "seconds", "a second"), *map(rate_row, outcome.sustained)], numbers=range(0, 4))]
    lines += ["", "one run, by the length of the ledger", table([HEAD, *map(row, outcome.sizes)], numbers=range(1, 5))]
    lines += ["", table([(VERDICTS[goal.met], goal.text, goal.figures) for goal in goals(outcome)])]
    return "\n".join(lines)


def as_json(outcome: Outcome) -> dict:
    """Every run's figures; nothing is averaged away."""
    return dataclasses.asdict(outcome)


def differences(overhead: list[Series]) -> list[Series]:
    """What `guild run` took more than each of the others, turn by turn, so that a busy moment hits both."""
    known = {series.label: series for series in overhead}
    mine = known.get(world.RUN)
    if mine is None or not mine.counts():
        return []
    others = [known[label] for label in (world.BARE, world.CONTAINED) if label in known and known[label].counts()]
    return [Series(beyond(other.label), [one - two for one, two in zip(mine.runs, other.runs)]) for other in others]


def beyond(label: str) -> str:
    return f"{world.RUN} beyond {label}"


def goals(outcome: Outcome) -> list[Goal]:
    """The goals, and whether they are met."""
    return [cheap(differences(outcome.overhead)), flat(outcome.sizes)]


def cheap(compared: list[Series]) -> Goal:
    """Against the script alone, so that the command's own start counts too."""
    text = f"a cold `guild run` costs less than {GOAL_MS:.0f} ms beyond the script in its container"
    found = [series for series in compared if series.label == beyond(world.BARE)]
    if not found:
        return Goal(text, None, "not measured")
    median = statistics.median(found[0].runs)
    return Goal(text, median < GOAL_MS, f"{median:.2f} ms at the median")


def flat(sizes: list[Series]) -> Goal:
    """The longest ledger against the shortest."""
    text = "a run costs the same whatever the length of the ledger"
    if len(sizes) < 2 or not all(series.counts() for series in sizes):
        return Goal(text, None, "not measured")
    first, last = sizes[0], sizes[-1]
    share = last.median() / first.median() - 1
    return Goal(text, share <= FLAT, f"{share:+.1%} from {first.label} to {last.label}")


def row(series: Series) -> tuple[str, ...]:
    if not series.counts():
        return (series.label, *[""] * 4, series.note)
    times = (series.least(), series.median(), series.nearly_all())
    return (series.label, str(len(series.runs)), *(f"{time:.2f}" for time in times), series.note)


def rate_row(one: world.Sustained) -> tuple[str, ...]:
    return (str(one.workers), str(one.runs), f"{one.seconds:.1f}", f"{one.rate():.1f}")
