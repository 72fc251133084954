"""What holds for all the samples' scripts: the oldest Python that they promise, and its standard library alone."""

import ast
import sys
import unittest

from sample import SKILLS

OLDEST = (3, 9)


class EverySample(unittest.TestCase):
    def scripts(self):
        """Every script's path below the skills and its syntax tree, as the oldest Python would read it."""
        for script in sorted(SKILLS.glob("*/scripts/*.py")):
            yield script, ast.parse(script.read_bytes(), feature_version=OLDEST)

    def test_only_the_standard_library_and_modules_beside_it_are_imported(self):
        count = 0
        for script, tree in self.scripts():
            beside = {path.stem for path in script.parent.glob("*.py")}
            for node in ast.walk(tree):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) else []
                for name in names:
                    self.assertIn(name.partition(".")[0], beside | set(sys.stdlib_module_names), script)
                    count += 1
        self.assertGreater(count, 0)

    def test_no_name_of_a_module_hides_one_of_the_standard_library(self):
        names = {script.stem for script, _ in self.scripts()}
        self.assertEqual(names & set(sys.stdlib_module_names), set())

    def test_every_module_and_public_function_says_what_it_is(self):
        for script, tree in self.scripts():
            self.assertTrue(ast.get_docstring(tree), script)
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                    self.assertTrue(ast.get_docstring(node), "{}: {}".format(script, node.name))

    def test_lines_are_at_most_120_columns_wide(self):
        for script, _ in self.scripts():
            long = [number for number, line in enumerate(script.read_text().split("\n"), 1) if len(line) > 120]
            self.assertEqual(long, [], script)


if __name__ == "__main__":
    unittest.main()
