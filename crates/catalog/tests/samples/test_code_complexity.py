"""code-complexity: scores, order, forms of the answer, and hostile files."""

import json
import os
import re
import unittest

from sample import SampleTest

# Every kind of decision; each function's score stands behind its name.
DECISIONS = '''\
def plain_1():
    pass

def mixed_11(a, b, c):
    if a and b or c:
        pass
    elif [x for x in a if x]:
        pass
    while a:
        try:
            pass
        except:
            pass
    assert a
    for x in b:
        pass
    return 1 if a else 2

def items_and_cases_5(a, b, c):
    with a, b:
        match c:
            case 1:
                pass
            case _:
                pass

async def waiting_4(a):
    async for x in a:
        async with x:
            pass
    return [y async for y in a]

def free_1(a):
    try:
        pass
    finally:
        pass
    return lambda x: x

def two_loops_3(a):
    return {x: y for x in a for y in x if y if x}

def three_operators_4(a):
    return a and a and a and a

class Outer:
    def method_3(self):
        def inner_2():
            if self:
                pass
        if inner_2:
            pass

    class Inner:
        def method_1(self):
            pass
'''


class CodeComplexity(SampleTest):
    skill = "code-complexity"
    script = "scripts/complexity.py"

    def scores(self, *arguments, **options):
        """Names and scores in the order of the result."""
        rows = self.result("--path", ".", *arguments, **options)["results"]
        return [(row["function"], row["complexity"]) for row in rows]

    def test_every_decision_counts_as_the_rules_say(self):
        self.write("all.py", DECISIONS)
        scores = self.scores("--threshold", "0")
        self.assertEqual(len(scores), 10)
        for name, score in scores:
            self.assertEqual(int(name.rsplit("_", 1)[1]), score, name)

    def test_the_answer_in_every_form(self):
        self.write("all.py", DECISIONS)
        self.write("sub/more.py", "def tiny(): pass\ndef some(a):\n    return a or a or a or a or a\n")
        value = self.result("--path", ".", "--threshold", "3", "--top_n", "4")
        self.snapshot("answer.json", json.dumps(value, indent=2) + "\n")
        for form, name in [("text", "answer.txt"), ("markdown", "answer.md")]:
            report = self.run_ok("--path", ".", "--threshold", "3", "--top_n", "4", "--format", form)
            self.snapshot(name, report)
            self.assertEqual(self.left(), value)

    def test_nothing_is_left_beside_an_answer_in_json_or_outside_a_container(self):
        self.result("--path", ".")
        self.assertEqual(os.listdir(self.output), [])
        code, out, err = self.start("--path", ".", "--format", "text", "--output_dir", "nowhere")
        self.assertEqual((code, out, err), (0, b"0 functions of complexity 5 or more in 0 files.\n", b""))

    def test_threshold_and_number_of_rows_have_defaults(self):
        for number in range(30):
            self.write("f{:02}.py".format(number), "def f(a):\n    return a or a or a or a or a\ndef g(): pass\n")
        value = self.result("--path", ".")
        self.assertEqual((value["threshold"], value["top_n"]), (5, 25))
        self.assertEqual((value["functions_found"], len(value["results"])), (30, 25))
        self.assertEqual([row["file"] for row in value["results"]], ["f{:02}.py".format(n) for n in range(25)])

    def test_the_most_complex_come_first_and_ties_in_the_order_of_files_and_lines(self):
        two = "def {}(a):\n    if a: pass\n"
        self.write("z.py", two.format("z1") + two.format("z2"))
        self.write("a/deep/er.py", two.format("deeper"))
        self.write("a/x.py", "class C:\n    def late(self, a):\n        if a: pass\n\n" + two.format("last"))
        self.write("b.py", "def most(a):\n    if a: pass\n    if a: pass\n")
        names = [name for name, _ in self.scores("--threshold", "2")]
        self.assertEqual(names, ["most", "z1", "z2", "late", "last", "deeper"])

    def test_a_function_is_named_by_its_place_in_the_file_too(self):
        self.write("all.py", DECISIONS)
        rows = self.result("--path", ".", "--threshold", "0", "--top_n", "99")["results"]
        names = {row["function"]: row["qualified_name"] for row in rows}
        self.assertEqual(names["inner_2"], "Outer.method_3.inner_2")
        self.assertEqual(names["method_1"], "Outer.Inner.method_1")

    def test_one_file_is_a_path_too_if_it_is_python(self):
        self.write("one.py", "def one(): pass\n")
        self.write("two.txt", "def two(): pass\n")
        value = self.result("--path", "one.py", "--threshold", "1")
        self.assertEqual([row["function"] for row in value["results"]], ["one"])
        value = self.result("--path", "two.txt", "--threshold", "1")
        self.assertEqual((value["files_scanned"], value["skipped"]), (0, [{"file": "two.txt", "reason": "not a .py file"}]))

    def test_directories_of_tools_are_not_searched_but_may_be_named(self):
        skipped = ".git .venv venv node_modules __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache dist build"
        for name in skipped.split():
            self.write("src/" + name + "/inner/hidden.py", "def hidden(): pass\n")
        self.write("src/builder/found.py", "def found(): pass\n")
        self.assertEqual(self.scores("--threshold", "1"), [("found", 1)])
        value = self.result("--path", "src/dist", "--threshold", "1")
        self.assertEqual([row["function"] for row in value["results"]], ["hidden"])

    def test_an_empty_directory_has_no_functions(self):
        value = self.result("--path", ".")
        self.assertEqual((value["files_scanned"], value["results"], value["complete"]), (0, [], True))

    def test_a_file_that_cannot_be_parsed_is_a_row_whatever_the_threshold(self):
        self.write("good.py", "def good(a):\n    if a: pass\n")
        self.write("bad.py", "x = 1\ndef broken(:\n    pass\n")
        self.write("nul.py", b"x = 1\0\n")
        self.write("binary.py", bytes(range(256)) * 40)
        self.write("coding.py", "# coding: no-such-thing\n")
        self.write("latin.py", "# coding: latin-1\ndef caf\u00e9(a):\n    if a: pass\n".encode("latin-1"))
        value = self.result("--path", ".", "--threshold", "2")
        bad = [(row["file"], row["lineno"]) for row in value["results"] if row["function"] == "<syntax error>"]
        self.assertEqual([name for name, _ in bad], ["bad.py", "binary.py", "coding.py", "nul.py"])
        self.assertEqual(bad[0], ("bad.py", 2))
        self.assertEqual((value["syntax_errors"], value["files_scanned"], value["functions_found"]), (4, 6, 6))
        for row in value["results"]:
            self.assertTrue(row["complexity"] == 2 or row["complexity"] == -1 and 0 < len(row["error"]) <= 200)
        report = self.run_ok("--path", ".", "--threshold", "2", "--format", "text")
        self.assertIn("4 files could not be parsed.", report)
        self.assertRegex(report, r"(?m)^  bad\.py:2: \S")

    def test_an_error_does_not_repeat_the_line(self):
        self.write("old.py", "print 'swordfish'\n")
        (row,) = self.result("--path", ".")["results"]
        self.assertEqual(row["error"], "Missing parentheses in call to 'print'")

    def test_a_warning_about_the_code_is_not_printed(self):
        self.write("old.py", 'x = "\\d"\ny = 1 is 1\n')
        self.assertEqual(self.result("--path", ".")["files_scanned"], 1)

    def test_a_path_that_is_not_there_is_refused(self):
        os.symlink("nowhere", self.workspace / "broken")
        for path in ["missing", "broken", "-x", "a|b"]:
            self.assertEqual(self.refusal("--path", path), {"error": "path does not exist: " + path})
        code, out, err = self.start("--path", "no\x1b[31m", "--format", "text")
        self.assertEqual((code, out, err), (2, b"", b"error: path does not exist: no\\x1b[31m\n"))

    def test_parameters_are_checked(self):
        def error(*arguments):
            return self.refusal(*arguments)["error"]

        self.assertEqual(error(), "missing parameter: --path")
        self.assertEqual(error("--path", "."[:0]), "--path is no path")
        self.assertEqual(error("--path"), "parameter without a value: --path")
        self.assertEqual(error("path", "."), "unknown parameter: path")
        self.assertEqual(error("--path", ".", "--treshold", "1"), "unknown parameter: --treshold")
        for value in ["", "x", "1.0", "true", "1_0", "\u0661", "9" * 5000]:
            self.assertEqual(error("--path", ".", "--threshold", value), "--threshold is no whole number")
        self.assertEqual(error("--path=.", "--top_n=-1"), "--top_n must not be below 0")
        self.assertEqual(error("--path", ".", "--format", "xml"), "--format is none of: json, text, markdown")

    def test_hostile_names_stay_names(self):
        names = [
            b"pipe|d.py", b"back\\|slash.py", b"tick`ed``.py", b"esc\x1b[2J.py", b"line\nbreak.py", b"not\xffutf8.py",
            "rtl\u202egnp.py".encode(), b"<b>.py", b"--path.py", b"tail\\.py",
        ]
        for name in names:
            self.write(name, "def f(a):\n    if a: pass\n")
        value = self.result("--path", ".", "--threshold", "2")
        self.snapshot("hostile.json", json.dumps(value, indent=2) + "\n")
        self.assertNotIn("\\ud", json.dumps(value), "a lone surrogate is no text")
        for form, ending in [("text", "txt"), ("markdown", "md")]:
            report = self.run_ok("--path", ".", "--threshold", "2", "--format", form)
            self.assert_harmless(report)
            self.snapshot("hostile." + ending, report)
        rows = [line for line in report.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 2 + len(names))
        for row in rows:
            self.assertEqual(len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)), 4, row)

    def test_links_are_not_followed(self):
        self.write("real/one.py", "def one(): pass\n")
        os.symlink("..", self.workspace / "real" / "loop")
        os.symlink("self.py", self.workspace / "self.py")
        os.symlink("real/one.py", self.workspace / "again.py")
        os.symlink("/etc/passwd", self.workspace / "secret.py")
        os.symlink("nowhere", self.workspace / "dangling")
        value = self.result("--path", ".", "--threshold", "1")
        self.assertEqual([row["file"] for row in value["results"]], ["real/one.py"])
        self.assertEqual([one["file"] for one in value["skipped"]], ["again.py", "secret.py", "self.py", "real/loop"])
        self.assertEqual({one["reason"] for one in value["skipped"]}, {"symbolic link"})

    def test_a_link_that_is_the_path_itself_is_followed(self):
        self.write("real/one.py", "def one(): pass\n")
        os.symlink("real", self.workspace / "directory")
        os.symlink("real/one.py", self.workspace / "file.py")
        for path in ["directory", "file.py"]:
            self.assertEqual(self.result("--path", path, "--threshold", "1")["functions_found"], 1)

    def test_a_pipe_is_not_waited_for(self):
        os.mkfifo(self.workspace / "pipe.py")
        value = self.result("--path", ".")
        self.assertEqual(value["skipped"], [{"file": "pipe.py", "reason": "not a regular file"}])

    def test_what_may_not_be_read_is_told(self):
        self.write("open.py", "def f(): pass\n")
        self.write("closed.py", "def g(): pass\n")
        self.write("locked/inner.py", "def h(): pass\n")
        os.chmod(self.workspace / "closed.py", 0)
        os.chmod(self.workspace / "locked", 0)
        self.addCleanup(os.chmod, self.workspace / "locked", 0o700)
        value = self.result("--path", ".", "--threshold", "1", privileged=False)
        self.assertEqual([row["function"] for row in value["results"]], ["f"])
        self.assertEqual([one["file"] for one in value["skipped"]], ["closed.py", "locked"])
        self.assertEqual({one["reason"] for one in value["skipped"]}, {"Permission denied"})

    def test_a_huge_file_is_left_out_and_the_largest_one_is_read(self):
        self.write("huge.py", b"#" * (512 * 1024 + 1))
        self.write("large.py", b"def f(): pass\n".ljust(512 * 1024, b"#"))
        value = self.result("--path", ".", "--threshold", "1")
        self.assertEqual(value["files_scanned"], 1)
        self.assertEqual(value["skipped"], [{"file": "huge.py", "reason": "larger than 524288 bytes"}])

    def test_the_largest_file_is_read_within_the_memory_of_a_container(self):
        # Statements of one call each make the largest tree for their bytes.
        self.write("calls.py", "def f():\n" + " f()\n" * (512 * 1024 // 5 - 2))
        self.write("numbers.py", "x = [" + "1," * (256 * 1024 - 3) + "]")
        value = self.result("--path", ".", "--threshold", "1", memory=512 * 1024 * 1024)
        self.assertEqual((value["files_scanned"], value["syntax_errors"], value["functions_found"]), (2, 0, 1))

    def test_many_things_left_out_are_counted_and_not_all_named(self):
        for number in range(150):
            os.symlink("x", self.workspace / "l{:03}.py".format(number))
        value = self.result("--path", ".")
        self.assertEqual((value["skipped_total"], len(value["skipped"])), (150, 100))

    def test_directories_nested_deeper_than_calls_may_be(self):
        self.nest(1500, "x.py", b"def deep(): pass\n")
        value = self.result("--path", ".", "--threshold", "1")
        self.assertEqual([row["function"] for row in value["results"]], ["deep"])

    def test_code_nested_deeper_than_calls_may_be(self):
        self.write("attributes.py", "a" + ".b" * 50_000 + "\n")
        self.write("brackets.py", "(" * 5_000 + ")" * 5_000 + "\n")
        self.write("elif.py", "def f(a):\n    if a: pass\n" + "    elif a: pass\n" * 3_000)
        self.write("minus.py", "-" * 100_000 + "1\n")
        self.write("sum.py", "x = " + "+".join(["1"] * 100_000) + "\n")
        self.write("tail.py", "def last(): pass\n")
        value = self.result("--path", ".", "--threshold", "1")
        self.assertEqual(value["files_scanned"], 6)
        self.assertIn("last", [row["function"] for row in value["results"]])


if __name__ == "__main__":
    unittest.main()
