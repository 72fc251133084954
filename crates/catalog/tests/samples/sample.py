"""What the tests of the bundled samples share: a copy of a skill, files to run it on, and snapshots.

Scripts are started as the platform starts them, each in a process of its own. With UPDATE_EXPECT=1 the snapshots are
written anew.
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

CRATE = pathlib.Path(__file__).resolve().parents[2]
SKILLS = CRATE / "builtins" / "guild-samples" / "skills"
SNAPSHOTS = CRATE / "test_data" / "samples"


class SampleTest(unittest.TestCase):
    """A skill, copied so that nothing is left in the repository, and an empty workspace."""

    maxDiff = None
    skill = None
    script = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.directory = self.scratch / "skill"
        shutil.copytree(SKILLS / self.skill, self.directory, ignore=shutil.ignore_patterns("__pycache__"))
        self.workspace = self.scratch / "workspace"
        self.workspace.mkdir()
        self.output = self.scratch / "output"
        self.output.mkdir()

    def write(self, path, content=""):
        """A file of the workspace; text or bytes."""
        whole = os.path.join(os.fsencode(self.workspace), os.fsencode(path))
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def nest(self, depth, name, content):
        """A file so many directories down, made and removed from within: the whole path may be too long to name."""
        here = os.open(self.workspace, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=here)
            here = self._moved(here, "d")
        with open(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as file:
            file.write(content)

        def climb(here=here):
            os.unlink(name, dir_fd=here)
            for _ in range(depth):
                here = self._moved(here, "..")
                os.rmdir("d", dir_fd=here)
            os.close(here)

        self.addCleanup(climb)

    @staticmethod
    def _moved(here, name):
        there = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        return there

    def start(self, *arguments, privileged=True, memory=None):
        """Runs the script in the workspace: its exit code, standard output and standard error."""
        command = [sys.executable, "-B", str(self.directory / self.script), *arguments]
        if not privileged and os.geteuid() == 0:
            # Without its capabilities even root may read only what the mode of a file allows.
            command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", *command]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
        # An emptied environment, as in the container; a locale that is no UTF-8 must not matter.
        environment = {"LC_ALL": "C", "PYTHONUTF8": "0"}
        done = subprocess.run(command, cwd=self.workspace, env=environment, capture_output=True, preexec_fn=limit)
        return done.returncode, done.stdout, done.stderr

    def run_ok(self, *arguments, privileged=True, memory=None):
        """Standard output of a run that succeeds and says nothing else."""
        code, out, err = self.start(*arguments, "--output_dir", str(self.output), privileged=privileged, memory=memory)
        self.assertEqual((code, err.decode()), (0, ""))
        return out.decode()

    def result(self, *arguments, privileged=True, memory=None):
        """The result of a run as data, which the standard output is."""
        out = self.run_ok(*arguments, privileged=privileged, memory=memory)
        value = json.loads(out)
        self.assertEqual(out, json.dumps(value, indent=2) + "\n")
        return value

    def refusal(self, *arguments):
        """What a run that is refused says, as data."""
        code, out, err = self.start(*arguments)
        self.assertEqual((code, err.decode()), (2, ""))
        return json.loads(out)

    def left(self):
        """The result that a run in a form for people has left."""
        self.assertEqual(os.listdir(self.output), ["response.json"])
        return json.loads((self.output / "response.json").read_text())

    def snapshot(self, name, actual):
        """Compares a text with a stored one."""
        stored = SNAPSHOTS / self.skill / name
        if os.environ.get("UPDATE_EXPECT"):
            stored.parent.mkdir(parents=True, exist_ok=True)
            stored.write_text(actual, newline="\n")
        self.assertEqual(stored.read_text(), actual)

    def assert_harmless(self, report):
        """Nothing in a text acts on a terminal: only line ends and what can be seen."""
        self.assertEqual([c for c in report if c != "\n" and not c.isprintable()], [])
