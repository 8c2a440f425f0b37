#!/usr/bin/env python3
"""Writes the results of bench/*_peers.py and itk/test/test_autoload.py into docs/benchmarks, for suites without own tables.

    bench/peers_tables.py        (from bench/results/SUITE-*.json)

The tables of a suite go between <!-- suite --> and <!-- /suite -->.
"""
from page import machine_line, ms, must_table, replace_section, results_of, table


def cases_table(cases):
    rows = [(case["name"], " x ".join(map(str, case["shape"])), case["dtype"], case["threads"], ms(case["median_ms"]),
             f"{case['ns_per_pixel']:.3f}") for case in cases if "median_ms" in case]
    return table(("case", "shape", "type", "threads", "ms", "ns a pixel"), rows) if rows else ""


def figure_5(cases):
    """Table of paper 4: times of the kernel alone, and with both transfers."""
    times = {case["name"]: case["median_ms"] for case in cases if "median_ms" in case}
    if not any(name.startswith("figure5-") for name in times):
        return ""
    rows = []
    for pattern, operator in (("P2P", "threshold"), ("N2P", "sobel"), ("R2S", "statistics"), ("R2V", "histogram")):
        for size in ("1080p", "4k", "8k"):
            cpu, *gpu = (times.get(f"figure5-{operator}-{size}-{where}") for where in ("cpu", "cuda", "cuda-host"))
            rows.append((f"{pattern}: {operator}", size, ms(cpu), *map(ms, gpu),
                         *("" if each is None else f"{cpu / each:.1f}" for each in gpu)))
    return "Figure 5 of paper 4.\n\n" + table(("pattern", "image", "cpu, ms", "GPU, ms", "GPU with transfers, ms", "cpu / GPU",
                                              "cpu / GPU with transfers"), rows)


def paper_5(cases):
    """As section 5.2 of the paper: milliseconds per image, for sizes with many images and for larger ones."""
    found = {}
    for case in cases:
        name, _, device = case["name"].rpartition("-")
        if "median_ms" in case and case["dtype"] == "f32" and name.endswith("-itk"):
            found.setdefault(name, {})[device] = case
    rows = []
    for of in found.values():
        case = next(iter(of.values()))
        images = int(case["instance"].split()[0]) if " of " in case["instance"] else 1
        cpu, gpu = (of[device]["median_ms"] / images if device in of else None for device in ("cpu", "cuda"))
        rows.append((" x ".join(map(str, case["shape"])), images, ms(cpu), ms(gpu), f"{cpu / gpu:.1f}" if cpu and gpu else ""))
    if not any(row[1] > 1 for row in rows):
        return ""
    return ("Paper 5's four sizes and larger ones, f32, ITK's flavour.\n\n" +
            table(("image", "images", "cpu, ms an image", "GPU, ms an image", "cpu / GPU"), rows))


def paper_3(cases):
    """Volumes from host memory and back: times of transfers, kernels and merging, and the total."""
    rows = []
    for case in cases:
        if not case.get("transfers") or "median_ms" not in case:
            continue
        transfer, kernels = case["transfer_ms"], case.get("kernels_ms", case["compute_ms"])
        rows.append((case["instance"], " x ".join(map(str, case["shape"])), case["connectivity"], ms(transfer), ms(kernels),
                     ms(case.get("merging_ms")), ms(case["median_ms"]), f"{case['median_ms'] / max(transfer, kernels):.2f}"))
    if not rows:
        return ""
    return ("Volumes from host memory and back, the GPU within 4 GiB. Parts are those of the run nearest to the median; "
            "in blocks they overlap; the merge time is listed.\n\n" +
            table(("volume", "shape", "neighbours", "transfers, ms", "kernels, ms", "merging, ms", "total, ms",
                   "total / the longer of transfers and kernels"), rows))


def limits_table(cases):
    """Acceptance thresholds on a GPU."""
    rows = [(case["name"], ms(case.get("median_ms")), ms(case["must_ms"]), ms(case.get("goal_ms")),
             "yes" if case.get("median_ms", 1e9) <= case["must_ms"] else "**no**", case.get("checked_by", ""))
            for case in cases if "must_ms" in case]
    return table(("case", "ms", "must", "goal", "holds", "same result as"), rows) if rows else ""


# GPU: title, case, reference, bytes per pixel relative to the reference, relation, threshold.
PATTERN_MUSTS = (
    ("threshold u8 16384^2: of copy bandwidth", "threshold-random", "copy-random", 1, ">=", 0.85),
    ("threshold, generated: of copy bandwidth", "generated-threshold-random", "copy-random", 1, ">=", 0.80),
    ("sobel u8 to f32: of copy bandwidth", "sobel-random", "copy-random", 2.5, ">=", 0.60),
    ("sobel u8 to f32, generated: of copy bandwidth", "generated-gradient-random", "copy-random", 2.5, ">=", 0.45),
    ("sobel u8 to u8, as in examples/convert, generated", "generated-sobel-random", "copy-random", 1, ">=", 0.45),
    ("gaussian sigma 1.4, u8 to f32: of copy bandwidth", "gaussian-random", "copy-random", 2.5, ">=", 0.50),
    ("statistics: times CUB's maximum alone", "statistics-random", "cub-max-random", 1, "<=", 1.15),
    ("statistics: times CUB's sum alone", "statistics-random", "cub-sum-random", 1, "<=", 1.15),
    ("histogram, random: times CUB's", "histogram-random", "cub-histogram-random", 1, "<=", 1.2),
    ("histogram, constant: times CUB's of the random image", "histogram-constant", "cub-histogram-random", 1, "<=", 1.2),
)


def pattern_musts(cases):
    times = {case["name"]: case["median_ms"] for case in cases if "median_ms" in case}
    rows = []
    for what, name, measure, scale, relation, must in PATTERN_MUSTS:
        own, reference = (times.get(f"must-{each}-cuda") for each in (name, measure))
        if own is None or reference is None:
            continue
        reference *= scale
        factor = reference / own if relation == ">=" else own / reference
        holds = factor >= must if relation == ">=" else factor <= must
        rows.append((what, ms(own), ms(reference), f"{factor:.2f}", f"{relation} {must}", "yes" if holds else "**no**"))
    return table(("on the GPU", "ours, ms", "reference for as many bytes, ms", "factor", "must", "holds"), rows) if rows else ""


def generated_waves(rows):
    return table(("instance", "neighbours", "generated, ms", "`reconstruct --strategy megapixel`, ms", "generated / megapixel",
                  "`reconstruct`, ms"),
                 [(row["instance"], row["neighbours"], ms(row["generated_ms"]), ms(row["megapixel_ms"]),
                   f"{row['generated_ms'] / row['megapixel_ms']:.2f}", ms(row["auto_ms"])) for row in rows])


MOST_BEYOND_MS = 0.5


def beyond_ms(row):
    return row["auto_ms"] - 2 * row["contraction_ms"]


def bounds(rows):
    """`auto` beside twice `contraction`: the worst type and neighbourhood of every pair."""
    groups = {}
    for row in rows:
        groups.setdefault((" x ".join(map(str, row["shape"])), row["mask"], row["marker"]), []).append(row)
    found = []
    for name, group in groups.items():
        worst = max(group, key=beyond_ms)
        found.append((*name, len(group), f"{worst['dtype']}, {worst['connectivity']} neighbours", ms(worst["contraction_ms"]),
                      ms(worst["auto_ms"]), f"{worst['auto_ms'] / worst['contraction_ms']:.2f}", f"{beyond_ms(worst):.3f}",
                      "yes" if beyond_ms(worst) <= MOST_BEYOND_MS else "**no**",
                      "yes" if all(row["equal"] for row in group) else "**NO**"))
    return table(("image", "mask", "marker", "cases", "worst of them", "`contraction`, ms", "`auto`, ms", "times",
                  "beyond twice `contraction`, ms", f"at most {MOST_BEYOND_MS}", "same result"), found)


def section(content):
    """A report of a suite, with or without peers."""
    report, rows = content.get("bench", content), content.get("rows", [])
    parts = [machine_line(report, content.get("peers", {})), must_table(rows) if rows else ""]
    if waves := report.get("generated_waves"):
        parts.append(generated_waves(waves))
    if pairs := report.get("bounds"):
        parts.append(bounds(pairs))
    if cases := report.get("cases"):
        parts += [limits_table(cases), pattern_musts(cases)]
        if report["suite"] == "canny":
            parts.append(paper_5(cases))
            cases = [case for case in cases if " of " not in case["instance"]]
        if report["suite"] == "label":
            parts.append(paper_3(cases))
            cases = [case for case in cases if not case.get("transfers")]
        parts.append(figure_5(cases) if report["suite"] == "patterns" else cases_table(cases))
    return "\n\n".join(part for part in parts if part)


def main():
    for suite in ("reconstruct", "label", "patterns", "canny", "itk", "python", "bound"):
        if contents := results_of(suite):
            replace_section(suite, "\n\n".join(map(section, contents)))


if __name__ == "__main__":
    main()
