#!/usr/bin/env python3
"""Measures the cyclomatic complexity of every Python function at a path; what counts is in references/scoring.md."""

import ast
import sys

sys.dont_write_bytecode = True

from command import FORMS, OUTPUT, REQUIRED, Parameter, choice, integer, path, run
from command import code, columns, counted, grid, printable
from python_files import Search, Unparsable, tree_of

PARAMETERS = {
    "path": Parameter(path, REQUIRED),
    "threshold": Parameter(integer(0), 5),
    "top_n": Parameter(integer(0), 25),
    "format": Parameter(choice(FORMS), "json"),
    "output_dir": Parameter(path, OUTPUT),
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Each of these is one more way through a function. Python 3.9 has no `match`.
DECISIONS = tuple(
    getattr(ast, name)
    for name in "If For AsyncFor While ExceptHandler Assert IfExp comprehension match_case".split()
    if hasattr(ast, name)
)
UNPARSABLE = "<syntax error>"


def complexity(function):
    """One, and one for each decision in the function, those of the functions inside it included."""
    return 1 + sum(_decisions(node) for node in ast.walk(function))


def _decisions(node):
    if isinstance(node, DECISIONS):
        return 1
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return len(node.items)
    return 0


def functions(tree):
    """Every function of a file with its dotted name, on a stack of its own: trees may be deeper than calls nest."""
    stack = [("", tree)]
    while stack:
        scope, node = stack.pop()
        if isinstance(node, FUNCTIONS):
            yield scope + node.name, node
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            scope += node.name + "."
        stack.extend((scope, child) for child in ast.iter_child_nodes(node))


def rows_of(file, threshold):
    """The rows of one file: its functions from the threshold on, or why it cannot be read."""
    try:
        tree = tree_of(file.source)
    except Unparsable as error:
        row = {"file": file.shown, "function": UNPARSABLE, "lineno": error.line, "complexity": -1}
        return [{**row, "error": str(error)}]
    rows = [
        {
            "file": file.shown,
            "function": function.name,
            "qualified_name": name,
            "lineno": function.lineno,
            "complexity": complexity(function),
        }
        for name, function in functions(tree)
    ]
    return sorted((row for row in rows if row["complexity"] >= threshold), key=lambda row: row["lineno"])


def measure(values):
    """The result for the values of the parameters."""
    search = Search(values["path"])
    rows = [row for file in search.files() for row in rows_of(file, values["threshold"])]
    rows.sort(key=lambda row: -row["complexity"])
    return {
        "files_scanned": search.scanned,
        "functions_found": len(rows),
        "syntax_errors": sum(row["complexity"] < 0 for row in rows),
        "threshold": values["threshold"],
        "top_n": values["top_n"],
        "results": rows[: values["top_n"]],
        **search.summary(),
    }


def summary(result):
    """What was found, in sentences."""
    functions_found = result["functions_found"] - result["syntax_errors"]
    found = "{} of complexity {} or more in {}.".format(
        counted(functions_found, "function"), result["threshold"], counted(result["files_scanned"], "file")
    )
    hidden = result["functions_found"] - len(result["results"])
    notes = [
        (hidden, "The first {} are shown.".format(result["top_n"])),
        (result["syntax_errors"], counted(result["syntax_errors"], "file") + " could not be parsed."),
        (result["skipped_total"], counted(result["skipped_total"], "path") + " left out."),
        (not result["complete"], "There is more than what is looked at."),
    ]
    return " ".join([found] + [note for applies, note in notes if applies])


def report_text(result):
    """The result for a terminal."""
    measured = [row for row in result["results"] if row["complexity"] >= 0]
    rows = [
        (row["complexity"], row["qualified_name"], "{}:{}".format(row["file"], row["lineno"])) for row in measured
    ]
    table = columns(["COMPLEXITY", "FUNCTION", "PLACE"], rows) + "\n" if rows else ""
    return table + summary(result) + "\n" + "".join(printable(line) + "\n" for line in _remarks(result))


def report_markdown(result):
    """The result for a page."""
    rows = [
        [str(row["complexity"]), code(row["qualified_name"]), code("{}:{}".format(row["file"], row["lineno"]))]
        for row in result["results"]
        if row["complexity"] >= 0
    ]
    table = grid(["Complexity", "Function", "Place"], rows) + "\n" if rows else ""
    remarks = "".join("- " + code(line.strip()) + "\n" for line in _remarks(result))
    return "# Complexity\n\n" + table + summary(result) + "\n" + ("\n" + remarks if remarks else "")


def _remarks(result):
    """What could not be measured, and why, as far as the result names it."""
    broken = [row for row in result["results"] if row["complexity"] < 0]
    lines = ["  {}:{}: {}".format(row["file"], row["lineno"], row["error"]) for row in broken]
    return lines + ["  {}: {}".format(one["file"], one["reason"]) for one in result["skipped"]]


if __name__ == "__main__":
    sys.exit(run(PARAMETERS, measure, {"text": report_text, "markdown": report_markdown}))
