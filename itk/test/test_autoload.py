"""A program of ITK alone gives the same pixels with and without ITK_AUTOLOAD_PATH.

    test_autoload.py MACAREU STOCK_PROGRAM AUTOLOAD_FOLDER [--time [--shape 4096,4096]]

With --time it prints the seconds of each filter as well, the best of three.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

FILTERS = ["reconstruction-by-dilation", "reconstruction-by-erosion", "grayscale-fillhole", "binary-fillhole", "maxima",
           "minima", "h-maxima", "h-minima", "double-threshold", "distance", "distance-spaced", "components",
           "relabel", "sobel", "gaussian", "gaussian-spaced", "canny", "suppressed-edges"]


def seconds_and_rest(output):
    first, _, rest = output.partition("\n")
    return float(first), rest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--shape")
    parser.add_argument("--only")
    options = parser.parse_args()
    shapes = [options.shape] if options.shape else ["150,203", "21,30,43"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        where = pathlib.Path(folder)

        def tool(*words):
            subprocess.run([options.tool, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

        def compare(name):
            words = ["compare", where / "stock.mha", where / "ours.mha"]
            if name == "canny":
                words += ["--edges"]
            done = subprocess.run([options.tool, *map(str, words)], capture_output=True, text=True)
            said = done.stdout + done.stderr
            if name == "canny":
                return float(said.split()[1].rstrip(",")) >= 0.9999, said
            return done.returncode == 0, said

        for shape in shapes:
            instance = "tissue" if shape.count(",") == 1 else "noise"
            tool("generate", instance, "--shape", shape, "-o", where / "mask.mha", "--marker", where / "marker.mha")
            tool("invert", where / "mask.mha", "-o", where / "inverted-mask.mha")
            tool("invert", where / "marker.mha", "-o", where / "inverted-marker.mha")
            tool("threshold", where / "mask.mha", "--value", 90, "-o", where / "objects.mha")
            for name in options.only.split(",") if options.only else FILTERS:
                image = {"reconstruction-by-erosion": "inverted-mask", "binary-fillhole": "objects", "components": "objects", "relabel": "objects",
                         "distance": "objects", "distance-spaced": "objects"}.get(name, "mask")
                marker = {"reconstruction-by-dilation": ["marker"],
                          "reconstruction-by-erosion": ["inverted-marker"]}.get(name, [])
                times, rest = {}, {}
                for _ in range(3 if options.time else 1):
                    for kind in ["stock", "ours"]:
                        environment = {k: v for k, v in os.environ.items() if k != "ITK_AUTOLOAD_PATH"}
                        if kind == "ours":
                            environment["ITK_AUTOLOAD_PATH"] = options.folder
                        words = [options.program, name, where / f"{image}.mha", where / f"{kind}.mha",
                                 *[where / f"{m}.mha" for m in marker]]
                        done = subprocess.run(list(map(str, words)), env=environment, capture_output=True, text=True)
                        if done.returncode:
                            sys.exit(f"{name} {shape} {kind}: {done.stderr}")
                        took, rest[kind] = seconds_and_rest(done.stdout)
                        times[kind] = min(took, times.get(kind, took))
                same, said = compare(name)
                if not same or rest["stock"] != rest["ours"]:
                    failures += 1
                    print(f"{name} {shape}: differs\n{said}{rest}")
                if options.time:
                    print(f"{name:28} {shape:12} ITK {times['stock'] * 1e3:9.1f} ms   Macareu {times['ours'] * 1e3:8.1f} ms"
                          f"   {times['stock'] / times['ours']:6.1f} times", flush=True)
    return failures > 0


sys.exit(main())
