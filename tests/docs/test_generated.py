"""Generated pages and pictures are current: `make docs` writes them."""
import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from markdown import DOCS, ROOT

MOST_BYTES = 20_000  # of an operator's picture


class Generated(unittest.TestCase):
    def test_operator_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["MACAREU_WRITE_CATALOGUE"], "operators", folder], check=True)
            committed = DOCS / "reference" / "operators"
            names = {path.name for path in pathlib.Path(folder).iterdir()}
            self.assertEqual(names, {path.name for path in committed.glob("*.md")})
            different = filecmp.cmpfiles(folder, committed, sorted(names), shallow=False)[1:]
            self.assertEqual(different, ([], []))

    def test_every_operator_has_a_small_picture(self):
        folder = DOCS / "reference" / "operators"
        for page in folder.glob("*.md"):
            if page.stem in ("index", "coming-from"):
                continue
            picture = folder / "pictures" / f"{page.stem}.png"
            self.assertTrue(picture.exists(), picture.name)
            self.assertLess(picture.stat().st_size, MOST_BYTES, picture.name)

    def check(self, *command):
        done = subprocess.run([sys.executable, *command, "--check"], cwd=ROOT, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))

    def test_layers(self):
        self.check("scripts/layers.py")

    def test_acceptance_table(self):
        self.check("bench/acceptance.py")

    def test_decisions_are_listed(self):
        index = (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")
        for number, record in enumerate(sorted((DOCS / "decisions").glob("0*.md")), 1):
            title = record.read_text(encoding="utf-8").splitlines()[0]
            self.assertTrue(record.name.startswith(f"{number:04}-"), record.name)
            self.assertTrue(title.startswith(f"# {number}. "), title)
            self.assertIn(f"[{title.split('. ', 1)[1]}]({record.name})", index)


if __name__ == "__main__":
    unittest.main()
