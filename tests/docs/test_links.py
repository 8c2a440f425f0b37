"""Links of all pages lead to files and headings that exist."""
import re
import unittest

from markdown import DOCS, ROOT

LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")


def text_of(page):
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """Of headings, as GitHub and mkdocs make them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE):
        words = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).strip()
        found.add(re.sub(r"\s", "-", words))
    return found


class Links(unittest.TestCase):
    def test_targets(self):
        broken = []
        outside = sorted(ROOT.glob("*.md")) + [ROOT / "tests" / "data" / "canny" / "README.md"]
        for page in [*outside, *sorted(DOCS.rglob("*.md"))]:
            for target in LINK.findall(text_of(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                if not file.exists():
                    broken.append(f"{page.relative_to(ROOT)}: {target}")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                    broken.append(f"{page.relative_to(ROOT)}: {target}: no such heading")
        self.assertEqual(broken, [], "\n" + "\n".join(broken))

    def test_every_page_is_reachable(self):
        linked = {(page.parent / target.partition("#")[0]).resolve()
                  for page in DOCS.rglob("*.md") for target in LINK.findall(text_of(page)) if target.partition("#")[0]}
        orphans = [str(page.relative_to(ROOT)) for page in DOCS.rglob("*.md") if page.resolve() not in linked and page != DOCS / "index.md"]
        self.assertEqual(orphans, [])

    def test_pictures_are_used(self):
        linked = {(page.parent / target).resolve()
                  for page in [ROOT / "README.md", *DOCS.rglob("*.md")] for target in LINK.findall(text_of(page))}
        unused = [str(file.relative_to(ROOT)) for ending in ("png", "svg") for file in DOCS.rglob(f"*.{ending}")
                  if file.resolve() not in linked]
        self.assertEqual(unused, [])


if __name__ == "__main__":
    unittest.main()
