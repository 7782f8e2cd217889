# SPDX-License-Identifier: MIT
"""iir2d tune as a user runs it: lists, collections that are killed and go on, exports, and headroom computed again."""
import json
import math
import os
import pathlib
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from tune_figures import distribution, fair, figures

IIR2D = sys.argv[1]
STAND_IN = sys.argv[2] if len(sys.argv) > 2 else None  # the folder of the stand-in driver
SMALL = ["--count", "4", "--max-samples", "20000", "--space", "sampled:3", "--rounds", "6..6"]
CSV_HEADER = ("set,spec,key,family,machine,kernels,visit,state,parallel_ratio,config,status,reason,samples,marked,"
              "copy_ms_p50,op_ms_min,op_ms_p50,op_ms_mad,use_ms_p50,ln_op,ln_use,ln_low,ln_high")


def run(*arguments, code=0):
    done = subprocess.run([IIR2D, "tune", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    if code != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("iir2d: error: ")]
        assert len(errors) == 1, done.stderr
    return done.stdout


def listed(*arguments):
    return json.loads(run("collect", "--list", "--json", *arguments))["problems"]


def check_lists():
    train = listed("--count", 60)
    assert len(train) == 60 and train == listed("--count", 60) == listed("--count", 60, "--allow-other-bits")
    assert {p["spec"] for p in train} != {p["spec"] for p in listed("--count", 60, "--seed", 2)}
    validation = listed("--count", 60, "--set", "validation")
    assert not {p["key"] for p in train} & {p["key"] for p in validation}
    for p in train + validation:
        assert p["candidates"][0] == "static" and 1 <= len(p["candidates"]) <= 64, p
        assert len(set(p["candidates"])) == len(p["candidates"]), p
    run("collect", "--list", "--generate", "round", code=2)
    run("collect", "--list", "--count", "0", code=2)
    run("collect", "--list", "--space", "sampled:0", code=2)
    few = listed("--count", 3)
    assert listed("--count", 3, "--space", "sampled:1000") == few
    run("collect", "--list", "--rounds", "5", code=0)  # nothing is measured
    run("collect", "--count", "1", code=2)  # neither --out nor --list


def rows(database, sql):
    with sqlite3.connect(database) as connection:
        return connection.execute(sql).fetchall()


def contents(database):
    """What must not depend on how often a collection was killed."""
    assert rows(database, "PRAGMA integrity_check") == [("ok",)]
    return (rows(database, "SELECT spec, key, family, set_name FROM problem ORDER BY id"),
            rows(database, "SELECT text FROM config ORDER BY text"),
            rows(database, "SELECT problem, seed, output_sha256 FROM visit ORDER BY problem, seed"),
            rows(database, "SELECT problem, text, count(*) FROM visit JOIN measurement ON visit = visit.id "
                           "JOIN config ON config.id = config GROUP BY problem, text ORDER BY problem, text"))


def check_structure(database):
    columns = {table: [c[1] for c in rows(database, f"PRAGMA table_info({table})")]
               for (table,) in rows(database, "SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert columns["visit"] == ["id", "problem", "machine", "build", "started_utc", "seed", "rounds",
                                "parallel_ratio", "load1", "state", "input_sha256", "output_sha256"]
    assert columns["sample"] == ["visit", "config", "round", "calls", "op_ms", "use_ms", "marked"]
    assert set(columns) == {"meta", "machine", "build", "problem", "config", "visit", "measurement", "sample"}
    assert rows(database, "PRAGMA application_id") == [(0x49495254,)]
    for (visit,) in rows(database, "SELECT id FROM visit WHERE state = 'ok'"):
        texts = {t for (t,) in rows(database, "SELECT text FROM measurement JOIN config ON config.id = config "
                                              f"WHERE visit = {visit}")}
        assert {"copy", "static", "static#2"} <= texts, texts
    for status, reason, samples, *logs in rows(
            database, "SELECT status, reason, samples, ln_op, ln_use, ln_low, ln_high FROM measurement"):
        if status in ("ok", "pruned"):
            assert samples >= 1 and all(math.isfinite(x) for x in logs)
        else:
            assert reason and samples == 0 and logs == [None] * 4


def check_kills(folder):
    whole = folder / "whole.db"
    run("collect", "--out", whole, *SMALL)
    check_structure(whole)
    expected = contents(whole)
    assert len(expected[2]) == 8
    stopped = folder / "stopped.db"
    process = subprocess.Popen([IIR2D, "tune", "collect", "--out", stopped, *SMALL, "--quiet", "--visits", "40"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while True:
        assert process.poll() is None
        time.sleep(0.02)
        try:
            if len(rows(stopped, "SELECT id FROM visit")) >= 2:
                break
        except sqlite3.OperationalError:  # not made yet
            pass
    process.send_signal(signal.SIGINT)
    error = process.communicate()[1]
    assert process.returncode == 130 and "kept" in error, (process.returncode, error)
    assert rows(stopped, "PRAGMA integrity_check") == [("ok",)]
    again = folder / "again.db"
    for after in (0.1, 0.25, 0.4):
        process = subprocess.Popen([IIR2D, "tune", "collect", "--out", again, *SMALL],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(after)
        process.kill()
        process.wait()
    run("collect", "--out", again, *SMALL)
    assert contents(again) == expected
    return whole


def check_files(folder, database):
    names = [folder / n for n in ("1.json", "1.csv", "2.json", "2.csv")]
    run("export", database, "--out-json", names[0], "--out-csv", names[1])
    said = json.loads(run("import", names[0], "--out", folder / "copy.db", "--json"))
    assert said == {"problems": 4, "visits": 8}, said
    assert json.loads(run("export", database, "--out-csv", folder / "3.csv", "--json")) == said
    run("export", folder / "copy.db", "--out-json", names[2], "--out-csv", names[3])
    texts = [n.read_bytes() for n in names]
    assert texts[0] == texts[2] and texts[1] == texts[3]
    assert texts[1].split(b"\n")[0].decode() == CSV_HEADER
    run("import", names[0], "--out", folder / "copy.db", code=6)  # it has measurements
    run("export", database, code=2)
    run("export", database, "--out-csv", folder / "nowhere" / "1.csv", code=6)
    run("collect", "--out", folder / "nowhere" / "a.db", "--count", 1, code=6)
    bytes_of = pathlib.Path(database).read_bytes()
    for name, content in {"short.db": bytes_of[:len(bytes_of) // 2],
                          "newer.db": bytes_of[:63] + b"\x02" + bytes_of[64:],
                          "foreign.db": bytes_of[:71] + b"H" + bytes_of[72:],
                          "text.db": b"no database " * 50}.items():
        (folder / name).write_bytes(content)
        run("headroom", folder / name, code=3)
        run("export", folder / name, "--out-csv", folder / "never.csv", code=3)
        run("collect", "--out", folder / name, "--count", 1, code=3)
        assert (folder / name).read_bytes() == content, name
    assert not (folder / "never.csv").exists()
    (folder / "broken.json").write_bytes(texts[0][:-100])
    run("import", folder / "broken.json", "--out", folder / "never.db", code=3)
    assert not (folder / "never.db").exists()
    run("headroom", folder / "absent.db", code=3)
    spec = json.loads(texts[0])["problems"][0]["spec"]
    (folder / "both.txt").write_text("filter:8 border:wrap precision:f64 size:17x9\n" + spec + "\n")
    run("collect", "--out", database, "--set", "validation", "--problems", folder / "both.txt", code=5)
    run("export", database, "--out-json", folder / "after.json")
    assert (folder / "after.json").read_bytes() == texts[0]
    (folder / "broken.json").write_bytes(texts[0].replace(b'"figures":{', b'"figures":null,"others":{', 1))
    run("import", folder / "broken.json", "--out", folder / "never.db", code=3)
    full = folder / "full.db"

    def with_room(size):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    for room in (0, 20000, 60000, 90000):
        done = subprocess.run([IIR2D, "tune", "collect", "--out", full, *SMALL], capture_output=True, text=True,
                              preexec_fn=lambda size=room: with_room(size))
        assert done.returncode == 6, (room, done.returncode, done.stderr)
        assert not full.exists() or rows(full, "PRAGMA integrity_check") == [("ok",)], room
    run("collect", "--out", full, *SMALL)
    assert contents(full) == contents(database)
    if os.path.exists("/dev/full"):
        run("export", database, "--out-csv", "/dev/full", code=6)


def headroom(exported, objective):
    headrooms, noises, knobs, unstable = [], [], {}, 0
    for problem in exported["problems"]:
        visits = [v for v in problem["visits"] if v["state"] != "wrong"]
        if not visits:
            continue
        configs, ys = {"static": [0, 0, 0]}, {}
        for text in sorted({m["config"] for v in visits for m in v["measurements"] if m["samples"]}):
            having = [v for v in visits if any(m["config"] == text and m["samples"] for m in v["measurements"])]
            if text not in ("copy", "static"):
                configs[text], ys[text] = figures(having, text, objective)
        noise = configs.pop("static#2")
        best = min(configs, key=lambda c: (configs[c][0], c != "static", c))
        if best != "static" and max(ys[best]) - min(ys[best]) > 0.10:
            unstable += 1
            continue
        headrooms.append(math.exp(-fair(configs)))
        noises.append(math.exp(abs((noise[1] + noise[2]) / 2)))
        for knob in "threads stores share part strip way task".split():
            some = {c: y for c, y in configs.items() if c.split(":")[0] == knob and " " not in c}
            if some:
                knobs.setdefault(knob, []).append(math.exp(-fair({"static": [0, 0, 0], **some})))
    return headrooms, noises, knobs, unstable


def near(a, b):
    assert set(a) == set(b) and all(abs(a[k] - b[k]) <= 1e-9 * abs(b[k]) for k in a), (a, b)


def check_headroom(folder, database):
    check_figures(folder, database, 0)
    # The same with both visits alike, so that no problem is left out for what else ran on the machine.
    exported = json.loads((folder / "h.json").read_text())
    for problem in exported["problems"]:
        problem["visits"][1]["measurements"] = problem["visits"][0]["measurements"]
        for visit in problem["visits"]:
            visit["state"] = "ok"
    (folder / "alike.json").write_text(json.dumps(exported))
    run("import", folder / "alike.json", "--out", folder / "alike.db")
    check_figures(folder, folder / "alike.db", len(exported["problems"]))
    # Visits by other kernels, by which static is twice as slow, do not count beside them.
    for problem in exported["problems"]:
        problem["visits"] += [other_visit(visit) for visit in problem["visits"]]
    (folder / "mixed.json").write_text(json.dumps(exported))
    run("import", folder / "mixed.json", "--out", folder / "mixed.db")
    assert run("headroom", folder / "mixed.db", "--json") == run("headroom", folder / "alike.db", "--json")


def other_visit(visit):
    def slower(one):
        factor = 2 if one["config"] in ("static", "static#2") else 1
        return {**one, "samples": [[r, calls, factor * op, factor * use, marked] for r, calls, op, use, marked in one["samples"]]}
    return {**visit, "build": "0123456789abcdef", "measurements": [slower(one) for one in visit["measurements"]]}


def check_figures(folder, database, least):
    run("export", database, "--out-json", folder / "h.json")
    exported = json.loads((folder / "h.json").read_text())
    for objective in ("both", "op", "use"):
        said = json.loads(run("headroom", database, "--with-contended", "--objective", objective, "--json"))
        headrooms, noises, knobs, unstable = headroom(exported, objective)
        assert said["unstable"] == unstable and len(headrooms) >= least
        if not headrooms:
            assert said["overall"] is None
            continue
        near(said["overall"]["headroom"], distribution(headrooms))
        near(said["overall"]["noise"], distribution(noises))
        assert {k["knob"]: k["problems"] for k in said["overall"]["knobs"]} == {k: len(v) for k, v in knobs.items()}
        for knob in said["overall"]["knobs"]:
            near(knob["gain"], distribution(knobs[knob["knob"]]))
    table = folder / "headroom.md"
    assert run("headroom", database, "--out-md", table) == ""
    assert table.read_text().startswith("Ratios of times")
    run("headroom", database, "--objective", "best", code=2)


def check_gpu(folder):
    """Knobs of a GPU, on the stand-in driver: measured, headroom by them, and no time of it believed."""
    database = folder / "gpu.db"
    words = ["--device", "cuda", "--count", 4, "--max-samples", 3000, "--rounds", "2..2", "--visits", 1]
    here = {**os.environ, "LD_LIBRARY_PATH": STAND_IN}

    def on(*arguments, code=0, **variables):
        done = subprocess.run([IIR2D, "tune", *map(str, arguments)], capture_output=True, text=True, env={**here, **variables})
        assert done.returncode == code, (arguments, done.returncode, done.stderr)
        return done.stdout
    problems = json.loads(on("collect", *words, "--list", "--json"))["problems"]
    assert {p["purpose"] for p in problems} == {"iir-cuda", "pool-cuda"}, problems
    assert all(" device:cuda target:sm_90 threads:" in p["key"] and p["family"].startswith(p["purpose"]) for p in problems)
    assert not any("warps" in c or "carry" in c for p in problems for c in p["candidates"])
    wide = ["--device", "cuda", "--list", "--json", "--problems", folder / "wide.txt"]
    (folder / "wide.txt").write_text("filter:6 border:wrap precision:f32 size:600x40\n")
    assert json.loads(on("collect", *wide))["problems"][0]["candidates"] == ["static", "graph:off"]
    other = json.loads(on("collect", *wide, "--allow-other-bits"))["problems"][0]["candidates"]
    assert "warps:2" in other and any("carry:exact" in c for c in other) and len(other) <= 64, other
    on("collect", *words, "--out", database)
    statuses = dict(rows(database, "SELECT status, count(*) FROM measurement GROUP BY status"))
    assert set(statuses) <= {"ok", "pruned"}, statuses
    assert rows(database, "SELECT count(*) FROM sample WHERE op_ms <> use_ms") == [(0,)]
    on("collect", "--device", "cuda", "--allow-other-bits", "--problems", folder / "wide.txt", "--out", database, "--rounds", "2..2",
       "--visits", 1, "--set", problem_set_of(database))
    statuses = dict(rows(database, "SELECT status, count(*) FROM measurement GROUP BY status"))
    assert set(statuses) <= {"ok", "pruned"}, statuses
    assert rows(database, "SELECT DISTINCT length(id) FROM machine") == [(16,)] and "sm_90" in rows(database, "SELECT json FROM machine")[0][0]
    table = on("headroom", database)
    assert "`block`" in table and "`threads`" not in table, table
    on("collect", "--device", "cuda", "--ops", "pool-backward", "--list", code=2)
    on("collect", *words, "--list", code=4, FAKE_CUDA="devices=0")
    run("select", "--device", "cpu", "filter:1 border:mirror precision:f32 size:64x64")


def problem_set_of(database):
    return rows(database, "SELECT DISTINCT set_name FROM problem")[0][0]


with tempfile.TemporaryDirectory() as name:
    check_lists()
    if STAND_IN:
        check_gpu(pathlib.Path(name))
    made = check_kills(pathlib.Path(name))
    check_headroom(pathlib.Path(name), made)
    check_files(pathlib.Path(name), made)
print("all checks passed")
