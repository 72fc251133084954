#!/usr/bin/env python3
"""Tests of what the benchmark claims: its figures, its verdicts, that errors are counted and that answers are told from questions."""

import http.server
import os
import sys
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "shared")]

import crowd
import figures
import visitor
from figures import Row


class Answers(http.server.BaseHTTPRequestHandler):
    """A server of two files and one error."""

    protocol_version = "HTTP/1.1"
    pages = {"/skills": b'<link href="/assets/a.css"><script src="/assets/b.js"></script><input name="csrf-token" value="0a">',
             "/assets/a.css": b"12345", "/assets/b.js": b"123"}

    def do_GET(self):
        body = self.pages.get(self.path, b"")
        self.send_response(200 if self.path in self.pages else 500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Figures(unittest.TestCase):
    def test_the_median_decides_and_without_figures_nothing_is_met(self):
        self.assertIs(Row("a", "ms", [1.0, 2.0, 90.0], 3.0).met(), True)
        self.assertIs(Row("a", "ms", [1.0, 3.0, 4.0], 3.0).met(), False)
        self.assertIsNone(Row("a", "ms", [], 3.0).met())
        self.assertIsNone(Row("a", "ms", [1.0]).met())

    def test_what_was_skipped_is_told_with_its_reason(self):
        self.assertIn("no container", figures.as_text({}, [Row("trip", "ms", goal=1.0, skipped="no container")], []))

    def test_one_error_is_one_too_many(self):
        self.assertIs(Row("errors", "in all", [0.0], 1.0).met(), True)
        self.assertIs(Row("errors", "in all", [1.0], 1.0).met(), False)

    def test_memory_is_compared_after_it_has_warmed_up(self):
        self.assertAlmostEqual(crowd.Crowd(memory=[10.0, 100.0, 110.0]).growth(), 0.1)
        self.assertIsNone(crowd.Crowd(memory=[10.0]).growth())


class Visits(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.person = visitor.Visitor(self.server.server_address[1])

    def tearDown(self):
        self.person.connection.close()
        self.server.shutdown()
        self.server.server_close()

    def test_a_first_visit_counts_everything_that_the_page_names(self):
        sizes = visitor.first_visit(self.person)
        self.assertEqual(sum(sizes.values()), len(Answers.pages["/skills"]) + 8)
        self.assertEqual(self.person.form_token(), "0a")

    def test_an_answer_that_is_no_success_is_an_error(self):
        with self.assertRaises(RuntimeError):
            self.person.get("/nowhere")

    def test_every_failed_answer_of_a_crowd_is_counted(self):
        seen = crowd.gather(self.person, os.getpid(), 2, 0.3, lambda: None)
        wrong = [error for error in seen.errors if "500" in error]
        self.assertGreater(len(wrong), 0)
        self.assertGreater(seen.answers, len(wrong) - 1)
        self.assertGreater(seen.writes, 0)


class Messages(unittest.TestCase):
    def test_an_answer_is_one_message_or_a_stream_of_them(self):
        self.assertEqual(visitor.messages(b'{"id": 1}'), [{"id": 1}])
        stream = b'event: message\ndata: {"method": "elicitation/create"}\n\n:\n\ndata: {"id": 2}\n\n'
        self.assertEqual(visitor.messages(stream), [{"method": "elicitation/create"}, {"id": 2}])


if __name__ == "__main__":
    unittest.main()
