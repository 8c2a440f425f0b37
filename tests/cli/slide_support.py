"""Small stained slides, and what the tests of `nuclei` read back."""
import csv
import functools
import gzip
import io
import json
import os
import struct

from support import CliTest

SHARE = float(os.environ.get("MACAREU_TEST_SHARE", "1"))
GLASS, TISSUE, NUCLEUS, BROWN = (245, 245, 245), (226, 178, 208), (88, 60, 140), (120, 75, 40)


def noise(y, x):
    """-2 to 2, the same everywhere."""
    value = (y * 73856093 ^ x * 19349663) & 0xFFFFFFFF
    value = (value ^ value >> 13) * 1274126177 & 0xFFFFFFFF
    return (value >> 16) % 5 - 2


@functools.lru_cache(None)
def noise_row(y, width):
    return [noise(y, x) for x in range(width)]


@functools.lru_cache(None)
def brightened(colour, more):
    return bytes(min(255, max(0, value + more)) for value in colour)


class Slide:
    """Colours of `height` x `width` pixels."""

    def __init__(self, height=320, width=400, colour=GLASS):
        self.height, self.width = height, width
        self.rows = [[colour] * width for _ in range(height)]
        self._bytes = None

    def ellipse(self, y, x, high, wide, colour):
        for row in range(max(0, y - high), min(self.height, y + high + 1)):
            for column in range(max(0, x - wide), min(self.width, x + wide + 1)):
                if ((row - y) / high) ** 2 + ((column - x) / wide) ** 2 < 1:
                    self.rows[row][column] = colour
        return self

    def box(self, y, x, height, width, colour):
        for row in range(max(0, y), min(self.height, y + height)):
            for column in range(max(0, x), min(self.width, x + width)):
                self.rows[row][column] = colour
        return self

    def bytes(self):
        if self._bytes is None:
            self._bytes = self._drawn()
        return self._bytes

    def _drawn(self):
        return b"".join(brightened(colour, more) for y, row in enumerate(self.rows)
                        for colour, more in zip(row, noise_row(y, self.width)))


@functools.lru_cache
def stained(step=40, height=320, width=400, nuclei=NUCLEUS):
    """Tissue in the middle of glass, with nuclei on a grid. One object for all tests; draw on stained.__wrapped__()."""
    slide = Slide(height, width).box(30, 40, height - 60, width - 80, TISSUE)
    for i, y in enumerate(range(55, height - 50, step)):
        for j, x in enumerate(range(65 + 7 * (i % 3), width - 60, step)):
            slide.ellipse(y, x, 7 + (i + j) % 3, 7 + (i + 2 * j) % 4, nuclei)
    return slide


class SlideTest(CliTest):
    def write_slide(self, name, slide):
        """As .npy with channels, or as .mha with a pixel size of 0.5 um, or of (x, y) um."""
        header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, 3), }" % (slide.height, slide.width)
        header += " " * (63 - (10 + len(header)) % 64) + "\n"
        with open(self.path(name), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + slide.bytes())

    def write_mha(self, name, slide, x_um, y_um):
        with open(self.path(name), "wb") as file:
            file.write(("ObjectType = Image\nNDims = 2\nDimSize = %d %d\nElementSpacing = %r %r\n"
                        "ElementNumberOfChannels = 3\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
                        % (slide.width, slide.height, x_um / 1000, y_um / 1000)).encode())
            file.write(slide.bytes())

    def nuclei(self, *arguments, out="out"):
        return self.succeed("nuclei", *arguments, "-o", out, "--quiet")

    def nuclei_alone(self, *arguments, out="out"):
        """In make test without the page, which takes half of the time."""
        self.nuclei(*arguments, *(("--skip", "page") if SHARE <= 1 else ()), out=out)

    def content(self, *names):
        with open(self.path(os.path.join(*names)), "rb") as file:
            return file.read()

    def rows(self, out="out", name="nuclei.csv.gz"):
        text = gzip.decompress(self.content(out, name)).decode()
        return list(csv.DictReader(io.StringIO(text)))

    def features(self, out="out", name="nuclei.geojson.gz"):
        content = self.content(out, name)
        collection = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
        self.assertEqual(collection["type"], "FeatureCollection")
        return collection["features"]

    def summary(self, out="out"):
        return json.loads(self.content(out, "summary.json"))

    def slide_files(self, out="out"):
        """Names of the files, without the page, which a build without OpenSeadragon leaves out."""
        found = set(os.listdir(self.path(out)))
        page = {"index.html", "page"}
        self.assertIn(found & page, (set(), page))
        return sorted(found - page)

    def results(self, out="out"):
        """All files, the summary without what may differ from run to run."""
        top = self.path(out)
        paths = [os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names]
        found = {path: self.content(out, path) for path in paths}
        summary = json.loads(found["summary.json"])
        del summary["run"]
        found["summary.json"] = summary
        return found


def doubled_area(ring):
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def polygons(geometry):
    return [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]


def area(geometry):
    """By the formula of Gauss; holes are negative."""
    return sum(doubled_area(ring) for polygon in polygons(geometry) for ring in polygon) / 2
