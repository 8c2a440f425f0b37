"""Whole commands in pieces against the same commands in memory: pieces.py MACAREU [--side 16384] [--runs 3] [--json FILE]

Files lie in a directory of tmpfs. A row has the median seconds and processor seconds of both, their ratios, the peak memory of both, and
whether the results are equal. Pieces get an eighth of the peak memory that the command takes in memory. Commands in memory and in pieces
take turns, so that other load on the machine meets both. `limit_kept`: the peak in pieces is below the limit plus 64 MiB.

--large SIDE adds a reconstruction of that side with --memory 1G, whose time for a pixel is compared with that of `reconstruct`.
--gpu-large SIDE measures only a reconstruction of that side with --gpu-memory 4G, --runs times in turns with reading the same inputs and
writing a file of the output's size alone, each by one thread.
"""
import argparse
import filecmp
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

MEBIBYTE = 1 << 20


def run(command, report):
    """Seconds, processor seconds and the report of one run."""
    begin = time.perf_counter()
    process = subprocess.Popen(command + ["--report", report, "--quiet"])
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, json.loads(pathlib.Path(report).read_text())


def peak_of(report):
    """Bytes that count against a limit: what CUDA took to start does not."""
    return report["peak_memory"] - report.get("gpu_start_up_memory", 0)


def median(runs, index):
    return statistics.median(each[index] for each in runs)


def row_of(name, whole, pieces, limit):
    report, cut = whole[-1][2], pieces[-1][2]
    return {"case": name, "memory_s": round(median(whole, 0), 3), "pieces_s": round(median(pieces, 0), 3),
            "ratio": round(median(pieces, 0) / median(whole, 0), 2),
            "memory_cpu_s": round(median(whole, 1), 3), "pieces_cpu_s": round(median(pieces, 1), 3),
            "cpu_ratio": round(median(pieces, 1) / median(whole, 1), 2),
            "peak_MiB": peak_of(report) // MEBIBYTE, "limit_MiB": limit // MEBIBYTE,
            "peak_in_pieces_MiB": peak_of(cut) // MEBIBYTE,
            "limit_kept": peak_of(cut) < limit + 64 * MEBIBYTE, "pieces": cut["pieces"]}


def files_alone(inputs, output):
    """Seconds to read the inputs, and to write a file as large as one of them."""
    part = bytearray(64 * MEBIBYTE)
    begin = time.perf_counter()
    for name in inputs:
        with open(name, "rb", buffering=0) as file:
            while file.readinto(part):
                pass
    read = time.perf_counter() - begin
    left = os.path.getsize(inputs[0])
    begin = time.perf_counter()
    with open(output, "wb", buffering=0) as file:
        while left > 0:
            left -= file.write(memoryview(part)[:left])
    write = time.perf_counter() - begin
    os.remove(output)
    return read, write


def gpu_row(macareu, command, inputs, output, report, runs):
    rows = []
    for _ in range(runs):
        read, write = files_alone(inputs, output)
        seconds, used, found = run([macareu] + command + ["--device", "cuda", "--gpu-memory", "4G", "-o", output], report)
        os.remove(output)
        rows.append({"read_alone_s": round(read, 3), "write_alone_s": round(write, 3), "command_s": round(seconds, 3),
                     "ratio": round(seconds / (read + write), 2), "cpu_s": round(used, 3),
                     "peak_MiB": peak_of(found) // MEBIBYTE,
                     "gpu_start_up_MiB": found.get("gpu_start_up_memory", 0) // MEBIBYTE, "pieces": found.get("pieces")})
    return {"case": "reconstruct --gpu-memory 4G against its files alone", "runs": rows,
            "ratio": statistics.median(row["ratio"] for row in rows)}


def finish(given, rows):
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(rows, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("macareu")
    parser.add_argument("--side", type=int, default=16384)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--gpu-large", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    rows = []

    def tell(row):
        rows.append(row)
        print(json.dumps(row), flush=True)

    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        at = lambda name: str(pathlib.Path(folder) / name)

        def generate(family, side):
            subprocess.run([given.macareu, "generate", family, "--shape", f"{side},{side}", "-o", at(f"{family}.npy"),
                            "--marker", at(f"{family}-marker.npy"), "--memory", "1G"], check=True)

        reconstruct = ["reconstruct", at("tissue-marker.npy"), at("tissue.npy"), "--connectivity", "4"]
        if given.gpu_large:
            generate("tissue", given.gpu_large)
            tell(gpu_row(given.macareu, reconstruct, [at("tissue-marker.npy"), at("tissue.npy")], at("out.npy"), at("report.json"),
                         given.runs))
            return finish(given, rows)
        for family in ("tissue", "serpentine"):
            generate(family, given.side)
        subprocess.run([given.macareu, "threshold", at("tissue.npy"), "-o", at("objects.npy"), "--value", "100", "--quiet"],
                       check=True)
        cases = {
            "reconstruct": reconstruct,
            "serpentine": ["reconstruct", at("serpentine-marker.npy"), at("serpentine.npy"), "--connectivity", "4"],
            "label": ["label", at("objects.npy")],
            "table": ["label", at("objects.npy"), "--table", at("table.csv")],
            "distance": ["distance", at("objects.npy")],
            "gaussian": ["gaussian", at("tissue.npy"), "--sigma", "2"],
            "fill-holes": ["fill-holes", at("tissue.npy")],
        }
        for name, command in cases.items():
            if given.only and name not in given.only.split(","):
                continue
            common = [given.macareu] + command + ["--device", given.device]
            whole, pieces, limit = [], [], 0
            for _ in range(given.runs):
                whole.append(run(common + ["-o", at("whole.npy"), "--memory", "100G"], at("report.json")))
                limit = limit or peak_of(whole[0][2]) // 8 // MEBIBYTE * MEBIBYTE
                pieces.append(run(common + ["-o", at("pieces.npy"), "--memory", f"{limit // MEBIBYTE}M"], at("cut.json")))
            tell(row_of(name, whole, pieces, limit)
                 | {"equal": filecmp.cmp(at("whole.npy"), at("pieces.npy"), shallow=False)})
            for file in ("whole.npy", "pieces.npy"):
                os.remove(at(file))
        by_name = {row["case"]: row for row in rows}
        if {"reconstruct", "serpentine"} <= by_name.keys():
            tell({"case": "serpentine against tissue, both in pieces",
                  "cpu_ratio": round(by_name["serpentine"]["pieces_cpu_s"] / by_name["reconstruct"]["pieces_cpu_s"], 2),
                  "ratio": round(by_name["serpentine"]["pieces_s"] / by_name["reconstruct"]["pieces_s"], 2)})
        if given.large:
            for name in ("serpentine.npy", "serpentine-marker.npy", "objects.npy"):
                os.remove(at(name))
            generate("tissue", given.large)
            seconds, used, report = run([given.macareu] + reconstruct + ["--device", given.device, "-o", at("out.npy"),
                                                                         "--memory", "1G"], at("report.json"))
            row = {"case": f"reconstruct {given.large}^2 --memory 1G", "pieces_s": round(seconds, 3),
                   "pieces_cpu_s": round(used, 3), "peak_in_pieces_MiB": peak_of(report) // MEBIBYTE,
                   "limit_kept": peak_of(report) < (1024 + 64) * MEBIBYTE, "pieces": report["pieces"]}
            if "reconstruct" in by_name:
                pixels = (given.large / given.side) ** 2
                small = by_name["reconstruct"]
                row |= {"ratio_for_a_pixel": round(seconds / pixels / small["pieces_s"], 2),
                        "cpu_ratio_for_a_pixel": round(used / pixels / small["pieces_cpu_s"], 2)}
            tell(row)
    finish(given, rows)


if __name__ == "__main__":
    main()
