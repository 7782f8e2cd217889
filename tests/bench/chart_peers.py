#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws what peer_bench wrote (--benchmark_out=FILE.csv --benchmark_out_format=csv): times over the copy.

usage: chart_peers.py IN.csv OUT.png [--size 4096] [--threads 1]
"""
import argparse
import csv
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

OURS = "#1f6feb"
THEIRS = "#8b949e"


def rows_of(path, size, threads):
    """(group, library, what, ms, over the copy) of the cases that were measured."""
    with open(path, newline="", encoding="utf-8") as file:
        # Whatever the program says before the table is not the table.
        lines = iter(file)
        header = next((line for line in lines if line.startswith("name,")), None)
        if header is None:
            sys.exit(f"chart_peers: error: {path} has no table of Google Benchmark's")
        for row in csv.DictReader([header, *lines]):
            parts = row["name"].split("/")
            if row.get("error_occurred") == "true" or len(parts) < 5:
                continue
            group, library, rest = parts[0], parts[1], "/".join(parts[2:])
            what, found, _ = rest.partition(f"/{size}/threads:{threads}/")
            if found and row["p50_ms"] != "nan":  # it was too busy
                yield group, library, what, float(row["p50_ms"]), float(row["x_copy"])


def draw(rows, title, path):
    groups = sorted({row[0] for row in rows})
    labels, values, colours, times, places = [], [], [], [], []
    place = 0.0
    for group in groups:
        for _, library, what, ms, over in sorted((r for r in rows if r[0] == group), key=lambda r: r[4]):
            labels.append(f"{library}: {what}")
            values.append(over)
            colours.append(OURS if library.startswith("iir2d") else THEIRS)
            times.append(ms)
            places.append(place)
            place -= 1.0
        place -= 0.7
    figure, axes = pyplot.subplots(figsize=(10, 0.32 * len(labels) + 1.6))
    axes.barh(places, values, color=colours, height=0.8)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.set_yticks(places, labels)
    for at, value, ms in zip(places, values, times):
        axes.annotate(f"{value:.1f}x, {ms:.3g} ms", (value, at), (4, 0), textcoords="offset points", va="center",
                      fontsize=8, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    axes.set_xlim(right=max(values) * 4)
    axes.set_xlabel("time over a copy of the image on as many threads (line: the copy itself)")
    axes.set_title(title)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("png")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    rows = list(rows_of(given.csv, given.size, given.threads))
    if not rows:
        sys.exit(f"chart_peers: error: {given.csv} has no case of {given.size} pixels on {given.threads} threads")
    thread = "thread" if given.threads == 1 else "threads"
    draw(rows, f"{given.size} x {given.size}, float32, one plane, {given.threads} {thread}", given.png)


if __name__ == "__main__":
    main()
