"""Sentences of README, tutorials and how-tos have at most 30 words. Tables, headings and code do not count."""
import re
import unittest

from markdown import ROOT, pages, prose

MOST = 30


def sentences(paragraph):
    return re.split(r"(?<=[.!?])\s+(?=[A-Z0-9(*\"c])", paragraph)


class Sentences(unittest.TestCase):
    def test_length(self):
        long = []
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages("tutorials", "how-to")]:
            for paragraph in prose(page.read_text(encoding="utf-8")):
                long += [f"{page.relative_to(ROOT)}: {len(sentence.split())} words: {sentence}"
                         for sentence in sentences(paragraph) if len(sentence.split()) > MOST]
        self.assertEqual(long, [], "\n" + "\n".join(long))

    def test_counting(self):
        text = "# A heading of words\n\nOne two three.\nFour five: six `seven eight`.\n\n| a | table |\n\n    code code\n\n- an item\n"
        self.assertEqual([len(s.split()) for p in prose(text) for s in sentences(p)], [3, 4, 2])


if __name__ == "__main__":
    unittest.main()
