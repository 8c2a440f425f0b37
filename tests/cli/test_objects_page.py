"""docs/reference/table-columns.md names the options and columns that there are."""
import pathlib
import re
import unittest

from support import CliTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "table-columns.md"


def table(heading):
    """The cells of the rows of the table under a heading."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return rows[2:]


class ObjectsPage(CliTest):
    def options(self, verb):
        return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.succeed(verb, "--help"), re.MULTILINE))

    def test_columns(self):
        self.write_npy("image.npy", (2, 3), [1, 0, 2, 2, 0, 2])
        self.write_npy("volume.npy", (2, 1, 3), [1, 0, 2, 2, 0, 2])
        for file, kind in (("image.npy", "images"), ("volume.npy", "volumes")):
            given = self.succeed("measure", file, "--intensity", file).splitlines()[0].split(",")
            names = [re.sub(r"-\d", "-i", re.sub(r"-\d-\d", "-i-j", name)) for name in given]
            told = [name.strip("`") for name, of, *_ in table("Columns") if of in ("both", kind)]
            self.assertEqual(told, list(dict.fromkeys(names)), kind)
        self.assertEqual({of for _, of, *_ in table("Columns")}, {"both", "images", "volumes"})

    def test_options(self):
        everywhere = self.options("statistics")
        for verb in ("label", "measure"):
            told = {option for names, of, _ in table("Options") if of in ("both", verb)
                    for option in re.findall(r"--[a-z-]+", names)}
            self.assertEqual(told, self.options(verb) - everywhere, verb)


if __name__ == "__main__":
    unittest.main()
