# SPDX-License-Identifier: MIT
"""What decides how kernels are executed, as a user sees it: select against a reader of its own, what is learned in use by
one process and by two, counters, forgetting, and that nothing of it is ever in the way."""
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

IIR2D, SAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
IMAGE = SAMPLES / "astronaut.png"
SPECS = ["filter:1 border:mirror precision:f32 size:640x480 planes:3", "filter:6 border:wrap precision:f64 size:333x79",
         "filter:4 border:clamp precision:mixed size:1024x1024"]


def run(*arguments, code=0, **variables):
    done = subprocess.run([IIR2D, *map(str, arguments)], capture_output=True, env={**os.environ, **variables})
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout


def parsed(*arguments, **variables):
    return json.loads(run(*arguments, "--json", **variables))


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def trees_of(text):
    """The ensembles of a model.trees: (base, [([(feature, threshold)], [leaf])])."""
    lines = text.splitlines()
    assert lines[0] == "iir2d-trees 1"
    head = dict(line.split(" ", 1) for line in lines[1:10])
    features, made = head["features"].split()[1:], {}
    at = 10
    while lines[at].startswith("ensemble "):
        word = lines[at].split()
        count, depth = int(word[3]), int(word[5])
        trees = []
        for line in lines[at + 1:at + 1 + count]:
            numbers = line.split()
            tests = 2 * (2 ** depth - 1)
            pairs = list(zip(map(int, numbers[0:tests:2]), map(float, numbers[1:tests:2])))
            trees.append((pairs, list(map(float, numbers[tests:]))))
        made[word[1]] = (float(word[7]), trees)
        at += 1 + count
    return features, made


def predicted(ensemble, row):
    base, trees = ensemble
    total = f32(base)
    for tests, leaves in trees:
        at = 0
        while at < len(tests):
            at = 2 * at + (1 if row[tests[at][0]] < f32(tests[at][1]) else 2)
        total = f32(total + f32(leaves[at - len(tests)]))
    return total


def model_text(host, features, gain, version="1", **changes):
    """A model whose gain is the text of an ensemble, and whose level is 0.5."""
    head = {"purpose": "iir-cpu", "version": version, "interface": "iir2d.config/1", "machine": host["machine"],
            "kernels": host["kernels"], "space": "1", "objective": "both", "margin": "0.02",
            "features": f"{len(features)} " + " ".join(features), **changes}
    text = "iir2d-trees 1\n" + "".join(f"{name} {value}\n" for name, value in head.items()) + gain
    text += "ensemble level trees 0 depth 0 base 0.5\n"
    return text + f"sha256 {hashlib.sha256(text.encode()).hexdigest()}\n"


def install(folder, text, version="1", proven=True):
    place = folder / "iir-cpu" / version
    place.mkdir(parents=True, exist_ok=True)
    (place / "model.trees").write_text(text)
    if proven:
        (place / "report.json").write_text("{}\n")


def drawn(features, seed, count=12, depth=3):
    number = random.Random(seed)
    lines = [f"ensemble gain trees {count} depth {depth} base 0.01"]
    for _ in range(count):
        tests = [f"{number.randrange(len(features))} {f32(number.uniform(-1, 12))}" for _ in range(2 ** depth - 1)]
        lines.append(" ".join(tests + [str(f32(number.uniform(-0.05, 0.05))) for _ in range(2 ** depth)]))
    return "\n".join(lines) + "\n"


def one_test(features, name, threshold, gain):
    return f"ensemble gain trees 1 depth 1 base 0\n{features.index(name)} {threshold} {gain} 0\n"


def forty_commands():
    borders, precisions, types = ("clamp", "mirror", "wrap", "constant"), ("f32", "mixed", "f64"), ("u8", "f32")
    for i in range(32):
        yield ["filter", "--filter", i % 8 + 1, "--border", borders[i // 8], "--precision", precisions[i % 3],
               "--start", ("truncated", "steady")[i // 4 % 2], "--out-type", types[i // 2 % 2]]
    for words in ("max --window 3", "max --window 16 --stride 8 --dtype f16", "max --window 5x2 --dilation 2 --padding 1x1", "avg --window 2",
                  "avg --window 7 --stride 3 --padding 2 --ceil-mode --count-include-pad", "lp --window 3 --p 3 --dtype f64",
                  "adaptive-max --output 7x5", "adaptive-avg --output 9x31 --dtype bf16"):
        yield ["pool", "--op", *words.split()]


def check_off_is_today(base):
    """Forty commands, each with nothing set and off in one of the two ways to say so: the same bytes."""
    image, on, off = base / "odd.ppm", base / "on", base / "off"
    image.write_bytes(b"P6\n79 33\n255\n" + random.Random(5).randbytes(3 * 79 * 33))

    def outputs(numbered):
        i, (command, *arguments) = numbered
        made = []
        for mode, variables, home in (([], {}, on), (["--tune", "off"], {}, off) if i % 2 else ([], {"IIR2D_TUNE": "off"}, off)):
            out = base / f"{i}-{home.name}.tif"
            run(command, image, out, *arguments, *mode, IIR2D_CONFIG_DIR=str(home), **variables)
            made.append(out.read_bytes())
        return made[0] == made[1], (command, *arguments)

    off.mkdir()
    commands = list(forty_commands())
    assert len(commands) == 40
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for is_same, what in pool.map(outputs, enumerate(commands)):
            assert is_same, what
    assert not list(off.iterdir()), "the mode off wrote something"
    stats = parsed("tune", "stats", IIR2D_CONFIG_DIR=str(on))
    assert stats["calls"] == sum(stats["reasons"].values()) == stats["reasons"]["no_model"] >= 40, stats


def check_without_a_model(base):
    home = base / "empty"
    home.mkdir()
    for arguments in (["filter", "--filter", "6"], ["pool", "--op", "max", "--window", "3x3"]):
        outputs = []
        for i, (mode, variables) in enumerate(((["--tune", "off"], {}), ([], {"IIR2D_TUNE": "off"}), ([], {}))):
            out = base / f"{arguments[0]}{i}.png"
            if i == 2:
                assert not list(home.iterdir()), "the mode off wrote something"
            run(arguments[0], IMAGE, out, *arguments[1:], *mode, IIR2D_CONFIG_DIR=str(home), **variables)
            outputs.append(out.read_bytes())
        assert outputs[0] == outputs[1] == outputs[2], arguments
        for file in (home / "tune").iterdir():
            file.unlink()
        (home / "tune").rmdir()
    said = parsed("tune", "select", SPECS[0], IIR2D_CONFIG_DIR=str(home))["problems"][0]
    assert said["decision"]["reason"] == "no_model" and said["decision"]["config"] == "static", said["decision"]
    assert said["model"] is None and said["candidates"][0]["predicted_ratio"] is None
    run("tune", "select", SPECS[0], "--no-fallback", code=5, IIR2D_CONFIG_DIR=str(home))
    for wrong in (["--top-k", "0"], ["--threshold", "0.99"], ["--threshold", "nan"]):
        run("tune", "select", SPECS[0], *wrong, code=2)
    run("tune", "select", "filter:1", code=2)
    run("filter", IMAGE, base / "x.png", "--filter", "6", "--tune", "sometimes", code=2)


def check_selection(base, host):
    models = base / "drawn"
    text = model_text(host, FEATURES, drawn(FEATURES, 3))
    install(models, text)
    names, ensembles = trees_of(text)
    for spec in SPECS:
        def select(*arguments):
            return parsed("tune", "select", spec, "--models", models, *arguments)["problems"][0]
        said = select("--features")
        assert said["model"].startswith("iir-cpu/1/")
        for one in said["candidates"]:
            row = [f32(one["features"][name]) for name in names]
            gain = 0.0 if one["config"] == "static" else predicted(ensembles["gain"], row)
            assert abs(one["predicted_ratio"] - math.exp(gain)) < 1e-5, (spec, one)
            assert abs(one["predicted_copies"] - math.exp(gain + predicted(ensembles["level"], row))) < 1e-5
        whole = said["candidates"]
        best = min(one["predicted_ratio"] for one in whole)
        for threshold in ("1", "1.05", "1.1", "2", "inf"):
            for k in (1, 2, 3, 10, 1000):
                limit = float(threshold) * (1 + 1e-12)
                order = sorted((one for one in whole if one["predicted_ratio"] / best <= limit),
                               key=lambda one: (one["predicted_ratio"],
                                                0 if one["config"] == "static" else one["config"].count(" ") + 1,
                                                one["config"]))
                kept = [one["config"] for one in order][:k]
                said = select("--threshold", threshold, "--top-k", k)
                assert [one["config"] for one in said["candidates"] if one["kept"]] == kept, (spec, threshold, k)
                assert kept and said["filtered"] == len(whole) - len(kept)


def check_foreign_models(base, host):
    for change, reason in (({"machine": "0" * 16}, "foreign_machine"), ({"kernels": "0" * 16}, "stale_kernels"),
                           ({"margin": "none"}, "unproven"), ({"space": "2"}, "wrong_space")):
        models = base / reason
        install(models, model_text(host, FEATURES, one_test(FEATURES, "c_threads", 1.5, -0.5), **change))
        for mode in ("auto", "measure"):
            said = parsed("tune", "select", SPECS[0], "--models", models, "--tune", mode)["problems"][0]
            proposes = mode == "measure" and reason != "wrong_space" and host["threads"] > 1
            assert said["decision"]["reason"] == ("exploring" if proposes else reason), (mode, said["decision"])
            assert said["decision"]["config"] == "static"
    models = base / "no_report"
    install(models, model_text(host, FEATURES, one_test(FEATURES, "c_threads", 1.5, -0.5)), proven=False)
    said = parsed("tune", "select", SPECS[0], "--models", models)["problems"][0]
    assert said["decision"]["reason"] == "unproven"
    # A byte that is another: never in the way.
    file = models / "iir-cpu" / "1" / "model.trees"
    file.write_bytes(file.read_bytes().replace(b"margin", b"nargim"))
    run("filter", IMAGE, base / "x.png", "--filter", "6", IIR2D_TUNE_MODELS=str(models))


def check_use(base, host):
    """A batch of equal images in the mode measure, alone and two at once."""
    models, home = base / "deciding", base / "home"
    install(models, model_text(host, FEATURES, one_test(FEATURES, "c_threads", 1.5, -0.5)))
    variables = {"IIR2D_TUNE_MODELS": str(models), "IIR2D_CONFIG_DIR": str(home)}
    recipes, images = [], base / "images"
    images.mkdir()
    for i, size in enumerate((256, 248)):
        folder = images / str(i)
        folder.mkdir()
        crop = folder / "0.pgm"
        crop.write_bytes(b"P5\n%d %d\n255\n" % (size, size) + (bytes(range(256)) * 256)[:size * size])
        for copy in range(1, 48):
            os.link(crop, folder / f"{copy}.pgm")
    recipe = base / "recipe.json"
    recipe.write_text(RECIPE)
    def batch(which, mode, **more):
        out = base / f"out-{which}-{mode}-{len(list(base.iterdir()))}"
        return out, subprocess.Popen(
            [IIR2D, "batch", str(recipe), *map(str, sorted((images / str(which)).iterdir())), "--out-dir", str(out), "--tune", mode],
            env={**os.environ, **variables, **more}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(started):
        out, process = started
        error = process.communicate()[1]
        assert process.returncode == 0, error
        return {file.name: file.read_bytes() for file in out.iterdir() if file.suffix in (".pgm", ".png")}

    expected = finish(batch(0, "off"))
    assert len(expected) == 48 and not home.exists()
    for _ in range(10):  # where others take the processor runs do not count
        assert finish(batch(0, "measure")) == expected
        if (home / "tune" / "learned.txt").exists():
            break
    learned = parsed("tune", "learned", **variables)["learned"]
    assert len(learned) == 1 and learned[0]["machine"] == host["machine"], learned
    stats = parsed("tune", "stats", **variables)
    assert stats["calls"] == sum(stats["reasons"].values()) >= 48, stats
    assert stats["reasons"]["exploring"] > 0 and stats["counters"]["settled"] == 1, stats
    assert stats["reasons"]["off"] == 0
    # Another process has it.
    run("filter", images / "0" / "0.pgm", base / "once.png", "--filter", "6", "--tune", "auto", **variables)
    assert parsed("tune", "stats", **variables)["reasons"]["learned"] > 0
    # Two at once: both keys are there.
    run("tune", "learned", "--forget", **variables)
    assert parsed("tune", "learned", **variables)["learned"] == []
    for _ in range(10):
        started = [batch(0, "measure"), batch(1, "measure")]
        for one in started:
            finish(one)
        learned = parsed("tune", "learned", **variables)["learned"]
        if len(learned) == 2:
            break
    assert len({one["key"] for one in learned}) == 2, learned
    assert parsed("tune", "learned", "--forget", learned[0]["key"], **variables) == {"forgotten": 1}
    assert [one["key"] for one in parsed("tune", "learned", **variables)["learned"]] == [learned[1]["key"]]
    run("tune", "learned", learned[0]["key"], code=2, **variables)
    # A bad line is skipped and counted; a file that is none of ours is no obstacle.
    file = home / "tune" / "learned.txt"
    file.write_text("nonsense\n" + file.read_text())
    run("filter", images / "0" / "0.pgm", base / "once.png", "--filter", "6", **variables)
    assert parsed("tune", "stats", **variables)["counters"]["bad_lines"] == 1
    run("tune", "stats", "--reset", **variables)
    stats = parsed("tune", "stats", **variables)
    assert stats["calls"] == 0 and not any(stats["reasons"].values()) and stats["seen"] >= 2, stats
    seen = json.loads(run("tune", "collect", "--list", "--json", "--problems", "seen", **variables))["problems"]
    assert {p["spec"] for p in seen} >= set(SEEN), [p["spec"] for p in seen]
    (home / "tune" / "stats.json").write_text("[")
    run("tune", "stats", code=3, **variables)
    assert parsed("tune", "stats", "--reset", **variables)["calls"] == 0
    assert parsed("tune", "stats", **variables)["calls"] == 0
    (home / "tune" / "stats.json").write_text("[")
    run("filter", images / "0" / "0.pgm", base / "once.png", "--filter", "6", **variables)
    # A folder that cannot be written to, and one that cannot be made, change no exit code.
    blocked = base / "blocked"
    blocked.write_text("a file, where a folder would be made")
    run("filter", images / "0" / "0.pgm", base / "once.png", "--filter", "6",
        **{**variables, "IIR2D_CONFIG_DIR": str(blocked)})
    (home / "tune" / "lock").chmod(0)
    run("filter", images / "0" / "0.pgm", base / "once.png", "--filter", "6", **variables)


RECIPE = (SAMPLES.parent / "presets" / "soften-grain.json").read_text()
SEEN = ["filter:6 param:sigma=1.2 border:mirror start:steady precision:f32 size:256x256"]
FEATURES = ("ln_samples ln_planes ln_width ln_height ln_out bytes_in bytes_sums ln_in_l2 ln_in_l3 ln_out_l3 rows_4k "
            "threads_most passes_x passes_y sections_x sections_y terms_x terms_y beside ln_reach periodic c_threads "
            "ln_per_thread c_past c_planes ln_part ln_strip c_way_x c_way_y ln_task tasks_per_thread").split()

with tempfile.TemporaryDirectory() as folder:
    base = pathlib.Path(folder)
    os.environ["IIR2D_CONFIG_DIR"] = str(base / "config")
    os.environ.pop("IIR2D_TUNE", None)
    host = parsed("tune", "models")
    host["threads"] = int(json.loads(run("tune", "collect", "--list", "--json", "--count", "1"))
                          ["problems"][0]["key"].rsplit("threads:", 1)[1])
    check_off_is_today(base)
    check_without_a_model(base)
    check_selection(base, host)
    check_foreign_models(base, host)
    if host["threads"] > 1:
        check_use(base, host)
