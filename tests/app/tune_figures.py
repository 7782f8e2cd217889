# SPDX-License-Identifier: MIT
"""The figures of docs/tuning.md, computed again from the JSON that tune export writes."""
import math
import statistics


def y_of(pairs, objective):
    op, use = (statistics.median(p[i] for p in pairs) for i in (1, 2))
    return {"op": op, "use": use, "both": max(op, use)}[objective]


def counted_pairs(visit, config):
    samples = {m["config"]: {s[0]: s for s in m["samples"]} for m in visit["measurements"]}
    first, second = samples["static"], samples["static#2"]
    pairs = [(r, *(math.log(s[i]) - (math.log(first[r][i]) + math.log(second[r][i])) / 2 for i in (2, 3)),
              s[4] or first[r][4] or second[r][4]) for r, s in samples[config].items() if r in first and r in second]
    quiet = [p for p in pairs if not p[3]]
    return quiet if len(quiet) >= min(5, len(pairs)) else pairs


def figures(visits, config, objective):
    """y by all, odd and even rounds, and each visit's y."""
    parts = {0: [], 1: [], 2: []}
    ys = []
    for visit in visits:
        pairs = counted_pairs(visit, config)
        ys.append(y_of(pairs, objective))
        for part, some in ((0, pairs), (1, [p for p in pairs if p[0] % 2]), (2, [p for p in pairs if not p[0] % 2])):
            parts[part].append([statistics.median(p[i] for p in some or pairs) for i in (1, 2)])
    return [y_of([(0, *(statistics.median(p[i] for p in parts[part]) for i in (0, 1)))], objective)
            for part in (0, 1, 2)], ys


def fair(configs):
    by_odd = min(configs.items(), key=lambda c: (c[1][1], c[0] != "static", c[0]))
    by_even = min(configs.items(), key=lambda c: (c[1][2], c[0] != "static", c[0]))
    return (by_odd[1][2] + by_even[1][1]) / 2


def distribution(ratios):
    ratios = sorted(ratios)

    def percentile(q):
        at = (len(ratios) - 1) * q / 100
        low = math.floor(at)
        high = min(low + 1, len(ratios) - 1)
        return ratios[low] + (at - low) * (ratios[high] - ratios[low])
    return {"geomean": math.exp(sum(map(math.log, ratios)) / len(ratios)), "p50": percentile(50),
            "p95": percentile(95), "max": ratios[-1]}
