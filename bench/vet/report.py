"""The figures as text."""

from families import family
from figures import Score, percentile, wilson
from scanners import Run

SETS = ("malskills", "clawhub", "clawhub whole", "atrbench", "trusted")


def score(run: Run, items: list) -> Score:
    malicious = [item for item in items if item.label == "malicious"]
    benign = [item for item in items if item.label == "benign"]
    hit = lambda some: sum(item.path in run.refused for item in some)
    return Score(hit(malicious), len(malicious), hit(benign), len(benign))


def of_half(title: str, runs: list[Run], items: list) -> str:
    lines = [f"## {title}", "", "| set | scanner | recall | false positives | precision | F1 |", "| --- | --- | --- | --- | --- | --- |"]
    for name in sorted({item.set for item in items}, key=order):
        some = [item for item in items if item.set == name]
        for run in runs:
            if run.absent:
                lines.append(f"| {name} | {run.name} | absent: {run.absent} | | | |")
                continue
            lines.append(f"| {name} | {run.name} | {cells(score(run, some))} |")
    hard = [item for item in items if item.label == "benign-hard" and item.set != "clawhub whole"]
    for run in runs:
        lines.append(f"\nbenign-hard refused by {run.name}: {sum(item.path in run.refused for item in hard)} of {len(hard)}")
    return "\n".join(lines)


def order(name: str) -> tuple:
    return (SETS.index(name) if name in SETS else len(SETS), name)


def cells(found: Score) -> str:
    return " | ".join([
        rate(found.found, found.malicious), rate(found.flagged, found.benign), number(found.precision), number(found.f1),
    ])


def rate(hits: int, total: int) -> str:
    if total == 0:
        return "–"
    low, high = wilson(hits, total)
    return f"{hits}/{total} = {hits / total:.3f} [{low:.3f}, {high:.3f}]"


def number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"


def by_family(runs: list[Run], items: list) -> str:
    groups: dict[str, list] = {}
    for item in items:
        if item.label == "malicious":
            groups.setdefault(family(item.path), []).append(item)
    names = [run.name for run in runs if not run.absent]
    lines = ["## Recall by family", "", f"| family | {' | '.join(names)} |", "| --- |" + " --- |" * len(names)]
    for name, some in sorted(groups.items()):
        cells = [rate(sum(item.path in run.refused for item in some), len(some)) for run in runs if not run.absent]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def timing(times: list[float], runs: list[Run], count: int, cold: list[float], newlines: float) -> str:
    lines = ["## Time", ""]
    lines.append(f"guild, in process, {len(times)} skills: p50 {percentile(times, .5):.2f} ms, p99 {percentile(times, .99):.2f} ms, "
                 f"most {max(times):.2f} ms")
    lines.append(f"guild, cold start with one small skill: median {percentile(cold, .5):.1f} ms CPU, least {min(cold):.1f}")
    lines.append(f"guild, 2 MB of newlines: {newlines:.1f} ms CPU")
    for run in runs:
        if not run.absent:
            lines.append(f"{run.name}: {run.seconds:.1f} s for {count} skills, {1000 * run.seconds / max(count, 1):.1f} ms a skill")
    return "\n".join(lines)


def goals(run: Run, items: list, times: list[float], cold: list[float], newlines: float) -> str:
    of = lambda name: score(run, [item for item in items if item.set == name])
    mal, claw, whole = of("malskills"), of("clawhub"), of("clawhub whole")
    benign = [item for item in items if item.label == "benign" and item.set in ("trusted", "clawhub")]
    denied = sum(item.path in run.refused for item in benign) / max(len(benign), 1)
    hard = sum(item.path in run.refused for item in items if item.label == "benign-hard" and item.set != "clawhub whole")
    ours = [item for item in items if item.set == "vendor:anthropics+skills"]
    marks = [
        ("malskills F1 at least .94", mal.f1 >= .94, f"{mal.f1:.3f}"),
        ("malskills false positives at most .02", mal.false_positives <= .02, f"{mal.false_positives:.3f}"),
        ("clawhub recall at least .95", claw.recall >= .95, f"{claw.recall:.3f}"),
        ("trusted and clawhub benign denied at most .01", denied <= .01, f"{denied:.4f}"),
        ("at most one benign-hard denied", hard <= 1, str(hard)),
        ("p50 at most 5 ms", percentile(times, .5) <= 5, f"{percentile(times, .5):.2f}"),
        ("p99 at most 50 ms", percentile(times, .99) <= 50, f"{percentile(times, .99):.2f}"),
        ("cold start at most 20 ms", percentile(cold, .5) <= 20, f"{percentile(cold, .5):.1f}"),
        ("2 MB of newlines under 100 ms", newlines < 100, f"{newlines:.1f}"),
    ]
    if whole.malicious:
        marks.insert(3, ("the same, scripts and images included", whole.recall >= .95, f"{whole.recall:.3f}"))
    if ours:
        count = sum(item.path in run.refused for item in ours)
        marks.append(("anthropics' skills denied: none", count == 0, f"{count} of {len(ours)}"))
    return "\n".join(["## Goals", "", *(f"- {'met' if met else 'NOT MET'}: {name} ({value})" for name, met, value in marks)])
