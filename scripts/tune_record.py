#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what the tuner is worth on this machine, and keeps it as a record (docs/tuning.md).

usage: scripts/tune_record.py --iir2d build/ci/bin/iir2d --work DIR --out docs --pictures docs/images [--budget SECONDS]

Measures problems to train on and others to judge by, trains a model of each purpose, judges them by the problems that they
have not seen, and lets `iir2d tune retrain` make others. Writes to --out:

    tuning-record.json      every figure, what was asked for, the machine, and which goals were met
    tuning-record.md        the same for a person: goals, headroom by family, regret by k
    tuning-headroom.svg     static's time over the best config's, by family
    tuning-regret.svg       regret by how many configs are timed, with the noise
    tuning.md               only where it is there: what is between two comments, the table of headroom

All that was measured stays in --work: the same command goes on with what is missing, so that a quiet hour may be made of
several quiet quarters. --budget is for measuring alone; what is there by then is judged, and the record says whether it is all.
Needs a machine with nothing else to do: a visit during which the processors were others' counts for nothing.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import shutil
import sqlite3
import subprocess
import sys
import time

PURPOSES = ("iir-cpu", "pool-cpu", "pool-backward-cpu")
KS = (1, 2, 3, 5, 10)
INK, OURS, PALE, NOISE = "#1f2328", "#1f6feb", "#8b949e", "#d0d7de"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--iir2d", required=True, help="the program")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="databases and models; kept")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="where record and pictures are written")
    parser.add_argument("--pictures", type=pathlib.Path, help="where the pictures are written (default: --out)")
    parser.add_argument("--train", type=int, default=500, help="problems to train on (default: 500)")
    parser.add_argument("--judge", type=int, default=340,
                        help="problems to judge by (default: 340, of which 300 have to be left)")
    parser.add_argument("--budget", type=float, help="seconds of measuring, of which the problems to judge by get half")
    parser.add_argument("--max-samples", type=int, default=1 << 22, help="of a problem (default: 4194304)")
    parser.add_argument("--train-max-samples", type=int, help="of a problem to train on, as large planes take most of the time (default: --max-samples)")
    parser.add_argument("--train-space", default="sampled:16", help="of problems to train on (default: sampled:16)")
    parser.add_argument("--judge-space", default="exhaustive", help="of problems to judge by (default: exhaustive)")
    parser.add_argument("--rounds", default="5..25", help="of a visit (default: 5..25)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--retrain", type=float, default=300, help="budget of tune retrain in seconds; 0: none (default: 300)")
    parser.add_argument("--import", dest="imported", metavar="JSON",
                        help="instead of measuring, what tune export wrote, with both sets")
    given = parser.parse_args()
    given.train_max_samples = given.train_max_samples or given.max_samples
    return given


class Program:
    def __init__(self, path, work):
        self.path = path
        self.work = work

    def run(self, *words, codes=(0,), config="config", show=False):
        environment = {**os.environ, "IIR2D_CONFIG_DIR": str(self.work / config)}
        environment.pop("IIR2D_TUNE", None)
        environment.pop("IIR2D_TUNE_MODELS", None)
        done = subprocess.run([self.path, "tune", *map(str, words)], text=True, env=environment, stdout=subprocess.PIPE,
                              stderr=None if show else subprocess.PIPE)
        if done.returncode not in codes:
            sys.exit(f"tune_record: iir2d tune {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr or ''}")
        return done

    def json(self, *words, **more):
        return json.loads(self.run(*words, "--json", **more).stdout)


def open_visits(database, host):
    """How many visits of each problem by this machine and these kernels count, of those that lack one of two."""
    with sqlite3.connect(database) as connection:
        return dict(connection.execute(
            "SELECT spec, count(CASE WHEN state IN ('ok', 'unstable') THEN 1 END) AS good FROM problem "
            "LEFT JOIN visit ON visit.problem = problem.id AND machine = ? AND build = ? GROUP BY problem.id HAVING good < 2",
            (host["machine"], host["kernels"])))


def visits_made(database, specs, host):
    with sqlite3.connect(database) as connection:
        counts = dict(connection.execute("SELECT spec, count(visit.id) FROM problem LEFT JOIN visit ON visit.problem = problem.id "
                                         "AND machine = ? AND build = ? GROUP BY problem.id", (host["machine"], host["kernels"])))
    return max((counts[spec] for spec in specs), default=0)


def measure(program, given, which, seconds):
    """Two visits of every problem, then further ones of those of which two do not count, while there is time. Returns what that
    took and was."""
    database = program.work / f"{which}.db"
    host = program.json("models")
    count = given.train if which == "train" else given.judge
    space = given.train_space if which == "train" else given.judge_space
    most = given.train_max_samples if which == "train" else given.max_samples
    asked = ["collect", "--out", database, "--set", which, "--seed", given.seed, "--space", space, "--rounds", given.rounds,
             "--max-samples", most]
    start = time.monotonic()
    done = {"seconds": 0.0, "visits": 0, "contended": 0, "unstable": 0, "wrong": []}

    def collect(*more):
        left = None if seconds is None else seconds - (time.monotonic() - start)
        if left is not None and left <= 0:
            return False
        said = program.json(*asked, *more, *([] if left is None else ["--budget", f"{left:.1f}"]), show=True, codes=(0, 5))
        for name in ("seconds", "visits", "contended", "unstable", "wrong"):
            done[name] += said[name]
        return said["missing"] == 0 or bool(said["failed"])  # a failure is not for want of time
    again = program.work / f"{which}-again.txt"
    if collect("--count", count):
        for _ in range(4):
            lacking = open_visits(database, host)
            if not lacking:
                break
            again.write_text("\n".join(lacking) + "\n")
            if not collect("--problems", again, "--visits", min(100, visits_made(database, lacking, host) + 2)):
                break
    lacking = len(open_visits(database, host)) if database.exists() else count
    done["problems_without_two_good_visits"] = lacking
    print(f"{which}: {done['visits']} visits in {done['seconds']:.0f} s, {done['contended']} contended, {lacking} problems lack one; "
          f"{100 * 2 * done['seconds'] / max(1, done['visits']):.0f} s for 100 problems of two visits", flush=True)
    return done


def load():
    return os.getloadavg()[0]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def percentile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q / 100
    low = math.floor(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def distribution(values):
    return {"geomean": geomean(values), "p50": percentile(values, 50), "p95": percentile(values, 95), "max": max(values)}


def rows_of(path):
    """The rows of eval's CSV, numbers as such; only specs' and families' cells have commas, in quotes."""
    import csv
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield {name: cell if name in ("spec", "key", "family", "best", "decision") else float(cell) for name, cell in row.items()}


def judge(program, given, models, label):
    """Figures of the models of a folder on all problems to judge by: by purpose, and over all."""
    rows, purposes = [], {}
    for purpose in PURPOSES:
        model = models.get(purpose)
        if model is None:
            continue
        csv_file = program.work / f"{label}-{purpose}.csv"
        words = ["eval", program.work / "validation.db", "--model", model, "--set", "validation", "--k", ",".join(map(str, KS)),
                 "--out-csv", csv_file]
        # Latency is of models that may decide here.
        timed = program.run(*words, "--latency", "--json", codes=(0, 2, 3, 4, 5))
        said = json.loads(timed.stdout) if timed.returncode == 0 else program.json(*words)
        rows += list(rows_of(csv_file))
        purposes[purpose] = {name: said[name] for name in ("problems", "unstable", "not_measured", "by_k", "decision", "level", "gain")}
        purposes[purpose]["latency"] = said.get("latency")
    if not rows:
        return None
    above = sum(row["decision_to_static"] > 1.02 for row in rows) / len(rows)
    second = sum(p["problems"] * p["decision"]["second_static_slower_than_2_percent"] for p in purposes.values()) / len(rows)
    shares = [(p["problems"], {one["k"]: one["time_share"] for one in p["by_k"]}) for p in purposes.values()]
    return {"problems": len(rows), "purposes": purposes,
            "static": distribution([row["static"] for row in rows]),
            "noise": distribution([row["noise"] for row in rows]),
            "random": distribution([row["random"] for row in rows]),
            "best_single": distribution([row["best_single"] for row in rows]),
            "by_k": [{"k": k, **distribution([row[f"regret_{k}"] for row in rows]),
                      "time_share": sum(n * share[k] for n, share in shares) / len(rows)} for k in KS],
            "decision": {"geomean_to_static": geomean([row["decision_to_static"] for row in rows]),
                         "slower_than_2_percent": above, "second_static_slower_than_2_percent": second,
                         "surely_slower": [row["spec"] for row in rows if row["decision_low"] > 1.02],
                         "changed": sum(row["decision"] != "static" for row in rows)}}


def won(of_static, regret):
    """The part of the logarithm of headroom that a regret leaves over."""
    whole = math.log(of_static)
    return 1 - math.log(regret) / whole if whole > 0 else None


def goals_of(headroom, figures, decided, retrained):
    """(goal, what is asked, what was measured, whether it was met; None: not measured)."""
    goals = []
    if headroom["overall"]:
        overall = headroom["overall"]["headroom"]["geomean"]
        goals.append(("headroom of all problems (below it auto should mean off)", ">= 1.03", overall, overall >= 1.03))
    if figures is None:
        return named(goals)
    by_k = {one["k"]: one for one in figures["by_k"]}
    noise, static = figures["noise"], figures["static"]
    decision = figures["decision"]
    goals += [("problems judged by", ">= 300", figures["problems"], figures["problems"] >= 300),
              ("top-1, geometric mean", "<= 1.03", by_k[1]["geomean"], by_k[1]["geomean"] <= 1.03),
              ("top-1, p95", "<= 1.15", by_k[1]["p95"], by_k[1]["p95"] <= 1.15)]
    most = max(1.01, noise["geomean"] + 0.005)
    goals.append(("top-3, geometric mean", f"<= {most:.4f} (1.01, or the noise + 0.005)", by_k[3]["geomean"], by_k[3]["geomean"] <= most))
    most = max(1.05, noise["p95"])
    goals.append(("top-3, p95", f"<= {most:.4f} (1.05, or the noise's)", by_k[3]["p95"], by_k[3]["p95"] <= most))
    for k, least in ((1, 0.60), (3, 0.85)):
        part = won(static["geomean"], by_k[k]["geomean"])
        goals.append((f"top-{k}, part of ln headroom", f">= {least:.2f}", part, None if part is None else part >= least))
    slower, second = decision["slower_than_2_percent"], decision["second_static_slower_than_2_percent"]
    goals += [("decisions surely slower than 1.02 x static", "0", len(decision["surely_slower"]), not decision["surely_slower"]),
              ("decisions above 1.02", f"<= {second + 0.01:.4f} (static's own + 0.01)", slower, slower <= second + 0.01)]
    times = [p["latency"] for p in figures["purposes"].values() if p["latency"]]
    for name, most, value in (("kept decision, p50, us", 1, lambda t: t["cached_us"]["p50"]), ("fresh decision, p50, us", 50, lambda t: t["fresh_us"]["p50"]),
                              ("fresh decision, p99, us", 200, lambda t: t["fresh_us"]["p99"]), ("model loaded, ms", 5, lambda t: t["load_ms"])):
        worst = max(map(value, times)) if times else None
        goals.append((name, f"<= {most}", worst, None if worst is None else worst <= most))
    if decided:
        ratios = [one["ratio"] for one in decided]
        goals.append(("decisions for twelve more problems over static, largest", "<= 1.05", max(ratios), max(ratios) <= 1.05))
        goals.append(("the same, geometric mean", "<= 1", geomean(ratios), geomean(ratios) <= 1))
    if retrained:
        goals.append(("tune retrain, seconds", "<= 300", retrained["seconds"], retrained["seconds"] <= 300))
        judged = retrained.get("judged")
        regret = {one["k"]: one for one in judged["by_k"]}[1]["geomean"] if judged else None
        goals.append(("its models, top-1, geometric mean", "<= 1.06", regret, None if regret is None else regret <= 1.06))
        sure = len(judged["decision"]["surely_slower"]) if judged else None
        goals.append(("its decisions surely slower than 1.02 x static", "0", sure, None if sure is None else sure == 0))
    return named(goals)


def named(goals):
    return [{"goal": goal, "asked": asked, "measured": value, "met": met} for goal, asked, value, met in goals]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Picture:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                      f'role="img" aria-label="{escaped(title)}" font-family="sans-serif" font-size="13">',
                      f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
        self.text(16, 26, title, size=16, bold=True)

    def text(self, x, y, text, anchor="start", size=13, colour=INK, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{weight}>{escaped(text)}</text>')

    def line(self, points, colour, width=1.5, dash=""):
        where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{where}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0, width):.1f}" height="{height:.1f}" fill="{colour}"/>')

    def dot(self, x, y, colour):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')

    def write(self, path):
        path.write_text("\n".join([*self.parts, "</svg>"]) + "\n")


def ticks_to(top):
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5) if (top - 1) / s <= 7)
    return [1 + step * i for i in range(int((top - 1) / step + 1e-9) + 1)]


def draw_headroom(headroom, path):
    families = sorted(headroom["families"], key=lambda f: -f["headroom"]["geomean"])
    if headroom["overall"]:
        families.insert(0, {**headroom["overall"], "family": "all problems"})
    left, right, row, top = 360, 800, 24, 62
    most = max([1.05, *(f["headroom"]["geomean"] for f in families)]) * 1.02
    least = min([1, *(f["headroom"]["geomean"] for f in families)])
    picture = Picture(880, top + row * len(families) + 56, "What choosing well could gain: static's time over the best config's")

    def x(value):
        return left + (value - least) / (most - least) * (right - left)
    bottom = top + row * len(families)
    for tick in ticks_to(most):
        picture.line([(x(tick), top - 6), (x(tick), bottom)], NOISE, 1)
        picture.text(x(tick), bottom + 18, f"{tick:.2f}", "middle", 12)
    for i, family in enumerate(families):
        y = top + row * i
        picture.text(left - 8, y + 15, f"{family['family']} ({family['problems']})", "end", 12, bold=i == 0 and headroom["overall"] is not None)
        value, noise = family["headroom"]["geomean"], min(family["noise"]["geomean"], most)
        picture.box(x(min(1, value)), y + 4, abs(x(value) - x(1)), 14, OURS)
        picture.line([(x(noise), y + 1), (x(noise), y + 21)], INK, 2)
        picture.text(x(max(value, noise)) + 7, y + 15, f"{value:.3f}", size=12)
    picture.text(16, bottom + 40, "geometric means; the upright line is the noise: static's time over its own", size=12)
    picture.write(path)


def draw_regret(figures, path):
    left, right, top, bottom = 64, 560, 56, 380
    by_k, noise = figures["by_k"], figures["noise"]
    lines = {"static": figures["static"]["geomean"], "best single config": figures["best_single"]["geomean"]}
    most = max([1.02, noise["geomean"], *lines.values(), *(one["geomean"] for one in by_k)]) * 1.01
    picture = Picture(760, 430, f"Regret by how many configs are timed ({figures['problems']} problems not trained on)")

    # Found in one half of noisy rounds and judged in the other, a regret may be below 1.
    least = min([0.995, *lines.values(), *(one["geomean"] for one in by_k)]) - 0.005

    def y(value):
        return bottom - (value - least) / (most - least) * (bottom - top)

    def x(k):
        return left + math.log(k) / math.log(KS[-1]) * (right - left - 20) + 10
    picture.box(left, y(noise["geomean"]), right - left, y(1) - y(noise["geomean"]), NOISE)
    picture.text(right + 8, (y(noise["geomean"]) + y(1)) / 2 + 4, f"noise, to {noise['geomean']:.4f}", size=12)
    for tick in ticks_to(most):
        picture.line([(left - 4, y(tick)), (left, y(tick))], INK, 1)
        picture.text(left - 8, y(tick) + 4, f"{tick:.2f}", "end", 12)
    picture.line([(left, top), (left, bottom), (right, bottom)], INK, 1)
    placed = []
    for name, value in sorted(lines.items(), key=lambda line: -line[1]):
        at = y(value)
        picture.line([(left, at), (right, at)], PALE, 1.5, "6 4")
        while any(abs(at - other) < 15 for other in placed):
            at += 3
        placed.append(at)
        picture.text(right + 8, at + 4, f"{name}: {value:.4f}", size=12)
    picture.line([(x(one["k"]), y(one["geomean"])) for one in by_k], OURS, 2.5)
    for one in by_k:
        picture.dot(x(one["k"]), y(one["geomean"]), OURS)
        anchor = {KS[0]: "start", KS[-1]: "end"}.get(one["k"], "middle")
        picture.text(x(one["k"]), y(one["geomean"]) - 9, f"{one['geomean']:.4f}", anchor, 11)
        picture.text(x(one["k"]), bottom + 18, str(one["k"]), "middle", 12)
    picture.text(left, bottom + 40, "first configs of the model that are timed; the best of them over the best of all, geometric means", size=12)
    picture.write(path)


def markdown(record):
    def cell(value):
        return "not measured" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
    text = ["# What the tuner is worth, measured", "", "Written by `scripts/tune_record.py` ([tuning.md](tuning.md)); `tuning-record.json` beside it has every figure.", "",
            f"Measured on {record['machine']['name']}, {record['machine']['target']}, {record['machine']['threads']} threads, load average "
            f"{record['load_before']:.1f} before and {record['load_after']:.1f} after"
            + ("." if record["complete"] else "; **not all that was asked for was measured**."), "",
            "| goal | asked | measured | met |", "| --- | --- | --- | --- |"]
    for goal in record["goals"]:
        met = {True: "yes", False: "no", None: ""}[goal["met"]]
        text.append(f"| {goal['goal']} | {goal['asked']} | {cell(goal['measured'])} | {met} |")
    return "\n".join(text) + "\n\n" + record["headroom_md"]


TABLE_BEGIN, TABLE_END = "<!-- headroom, by scripts/tune_record.py -->\n", "<!-- end of headroom -->\n"


def headroom_table(record):
    """Markdown of a row a family, most headroom first, with the knobs that gain 1 % or, at p95, 5 %, and what it was measured on."""
    headroom = record["headroom"]

    def cell(figures):
        return f"{figures['geomean']:.3f} ({figures['p95']:.2f})"

    def is_large(gain):
        return gain["geomean"] >= 1.01 or gain["p95"] >= 1.05
    rows = ["| problems: family, samples, planes | number | static / best | noise | by knob |", "| --- | --- | --- | --- | --- |"]
    families = sorted(headroom["families"], key=lambda family: -family["headroom"]["geomean"])
    for family in [headroom["overall"], *families]:
        knobs = sorted(((knob["gain"], knob["knob"]) for knob in family["knobs"]), key=lambda knob: -knob[0]["geomean"])
        gains = ", ".join(f"`{name}` {cell(gain)}" for gain, name in knobs if is_large(gain))
        rows.append(f"| {family['family']} | {family['problems']} | {cell(family['headroom'])} | {family['noise']['geomean']:.3f} | {gains} |")
    small = ", ".join(f"`{knob}`" for knob in headroom["below_gate"])
    machine = record["machine"]
    rows += ["", f"Measured on {machine['threads']} threads of an {machine['name']}, {machine['target']}, on {record['utc'][:10]}, on planes of at most "
                 f"{record['asked']['max_samples']} samples." + (f" Less in every family: {small}." if small else "")]
    return "\n".join(rows) + "\n"


def put_table(page, table):
    """Puts a table between the two comments of a page."""
    before, _, rest = page.partition(TABLE_BEGIN)
    _, end, after = rest.partition(TABLE_END)
    if not end:
        sys.exit(f"tune_record: tuning.md lacks the lines between which its table goes: {TABLE_BEGIN}{TABLE_END}")
    return before + TABLE_BEGIN + table + end + after


def train(program, given):
    models, said = {}, {}
    for purpose in PURPOSES:
        folder = program.work / "models" / purpose / "1"
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        words = ["train", program.work / "train.db", "--purpose", purpose, "--validation", program.work / "validation.db", "--seed", given.seed,
                 "--out", folder]
        done = program.run(*words, "--json", codes=(0, 2))
        if done.returncode == 0:
            models[purpose] = folder
            said[purpose] = {key: value for key, value in json.loads(done.stdout).items() if key != "path"}
        else:
            said[purpose] = {"error": done.stderr.strip().splitlines()[-1]}
    return models, said


def retrain(program, given):
    done = program.run("retrain", "--budget", given.retrain, "--json", codes=(0, 5), config="retrained", show=True)
    said = json.loads(done.stdout)
    folder = program.work / "retrained" / "models"
    models = {}
    for one in said["purposes"]:
        if one["installed"]:
            models[one["purpose"]] = folder / one["purpose"] / one["version"]
    said["judged"] = judge(program, given, models, "retrained") if models else None
    return said


def twelve(program, given):
    """Decisions for twelve more problems, which nobody has seen, against static in 21 rounds."""
    with sqlite3.connect(program.work / "validation.db") as connection:
        known = {key for (key,) in connection.execute("SELECT key FROM problem")}
    drawn = program.json("collect", "--list", "--set", "validation", "--count", 100, "--seed", given.seed + 1000, "--max-samples", given.max_samples)
    specs = [problem["spec"] for problem in drawn["problems"] if problem["key"] not in known][:12]
    chosen = {one["spec"]: one["decision"] for one in program.json("select", *specs, "--models", program.work / "models")["problems"]}
    if not any(one["reason"] in ("model", "static_as_good", "table") for one in chosen.values()):
        return None
    configs = sorted({one["config"] for one in chosen.values()})
    (program.work / "twelve.txt").write_text("\n".join(specs) + "\n")
    (program.work / "twelve-configs.txt").write_text("\n".join(configs) + "\n")
    database, export = program.work / "twelve.db", program.work / "twelve.json"
    database.unlink(missing_ok=True)
    program.run("collect", "--out", database, "--set", "validation", "--problems", program.work / "twelve.txt", "--space",
                program.work / "twelve-configs.txt", "--rounds", "21..21", "--visits", 1, show=True)
    program.run("export", database, "--out-json", export)
    ratios = []
    for problem in json.loads(export.read_text())["problems"]:
        config = chosen[problem["spec"]]["config"]
        (visit,) = problem["visits"]
        (one,) = [m for m in visit["measurements"] if m["config"] == config]
        ratio = 1.0 if config == "static" else math.exp(max(one["figures"]["ln_op"], one["figures"]["ln_use"]))
        ratios.append({"spec": problem["spec"], "config": config, "reason": chosen[problem["spec"]]["reason"], "ratio": ratio, "state": visit["state"]})
    return ratios


def split(program, given):
    """One export with both sets as the two databases."""
    whole = json.loads(pathlib.Path(given.imported).read_text())
    for which in ("train", "validation"):
        database, part = program.work / f"{which}.db", program.work / f"{which}.json"
        database.unlink(missing_ok=True)
        part.write_text(json.dumps({**whole, "problems": [p for p in whole["problems"] if p["set"] == which]}))
        program.run("import", part, "--out", database)


def main():
    given = arguments()
    given.work.mkdir(parents=True, exist_ok=True)
    pictures = given.pictures or given.out
    for folder in (given.out, pictures):
        folder.mkdir(parents=True, exist_ok=True)
    page = given.out / "tuning.md"
    if page.exists():
        put_table(page.read_text(), "")  # or ends here, before hours of measuring
    program = Program(str(pathlib.Path(given.iir2d).resolve()), given.work.resolve())
    before = load()
    measured = {}
    if given.imported:
        split(program, given)
    else:
        start = time.monotonic()
        measured["validation"] = measure(program, given, "validation", None if given.budget is None else given.budget / 2)
        left = None if given.budget is None else given.budget - (time.monotonic() - start)
        measured["train"] = measure(program, given, "train", left)
    host = program.json("models")
    key = program.json("collect", "--list", "--count", 1)["problems"][0]["key"].split()
    headroom = program.json("headroom", program.work / "validation.db", "--set", "validation")
    models, trained = train(program, given)
    figures = judge(program, given, models, "trained") if models else None
    retrained = retrain(program, given) if given.retrain > 0 and not given.imported else None
    decided = twelve(program, given) if models and not given.imported else None
    record = {"record": "iir2d-tuning", "record_version": 1,
              "utc": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": {"id": host["machine"], "name": processor(), "target": key[-2].split(":")[1], "threads": int(key[-1].split(":")[1])},
              "kernels": host["kernels"], "load_before": before, "load_after": load(),
              "asked": {name: getattr(given, name) for name in ("train", "judge", "budget", "max_samples", "train_max_samples", "train_space", "judge_space", "rounds",
                                                                "seed", "retrain")},
              "imported": given.imported is not None,
              "complete": bool(measured) and all(m["problems_without_two_good_visits"] == 0 for m in measured.values()),
              "measured": measured, "headroom": headroom, "trained": trained, "figures": figures, "twelve": decided, "retrained": retrained}
    record["goals"] = goals_of(headroom, figures, decided, retrained)
    record["headroom_md"] = program.run("headroom", program.work / "validation.db", "--set", "validation").stdout
    (given.out / "tuning-record.md").write_text(markdown(record))
    del record["headroom_md"]
    (given.out / "tuning-record.json").write_text(json.dumps(record, indent=1) + "\n")
    if headroom["overall"]:
        if page.exists():
            page.write_text(put_table(page.read_text(), headroom_table(record)))
        draw_headroom(headroom, pictures / "tuning-headroom.svg")
    if figures:
        draw_regret(figures, pictures / "tuning-regret.svg")
    for goal in record["goals"]:
        print(f"{ {True: 'met', False: 'NOT MET', None: 'not measured'}[goal['met']]:12} {goal['goal']}: {goal['measured']} (asked: {goal['asked']})")


def processor():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
