"""What the tests of the documentation share: pages, their parts, their code blocks."""
import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w*)\s*$")
MARK = re.compile(r"^<!-- needs: ([a-z0-9 ,-]+) -->$")


class Block(NamedTuple):
    """A fenced code block."""

    line: int
    language: str
    needs: str  #: what stands in the mark before it, or nothing
    text: str


def pages(*folders):
    return sorted(page for folder in folders for page in (DOCS / folder).glob("*.md"))


def blocks(page):
    found, lines, needs = [], page.read_text(encoding="utf-8").splitlines(), ""
    at = 0
    while at < len(lines):
        if mark := MARK.match(lines[at]):
            needs = mark[1]
        elif fence := FENCE.match(lines[at]):
            end = lines.index("```", at + 1)
            found.append(Block(at + 1, fence[1], needs, "\n".join(lines[at + 1:end]) + "\n"))
            needs, at = "", end
        elif lines[at].strip():
            needs = ""
        at += 1
    return found


def prose(text):
    """Paragraphs and list items without code, tables, headings and comments; links and code spans as words."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    paragraphs, current = [], []
    for line in text.splitlines():
        starts_item = re.match(r"\s*([-*]|\d+\.)\s", line)
        if not line.strip() or line.startswith(("|", "#", "    ")) or starts_item:
            paragraphs.append(" ".join(current))
            current = []
        if line.strip() and not line.startswith(("|", "#", "    ")):
            current.append(re.sub(r"^\s*([-*]|\d+\.)\s+", "", line.strip()))
    paragraphs.append(" ".join(current))
    for paragraph in filter(None, paragraphs):
        paragraph = re.sub(r"!\[[^]]*\]\([^)]*\)", "", paragraph)
        paragraph = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", paragraph)
        yield re.sub(r"`[^`]*`", "code", paragraph).strip()
