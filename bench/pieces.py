"""Whole commands in pieces against the same commands in memory: pieces.py MACAREU [--side 16384] [--runs 3] [--json FILE]

Files lie in a directory of tmpfs. A row has the median seconds of both, their ratio, the peak memory of both, and whether the results are equal.
Pieces get an eighth of the peak memory that the command takes in memory.
"""
import argparse
import filecmp
import json
import pathlib
import statistics
import subprocess
import tempfile
import time


def seconds_of(command, report, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(command + ["--report", report, "--quiet"], check=True)
        times.append(time.perf_counter() - begin)
    return statistics.median(times), json.loads(pathlib.Path(report).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("macareu")
    parser.add_argument("--side", type=int, default=16384)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        at = lambda name: str(pathlib.Path(folder) / name)
        shape = f"{given.side},{given.side}"
        for family in ("tissue", "serpentine"):
            subprocess.run([given.macareu, "generate", family, "--shape", shape, "-o", at(f"{family}.npy"), "--marker", at(f"{family}-marker.npy")], check=True)
        subprocess.run([given.macareu, "threshold", at("tissue.npy"), "-o", at("objects.npy"), "--value", "100", "--quiet"], check=True)
        cases = {
            "reconstruct": ["reconstruct", at("tissue-marker.npy"), at("tissue.npy"), "--connectivity", "4"],
            "serpentine": ["reconstruct", at("serpentine-marker.npy"), at("serpentine.npy"), "--connectivity", "4"],
            "label": ["label", at("objects.npy")],
            "distance": ["distance", at("objects.npy")],
            "gaussian": ["gaussian", at("tissue.npy"), "--sigma", "2"],
            "fill-holes": ["fill-holes", at("tissue.npy")],
        }
        for name, command in cases.items():
            if given.only and name not in given.only.split(","):
                continue
            common = [given.macareu] + command + ["--device", given.device]
            whole, report = seconds_of(common + ["-o", at("whole.npy"), "--memory", "100G"], at("report.json"), given.runs)
            limit = report["peak_memory"] // 8
            pieces, cut = seconds_of(common + ["-o", at("pieces.npy"), "--memory", f"{limit >> 20}M"], at("cut.json"), given.runs)
            row = {"case": name, "memory_s": round(whole, 3), "pieces_s": round(pieces, 3), "ratio": round(pieces / whole, 2),
                   "peak_MiB": report["peak_memory"] >> 20, "limit_MiB": limit >> 20, "peak_in_pieces_MiB": cut["peak_memory"] >> 20,
                   "equal": filecmp.cmp(at("whole.npy"), at("pieces.npy"), shallow=False), "pieces": cut["pieces"]}
            rows.append(row)
            print(json.dumps(row), flush=True)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
