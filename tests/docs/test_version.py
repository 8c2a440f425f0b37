"""The version stands in CMakeLists.txt; files that cannot read it there agree with it."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import build_backend  # noqa: E402


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


class Version(unittest.TestCase):
    version = re.search(r"^project\(macareu VERSION ([0-9.]+)", text("CMakeLists.txt"), re.MULTILINE)[1]

    def test_citation(self):
        self.assertEqual(re.search(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE)[1], self.version)

    def test_changelog(self):
        versions = re.findall(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.MULTILINE)
        self.assertEqual(versions[:2], ["Unreleased", self.version])
        released = re.search(r"^date-released: (.+)$", text("CITATION.cff"), re.MULTILINE)[1]
        self.assertIn(f"## [{self.version}] - {released}", text("CHANGELOG.md"))

    def test_python_package(self):
        self.assertEqual(build_backend._version(), self.version)

    def test_no_other_place(self):
        self.assertIn("@PROJECT_VERSION@", text("cmake/version.hpp.in"))
        self.assertNotRegex(text("pyproject.toml"), r"(?m)^version")


class Licence(unittest.TestCase):
    def test_texts(self):
        self.assertIn("Apache License", text("LICENSE"))
        self.assertIn("The Macareu authors", text("LICENSE"))
        self.assertEqual(text("pyproject.toml").count('"Apache-2.0"'), 1)
        self.assertIn("license: Apache-2.0", text("CITATION.cff"))


if __name__ == "__main__":
    unittest.main()
