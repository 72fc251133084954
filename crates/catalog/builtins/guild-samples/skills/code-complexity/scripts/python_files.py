"""The Python files at a path, in a fixed order and within bounds, and their syntax trees.

The same file stands in two of the samples. No link below the path is followed and nothing but regular files is opened,
so that neither a loop nor a pipe can hold it up; whatever is left out is told.
"""

import ast
import collections
import os
import stat
import warnings

from command import Refused, WORKSPACE, text

SKIPPED = frozenset(
    ".git .venv venv node_modules __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache dist build".split()
)
# The tree of a file takes up to 800 times its bytes, and a container has 512 MB.
MAX_BYTES = 512 * 1024
MAX_FILES = 20_000
MAX_ENTRIES = 400_000
MAX_TOLD = 100
MAX_ERROR = 200

PythonFile = collections.namedtuple("PythonFile", "shown source")


class Unparsable(Exception):
    """The file is no Python that this interpreter reads."""

    def __init__(self, line, message):
        super().__init__(message[:MAX_ERROR])
        self.line = line


class Search:
    """One search below a path; afterwards it knows what was read and what was left out."""

    def __init__(self, path):
        self.path = path
        self.scanned = 0
        self.left_out = []
        self.left_out_total = 0
        self.is_whole = True
        self._entries = 0
        if not os.path.exists(path):
            raise Refused("path does not exist: " + text(path))

    def files(self):
        """Every file with its source, in the order of their paths."""
        for path in self._paths():
            if self.scanned >= MAX_FILES:
                self.is_whole = False
                return
            source = self._read(path)
            if source is not None:
                self.scanned += 1
                yield PythonFile(shown(path), source)

    def skip(self, path, reason):
        """Notes something that is left out, by name as far as the list goes."""
        self.left_out_total += 1
        if len(self.left_out) < MAX_TOLD:
            self.left_out.append({"file": shown(path), "reason": reason})

    def summary(self):
        """What the result says of the search beside its findings."""
        return {
            "skipped": self.left_out,
            "skipped_total": self.left_out_total,
            "complete": self.is_whole,
        }

    def _paths(self):
        if not os.path.isdir(self.path):
            if self.path.endswith(".py"):
                yield os.path.realpath(self.path) if os.path.islink(self.path) else self.path
            else:
                self.skip(self.path, "not a .py file")
            return
        # A stack of its own, because directories may be nested deeper than Python nests calls.
        stack = [self.path]
        while stack:
            directory = stack.pop()
            for entry in self._below(directory):
                if entry.is_symlink():
                    if entry.name.endswith(".py") or _leads_to_directory(entry):
                        self.skip(entry.path, "symbolic link")
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        stack.append(entry.path)
                elif entry.name.endswith(".py"):
                    yield entry.path

    def _below(self, directory):
        """The entries of a directory: its files by name, then its directories so that the stack gives them by name."""
        try:
            with os.scandir(directory) as listing:
                entries = []
                for entry in listing:
                    if self._entries >= MAX_ENTRIES:
                        self.is_whole = False
                        break
                    self._entries += 1
                    entries.append(entry)
        except OSError as error:
            self.skip(directory, error.strerror or "unreadable")
            return []
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        others = [entry for entry in entries if not entry.is_dir(follow_symlinks=False)]
        by_name = lambda entry: os.fsencode(entry.name)
        return sorted(others, key=by_name) + sorted(folders, key=by_name, reverse=True)

    def _read(self, path):
        """The bytes of a regular file; a pipe is not waited for."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            return self.skip(path, error.strerror or "unreadable")
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return self.skip(path, "not a regular file")
            try:
                source = file.read(MAX_BYTES + 1)
            except OSError as error:
                return self.skip(path, error.strerror or "unreadable")
        if len(source) > MAX_BYTES:
            return self.skip(path, "larger than {} bytes".format(MAX_BYTES))
        return source


def _leads_to_directory(entry):
    try:
        return entry.is_dir()
    except OSError:
        return False


def shown(path):
    """A path as people know it: from the workspace, and as text whatever its bytes."""
    whole = os.path.normpath(path)
    inside = WORKSPACE + os.sep
    return text(whole[len(inside) :] if whole.startswith(inside) else whole)


def tree_of(source):
    """The syntax tree of a file's bytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        # Behind these words Python 3.9 repeats the line, with whatever it holds.
        message = (error.msg or "invalid syntax").partition(". Did you mean")[0]
        raise Unparsable(error.lineno or 1, message) from None
    except (RecursionError, MemoryError):
        raise Unparsable(1, "nested too deeply, or too large") from None
    except ValueError as error:
        raise Unparsable(1, str(error)) from None
