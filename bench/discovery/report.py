"""Turns the outcome of a benchmark into text for people and into JSON for programs."""

import dataclasses
from dataclasses import dataclass

import tools
from columns import table
from contest import Result
from goals import Goal
from measure import Series
from peers import Peer

FIGURES = ("runs", "CPU ms", "(min)", "wall ms", "peak MB")
HEAD = ("tool", "saw", *FIGURES, "× cold", "× warm", "")
START_HEAD = ("tool", *FIGURES)
VERDICTS = {True: "met", False: "NOT MET", None: "unknown"}


@dataclass(frozen=True)
class Outcome:
    """Everything a report tells."""

    machine: dict[str, str]
    peers: dict[str, Peer]
    results: list[Result]
    start_up: dict[str, Series]
    goals: list[Goal]


def as_text(outcome: Outcome) -> str:
    """The whole report."""
    parts = [", ".join(f"{key} {value}" for key, value in outcome.machine.items())]
    parts.append("peers: " + ", ".join(f"{peer.name} {peer.version}" for peer in outcome.peers.values()))
    for size in sorted({result.size for result in outcome.results}):
        rows = size_rows([result for result in outcome.results if result.size == size])
        parts += [f"\n{size:,} skills", table([HEAD, *rows], numbers=range(1, 9))]
    starts = [(label, *figures(series)) for label, series in outcome.start_up.items()]
    parts += ["\nstart-up", table([START_HEAD, *starts], numbers=range(1, 6))]
    parts += ["\ngoals", table([(VERDICTS[goal.met], goal.text, goal.figures) for goal in outcome.goals])]
    return "\n".join(parts)


def as_json(outcome: Outcome) -> dict:
    """Every run's figures; nothing is averaged away. Paths of this machine stay out."""
    whole = dataclasses.asdict(outcome)
    for peer in whole["peers"].values():
        del peer["program"]
    return whole


def size_rows(results: list[Result]) -> list[tuple[str, ...]]:
    cpu = {result.label: result.series.median("cpu_ms") for result in results if result.counts()}
    return [size_row(result, [cpu.get(tools.COLD), cpu.get(tools.WARM)]) for result in results]


def size_row(result: Result, bases: list[float | None]) -> tuple[str, ...]:
    saw = "" if result.saw is None else f"{result.saw:,}"
    if not result.series.runs:
        return (result.label, saw, *[""] * 7, result.note)
    ratios = (f"{result.series.median('cpu_ms') / base:.2f}" if base else "" for base in bases)
    return (result.label, saw, *figures(result.series), *ratios, result.note)


def figures(series: Series) -> tuple[str, ...]:
    """The cells below FIGURES."""
    return (
        str(len(series.runs)), f"{series.median('cpu_ms'):.1f}", f"({series.least('cpu_ms'):.1f})",
        f"{series.median('wall_ms'):.1f}", f"{series.median('peak_mb'):.1f}",
    )
