#!/usr/bin/env python3
"""Tests of the benchmark itself."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

from corpus import Item, publisher, whole
from figures import Score, percentile, wilson


class Figures(unittest.TestCase):
    def test_an_interval_holds_its_rate(self):
        low, high = wilson(63, 100)
        self.assertAlmostEqual(low, 0.532, places=3)
        self.assertAlmostEqual(high, 0.718, places=3)

    def test_nothing_seen_is_nothing_known(self):
        self.assertEqual(wilson(0, 0), (0.0, 1.0))

    def test_a_score_is_as_published_ones_are_computed(self):
        score = Score(found=63, malicious=100, flagged=14, benign=100)
        self.assertAlmostEqual(score.precision, 0.818, places=3)
        self.assertAlmostEqual(score.f1, 0.712, places=3)

    def test_percentiles_take_the_nearest_rank(self):
        self.assertEqual(percentile([1, 2, 3, 4], 0.5), 2)
        self.assertEqual(percentile(list(range(1, 101)), 0.99), 99)


class Halves(unittest.TestCase):
    def test_one_publisher_is_never_in_both_halves(self):
        halves = {Item("clawhub", label, f"somebody__{name}", Path()).half for label in ("malicious", "benign") for name in "abcdef"}
        self.assertEqual(len(halves), 1)

    def test_a_publisher_is_the_same_in_two_sets(self):
        self.assertEqual(publisher("clawhub", "x1__tool"), publisher("malskills", "x1_tool"))
        self.assertEqual(publisher("clawhub whole", "x1__tool"), publisher("malskills", "x1_tool"))

    def test_whole_skills_are_those_of_the_archive_that_are_labelled(self):
        with tempfile.TemporaryDirectory() as archive:
            (Path(archive) / "skills/x1/tool").mkdir(parents=True)
            (Path(archive) / "skills/x1/other").mkdir()
            items = [Item("clawhub", "malicious", "x1__tool", Path()), Item("clawhub", "benign", "x2__gone", Path())]
            found = [(item.set, item.label, item.name) for item in whole(items, Path(archive))]
        self.assertEqual(found, [("clawhub whole", "malicious", "x1__tool")])


if __name__ == "__main__":
    unittest.main()
