"""Ranks of one thread against one process of one thread: ranks.py MACAREU [--launcher "mpiexec.hydra -bind-to core"] [--ranks 16] [--side 32768] [--runs 5] [--json FILE]

Without a launcher the tool starts the ranks, by --ranks. Runs of both ways take turns, and medians are compared. Their outputs must be equal.
Files lie in a directory of tmpfs. The process alone works in pieces too, bound to one processor, with the memory of one rank.
`tissue` covers half of the slide in patches. `half` has tissue in its upper half and nothing in the lower one.
`wall` is the ratio of seconds until outputs and table are computed, with their files. Writers of one file take turns in most file systems,
so outputs are Zarr, whose chunks are files of their own.
`compute` is the ratio without files: user seconds of the process, by those of the slowest rank with the time that it waited for others.
`apart` is what the machine allows: as many processes as ranks at the same time, each with its rows as an image of its own. They share
memory and caches, but no work. `most_s` are the user seconds of the slowest.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import statistics
import subprocess
import tempfile
import time


def half_covered(file, side):
    """Appends as many rows of zeros to a .npy file of side / 2 rows."""
    with open(file, "r+b") as image:
        head = image.read(256)
        old, new = f"({side // 2}, {side})".encode(), f"({side}, {side})".encode()
        end = head.index(b"\n")
        image.seek(0)
        image.write(head[:end].replace(old, new).rstrip().ljust(end) + b"\n")
        image.truncate(end + 1 + side * side)


def remove(file):
    if os.path.isdir(file):
        shutil.rmtree(file)
    else:
        pathlib.Path(file).unlink(missing_ok=True)


def digest(files):
    """Of files, and of all files below directories."""
    found = hashlib.blake2b()
    for file in files:
        below = sorted(path for path in pathlib.Path(file).rglob("*") if path.is_file())
        for path in below or [pathlib.Path(file)]:
            found.update(str(path.relative_to(file)).encode())
            with open(path, "rb") as content:
                while part := content.read(1 << 24):
                    found.update(part)
    return found.hexdigest()


def measured(command, report, limit):
    """One run."""
    begin = time.perf_counter()
    with subprocess.Popen(command + ["--report", report, "--quiet"], env={**os.environ, "OMP_NUM_THREADS": "1"}, start_new_session=True) as process:
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return {"error": f"no end within {limit} s"}
    if code != 0:
        return {"error": f"exit code {code}"}
    whole = time.perf_counter() - begin
    found = json.loads(pathlib.Path(report).read_text())
    if "pieces" not in found:
        return {"error": "it did not run in pieces; give a smaller --memory"}
    each = found["ranks"]["each"] if "ranks" in found else [{**found["processor"], "waiting": 0, "seconds": found["seconds"]["compute"]}]
    row = {"wall_s": round(found["seconds"]["compute"], 3), "whole_s": round(whole, 3),
           "compute_s": round(max(rank["user"] + rank["waiting"] for rank in each), 3), "pieces": found["pieces"]["size"],
           "user_s": round(sum(rank["user"] for rank in each), 3), "system_s": round(sum(rank["system"] for rank in each), 3), "peak_MiB": found["peak_memory"] >> 20}
    if len(each) > 1:
        row["most_bytes_up"] = found["ranks"]["most_bytes_up"]
        row["waiting_share"] = [round(rank["waiting"] / rank["seconds"], 3) for rank in each]
        row["each"] = [{name: round(value, 3) for name, value in rank.items()} for rank in each]
    return row


def median_of(runs):
    """The run of the median `compute_s`, with the medians of all seconds and the values that they are of."""
    failed = next((run for run in runs if "error" in run), None)
    if failed:
        return failed
    row = dict(sorted(runs, key=lambda run: run["compute_s"])[len(runs) // 2])
    for name in ("wall_s", "whole_s", "compute_s", "user_s", "system_s"):
        row[name] = round(statistics.median(run[name] for run in runs), 3)
    row["runs"] = {name: [run[name] for run in runs] for name in ("compute_s", "wall_s")}
    return row


def rows_of(file, part, parts, to):
    """A .npy file of two axes and one byte a pixel: one of `parts` equal parts of its rows."""
    with open(file, "rb") as image, open(to, "wb") as out:
        version = image.read(8)
        head = image.read(int.from_bytes(image.read(2), "little")).decode()
        height, width = (int(word) for word in head[head.index("(") + 1:head.index(")")].split(","))
        own = head.replace(f"({height}, {width})", f"({height // parts}, {width})").rstrip().ljust(len(head) - 1) + "\n"
        out.write(version + len(own).to_bytes(2, "little") + own.encode())
        image.seek(part * (height // parts) * width, os.SEEK_CUR)
        shutil.copyfileobj(image, out) if part == parts - 1 else out.write(image.read(height // parts * width))


def measured_apart(commands, at, limit):
    processes = [subprocess.Popen(["taskset", "-c", str(k), *command, "--report", at(f"{k}.json"), "--quiet"],
                                  env={**os.environ, "OMP_NUM_THREADS": "1"}) for k, command in enumerate(commands)]
    if any([process.wait(limit) != 0 for process in processes]):
        return {"error": "a process of its own failed"}
    each = [json.loads(pathlib.Path(at(f"{k}.json")).read_text()) for k in range(len(commands))]
    return {"user_s": round(sum(found["processor"]["user"] for found in each), 3),
            "system_s": round(sum(found["processor"]["system"] for found in each), 3),
            "most_s": round(max(found["processor"]["user"] for found in each), 3),
            "wall_s": round(max(found["seconds"]["compute"] for found in each), 3)}


def told(row):
    """One line for each way, and the ratios."""
    lines = [f"{row['image']} of {row['side']} x {row['side']}, {row['case']}"]
    for way in ("ranks", "alone"):
        found = row[way]
        lines.append(f"  {way}: " + (found["error"] if "error" in found else
                     f"compute {found['compute_s']} s of {found['runs']['compute_s']}, wall {found['wall_s']} s of {found['runs']['wall_s']}"
                     + (f", most bytes up {found['most_bytes_up']}" if "most_bytes_up" in found else "")))
    if "compute" in row:
        lines.append(f"  compute {row['compute']} times as fast, wall {row['wall']} times; "
                     + ("outputs are equal" if row["same_outputs"] else "OUTPUTS DIFFER"))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("macareu")
    parser.add_argument("--launcher", default="", help="of MPI; empty: --ranks of the tool")
    parser.add_argument("--alone", default="taskset -c 0", help="what binds one process")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--side", type=int, default=32768)
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--images", default="tissue,half")
    parser.add_argument("--output", default="zarr", help="the format of outputs: zarr or npy")
    parser.add_argument("--limit", type=float, default=300, help="seconds of one command")
    parser.add_argument("--apart", action="store_true", help="measure processes that share nothing, too")
    parser.add_argument("--json")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        at = lambda name: str(pathlib.Path(folder) / name)
        for image in given.images.split(","):
            half = image == "half"
            shape = f"{given.side // 2 if half else given.side},{given.side}"
            files = {name: at(f"{name}.npy") for name in ("mask", "marker", "objects")}
            subprocess.run([given.macareu, "generate", "tissue", "--shape", shape, "-o", files["mask"], "--marker", files["marker"]]
                           + (["--coverage", "100"] if half else []), check=True)
            subprocess.run([given.macareu, "threshold", files["mask"], "-o", files["objects"], "--value", "100", "--quiet"], check=True)
            if half:
                for file in files.values():
                    half_covered(file, given.side)
            out, table = at(f"out.{given.output}"), at("table.csv")
            cases = {"reconstruct": (["reconstruct", files["marker"], files["mask"], "-o", out], [out]),
                     "label with table": (["label", files["objects"], "-o", out, "--table", table], [out, table])}
            for name, (words, outputs) in cases.items():
                command = [given.macareu] + words + ["--threads", "1", "--memory", given.memory, "--device", "cpu"]
                row = {"image": image, "case": name, "side": given.side}
                several = shlex.split(given.launcher) + ["-n", str(given.ranks)] + command if given.launcher else command + ["--ranks", str(given.ranks)]
                ways = {"ranks": several, "alone": shlex.split(given.alone) + command}
                runs, digests = {way: [] for way in ways}, set()
                for turn in range(given.runs):
                    for way, line in ways.items():
                        runs[way].append(measured(line, at("report.json"), given.limit))
                        if turn == 0 and "error" not in runs[way][-1]:
                            digests.add(digest(outputs))
                        for made in outputs:
                            remove(made)
                row.update({way: median_of(of_way) for way, of_way in runs.items()})
                if "error" not in {**row["ranks"], **row["alone"]}:
                    row["wall"] = round(row["alone"]["wall_s"] / row["ranks"]["wall_s"], 2)
                    row["compute"] = round(row["alone"]["compute_s"] / row["ranks"]["compute_s"], 2)
                    row["same_outputs"] = len(digests) == 1
                if given.apart and "error" not in row["ranks"]:
                    parts = {}
                    for k in range(given.ranks):
                        for word in words[1:]:
                            if word in files.values():
                                parts[word, k] = at(f"{k}-{pathlib.Path(word).name}")
                                rows_of(word, k, given.ranks, parts[word, k])
                    of_rank = lambda k: [parts.get((word, k), word.replace(folder + "/", f"{folder}/{k}-")) for word in words]
                    pieces = ",".join(str(side) for side in row["ranks"]["pieces"][1:])
                    row["apart"] = measured_apart([[given.macareu, *of_rank(k), "--threads", "1", "--pieces", pieces, "--device", "cpu"]
                                                   for k in range(given.ranks)], at, given.limit)
                    for made in [*parts.values(), *(word for k in range(given.ranks) for word in of_rank(k)[-3:] if word.startswith(folder))]:
                        remove(made)
                rows.append(row)
                print(told(row), flush=True)
                if given.json:
                    pathlib.Path(given.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
