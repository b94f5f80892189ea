"""docs/contributing/long-tests.md names every test that does more work if `deploy/test` is run with --long."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/contributing/long-tests.md").read_text()


class Long(unittest.TestCase):
    def test_every_module_with_a_long_form_is_on_the_page(self):
        found = {path.stem for path in (ROOT / "Tests/EndToEnd").glob("test_*.py") if re.search(r"\bLONG\b", path.read_text())}
        self.assertGreater(len(found), 20)
        self.assertEqual({name for name in found if f"| `{name}` |" not in PAGE}, set())

    def test_every_module_that_measures_is_on_the_page(self):
        measuring = re.search(r"MEASURING = \[(.*?)\]", (ROOT / "Tests/EndToEnd/run.py").read_text(), re.DOTALL)[1]
        names = re.findall(r'"(test_\w+)"', measuring)
        self.assertGreater(len(names), 5)
        self.assertEqual([name for name in names if f"| `{name}` |" not in PAGE], [])
        for name in re.findall(r"(?m)^\| `(test_\w+)` \|", PAGE):
            self.assertTrue((ROOT / f"Tests/EndToEnd/{name}.py").exists(), name)

    def test_every_suite_with_a_long_form_is_on_the_page(self):
        found = {path.stem for path in (ROOT / "Tests").rglob("*.swift") if '"LAMPLIGHTER_LONG"' in path.read_text()}
        self.assertGreater(len(found), 3)
        self.assertEqual({name for name in found if f"| `{name}` |" not in PAGE}, set())


if __name__ == "__main__":
    unittest.main()
