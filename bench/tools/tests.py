#!/usr/bin/env python3
"""Tests of what the benchmark claims: its figures, its verdict, and that a client hears what it asked for."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "shared")]

import mcp_client
import figures
from figures import WARM, Row

ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}))
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"said": asked["params"]}}), flush=True)
"""


class Figures(unittest.TestCase):
    def test_the_median_of_the_one_that_stands_by_decides(self):
        self.assertIs(figures.goal([Row("cold", [50.0]), Row(WARM, [1.0, 1.5, 90.0])]), True)
        self.assertIs(figures.goal([Row(WARM, [1.0, 2.5, 3.0])]), False)
        self.assertIsNone(figures.goal([Row(WARM, skipped="it does not start")]))

    def test_what_was_skipped_is_told_with_its_reason(self):
        self.assertIn("no docker here", figures.as_text({"load": "0"}, [Row("docker run", skipped="no docker here")]))

    def test_one_in_twenty_may_be_slower(self):
        self.assertEqual(figures.p95([float(number) for number in range(1, 101)]), 96.0)


class Clients(unittest.TestCase):
    def test_an_answer_is_told_from_a_remark(self):
        asked = mcp_client.Client([sys.executable, "-c", ECHO])
        self.assertEqual(asked.ask("x", {"a": 1})["said"], {"a": 1})
        asked.close()

    def test_a_server_that_never_answers_is_ended(self):
        with self.assertRaisesRegex(RuntimeError, "no answer to initialize"):
            mcp_client.Client([sys.executable, "-c", "import time; time.sleep(600)"], patience=0.1)

    def test_the_first_two_turns_are_not_counted(self):
        turns = []
        self.assertEqual(len(mcp_client.timed(lambda: turns.append(1), 3)), 3)
        self.assertEqual(len(turns), 5)


if __name__ == "__main__":
    unittest.main()
