"""Draws docs/explanation/pictures/layers.svg from the #include lines: layers.py [--check]

A layer may include those below it. --check draws nothing: exit 1 where the picture is not current, or where a layer includes one above.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "explanation" / "pictures" / "layers.svg"

# From top to bottom; layers of one row do not include each other. A layer: its name, its folders, its
# contents.
ROWS = [
    [("apps", ["apps"], "command line"), ("python", ["python/src"], "package"), ("itk", ["itk"], "module")],
    [("bench", ["bench"], "benchmarks"), ("converter", ["converter"], "marked C functions")],
    [("pages", ["src/pages"], "for browsers"), ("slides", ["src/slides"], "tissue, nuclei, outlines")],
    [("files", ["src/files"], "formats"), ("instances", ["src/instances"], "test images"),
     ("catalogue", ["src/catalogue"], "checks, chooses, runs")],
    [("operators", ["src/operators"], "description, rules, run"), ("engines", ["src/engines"], "serial, cpu, cuda")],
    [("patterns", ["src/patterns"], "map, window, wave, line ...")],
    [("core", ["src/core"], "views, keys, types")],
    [("public API", ["include/macareu"], "image, catalogue, errors")],
]
SOURCES = (".hpp", ".cpp", ".cuh", ".cu", ".hxx", ".h")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def layers():
    return [layer for row in ROWS for layer in row]


def level(name):
    return next(i for i, row in enumerate(ROWS) for layer in row if layer[0] == name)


def layer_of(path):
    """The layer with the longest folder that contains the path."""
    found = [(len(folder), name) for name, folders, _ in layers() for folder in folders if path.startswith(folder + "/")]
    return max(found)[1] if found else None


def target_of(text):
    """The layer of an included file, from the text between the quotes."""
    if text.startswith("macareu/itk/"):
        return "itk"
    if text.startswith("macareu/"):
        return "public API"
    folder = text.split("/")[0]
    return layer_of(f"src/{text}") or {"command": "apps", "bench": "bench", "converter": "converter"}.get(
        folder if "/" in text else "")


def edges():
    found = {}
    for name, folders, _ in layers():
        for folder in folders:
            for path in sorted((ROOT / folder).rglob("*")):
                relative = path.relative_to(ROOT).as_posix()
                if path.suffix not in SOURCES or layer_of(relative) != name or "/templates/" in relative or "/test/" in relative:
                    continue
                for text in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
                    other = target_of(text)
                    if other is None and (ROOT / "converter" / text).exists() and not (path.parent / text).exists():
                        other = "converter"  # its headers are included without a folder
                    if other and other != name:
                        found.setdefault((name, other), relative)
    return found


def violations(found):
    return [f"{a} includes {b}, which is not below it: {where}" for (a, b), where in sorted(found.items())
            if level(b) <= level(a)]


def draw(found):
    """Boxes from top to bottom, with a matrix of includes. It is triangular if no layer includes one
    above."""
    wide, high, cell, left, top = 250, 34, 34, 10, 96
    names = [name for name, *_ in layers()]
    parts = []
    for i, (name, _, what) in enumerate(layers()):
        y = top + i * high
        fill = "#e6eff9" if level(name) % 2 else "#f6f9fc"
        parts.append(f'<rect x="{left}" y="{y}" width="{wide + cell * len(names)}" height="{high}" fill="{fill}"/>'
                     f'<text x="{left + 10}" y="{y + 22}" font-weight="bold">{name}</text>'
                     f'<text x="{left + 92}" y="{y + 22}" fill="#555">{what}</text>')
        x = left + wide + i * cell + cell / 2
        parts.append(f'<text transform="translate({x + 4:g} {top - 8}) rotate(-60)">{name}</text>'
                     f'<rect x="{x - 5:g}" y="{y + 12}" width="10" height="10" fill="#cdd8e4"/>')
    for a, b in sorted(found):
        x, y = left + wide + names.index(b) * cell + cell / 2, top + names.index(a) * high + high / 2
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="#27527e"><title>{a} includes {b}</title></circle>')
    width, height = left * 2 + wide + cell * len(names) + 20, top + high * len(names) + 40
    parts.append(f'<text x="{left + 10}" y="{height - 14}" fill="#555">A dot: the layer of the row includes the layer of the column.</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">\n'
            '<title>Layers of the code and their includes, drawn by scripts/layers.py</title>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    found = edges()
    wrong = violations(found)
    if wrong:
        sys.exit("\n".join(wrong))
    picture = draw(found)
    if "--check" in sys.argv[1:]:
        if PICTURE.read_text(encoding="utf-8") != picture:
            sys.exit(f"{PICTURE.relative_to(ROOT)} is not current: run scripts/layers.py")
    else:
        PICTURE.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
