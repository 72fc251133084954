#!/usr/bin/env python3
"""Tests of what the benchmark claims: the figures it takes, the verdicts it gives, the rows it leaves out."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1] / "shared"))

import bundle
import contest
import goals
import report
import rows
from contest import Series
from launcher import Run, last_line
from rows import Row


class Answers:
    """Stands for the launcher: says what it was told to, and remembers what it was asked."""

    def __init__(self, answers: dict[str, Run]):
        self.answers = answers
        self.asked: list[str] = []

    def launch(self, request: dict) -> Run:
        self.asked.append(request["argv"][0])
        return self.answers[request["argv"][0]]


def row(name: str) -> Row:
    return Row(name, rows.program([name]))


class Contests(unittest.TestCase):
    def test_take_turns_and_do_not_count_the_first(self):
        launcher = Answers({"a": Run(1.0, 0), "b": Run(2.0, 0)})
        held = contest.hold(launcher, [row("a"), row("b")], 4)
        self.assertEqual(launcher.asked, ["a", "b"] * (contest.WARM_UPS + 4))
        self.assertEqual([series.runs for series in held], [[1.0] * 4, [2.0] * 4])

    def test_run_what_is_slow_less_often_but_twenty_times(self):
        launcher = Answers({"fast": Run(1.0, 0), "slow": Run(300.0, 0)})
        fast, slow = contest.hold(launcher, [row("fast"), row("slow")], 100)
        self.assertEqual((len(fast.runs), len(slow.runs)), (100, contest.FEWEST))

    def test_leave_out_what_fails_with_its_own_words(self):
        launcher = Answers({"a": Run(1.0, 0), "b": Run(2.0, 1, "no such thing")})
        a, b = contest.hold(launcher, [row("a"), row("b")], 2)
        self.assertEqual((len(a.runs), b.runs, b.note), (2, [], "failed: no such thing"))
        self.assertEqual(launcher.asked.count("b"), 1)

    def test_keep_the_place_of_what_is_missing(self):
        (missing,) = contest.hold(Answers({}), [Row("x", None, "not installed: x")], 2)
        self.assertEqual((missing.counts(), missing.note), (False, "not installed: x"))

    def test_number_what_needs_a_name_of_its_own(self):
        self.assertEqual(Row("x", rows.program(["run", "box-{n}"])).numbered(7)["argv"], ["run", "box-7"])
        self.assertEqual(Row("x", {"launch": "embedded"}).numbered(7), {"launch": "embedded"})


class Figures(unittest.TestCase):
    def test_are_of_runs_that_were_measured(self):
        series = Series("x", [float(number) for number in range(100, 0, -1)])
        self.assertEqual((series.least(), series.median(), series.nearly_all()), (1.0, 50.5, 95.0))
        self.assertEqual(Series("x", [3.0]).nearly_all(), 3.0)

    def test_stand_beside_the_floor_and_bwrap(self):
        held = [Series(rows.FLOOR, [2.0]), Series(rows.EMBEDDED, [3.0]), Series(rows.CRUN, note="not installed: crun")]
        cells = [report.row_of(held)(series) for series in held]
        self.assertEqual(cells[1], ("embedded", "1", "3.00", "3.00", "3.00", "1.50", "", ""))
        self.assertEqual(cells[2], ("crun run", "", "", "", "", "", "", "not installed: crun"))


class Verdicts(unittest.TestCase):
    CLEAN = {"launches": 1200, "containers": 200, "before": {"mounts": 3}, "after": {"mounts": 3}}

    def check(self, times: dict[str, float], expected: list[bool | None]):
        labels = (rows.FLOOR, rows.EMBEDDED, rows.PREPARED, rows.BWRAP, rows.DOCKER)
        held = [Series(label, [times[label]] if label in times else []) for label in labels]
        self.assertEqual([goal.met for goal in goals.judge(held, self.CLEAN)], [*expected, True])

    def test_compare_medians_with_the_goals(self):
        times = {rows.FLOOR: 4.0, rows.EMBEDDED: 6.0, rows.PREPARED: 3.0, rows.BWRAP: 6.0, rows.DOCKER: 300.0}
        self.check(times, [True, True, True, True])
        self.check({**times, rows.EMBEDDED: 6.1, rows.PREPARED: 3.1}, [False, False, False, False])

    def test_are_unknown_without_figures(self):
        self.check({rows.EMBEDDED: 6.0}, [None, None, None, None])

    def test_name_what_was_left_behind(self):
        dirty = {**self.CLEAN, "before": {"mounts": 3, "cgroups": 0}, "after": {"mounts": 3, "cgroups": 4}}
        verdict = goals.clean(dirty)
        self.assertEqual((verdict.met, verdict.figures), (False, "cgroups 0 → 4"))
        self.assertEqual(goals.clean({"failed": "no cgroups"}).met, False)


class Bundles(unittest.TestCase):
    def test_have_every_namespace_and_no_privilege(self):
        described = bundle.configuration()
        self.assertEqual({space["type"] for space in described["linux"]["namespaces"]}, set(bundle.NAMESPACES))
        self.assertFalse(any(described["process"]["capabilities"].values()))
        self.assertTrue(described["process"]["noNewPrivileges"] and described["root"]["readonly"])


class Complaints(unittest.TestCase):
    def test_are_the_last_thing_said(self):
        self.assertEqual(last_line("first\n  why \n\n"), "why")
        self.assertEqual(last_line(""), "")


if __name__ == "__main__":
    unittest.main()
