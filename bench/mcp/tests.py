#!/usr/bin/env python3
"""Tests of what the benchmark claims: its figures and goals, and that an answer is read from either form."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "shared")]

import figures
import load
import servers
from figures import GUILD, Row


class Figures(unittest.TestCase):
    def test_the_fastest_peer_that_does_it_is_compared_with(self):
        rows = [Row(GUILD, 10, start=[2.0], search=[1.0]), Row("a", 10, start=[300.0, 100.0, 200.0]), Row("b", 10, start=[900.0]),
                Row("a", 5, start=[1.0])]
        self.assertEqual(figures.factor(rows, 10, "start"), 100.0)
        self.assertIsNone(figures.factor(rows, 10, "search"), "nobody else searches")

    def test_tokens_that_differ_are_not_constant(self):
        self.assertIs(figures.is_constant([Row(GUILD, 10, tokens=5), Row(GUILD, 1000, tokens=5), Row("a", 10, tokens=9)]), True)
        self.assertIs(figures.is_constant([Row(GUILD, 10, tokens=5), Row(GUILD, 1000, tokens=6)]), False)
        self.assertIsNone(figures.is_constant([Row(GUILD, 10)]))

    def test_what_is_missing_is_shown_as_missing(self):
        text = figures.as_text({"cores": "2"}, [Row(GUILD, 10, start=[2.0], tokens=5), Row("a", 10, skipped="not installed")], None)
        self.assertIn("not installed", text)
        self.assertIn("nobody to compare with", text)


class Pressure(unittest.TestCase):
    def test_an_answer_is_read_as_json_and_from_a_stream(self):
        self.assertEqual(load.answer('{"id": 1, "result": 2}')["result"], 2)
        stream = 'data:\n\nevent: message\ndata: {"method": "note"}\n\ndata: {"id": 1, "result": 3}\n\n'
        self.assertEqual(load.answer(stream)["result"], 3)

    def test_growth_compares_the_middle_with_the_end(self):
        steady = load.Load(1, 1.0, 1, [], [10.0] + [50.0] * 7)
        self.assertAlmostEqual(steady.growth, 1.0)
        grown = load.Load(1, 2.0, 10, [], [10.0, 10.0, 10.0, 10.0, 20.0, 20.0, 30.0, 30.0])
        self.assertAlmostEqual(grown.growth, 3.0)
        self.assertEqual(grown.rate, 5.0)


class Servers(unittest.TestCase):
    def test_whoever_has_no_search_says_so(self):
        path = Path("/x")
        self.assertIsNone(servers.skillz(path).search)
        self.assertEqual(servers.fastmcp(path).load("a")[0], "resources/read")
        self.assertEqual(servers.guild(path).search("a b"), ("tools/call", {"name": "skill_search", "arguments": {"query": "a b"}}))


if __name__ == "__main__":
    unittest.main()
