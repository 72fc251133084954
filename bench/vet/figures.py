"""Counts, rates and their uncertainty."""

import math
from dataclasses import dataclass


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a rate."""
    if total == 0:
        return (0.0, 1.0)
    z = 1.959964
    rate = hits / total
    centre = rate + z * z / (2 * total)
    spread = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))


@dataclass(frozen=True)
class Score:
    """What a scanner said of malicious and of benign skills."""

    found: int
    malicious: int
    flagged: int
    benign: int

    @property
    def recall(self) -> float:
        return self.found / self.malicious if self.malicious else math.nan

    @property
    def false_positives(self) -> float:
        return self.flagged / self.benign if self.benign else math.nan

    @property
    def precision(self) -> float:
        said = self.found + self.flagged
        return self.found / said if said else math.nan

    @property
    def f1(self) -> float:
        if not self.found:
            return 0.0 if self.malicious else math.nan
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def percentile(values: list[float], share: float) -> float:
    """A percentile, by the nearest rank."""
    ordered = sorted(values)
    if not ordered:
        return math.nan
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
