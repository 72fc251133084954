#!/usr/bin/env python3
"""Tests of what the benchmark claims: the differences it takes and the verdicts it gives."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "sandbox"), str(HERE.parent / "shared")]

import contest
import summary
import world
from contest import Series
from launcher import Run
from rows import Row, program


def outcome(bare: list[float], run: list[float], sizes: list[Series] = ()) -> summary.Outcome:
    series = [Series(world.BARE, bare), Series(world.RUN, run)]
    return summary.Outcome({"load": "0"}, series, [world.Sustained(2, 100, 4.0)], list(sizes))


def verdicts(told: summary.Outcome) -> list[bool | None]:
    return [goal.met for goal in summary.goals(told)]


class Differences(unittest.TestCase):
    def test_they_are_taken_turn_by_turn(self):
        found = summary.differences(outcome([1.0, 50.0, 2.0], [5.0, 55.0, 9.0]).overhead)
        self.assertEqual([(series.label, series.runs) for series in found],
                         [(summary.beyond(world.BARE), [4.0, 5.0, 7.0])])

    def test_there_are_none_without_runs(self):
        self.assertEqual(summary.differences(outcome([1.0], []).overhead), [])


class Goals(unittest.TestCase):
    def test_the_median_difference_decides(self):
        self.assertEqual(verdicts(outcome([1.0, 1.0, 1.0], [10.9, 10.9, 99.0]))[0], True)
        self.assertEqual(verdicts(outcome([1.0, 1.0, 1.0], [10.9, 11.0, 99.0]))[0], False)

    def test_a_longer_ledger_may_cost_a_little_more(self):
        flat = [Series("1 receipts", [10.0]), Series("2 receipts", [10.9])]
        steep = [Series("1 receipts", [10.0]), Series("2 receipts", [11.5])]
        self.assertEqual([verdicts(outcome([1.0], [2.0], sizes))[1] for sizes in (flat, steep, [])], [True, False, None])


class Text(unittest.TestCase):
    def test_everything_is_in_it(self):
        told = summary.as_text(outcome([1.0], [2.0], [Series("1,000 receipts", note="failed: no room")]))
        for part in (world.RUN, summary.beyond(world.BARE), "25.0", "failed: no room", "unknown"):
            self.assertIn(part, told)


class Evenly(unittest.TestCase):
    def test_slow_rows_run_in_every_round_so_that_they_can_be_compared(self):
        class Slow:
            def launch(self, request: dict) -> Run:
                return Run(1000.0, 0)

        series = contest.hold(Slow(), [Row("slow", program(["slow"]))], 40, evenly=True)
        self.assertEqual(len(series[0].runs), 40)


if __name__ == "__main__":
    unittest.main()
