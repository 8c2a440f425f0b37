"""A program of ITK alone gives the same pixels with and without ITK_AUTOLOAD_PATH.

    test_autoload.py MACAREU STOCK_PROGRAM AUTOLOAD_FOLDER [--time [--shape 4096,4096] [--json FILE]]

With --time it prints the time of each filter as well, the best of three; --json writes them as bench/results has them.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FILTERS = ["reconstruction-by-dilation", "reconstruction-by-erosion", "grayscale-fillhole", "binary-fillhole", "maxima",
           "minima", "h-maxima", "h-minima", "double-threshold", "distance", "distance-spaced", "components",
           "relabel", "sobel", "gaussian", "gaussian-spaced", "canny", "suppressed-edges", "canny-of-reconstruction"]
EDGES = ["canny", "canny-of-reconstruction"]  # their rounding depends on the compiler
UNTIMED = ["suppressed-edges"]
MUST = {"canny-of-reconstruction": (10, " (goal 25)")}  # minimum speed-up; others must not be slower


def seconds_and_rest(output):
    first, _, rest = output.partition("\n")
    return float(first), rest


def row(name, shape, times, equal, correct):
    """`correct`: Pco of the edges, if they may differ."""
    must, goal = MUST.get(name, (1, ""))
    ours, peer = times["ours"] * 1e3, times["stock"] * 1e3
    share = "" if correct is None else f", Pco {correct:.7g}"
    return {"what": f"{name}, {shape.replace(',', ' x ')}{share}", "ours_ms": ours, "peer_ms": peer, "factor": peer / ours,
            "must": f">= {must}{goal}", "met": peer / ours >= must, "equal": True if equal else None if correct else False}


def write_report(options, rows, where):
    """In the format of bench/page.py; the tool describes the machine."""
    report = where / "bench.json"
    subprocess.run([options.tool, "bench", "canny", "--quick", "--only", "*-u8-itk-cpu", "--json", report], check=True,
                   stdout=subprocess.DEVNULL)
    bench = {key: value for key, value in json.loads(report.read_text()).items() if key in ("version", "commit", "compiler", "machine")}
    itk = subprocess.run([options.program, "version"], check=True, capture_output=True, text=True).stdout.strip()
    pathlib.Path(options.json).write_text(
        json.dumps({"peers": {"ITK": itk}, "rows": rows, "bench": {"suite": "itk"} | bench}, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--shape")
    parser.add_argument("--only")
    parser.add_argument("--json")
    options = parser.parse_args()
    shapes = [options.shape] if options.shape else ["150,203", "21,30,43"]
    failures, rows = 0, []
    with tempfile.TemporaryDirectory() as folder:
        where = pathlib.Path(folder)

        def tool(*words):
            subprocess.run([options.tool, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

        def compare(name):
            """Whether pixels are equal, Pco of the edges, and the tool's output."""
            words = [options.tool, "compare", str(where / "stock.mha"), str(where / "ours.mha")]
            done = subprocess.run(words, capture_output=True, text=True)
            equal, said = done.returncode == 0, done.stdout + done.stderr
            if name in EDGES:
                said += subprocess.run([*words, "--edges"], capture_output=True, text=True).stdout
                return equal, float(said.split("Pco ")[1].split(",")[0]), said
            return equal, None, said

        for shape in shapes:
            instance = "tissue" if shape.count(",") == 1 else "noise"
            tool("generate", instance, "--shape", shape, "-o", where / "mask.mha", "--marker", where / "marker.mha")
            tool("invert", where / "mask.mha", "-o", where / "inverted-mask.mha")
            tool("invert", where / "marker.mha", "-o", where / "inverted-marker.mha")
            tool("threshold", where / "mask.mha", "--value", 90, "-o", where / "objects.mha")
            for name in options.only.split(",") if options.only else FILTERS:
                image = {"reconstruction-by-erosion": "inverted-mask", "binary-fillhole": "objects", "components": "objects", "relabel": "objects",
                         "distance": "objects", "distance-spaced": "objects"}.get(name, "mask")
                marker = {"reconstruction-by-dilation": ["marker"], "canny-of-reconstruction": ["marker"],
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
                equal, correct, said = compare(name)
                right = equal if correct is None else correct >= 0.9999
                if not right or rest["stock"] != rest["ours"]:
                    failures += 1
                    print(f"{name} {shape}: differs\n{said}{rest}")
                if options.time and name not in UNTIMED:
                    rows.append(row(name, shape, times, equal, correct))
                    print(f"{name:28} {shape:12} ITK {times['stock'] * 1e3:9.1f} ms   Macareu {times['ours'] * 1e3:8.1f} ms"
                          f"   {times['stock'] / times['ours']:6.1f} times", flush=True)
        if options.json:
            write_report(options, rows, where)
    return failures > 0


sys.exit(main())
