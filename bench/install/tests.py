#!/usr/bin/env python3
"""Tests of what the benchmark claims: what counts, what is compared, and which answers name a change."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1] / "shared"))

import report
import tamper
import world
from measure import Run, Series
from world import Installed


def installed(wall: float, there: int = 5, code: int = 0) -> Installed:
    return Installed(Series([Run(wall, wall, 1.0, code)]), 5, there)


def outcome(**rows: Installed) -> report.Outcome:
    known = {"add": world.ADD, "skills": world.SKILLS_ADD, "verify": world.VERIFY, "frozen": world.FROZEN}
    return report.Outcome({}, {known[name]: row for name, row in rows.items()}, tamper.Tampered(1, []))


class Goals(unittest.TestCase):
    def verdict(self, one: report.Outcome) -> bool | None:
        return report.goals(one)[0][0]

    def test_ten_times_is_enough_and_nine_is_not(self):
        self.assertIs(self.verdict(outcome(add=installed(1), skills=installed(10))), True)
        self.assertIs(self.verdict(outcome(add=installed(1), skills=installed(9))), False)

    def test_who_installs_less_or_fails_is_not_compared(self):
        for broken in (installed(10, there=4), installed(10, code=1)):
            self.assertIsNone(self.verdict(outcome(add=installed(1), skills=broken)))

    def test_a_guild_that_overlooks_a_byte_fails(self):
        whole = {name: installed(1) for name in ("add", "verify", "frozen")}
        self.assertFalse(report.guild_failed(outcome(**whole)))
        overlooked = report.Outcome({}, outcome(**whole).rows, tamper.Tampered(2, ["a"]))
        self.assertTrue(report.guild_failed(overlooked))
        self.assertTrue(report.guild_failed(outcome(add=installed(1))))


class Tampering(unittest.TestCase):
    def test_an_answer_names_the_one_file_that_was_changed(self):
        root = Path("/skills")
        path = root / "saw" / "SKILL.md"
        answer = lambda changed: json.dumps({"data": {"ok": not changed, "changed": changed}})
        self.assertTrue(tamper.names(answer([{"name": "saw", "path": "SKILL.md"}]), root, path))
        self.assertFalse(tamper.names(answer([{"name": "plane", "path": "SKILL.md"}]), root, path))
        self.assertFalse(tamper.names(answer([{"name": "saw", "path": "SKILL.md"}] * 2), root, path))
        self.assertFalse(tamper.names(answer([]), root, path))
        self.assertFalse(tamper.names("", root, path))


class Places(unittest.TestCase):
    def test_a_skill_is_installed_with_all_of_its_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            place = world.Place(Path(scratch) / "project", Path(scratch) / "home")
            place.empty()
            skill = place.project / ".guild/skills/saw"
            skill.mkdir(parents=True)
            (skill / "SKILL.md").touch()
            self.assertEqual(world.installed(place), 0)
            (skill / "reference.md").touch()
            self.assertEqual(world.installed(place), 1)
            place.empty()
            self.assertEqual(world.installed(place), 0)


if __name__ == "__main__":
    unittest.main()
