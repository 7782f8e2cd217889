# SPDX-License-Identifier: MIT
"""iir2d tune train, eval, table, models and manifest as a user runs them, on measurements that were made once."""
import hashlib
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from tune_figures import distribution, fair, figures

IIR2D, RECORDING = sys.argv[1:3]
SOURCE = pathlib.Path(RECORDING).resolve().parents[3]
ENVIRONMENT = dict(os.environ)


def run(*arguments, code=0, error=""):
    done = subprocess.run([IIR2D, "tune", *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    assert error in done.stderr, done.stderr
    return done.stdout


def logs_of(exported, purpose):
    """Of each problem that counts: itself, its configs' y by all, odd and even rounds, and the same of static#2."""
    for problem in exported["problems"]:
        visits = [v for v in problem["visits"] if v["state"] in ("ok", "unstable")]
        if problem["purpose"] != purpose or not visits:
            continue
        configs, ys = {"static": [0, 0, 0]}, {"static": [0]}
        for text in sorted({m["config"] for v in visits for m in v["measurements"] if m["samples"]}):
            if text not in ("copy", "static"):
                having = [v for v in visits if any(m["config"] == text and m["samples"] for m in v["measurements"])]
                configs[text], ys[text] = figures(having, text, "both")
        second = configs.pop("static#2")
        best = min(configs, key=lambda c: (configs[c][0], c != "static", c))
        if max(ys[best]) - min(ys[best]) <= 0.10:
            yield problem, configs, second


def read_table(text):
    """The configs of each family, in their order."""
    families = {}
    for line in text.splitlines():
        if line.startswith("family "):
            family = families[line[7:]] = []
        elif line.startswith("config "):
            family.append(line.split(" ", 2)[2])
    return families


def fair_of_first(configs, first):
    by_odd, by_even = (min(first, key=lambda c, part=part: configs[c][part]) for part in (1, 2))
    return (configs[by_odd][2] + configs[by_even][1]) / 2


def check_eval(folder, database, exported):
    for purpose in ("iir-cpu", "pool-cpu", "pool-backward-cpu"):
        table = folder / f"{purpose}.txt"
        run("table", database, "--purpose", purpose, "--out", table)
        families = read_table(table.read_text())
        assert all("static" in configs and len(configs) <= 4 for configs in families.values())
        said = json.loads(run("eval", "--k", "1,2,4", database, "--table", table, "--json"))
        static, noise, randoms, by_k, decisions = [], [], [], {1: [], 2: [], 4: []}, []
        for problem, configs, second in logs_of(exported, purpose):
            best = fair(configs)
            static.append(math.exp(-best))
            noise.append(math.exp(abs((second[1] + second[2]) / 2)))
            randoms.append(sum(math.exp((y[1] + y[2]) / 2 - best) for y in configs.values()) / len(configs))
            order = [c for c in families[problem["family"]] if c in configs]
            decisions.append(math.exp((configs[order[0]][1] + configs[order[0]][2]) / 2))
            for k, regrets in by_k.items():
                regrets.append(math.exp(fair_of_first(configs, order[:k]) - best))
        assert said["problems"] == len(static) > 0
        near(said["static"], distribution(static))
        near(said["noise"], distribution(noise))
        near(said["random"], distribution(randoms))
        for one in said["by_k"]:
            near({k: one[k] for k in ("geomean", "p50", "p95", "max")}, distribution(by_k[one["k"]]))
        assert abs(said["decision"]["geomean_to_static"] - distribution(decisions)["geomean"]) < 1e-9
        run("eval", database, "--table", table, "--max-regret", "1000", "--at-k", "2")
        run("eval", database, "--table", table, "--max-regret", "0.5", "--at-k", "2", code=5, error="regret")
    run("eval", database, code=2)
    run("eval", database, "--table", table, "--threshold", "0.99", code=2)
    run("eval", database, "--table", folder / "absent", code=3)


def near(a, b):
    assert set(a) == set(b) and all(abs(a[k] - b[k]) <= 1e-9 * abs(b[k]) for k in a), (a, b)


def check_training(folder, database):
    """Returns whether this build trains."""
    done = subprocess.run([IIR2D, "tune", "train", database, "--purpose", "iir-cpu", "--out", folder / "1"],
                          capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode == 2 and "XGBoost" in done.stderr:
        assert not (folder / "1").exists()
        return False
    assert done.returncode == 0, done.stderr
    run("train", database, "--purpose", "iir-cpu", "--out", folder / "2")
    for name in ("model.trees", "model.json", "table.txt"):
        assert (folder / "1" / name).read_bytes() == (folder / "2" / name).read_bytes(), name
    # Judged, though its problems are too few for a margin.
    report = json.loads((folder / "1" / "report.json").read_text())
    assert report["problems"] > 0, report
    assert json.loads((folder / "1" / "model.json").read_text())["unproven"]
    run("train", database, "--purpose", "iir-cpu", "--out", folder / "1", code=6, error="there already")
    run("train", database, "--purpose", "iir-gpu", "--out", folder / "3", code=2)
    run("train", database, "--purpose", "iir-cpu", code=2)
    said = json.loads(run("eval", database, "--model", folder / "1", "--set", "validation", "--json"))
    geomeans = [one["geomean"] for one in said["by_k"]]
    # Found in one half of noisy rounds, the best of more configs may be judged worse in the other one.
    assert all(b <= a + said["noise"]["p95"] - 1 for a, b in zip(geomeans, geomeans[1:])), geomeans
    assert said["gain"]["rmse"] > 0 and said["level"]["rmse"] > 0
    return True


def check_shared_keys(folder, exported):
    """The same problems as a training and as a validation set."""
    shared = dict(exported, problems=[dict(p, set="validation") for p in exported["problems"] if p["set"] == "train"])
    (folder / "shared.json").write_text(json.dumps(shared))
    run("import", folder / "shared.json", "--out", folder / "shared.db")
    run("train", folder / "recording.db", "--validation", folder / "shared.db", "--purpose", "iir-cpu", "--out",
        folder / "never", code=5, error="training and validation")
    # What was learned from, named to judge by.
    learned = dict(exported, problems=[p for p in exported["problems"] if p["set"] == "train"])
    (folder / "learned.json").write_text(json.dumps(learned))
    run("import", folder / "learned.json", "--out", folder / "learned.db")
    run("train", folder / "recording.db", "--validation", folder / "learned.db", "--purpose", "iir-cpu", "--out",
        folder / "never", code=5, error="training and validation")
    assert not (folder / "never").exists()


def tune_record():
    """scripts/tune_record.py as a module."""
    found = importlib.util.spec_from_file_location("tune_record", SOURCE / "scripts" / "tune_record.py")
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    return script


def check_page():
    """The table with which docs/tuning.md begins is that of the record."""
    script = tune_record()
    record = json.loads((SOURCE / "docs" / "tuning-record.json").read_text())
    page = (SOURCE / "docs" / "tuning.md").read_text()
    table = script.headroom_table(record)
    assert table.count("| ") > len(record["headroom"]["families"])
    assert ("Less in every family" in table) == bool(record["headroom"]["below_gate"])
    small = dict(record, headroom=dict(record["headroom"], below_gate=["part", "task"]))
    assert "Less in every family: `part`, `task`." in script.headroom_table(small)
    assert script.put_table(page, table) == page
    assert script.put_table(script.put_table(page, "another\n"), table) == page != script.put_table(page, "another\n")
    try:
        script.put_table("a page without them", table)
        raise AssertionError("a page without the comments was taken")
    except SystemExit as error:
        assert "lacks the lines" in str(error)


def check_other_machines(folder, exported):
    """Visits by several others are not mixed, and do not spare this machine its own."""
    mixed = dict(exported, problems=[dict(p, visits=p["visits"] + [dict(v, build="0" * 16) for v in p["visits"]])
                                     for p in exported["problems"]])
    (folder / "mixed.json").write_text(json.dumps(mixed))
    run("import", folder / "mixed.json", "--out", folder / "mixed.db")
    run("headroom", folder / "mixed.db", code=2, error="machines and builds")
    script = tune_record()
    first = exported["problems"][0]["visits"][0]
    of_recording = {"machine": first["machine"], "kernels": first["build"]}
    good = {p["spec"]: sum(v["state"] in ("ok", "unstable") for v in p["visits"]) for p in exported["problems"]}
    assert script.open_visits(folder / "mixed.db", of_recording) == {spec: n for spec, n in good.items() if n < 2}
    here = json.loads(run("models", "--json"))
    assert script.open_visits(folder / "mixed.db", here) == {spec: 0 for spec in good}
    assert script.visits_made(folder / "mixed.db", list(good), here) == 0
    assert script.visits_made(folder / "mixed.db", list(good), of_recording) == max(len(p["visits"]) for p in exported["problems"])


def check_registry(folder):
    models = folder / "models"
    (models / "iir-cpu").mkdir(parents=True)
    for version in ("1", "2"):
        shutil.copytree(folder / "1", models / "iir-cpu" / version)

    def statuses():
        return [(m["version"], m["status"]) for m in json.loads(run("models", "--models", models, "--json"))["models"]]
    host = json.loads(run("models", "--json"))
    trees = models / "iir-cpu" / "2" / "model.trees"
    if f"machine {host['machine']}\n" not in trees.read_text():
        assert statuses() == [("2", "foreign_machine"), ("1", "foreign_machine")]
    content = bytearray(trees.read_bytes())
    content[len(content) // 2] ^= 1
    trees.write_bytes(content)
    assert statuses()[0] == ("2", "damaged")
    assert json.loads(run("manifest", "--models", models))["total_models"] == 1
    run("manifest", "--models", models, "--verify")
    listed = run("manifest", "--models", models, "--format", "paths").splitlines()
    assert len(listed) >= 6 and all(os.path.exists(path) for path in listed)
    (models / "more").write_text("more")
    run("manifest", "--models", models, "--verify", code=5)
    said = json.loads(run("manifest", "--models", models, "--verify", "--json", code=5))
    assert said == {"differences": ["more is not in manifest.json"]}, said
    (models / "manifest.json").unlink()
    assert run("manifest", "--models", models, "--verify", code=5) == "manifest.json is gone\n"
    run("manifest", "--models", folder / "absent", code=3)


def model_of_this_machine(folder):
    """The committed model, as if it had been trained here."""
    host = json.loads(run("models", "--json"))
    lines = (pathlib.Path(RECORDING).parent / "golden" / "model.trees").read_text().splitlines(keepends=True)[:-1]
    changed = {"machine": host["machine"], "kernels": host["kernels"]}
    text = "".join(f"{w} {changed[w]}\n" if (w := line.split(" ")[0]) in changed else line for line in lines)
    folder.mkdir(parents=True)
    (folder / "model.trees").write_text(text + f"sha256 {hashlib.sha256(text.encode()).hexdigest()}\n")
    (folder / "report.json").write_text("{}\n")


def check_active(folder, database):
    place = folder / "places"
    model_of_this_machine(place / "iir-cpu" / "3")
    ENVIRONMENT["IIR2D_TUNE_MODELS"] = str(place)
    models = json.loads(run("models", "--json"))["models"]
    assert [(m["name"], m["status"]) for m in models] == [("iir-cpu/3", "active")], models
    del ENVIRONMENT["IIR2D_TUNE_MODELS"]
    said = json.loads(run("eval", database, "--model", place / "iir-cpu" / "3", "--latency", "--json"))["latency"]
    assert 0 < said["load_ms"] and 0 <= said["cached_us"]["p50"] <= said["cached_us"]["p99"], said
    assert 0 < said["fresh_us"]["p50"] <= said["fresh_us"]["p99"] and said["problems"] > 0, said
    golden = pathlib.Path(RECORDING).parent / "golden"
    assert run("eval", database, "--model", golden, "--json") == (golden / "eval.json").read_text()


def check_install(database):
    for version in ("1", "2"):
        said = json.loads(run("train", database, "--purpose", "pool-cpu", "--seed", "2", "--install", "--json"))
        assert said["name"] == f"pool-cpu/{version}", said
        run("manifest", "--verify")
    assert len(json.loads(run("models", "--json"))["models"]) == 2


def check_record(folder):
    """scripts/tune_record.py on the recording: its figures are eval's, and its pictures can be read."""
    (folder / "record").mkdir()
    script = tune_record()
    (folder / "record" / "tuning.md").write_text("before\n" + script.TABLE_BEGIN + script.TABLE_END + "after\n")
    subprocess.run([sys.executable, SOURCE / "scripts" / "tune_record.py", "--iir2d", IIR2D, "--work", folder / "work", "--out", folder / "record",
                    "--import", RECORDING, "--retrain", "0"], check=True, stdout=subprocess.DEVNULL)
    record = json.loads((folder / "record" / "tuning-record.json").read_text())
    regrets, statics = [], []
    for purpose, of_one in record["figures"]["purposes"].items():
        said = json.loads(run("eval", folder / "work" / "validation.db", "--model", folder / "work" / "models" / purpose / "1", "--json"))
        assert (of_one["problems"], of_one["by_k"], of_one["decision"]) == (said["problems"], said["by_k"], said["decision"]), purpose
        regrets += [said["by_k"][0]["geomean"]] * said["problems"]
        statics += [said["static"]["geomean"]] * said["problems"]
    # A geometric mean over all problems is that of the purposes' means, each as often as it has problems.
    assert abs(record["figures"]["by_k"][0]["geomean"] - distribution(regrets)["geomean"]) < 1e-9
    assert abs(record["figures"]["static"]["geomean"] - distribution(statics)["geomean"]) < 1e-9
    assert record["figures"]["problems"] == len(regrets) and not record["complete"]
    # What is learned of the recording holds on those of its problems that were not trained on; static does not.
    by_k = {one["k"]: one["geomean"] for one in record["figures"]["by_k"]}
    assert by_k[1] <= 1.05 < record["figures"]["static"]["geomean"] and by_k[3] <= 1.02, (by_k, record["figures"]["static"])
    assert not record["figures"]["decision"]["surely_slower"], record["figures"]["decision"]
    met = {goal["goal"]: goal["met"] for goal in record["goals"]}
    assert met["problems judged by"] is False and met["kept decision, p50, us"] is None, met
    for picture in ("tuning-headroom.svg", "tuning-regret.svg"):
        assert xml.etree.ElementTree.parse(folder / "record" / picture).getroot().tag.endswith("svg")
    page = (folder / "record" / "tuning.md").read_text()
    assert page == "before\n" + script.TABLE_BEGIN + script.headroom_table(record) + script.TABLE_END + "after\n"
    assert "| top-1, p95 | <= 1.15 |" in (folder / "record" / "tuning-record.md").read_text()


with tempfile.TemporaryDirectory() as name:
    here = pathlib.Path(name)
    ENVIRONMENT["IIR2D_CONFIG_DIR"] = str(here / "config")
    check_page()
    run("import", RECORDING, "--out", here / "recording.db")
    if len(os.sched_getaffinity(0)) < 2:
        print("skipped: the recording was made with two threads")
        sys.exit(77)
    recorded = json.loads(pathlib.Path(RECORDING).read_text())
    check_eval(here, here / "recording.db", recorded)
    check_active(here, here / "recording.db")
    check_other_machines(here, recorded)
    if check_training(here, here / "recording.db"):
        check_shared_keys(here, recorded)
        check_registry(here)
        check_install(here / "recording.db")
        check_record(here)
print("all checks passed")
