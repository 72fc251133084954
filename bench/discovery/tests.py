#!/usr/bin/env python3
"""Tests of what the benchmark claims: the skills it makes, the counts it takes, the verdicts it gives."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1] / "shared"))

import goals
import skills
import tools
from contest import VERSION, Result
from measure import Command, Run, Series, run_once


class GeneratedSkills(unittest.TestCase):
    def test_have_unique_names_that_the_counters_recognise(self):
        names = [skills.skill_name(index) for index in range(100_000)]
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue(all(map(tools.is_generated, names)))

    def test_are_the_same_every_time(self):
        self.assertEqual(skills.skill_text(42, skills.WILD), skills.skill_text(42, skills.WILD))

    def test_have_descriptions_of_ordinary_length(self):
        for index in range(2000):
            line = skills.description_line(index, skills.Draw(str(index)))
            text = line.removeprefix("description: ").removeprefix(">-\n  ").strip('"')
            self.assertTrue(120 <= len(text) <= 300 and text.isascii(), line)

    def test_use_one_line_json_in_the_wild_only(self):
        texts = {dialect: [skills.skill_text(index, dialect) for index in range(200)] for dialect in ("wild", "spec")}
        self.assertTrue(any("metadata: {" in text for text in texts["wild"]))
        self.assertFalse(any("metadata: {" in text for text in texts["spec"]))

    def test_lie_in_a_repository_root(self):
        with tempfile.TemporaryDirectory() as data:
            project = skills.generate(Path(data), 3, skills.WILD)
            self.assertTrue((project / ".git").is_dir())
            self.assertEqual(len(list(skills.skill_root(project).glob("*/SKILL.md"))), 3)


class Counts(unittest.TestCase):
    def check(self, label: str, output: str, expected: int):
        tool = next(tool for tool in tools.TOOLS if tool.label == label)
        self.assertEqual(tool.count(output), expected)

    def test_of_guild_leave_out_built_in_and_unread_skills(self):
        described = {"description": "d" * skills.DESCRIPTION_LEAST}
        listed = [
            {"name": "audit-reports-000001", **described},
            {"name": "audit-reports-000017", "description": ""},
            {"name": "review", **described},
        ]
        self.check(tools.COLD, json.dumps({"status": "ok", "data": {"skills": listed}}), 1)

    def test_of_broken_output_are_zero(self):
        for text in ("", "not json", "[]", '{"data": null}'):
            self.check(tools.WARM, text, 0)

    def test_of_the_peers_follow_their_output(self):
        self.check(tools.SKILO, "Project skills:\n  Claude Code:\n    audit-reports-000001  Audit...\n", 1)
        self.check(tools.SKILO_ONE_AGENT, "  audit-reports-000001    Audit...\n  audit-tickets-000002    x\n", 2)
        self.check("skilo lint", "\n✓ 1000 skill(s) checked, no issues found\n", 1000)
        self.check("openskills list", "  audit-reports-000001      (project)\n    Audit reports\n\n", 1)
        self.check("skills list --json", '[{"name": "audit-reports-000001", "agents": []}]', 1)
        self.check("agentskills to-prompt", "<name>\naudit-reports-000001\n</name>\n", 1)


class Goals(unittest.TestCase):
    def verdicts(self, figures: dict, saw_all: bool = True) -> dict:
        """Judges made-up figures: (label, size) to (CPU ms, peak MB)."""
        results = [
            Result(label, size, size if saw_all else 0, "", Series([Run(cpu, cpu, peak, 0)]))
            for (label, size), (cpu, peak) in figures.items()
        ]
        start = {VERSION: Series([Run(2.0, 1.0, 5.0, 0)])}
        return {goal.text: goal.met for goal in goals.judge(results, start)}

    def test_are_met_at_the_bound(self):
        found = self.verdicts({(tools.COLD, 1000): (30, 9), (tools.WARM, 1000): (10, 9), (tools.SKILO, 1000): (30, 9)})
        self.assertIs(found["1,000: cold CPU at most skilo list's"], True)
        self.assertIs(found["1,000: warm CPU at most a third of skilo list's"], True)

    def test_are_missed_above_it(self):
        found = self.verdicts({(tools.COLD, 1000): (31, 9), (tools.WARM, 1000): (11, 9), (tools.SKILO, 1000): (30, 9)})
        self.assertIs(found["1,000: cold CPU at most skilo list's"], False)
        self.assertIs(found["1,000: warm CPU at most a third of skilo list's"], False)

    def test_see_quadratic_growth_and_a_high_peak(self):
        found = self.verdicts({(tools.COLD, 1000): (20, 9), (tools.COLD, 100_000): (9000, 300)})
        self.assertIs(found[f"{tools.COLD} grows linearly"], False)
        self.assertIs(found[f"{tools.COLD}: 100,000 skills under 250 MB"], False)

    def test_stay_open_when_skills_were_overlooked(self):
        found = self.verdicts({(tools.COLD, 1000): (1, 9), (tools.SKILO, 1000): (30, 9)}, saw_all=False)
        self.assertIsNone(found["1,000: cold CPU at most skilo list's"])


class Stopwatch(unittest.TestCase):
    def run_shell(self, script: str) -> tuple[Run, str]:
        with tempfile.TemporaryDirectory() as directory:
            output = Path(directory) / "output"
            run = run_once(Command(["/bin/sh", "-c", script], Path(directory), {}), output)
            return run, output.read_text()

    def test_reports_exit_code_output_and_complaint(self):
        run, output = self.run_shell("echo seen; echo wrong >&2; exit 3")
        self.assertEqual((run.exit_code, run.complaint, output), (3, "wrong", "seen\n"))

    def test_reports_what_was_used(self):
        run, _ = self.run_shell(":")
        self.assertTrue(run.wall_ms > 0 and run.cpu_ms > 0 and run.peak_mb > 0)


if __name__ == "__main__":
    unittest.main()
