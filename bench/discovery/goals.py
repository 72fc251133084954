"""The goals that `guild` is held to, and whether a run met them."""

from dataclasses import dataclass

import tools
from contest import VERSION, Result
from measure import Series

# Linear means that a skill costs about the same in a crowd. The kernel's own caches serve a hundred thousand
# files a little worse than a thousand, hence not 1.0.
GROWTH = 1.5
PEAK_MB = 250
PEAK_AT = 100_000
START_UP_MS = 5


@dataclass(frozen=True)
class Goal:
    """One goal. `met` is None when the figures for it are absent."""

    text: str
    met: bool | None
    figures: str


def judge(results: list[Result], start_up: dict[str, Series]) -> list[Goal]:
    """All goals. A tool that did not show every skill has no figures here."""
    known = {(result.label, result.size): result for result in results if result.counts()}
    cpu = {key: result.series.median("cpu_ms") for key, result in known.items()}
    sizes = sorted({result.size for result in results})
    goals = []
    for size in sizes:
        # The goal is the fastest peer, `skilo list`, though it only looks for two lines in each file. `skilo lint`, which
        # parses and checks every skill as guild does, is there for comparison and does not stand in for it.
        for peer in (tools.SKILO, tools.SKILO_LINT):
            goals.append(within(f"cold CPU at most {peer}'s", cpu, (tools.COLD, size), (peer, 1.0)))
            goals.append(within(f"warm CPU at most a third of {peer}'s", cpu, (tools.WARM, size), (peer, 1 / 3)))
    goals.extend(growth(cpu, label, sizes) for label in (tools.COLD, tools.WARM))
    goals.extend(peak(known, label) for label in (tools.COLD, tools.WARM))
    goals.append(start(start_up[VERSION]))
    return goals


def within(text: str, cpu: dict, key: tuple[str, int], bound: tuple[str, float]) -> Goal:
    size = key[1]
    peer, share = bound
    text = f"{size:,}: {text}"
    ours, theirs = cpu.get(key), cpu.get((peer, size))
    if ours is None or theirs is None:
        return Goal(text, None, "not measured")
    return Goal(text, ours <= theirs * share, f"{ours:.1f} ms of {theirs * share:.1f} ms")


def growth(cpu: dict, label: str, sizes: list[int]) -> Goal:
    text = f"{label} grows linearly"
    each = [(size, cpu[label, size] * 1e3 / size) for size in sizes if (label, size) in cpu]
    if len(each) < 2:
        return Goal(text, None, "needs two sizes")
    figures = ", ".join(f"{cost:.1f} µs per skill at {size:,}" for size, cost in each)
    return Goal(text, each[-1][1] <= each[0][1] * GROWTH, figures)


def peak(known: dict, label: str) -> Goal:
    text = f"{label}: {PEAK_AT:,} skills under {PEAK_MB} MB"
    result = known.get((label, PEAK_AT))
    if result is None:
        return Goal(text, None, "not measured")
    reached = result.series.median("peak_mb")
    return Goal(text, reached < PEAK_MB, f"{reached:.1f} MB")


def start(series: Series) -> Goal:
    text = f"{VERSION} under {START_UP_MS} ms of CPU"
    if any(run.exit_code != 0 for run in series.runs):
        return Goal(text, None, "does not run")
    reached = series.median("cpu_ms")
    return Goal(text, reached < START_UP_MS, f"{reached:.2f} ms")
