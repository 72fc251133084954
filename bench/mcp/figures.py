"""What was measured, laid out, and which goals are met."""

import statistics
from dataclasses import dataclass, field

import columns

GUILD = "guild mcp"
TIMES = 50


@dataclass
class Row:
    """One server at one number of skills; times in milliseconds."""

    server: str
    skills: int
    start: list[float] = field(default_factory=list)
    search: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    tokens: int | None = None
    instructions: int | None = None
    skipped: str = ""


def tokens(text: str) -> int:
    """About as many as models count: one for four characters of JSON. The same measure for all, and not any model's own."""
    return (len(text) + 3) // 4


def median(taken: list[float]) -> float | None:
    return statistics.median(taken) if taken else None


def factor(rows: list[Row], skills: int, quantity: str) -> float | None:
    """How many times slower the fastest other server is; nothing where nobody else does it."""
    at = [row for row in rows if row.skills == skills]
    ours = next((median(getattr(row, quantity)) for row in at if row.server == GUILD), None)
    others = [median(getattr(row, quantity)) for row in at if row.server != GUILD and getattr(row, quantity)]
    return min(others) / ours if ours and others else None


def is_constant(rows: list[Row]) -> bool | None:
    """Whether the tools of `guild` cost the same however many skills there are."""
    counted = {row.tokens for row in rows if row.server == GUILD and row.tokens is not None}
    return len(counted) == 1 if counted else None


def as_text(facts: dict[str, str], rows: list[Row], load) -> str:
    """Everything for people."""
    def time(taken: list[float]) -> str:
        return f"{median(taken):,.2f}" if taken else "-"

    def count(number: int | None) -> str:
        return "-" if number is None else f"{number:,}"

    table = [("server", "skills", "first reply ms", "tools tok", "instr. tok", "search ms", "load ms", "")]
    for row in rows:
        table.append((row.server, f"{row.skills:,}", time(row.start), count(row.tokens), count(row.instructions),
                      time(row.search), time(row.load), row.skipped))
    lines = [", ".join(f"{name}: {value}" for name, value in facts.items()), "", columns.table(table, range(1, 7)), ""]
    for size in sorted({row.skills for row in rows}):
        for quantity, what in (("start", "first reply"), ("search", "search")):
            times = factor(rows, size, quantity)
            verdict = "nobody to compare with" if times is None else f"{times:,.0f} times the fastest peer's speed: {'met' if times >= TIMES else 'NOT met'}"
            lines.append(f"  {what} at {size:,} skills, goal {TIMES} times: {verdict}")
    lines.append(f"  tokens of the tools are constant: {is_constant(rows)}")
    if load:
        lines.append(f"  {load.clients} clients for {load.seconds:.0f} s: {load.rate:,.0f} calls/s, {load.calls:,} calls, {len(load.errors)} errors, "
                     f"memory {load.memory_mb[0]:.0f} to {load.memory_mb[-1]:.0f} MB (grew {load.growth:.2f} times)")
        lines += [f"    {error}" for error in load.errors[:5]]
    return "\n".join(lines)


def as_json(facts: dict[str, str], rows: list[Row], load) -> dict:
    """Everything for programs."""
    return {"machine": facts, "rows": [vars(row) for row in rows], "load": vars(load) if load else None}
