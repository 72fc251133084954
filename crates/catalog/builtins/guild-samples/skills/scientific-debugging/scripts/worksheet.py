#!/usr/bin/env python3
"""Writes a worksheet for finding the cause of a bug: observe, suppose, predict, experiment, conclude."""

import json
import sys

sys.dont_write_bytecode = True

from command import FORMS, OUTPUT, REQUIRED, Parameter, Refused, choice, path, run, text
from command import cell, columns, grid, printable

PARAMETERS = {
    "bug_description": Parameter(text, REQUIRED),
    "context": Parameter(text, ""),
    "hypotheses": Parameter(text, ""),
    "format": Parameter(choice(FORMS), "markdown"),
    "output_dir": Parameter(path, OUTPUT),
}
FALSIFIER = "(what would rule this out?)"
# What the table holds while there is nothing to put in it.
FIRST_HYPOTHESIS = ("(write your first hypothesis here)", "(what would rule it out?)")

OBSERVATION = (
    "What exactly happens, and what should happen instead?",
    "When did it last work, and what has changed since: code, data, configuration, machine?",
    "Does it happen every time? What is the smallest input that shows it?",
    "What is near it and works?",
)
CONCLUSION = (
    "Root cause, in one sentence:",
    "The evidence that it is this and nothing else:",
    "The fix, and the test that failed before it and passes after it:",
    "Where else the same cause may be at work:",
)


def split_hypotheses(given):
    """The hypotheses in a text: a JSON array, else one a line, else what stands between commas."""
    try:
        entries = json.loads(given) if given.lstrip().startswith("[") else None
    except ValueError:
        entries = None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        lines = _lines(given.strip())
        entries = lines if len(lines) > 1 else given.split(",")
    return [entry.strip() for entry in entries if entry.strip()]


def prepare(values):
    """The result for the values of the parameters."""
    bug = values["bug_description"].strip()
    if not bug:
        raise Refused("--bug_description is empty")
    hypotheses = split_hypotheses(values["hypotheses"])
    result = {
        "bug_description": bug,
        "context": values["context"].strip("\n").rstrip(),
        "hypotheses": [
            {"number": number, "hypothesis": hypothesis, "falsifier": FALSIFIER}
            for number, hypothesis in enumerate(hypotheses, 1)
        ],
    }
    return {**result, "worksheet": worksheet(result)}


def table_rows(result):
    """Number, hypothesis and falsifier of each row; one to fill in where no hypothesis was given."""
    given = [(str(one["number"]), one["hypothesis"], one["falsifier"]) for one in result["hypotheses"]]
    return given or [("1", *FIRST_HYPOTHESIS)]


def worksheet(result):
    """The worksheet in Markdown."""
    rows = table_rows(result)
    context = ["## Context provided by the user", quote(result["context"])] if result["context"] else []
    hypotheses = [[cell(value) for value in row] for row in rows]
    experiments = [[number, "", "", "", ""] for number, _, _ in rows]
    parts = [
        "# Root-Cause Analysis Worksheet",
        "## 0. Bug under investigation",
        quote(result["bug_description"]),
        *context,
        "## 1. Observation",
        "Facts alone, no explanations yet.",
        "".join("- {}\n".format(question) for question in OBSERVATION),
        "## 2. Hypotheses",
        "Each must be able to fail. If nothing could rule it out, it explains nothing.",
        grid(["#", "Hypothesis", "Falsifier (what evidence would rule it out?)"], hypotheses),
        "## 3. Experiments",
        "One change at a time, first the cheapest that tells two apart. Write the prediction before you look.",
        grid(["#", "Prediction if it is true", "Experiment", "Result", "Ruled out?"], experiments),
        "## 4. Evidence",
        "One entry for each result, kept whether it fits or not. Keep what contradicts you.",
        "- [ ] (what was seen, and the command that shows it)",
        "## 5. Conclusion",
        "".join("- {}\n".format(line) for line in CONCLUSION),
    ]
    lines = "\n\n".join(part.strip("\n") for part in parts).split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def quote(given):
    """Text as a quotation, in which no heading, table or fence of its own ends the section that it stands in."""
    return "\n".join(("> " + printable(line.expandtabs())).rstrip() for line in _lines(given))


def report_text(result):
    """The worksheet for a terminal: the same questions without the marks of a page."""
    rows = [(int(number), " ".join(what.split()), falsifier) for number, what, falsifier in table_rows(result)]
    parts = [
        "ROOT-CAUSE ANALYSIS WORKSHEET",
        "BUG UNDER INVESTIGATION\n" + _indented(result["bug_description"]),
        *(["CONTEXT\n" + _indented(result["context"])] if result["context"] else []),
        "1. OBSERVATION\n" + _indented("\n".join(OBSERVATION)),
        "2. HYPOTHESES\n" + _indented(columns(["#", "HYPOTHESIS", "FALSIFIER"], rows)),
        "3. EXPERIMENTS\n" + _indented("For each hypothesis: prediction, experiment, result."),
        "4. EVIDENCE\n" + _indented("What was seen, with the command that shows it again."),
        "5. CONCLUSION\n" + _indented("\n".join(CONCLUSION)),
    ]
    return "\n\n".join(parts) + "\n"


def _indented(given):
    return "\n".join(("  " + printable(line.expandtabs())).rstrip() for line in _lines(given.strip("\n")))


def _lines(given):
    """The lines of a text; only real line ends end one."""
    return given.replace("\r\n", "\n").replace("\r", "\n").split("\n")


if __name__ == "__main__":
    sys.exit(run(PARAMETERS, prepare, {"text": report_text, "markdown": lambda result: result["worksheet"]}))
