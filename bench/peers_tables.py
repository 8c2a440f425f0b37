#!/usr/bin/env python3
"""Writes what bench/*_peers.py measured into docs/results.md, for the suites without tables of their own.

    bench/peers_tables.py        (from bench/results/SUITE-*.json)

The tables of a suite go between <!-- suite --> and <!-- /suite -->.
"""
from page import machine_line, ms, must_table, replace_section, results_of, table


def cases_table(cases):
    rows = [(case["name"], " x ".join(map(str, case["shape"])), case["dtype"], case["threads"], ms(case["median_ms"]),
             f"{case['ns_per_pixel']:.3f}") for case in cases if "median_ms" in case]
    return table(("case", "shape", "type", "threads", "ms", "ns a pixel"), rows)


def figure_5(cases):
    """Of paper 4: times of the kernel alone, and with the image brought to the GPU and the result back."""
    times = {case["name"]: case["median_ms"] for case in cases if "median_ms" in case}
    rows = []
    for pattern, operator in (("P2P", "threshold"), ("N2P", "sobel"), ("R2S", "statistics"), ("R2V", "histogram")):
        for size in ("1080p", "4k", "8k"):
            cpu, *gpu = (times.get(f"figure5-{operator}-{size}-{where}") for where in ("cpu", "cuda", "cuda-host"))
            rows.append((f"{pattern}: {operator}", size, ms(cpu), *map(ms, gpu),
                         *("" if each is None else f"{cpu / each:.1f}" for each in gpu)))
    return "Figure 5 of paper 4.\n\n" + table(("pattern", "image", "cpu, ms", "GPU, ms", "GPU with transfers, ms", "cpu / GPU",
                                              "cpu / GPU with transfers"), rows)


def section(content):
    """A report of a suite alone, or one with peers beside it."""
    report, rows = content.get("bench", content), content.get("rows", [])
    parts = [machine_line(report, content.get("peers", {})), must_table(rows) if rows else ""]
    if cases := report.get("cases"):
        parts.append(figure_5(cases) if report["suite"] == "patterns" else cases_table(cases))
    return "\n\n".join(part for part in parts if part)


def main():
    for suite in ("reconstruct", "label", "patterns", "canny", "python"):
        if contents := results_of(suite):
            replace_section(suite, "\n\n".join(map(section, contents)))


if __name__ == "__main__":
    main()
