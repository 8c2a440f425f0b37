"""Puts images side by side into one small PNG: panels.py OUT.png IMAGE.npy[:grey|binary|scaled|labels]... CONTOURS.csv

grey, and colours: u8, darker values brightened; binary: set pixels are white; scaled: from the least to the greatest value; labels: a colour for each.
Needs NumPy.
"""
import struct
import sys
import zlib

import numpy as np

GAP = 4


def levels(values, count=40):
    """Fewer grey levels make smaller files."""
    return (values.astype(np.float64) * (count - 1) / 255 + 0.5).astype(np.uint8).astype(np.float64) * 255 / (count - 1)


def outlines(path, size=150):
    """The rings of contours, one pixel wide."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)
    image = np.zeros((size + 1, size + 1, 3), np.uint8)
    starts = np.flatnonzero(np.r_[True, (np.diff(rows[:, :3], axis=0) != 0).any(axis=1)])
    for ring in np.split(rows[:, 3:], starts[1:]):
        for (x, y), (to_x, to_y) in zip(ring, np.roll(ring, -1, axis=0)):
            image[min(y, to_y):max(y, to_y) + 1, min(x, to_x):max(x, to_x) + 1] = 255
    return image[:size, :size]


def pixels(path, kind):
    if path.endswith(".csv"):
        return outlines(path)
    image = np.load(path)
    if image.ndim == 3:  # colours, of an overlay
        return levels(255 * (image / 255) ** 0.7, 16).astype(np.uint8)
    if kind == "labels":
        colours = np.random.default_rng(3).integers(64, 255, (int(image.max()) + 1, 3))
        colours[0] = 0
        return colours[image.astype(np.int64)].astype(np.uint8)
    if kind == "binary":
        grey = np.where(image != 0, 255, 0)
    elif kind == "scaled":
        finite = image[np.isfinite(image)]
        low, high = finite.min(), finite.max()
        grey = levels((np.clip(image, low, high) - low) / max(high - low, 1e-9) * 255)
    else:
        grey = levels(255 * (image / 255) ** 0.7)
    return np.repeat(grey.astype(np.uint8)[..., None], 3, axis=2)


def png(image):
    colour = bool((image[..., 0] != image[..., 1]).any() or (image[..., 0] != image[..., 2]).any())
    raw = image if colour else image[..., :1]
    height, width = image.shape[:2]
    lines = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(raw))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if colour else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def main(out, *panels):
    images = [pixels(*(panel.split(":") if ":" in panel else (panel, "grey"))) for panel in panels]
    height = images[0].shape[0]
    gap = np.full((height, GAP, 3), 255, np.uint8)
    parts = [part for image in images for part in (gap, image)][1:]
    with open(out, "wb") as file:
        file.write(png(np.concatenate(parts, axis=1)))


if __name__ == "__main__":
    main(*sys.argv[1:])
