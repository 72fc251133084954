"""How a sample skill is called and how it answers: `--name value` in; JSON, text or Markdown out.

The same file stands in each of the samples, because a skill runs from its own directory alone.
"""

import collections
import json
import os
import re
import sys
import tempfile

FORMS = ("json", "text", "markdown")
REQUIRED = object()
# Where the caller's files are in the container, and where a run leaves its result.
WORKSPACE = "/workspace"
OUTPUT = "/output"

Parameter = collections.namedtuple("Parameter", "read default")


class Refused(Exception):
    """The request cannot be carried out; the details join the message in the answer."""

    def __init__(self, message, **details):
        super().__init__(message)
        self.details = details


def text(value):
    """Any text; bytes that are no UTF-8 are written out."""
    return os.fsencode(value).decode("utf-8", "backslashreplace")


def path(value):
    """A path, exactly as it was given."""
    if not value or "\0" in value:
        raise ValueError("is no path")
    return value


def integer(least):
    """A reader of whole numbers that are not below `least`."""

    def read(value):
        if not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise ValueError("is no whole number")
        number = int(value)
        if number < least:
            raise ValueError("must not be below {}".format(least))
        return number

    return read


def choice(values):
    """A reader of one of some words."""

    def read(value):
        if value not in values:
            raise ValueError("is none of: " + ", ".join(values))
        return value

    return read


def parameters(arguments, declared):
    """The values of `--name value …` and `--name=value …`; a value may begin with a dash."""
    given = {}
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or name[2:] not in declared:
            raise Refused("unknown parameter: " + text(name), valid=sorted(declared))
        if not equals:
            if not rest:
                raise Refused("parameter without a value: " + text(name))
            value = rest.pop(0)
        given[name[2:]] = value
    return {name: _value(name, given, parameter) for name, parameter in declared.items()}


def _value(name, given, parameter):
    if name not in given:
        if parameter.default is REQUIRED:
            raise Refused("missing parameter: --" + name)
        return parameter.default
    try:
        return parameter.read(given[name])
    except ValueError as error:
        raise Refused("--{} {}".format(name, error)) from None


def run(declared, work, reports):
    """Runs a skill: reads its parameters, does the work, answers, and gives the exit code.

    `work` makes the result out of the values. `reports` has a writer of the whole answer for each form but JSON.
    """
    values = {"format": _wanted_form(sys.argv[1:], declared["format"].default)}
    try:
        values = parameters(sys.argv[1:], declared)
        result = work(values)
    except Refused as refusal:
        return _refuse(refusal, values["format"])
    if values["format"] == "json":
        _write(json.dumps(result, indent=2) + "\n")
    else:
        # The report is for people; whoever runs the skill gets the same as data.
        _leave(result, values["output_dir"])
        _write(reports[values["format"]](result))
    return 0


def _wanted_form(arguments, default):
    """The form of the answer even where the other parameters are no good."""
    for at, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == "--format":
            value = value if equals else "".join(arguments[at + 1 : at + 2])
            return value if value in FORMS else default
    return default


def _refuse(refusal, form):
    answer = {"error": str(refusal), **refusal.details}
    if form == "json":
        _write(json.dumps(answer, indent=2) + "\n")
    else:
        notes = ["{}: {}".format(key, ", ".join(value)) for key, value in refusal.details.items()]
        lines = ["error: " + str(refusal)] + notes
        _write("".join(printable(line) + "\n" for line in lines), sys.stderr)
    return 2


def _leave(result, directory):
    """Leaves the result for whoever runs the skill; outside a container there is nobody to leave it for."""
    if not os.path.isdir(directory):
        return
    descriptor, temporary = tempfile.mkstemp(dir=directory, prefix=".response")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(result, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(directory, "response.json"))


def _write(report, stream=None):
    """Writes UTF-8 whatever the locale; a reader who has seen enough is no error."""
    stream = stream or sys.stdout
    try:
        stream.buffer.write(report.encode("utf-8", "backslashreplace"))
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def printable(value):
    """Text on one line in which nothing acts on a terminal: what cannot be seen is written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)


def cell(value):
    """Text as one cell of a Markdown table: no pipe in it ends the cell."""
    return _bordered(printable(" ".join(value.split())))


def _bordered(flat):
    # A backslash before a pipe would undo the escape, and one at the end would swallow the cell's own border.
    return re.sub(r"(?<!\\)(\\*)(\||$)", lambda m: m[1] * 2 + ("\\|" if m[2] else ""), flat)


def code(value):
    """Text as code in a cell of a Markdown table, in a fence that is longer than any in the text."""
    inner = printable(value)
    fence = "`" * (max((len(run) for run in re.findall("`+", inner)), default=0) + 1)
    blank = " " if inner[:1] in ("`", " ") or inner[-1:] in ("`", " ") else ""
    return _bordered(fence + blank + inner + blank + fence)


def columns(heads, rows):
    """A table for a terminal: numbers to the right, text to the left, nothing behind the last column."""
    shown = [[printable(str(value)) for value in row] for row in rows]
    widths = [max(len(row[at]) for row in [heads, *shown]) for at in range(len(heads))]
    right = [all(isinstance(row[at], int) for row in rows) for at in range(len(heads))]

    def line(row):
        parts = [v.rjust(w) if r else v.ljust(w) for v, w, r in zip(row, widths, right)]
        return "  ".join(parts).rstrip() + "\n"

    return "".join(line(row) for row in [heads, *shown])


def grid(heads, rows):
    """A table in Markdown, out of cells."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def counted(number, word):
    """A number with its word: `1 file`, `2 files`."""
    return "{} {}{}".format(number, word, "" if number == 1 else "s")
