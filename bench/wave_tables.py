#!/usr/bin/python3
"""Writes the tables and plots of `macareu bench wave` into the documentation, with the papers' numbers beside.

    bench/wave_tables.py [FILE.json ...]        (default: bench/results/wave-*.json)

Files of one machine are merged. If two have the same case, the later one counts. The tables go between <!-- wave --> and
<!-- /wave --> in docs/benchmarks, the plots to docs/benchmarks/pictures/wave-*.svg. Needs Matplotlib. The first line names
the system's Python, which has the Debian and Ubuntu package python3-matplotlib.
"""
import argparse
import os
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend has to be chosen first)

from page import ROOT, ms, replace_section, results_of, table  # noqa: E402

STRATEGIES = ("sweep", "queue", "megapixel", "diagonal", "tiles", "contraction", "auto")
COVERAGES = (25, 50, 75, 100)
SIDES = ("32k", "64k", "100k")
MOST_OF_BETTER = 1.3

# Paper 1, table I, in ms: nscale IWPP (a queue of pixels), nscale SR (sweeps), IWPP MP (megapixels) on a GeForce
# 940MX; Matlab on 8 cores of a Xeon Platinum 8375C. Of random images it has two of each size.
PAPER_1 = (
    ("tissue 25 %", "tissue-25-4k", ("288", "3823", "187", "522")),
    ("tissue 50 %", "tissue-50-4k", ("389", "1984", "235", "611")),
    ("tissue 75 %", "tissue-75-4k", ("1618", "4978", "582", "1812")),
    ("tissue 100 %", "tissue-100-4k", ("1567", "3436", "596", "1621")),
    ("random 4k", "random-4k", ("89, 87", "237, 238", "189, 190", "399, 393")),
    ("random 8k", "random-8k", ("348, 348", "923, 1041", "761, 762", "1657, 1662")),
)
# Paper 2, figure 4: how much faster diagonal is than megapixel, least and most over four coverages, on a GeForce
# RTX 3090 Ti. Its text has no times.
PAPER_2 = {"32k": (1.13, 1.27), "64k": (1.13, 1.28), "100k": (1.10, 1.26)}


class Cases:
    """The measured cases, by their parameters."""

    def __init__(self, reports):
        self.by_name = {}
        for report in reports:
            self.by_name.update({case["name"]: case for case in report["cases"]})

    def all(self):
        return self.by_name.values()

    def find(self, instance, strategy, dtype="u8", neighbours=4, host=False):
        case = self.by_name.get(f"{instance}-{dtype}-{neighbours}-{strategy}{'-host' if host else ''}")
        return case if case and "median_ms" in case else None

    def variants(self):
        """(instance, type, neighbours) with device memory, in the order of measurement."""
        found = dict.fromkeys((case["instance"], case["dtype"], case["connectivity"]) for case in self.all()
                              if not case["transfers"])
        return list(found)


def time_of(case):
    return ms(case["median_ms"]) if case else ""


def what(case):
    return f"{case['instance']}, {case['dtype']}, {case['connectivity']} neighbours"


def reached(case):
    """The verdict on GPU time, and on the time from an idle stream if that misses the threshold."""
    taken = case.get("median_ms")
    if taken is None or taken > case["must_ms"]:
        return "no"
    best = "goal" if "goal_ms" in case and taken <= case["goal_ms"] else "must"
    return best + (" (idle: no)" if case.get("from_idle_ms", 0) > case["must_ms"] else "")


def must_section(cases):
    rows = []
    for case in cases.all():
        if "must_ms" not in case:
            continue
        taken = case.get("median_ms")
        published = case.get("published_ms")
        rows.append((what(case), case["strategy"] + (f" ({case['ran']})" if case.get("ran") else ""), ms(taken),
                     ms(case.get("from_idle_ms")), ms(case["must_ms"]), ms(case.get("goal_ms")),
                     reached(case),
                     ms(published), f"{published / taken:.1f}" if published and taken else ""))
    return "### Acceptance thresholds\n\n`megapixel` must be no slower than the published megapixel code on the same GPU.\n\n" + table(
        ("what", "strategy", "ours, ms", "from an idle stream", "must", "goal", "reached", "published code, ms", "times"), rows)


def automatic_section(cases):
    ratios, excess = [], []
    for case in cases.all():
        if case["strategy"] != "auto" or case["transfers"] or "median_ms" not in case:
            continue
        if "of_better" in case:
            ratios.append((case["of_better"], case))
        contraction = cases.find(case["instance"], "contraction", case["dtype"], case["connectivity"])
        if contraction:
            excess.append((case["median_ms"] - 2 * contraction["median_ms"], case))
    if not ratios:
        return ""
    over = sorted((each for each in ratios if each[0] > MOST_OF_BETTER), key=lambda each: -each[0])
    worst, worst_case = max(ratios, key=lambda each: each[0])
    text = (f"### `auto`\n\nAgainst the better of `tiles` and `contraction` (must: at most {MOST_OF_BETTER} times), over {len(ratios)} "
            f"cases: at worst {worst:.2f} times, on {what(worst_case)}. ")
    text += f"Above {MOST_OF_BETTER}: " + "; ".join(f"{what(case)} {ratio:.2f}" for ratio, case in over) + ". " if over else ""
    most, most_case = max(excess, key=lambda each: each[0])
    return text + (f"Beyond twice `contraction`: at most {most:.3f} ms, on {what(most_case)}." if most > 0 else
                   "Never beyond twice `contraction`.")


def paper_1_section(cases):
    rows = []
    for name, instance, paper in PAPER_1:
        ours = [time_of(cases.find(instance, each)) for each in ("queue", "sweep", "megapixel", "tiles", "contraction", "auto")]
        rows.append((name, *paper, *ours))
    return ("### Paper 1, table I\n\nMilliseconds. The paper's columns: its own hardware (GeForce 940MX, compute capability 5.0; Matlab on 8 cores "
            "of a Xeon Platinum 8375C), host clock around the call, median of 5, its own tissue. The others: ours, generated tissue.\n\n" + table(
                ("instance", "nscale IWPP", "nscale SR", "IWPP MP", "Matlab, CPU", "queue", "sweep", "megapixel", "tiles",
                 "contraction", "auto"), rows))


def diagonal_pairs(cases):
    for instance, dtype, neighbours in cases.variants():
        pair = [cases.find(instance, each, dtype, neighbours) for each in ("megapixel", "diagonal")]
        if all(pair) and instance.split("-")[0] in ("tissue", "published", "slide", "random"):
            yield instance, *pair


def count(case, field):
    return f"{case[field]:,}" if case and field in case else ""


def paper_2_section(cases):
    rows = []
    for instance, mega, diagonal in diagonal_pairs(cases):
        rows.append((instance, ms(mega["median_ms"]), ms(diagonal["median_ms"]),
                     f"{mega['median_ms'] / diagonal['median_ms']:.2f}", count(mega, "tiles"), count(diagonal, "tiles"),
                     count(mega, "passes"), count(diagonal, "passes")))
    ranges = ", ".join(f"{low:.2f} to {high:.2f} ({side})" for side, (low, high) in PAPER_2.items())
    return (f"### Paper 2: diagonal against megapixel\n\nThe paper, on a GeForce RTX 3090 Ti, has diagonal faster by {ranges}, with nearly the same "
            "number of tiles visited, by two passes an iteration instead of four; its text has no times.\n\n" + table(
                ("instance", "megapixel, ms", "diagonal, ms", "times faster", "tiles, megapixel", "tiles, diagonal", "passes, megapixel",
                 "passes, diagonal"), rows) + "\n\n![Diagonal against megapixel](pictures/wave-diagonal.svg)")


def slides_section(cases):
    rows = []
    for side in SIDES:
        for coverage in COVERAGES:
            found = {each: cases.find(f"slide-{side}-{coverage}", each) for each in ("tiles", "contraction", "auto")}
            if not any(found.values()):
                continue
            auto = found["auto"]
            pixels = auto["shape"][0] * auto["shape"][1] if auto else 0
            rows.append((side, f"{coverage} %", *(time_of(case) for case in found.values()),
                         f"{auto['of_better']:.2f}" if auto and "of_better" in auto else "",
                         f"{1e6 * auto['median_ms'] / pixels:.4f}" if auto else "",
                         count(auto, "tiles"), count(auto, "passes")))
    if not rows:
        return ""
    return ("### Slides\n\nTissue of 8192 x 8192 (for 100k: 10,000 x 10,000) mirrored, u8, 4 neighbours, median of 3.\n\n" + table(
        ("side", "coverage", "tiles, ms", "contraction, ms", "auto, ms", "auto of the better", "auto, ns a pixel", "tiles visited", "passes"), rows) +
            "\n\n![Slides by side and coverage](pictures/wave-slides.svg)")


def counters(case):
    """Rounds, tiles and passes, if the strategy counts them."""
    parts = [f"{count(case, field)} {field[0]}" for field in ("rounds", "tiles", "passes") if field in case]
    return f"<br>{', '.join(parts)}" if parts else ""


def strategies_section(cases):
    rows = []
    for instance, dtype, neighbours in cases.variants():
        if instance.startswith("slide"):
            continue
        found = [cases.find(instance, each, dtype, neighbours) for each in STRATEGIES]
        rows.append((f"{instance}, {dtype}, {neighbours}",
                     *(time_of(case) + counters(case) if case else "" for case in found)))
    return ("### Every strategy\n\nMilliseconds; below them what the strategy counts: rounds (r), tiles visited (t), passes over tiles or images (p).\n\n" +
            table(("instance, type, neighbours", *STRATEGIES), rows) + "\n\n![Time by strategy](pictures/wave-strategies.svg)")


def transfers_section(cases):
    rows = []
    for case in cases.all():
        if not case["transfers"] or "median_ms" not in case:
            continue
        rows.append((what(case), ms(case["median_ms"]), ms(case["transfer_ms"]), ms(case["compute_ms"])))
    if not rows:
        return ""
    return ("### Host memory in and out\n\nWhole calls by the host's clock; the parts are those of the last run.\n\n" +
            table(("what", "whole call, ms", "of it transfers", "of it the rest"), rows))


def head(reports, cases):
    machine = reports[-1]["machine"]
    gpus = ", ".join(gpu["name"] for gpu in machine.get("gpus", ())) or "no GPU"
    commits = ", ".join(dict.fromkeys(report["commit"] for report in reports))
    differing = [case["name"] for case in cases.all() if not case.get("equal", True)]
    failed = [case["name"] for case in cases.all() if "failure" in case]
    checked = sum("equal" in case for case in cases.all())
    text = (f"{gpus}, {machine['cores']} cores of {machine['processor']}; {reports[-1]['compiler']}; commit {commits}. "
            f"{checked} results compared with the cpu device, {len(differing) or 'none'} differ{'s' if len(differing) == 1 else ''}")
    text += (": " + ", ".join(differing)) if differing else ""
    text += ("; failed: " + ", ".join(failed)) if failed else ""
    return text + "."


def save(figure, name):
    path = os.path.join(ROOT, "docs", "benchmarks", "pictures", f"wave-{name}.svg")
    # Neither date nor random names: the same numbers give the same file.
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


def bars(axes, groups, series):
    """Grouped bars: series is {label: one value or None per group}."""
    width = 0.84 / len(series)
    for index, (label, values) in enumerate(series.items()):
        places = [at + (index - (len(series) - 1) / 2) * width for at, value in enumerate(values) if value is not None]
        axes.bar(places, [value for value in values if value is not None], width, label=label)
    axes.set_xticks(range(len(groups)), groups, rotation=45, ha="right", rotation_mode="anchor")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def plot_strategies(cases):
    groups = [(instance, neighbours) for instance, dtype, neighbours in cases.variants()
              if dtype == "u8" and neighbours in (4, 26) and not instance.startswith("slide")]
    series = {}
    for each in STRATEGIES:
        found = [cases.find(instance, each, "u8", neighbours) for instance, neighbours in groups]
        if any(found):
            series[each] = [case["median_ms"] if case else None for case in found]
    figure, axes = pyplot.subplots(figsize=(13, 5))
    bars(axes, [instance for instance, _ in groups], series)
    axes.set_yscale("log")
    axes.set_ylabel("ms, u8, 4 neighbours (volume: 26)")
    axes.legend(ncols=len(series), loc="upper center", bbox_to_anchor=(0.5, 1.12), frameon=False)
    save(figure, "strategies")


def plot_diagonal(cases):
    found = list(diagonal_pairs(cases))
    if not found:
        return
    groups = [instance for instance, _, _ in found]
    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4))
    bars(axes[0], groups, {"diagonal": [mega["median_ms"] / other["median_ms"] for _, mega, other in found]})
    axes[0].axhline(1, color="black", linewidth=0.8)
    least, most = min(low for low, _ in PAPER_2.values()), max(high for _, high in PAPER_2.values())
    axes[0].axhspan(least, most, color="grey", alpha=0.3, label="paper 2, RTX 3090 Ti")
    axes[0].set_title("times faster than megapixel")
    axes[0].legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.42))
    for place, field, title in ((axes[1], "tiles", "tiles visited, per 1,000 pixels"), (axes[2], "passes", "passes, per 1,000 pixels")):
        def shares(which):
            return [1e3 * each[which].get(field, 0) / (each[which]["shape"][0] * each[which]["shape"][1]) for each in found]
        bars(place, groups, {"megapixel": shares(1), "diagonal": shares(2)})
        place.set_title(title)
        place.legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.42))
    figure.tight_layout()
    save(figure, "diagonal")


def plot_slides(cases):
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    styles = {"tiles": ":", "contraction": "--", "auto": "-"}
    drawn = False
    for index, coverage in enumerate(COVERAGES):
        for strategy, style in styles.items():
            found = [cases.find(f"slide-{side}-{coverage}", strategy) for side in SIDES]
            points = [(case["shape"][0], case["median_ms"]) for case in found if case]
            if points:
                axes.plot(*zip(*points), style, color=f"C{index}", marker="o", markersize=3, label=f"{coverage} %, {strategy}")
                drawn = True
    if not drawn:
        pyplot.close(figure)
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([32768, 65536, 100000], SIDES)
    axes.minorticks_off()
    axes.set_xlabel("side")
    axes.set_ylabel("ms")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, handlelength=4, frameon=False, bbox_to_anchor=(1, 1))
    save(figure, "slides")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="reports of `macareu bench wave --json`")
    reports = results_of("wave", parser.parse_args().files)
    if not reports:
        sys.exit("bench/results has no wave-*.json")
    cases = Cases(reports)
    sections = (head(reports, cases), must_section(cases), automatic_section(cases), paper_1_section(cases),
                paper_2_section(cases), slides_section(cases), strategies_section(cases), transfers_section(cases))
    replace_section("wave", "\n\n".join(section for section in sections if section))
    matplotlib.rcParams["svg.hashsalt"] = "macareu"
    plot_strategies(cases)
    plot_diagonal(cases)
    plot_slides(cases)


if __name__ == "__main__":
    main()
