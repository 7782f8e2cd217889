# SPDX-License-Identifier: MIT
"""python -m iir2d.demo: what its commands write, what they claim, and how they fail."""

import csv
import dataclasses
import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")

import iir2d  # noqa: E402
from iir2d.demo import __main__ as demo  # noqa: E402
from iir2d.demo import deblur, denoise, learn, models, options, output, pictures  # noqa: E402
from iir2d.demo.frameworks import choose  # noqa: E402
from iir2d.demo.results import Failure  # noqa: E402

SUMMARY = ["model", "loss_start", "loss_end", "train_time_s", "psnr_noisy", "psnr_pred", "psnr_gain"]
SMALL = ["--steps", "3", "--batch", "2", "--size", "24"]
COMMANDS = {
    "bench-vs-conv": ["--height", "40", "--width", "600", "--iters", "2", "--warmup", "0", "--channels", "2"],
    "train": [*SMALL, "--with-trainable-iir"],
    "images": [*SMALL, "--channels", "3"],
    "dataset": SMALL,
}
FIRST = {
    "bench-vs-conv": ("bench_vs_conv.csv", ["method", "latency_ms", "mpps", "mse_vs_ref", "output_mean"]),
    "train": ("train_summary.csv", SUMMARY),
    "images": ("images_summary.csv", SUMMARY),
    "dataset": ("dataset_summary.csv", SUMMARY),
}
PICTURES = {
    "bench-vs-conv": {"bench_vs_conv"},
    "train": {"psnr_gain_bar", "train_time_bar", "loss_curves", "denoised", "learn_filter"},
    "images": {"psnr_gain_bar", "train_time_bar", "loss_curves", "denoised", "deblur", "deblurred"},
    "dataset": {"psnr_gain_bar", "train_time_bar", "loss_curves", "denoised", "deblur", "deblurred"},
}
MODELS = [
    "baseline_conv", "conv_plus_iir_features", "conv_plus_iir_frozen", "conv_plus_iir_frozen_approx", "conv_plus_iir_bank",
    "conv_plus_iir_residual",
]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The folders that the commands wrote."""
    root = tmp_path_factory.mktemp("demo")
    for command, arguments in COMMANDS.items():
        assert demo.run([command, *arguments, "--out-dir", str(root / command), "--seed", "3"]) == 0
    return root


@pytest.mark.parametrize("command", COMMANDS)
def test_files(outputs, command):
    folder = outputs / command
    name, first = FIRST[command]
    header, *rows = rows_of(folder / name)
    assert header[: len(first)] == first and rows
    assert all(float(cell) == float(cell) for row in rows for cell in row[1 : len(first)])
    for path in folder.iterdir():
        assert not path.name.startswith("."), "a temporary file is left"
        if path.suffix == ".png":
            with Image.open(path) as image:
                image.load()
                assert min(image.size) >= 250
    assert {p.stem for p in folder.glob("*.png")} == PICTURES[command]
    record = json.loads((folder / f"{command.replace('-', '_')}.json").read_text(encoding="utf-8"))
    assert record["fingerprint"] == iir2d.build_fingerprint() and record["seeds"] == {"seed": 3}
    assert record["versions"]["torch"] == torch.__version__.split("+")[0] and record["samples"]
    framework, = record["environment"]["frameworks"]
    assert framework["threads"] >= 1 and framework["call_us"] > 0 and framework["why"]
    assert record["inputs"] and all(re.fullmatch("[0-9a-f]{64}", digest) for digest in record["inputs"].values())
    assert record["tables"][name[:-4]][0][first[0]] == rows[0][0]


def test_the_models_and_their_history(outputs):
    rows = rows_of(outputs / "train" / "train_summary.csv")[1:]
    assert [row[0] for row in rows] == [*MODELS, "conv_plus_iir_trainable"]
    header, *history = rows_of(outputs / "train" / "train_history.csv")
    assert header[:3] == ["model", "step", "loss"] and len(history) == 3 * len(rows)
    assert len({row[4] for row in rows}) == 1, "the models were judged by different pictures"


def test_no_image_is_in_both_splits(outputs, tmp_path):
    for command in ("images", "dataset"):
        inputs = json.loads((outputs / command / f"{command}.json").read_text(encoding="utf-8"))["inputs"]
        train, judged = ({d for n, d in inputs.items() if n.startswith(f"{which}/")} for which in ("train", "validation"))
        assert train and judged and not train & judged
    # A copy of an image under another name is the same image.
    sample = next(pictures.SAMPLES.glob("*.png"))
    for name in ("train/a.png", "train/b.jpg", "validation/c.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        source = sample if name.endswith("png") else next(pictures.SAMPLES.glob("*.jpg"))
        (tmp_path / name).write_bytes(source.read_bytes())
    split = pictures.from_data_set(tmp_path, None, ("train", "validation"), (9, 9), 1, 24, 1)
    assert set(split.inputs) == {"train/b.jpg", "validation/c.png"}
    # The claim is about the hashes that are recorded.
    assert denoise._separate("images", split.inputs).held
    digest = split.inputs["validation/c.png"]
    assert not denoise._separate("images", split.inputs | {"train/other.png": digest}).held


def noise_images(folder, count, shape=(30, 40)):
    rng = np.random.default_rng(4)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        Image.fromarray(rng.integers(0, 256, shape, np.uint8)).save(folder / f"{i}.png")


def test_limits_and_names_of_a_folder_without_splits(tmp_path):
    noise_images(tmp_path / "a", 6)
    noise_images(tmp_path / "b", 6, (31, 41))
    split = pictures.from_data_set(tmp_path, None, ("train", "validation"), (4, 2), 1, 24, 1)
    names = [n.partition("/")[0] for n in split.inputs]
    assert names.count("train") == 4 and names.count("validation") == 2
    every = pictures.from_folder(tmp_path, 1, 24, 1)
    assert len(every.inputs) == 12  # images of one name in two folders are two
    assert {n.partition("/")[2] for n in every.inputs} == {f"{d}/{i}.png" for d in "ab" for i in range(6)}


def test_memory_does_not_grow_with_the_data_set():
    picture = pictures.make_picture("one", Image.fromarray(np.zeros((100, 100), np.uint8)), 1)

    def peak(count):
        tracemalloc.start()
        images = (dataclasses.replace(picture, sha256=str(i)) for i in range(count))
        split = pictures.split(images, [picture], 64, 1)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert split.train.shape == (min(256 * count, 512), 1, 64, 64)
        return found

    assert peak(60) < 1.2 * peak(6)
    # A fair sample of all images, the same for the same seed.
    images = [dataclasses.replace(picture, pixels=np.full((1, 70, 70), i / 8, np.float32), sha256=str(i)) for i in range(8)]
    split = pictures.split(images, [picture], 64, 1)
    counts = np.unique(split.train[:, 0, 0, 0], return_counts=True)[1]
    assert len(counts) == 8 and counts.min() > 35
    assert np.array_equal(split.train, pictures.split(iter(images), [picture], 64, 1).train)


def test_deep_pixels_are_scaled_by_their_type(tmp_path):
    ramp = np.linspace(0, 1, 30 * 40).reshape(30, 40)
    wide = np.round(ramp * 65535).astype(np.uint16)
    Image.fromarray(wide).save(tmp_path / "a.png")
    Image.fromarray(np.round(ramp * (2**31 - 1)).astype(np.int32)).save(tmp_path / "b.tif")
    Image.fromarray(ramp.astype(np.float32)).save(tmp_path / "c.tiff")
    for name in ("a.png", "b.tif", "c.tiff"):
        picture = pictures.read(tmp_path / name, 1)
        assert np.allclose(picture.pixels[0], ramp, atol=1e-5), name
    big = Image.frombytes("I;16B", (40, 30), wide.astype(">u2").tobytes())
    assert np.allclose(pictures.make_picture("big", big, 3).pixels, ramp, atol=1e-5)
    for values in (ramp * 3, ramp - 0.5, np.where(ramp > 0.5, np.nan, ramp)):
        with pytest.raises(Failure, match="black must be 0 and white 1") as failure:
            pictures.make_picture("one", Image.fromarray(values.astype(np.float32)), 1)
        assert failure.value.code == 3


def test_a_damaged_file_is_one_sentence(tmp_path):
    rng = np.random.default_rng(6)
    image = Image.fromarray(rng.integers(0, 256, (40, 50, 3), np.uint8))
    refused = 0
    for suffix in sorted(pictures._SUFFIXES):
        whole = tmp_path / f"whole{suffix}"
        image.save(whole, **({"compression": "tiff_lzw"} if suffix == ".tiff" else {}))
        data = whole.read_bytes()
        cuts = [data[:n] for n in (0, 1, 10, 40, len(data) // 3, len(data) - 9)]
        for _ in range(60):
            damaged = bytearray(data)
            for at in rng.integers(0, min(len(data), 400), 6):
                damaged[at] = rng.integers(0, 256)
            cuts.append(bytes(damaged))
        for cut in cuts:
            path = tmp_path / f"cut{suffix}"
            path.write_bytes(cut)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    pictures.read(path, 1)
            except Failure as failure:
                refused += 1
                assert failure.code == 3 and "cannot be read" in str(failure) and "\n" not in str(failure)
    assert refused > 100


    def stream():
        yield {"image": image}
        raise SyntaxError("broken PNG")

    with pytest.raises(Failure, match="data set made/here, image 1, cannot be read: broken PNG") as failure:
        list(pictures._pictures_of(stream(), "made/here", 1))
    assert failure.value.code == 3


def test_a_data_set_is_read_as_it_streams(tmp_path):
    rng = np.random.default_rng(1)
    taken = []

    def stream():
        for i in range(1000):
            taken.append(i)
            yield {"label": i, "image": Image.fromarray(rng.integers(0, 255, (32, 40, 3), np.uint8))}

    examples = stream()
    images = pictures._pictures_of(examples, "made/here", 1)
    split = pictures.split((next(images) for _ in range(5)), (next(images) for _ in range(2)), 24, 1)
    assert len(taken) == 7 and len(split.inputs) == 7 and split.train.shape[1:] == (1, 24, 24)
    with pytest.raises(Failure, match="its columns are text"):
        next(pictures._pictures_of([{"text": "no image"}], "made/here", 1))
    if importlib.util.find_spec("datasets") is None:
        with pytest.raises(Failure, match="pip install datasets"):
            demo.run(["dataset", "--hf", "nobody/nothing", "--out-dir", str(tmp_path)])


def test_jax_has_the_same_models_and_starts_alike(tmp_path):
    pytest.importorskip("jax")
    pytest.importorskip("optax")
    x = np.random.default_rng(1).random((2, 3, 20, 24), dtype=np.float32)
    both = choose("both", "cpu")
    assert [f.name for f in both] == ["torch", "jax"]
    for model in (models.BASELINE, models.FEATURES, *models.CONTROLS, models.TRAINABLE):
        y = []
        for fw in both:
            weights = {n: fw.array(np.asarray(v)) for n, v in model.start(fw, 3, np.random.default_rng(1)).items()}
            y.append(fw.numpy(model.denoise(fw, weights, fw.array(x))))
        assert np.allclose(*y, rtol=0, atol=2e-5), model.name
    assert models.count(models.BASELINE.start(both[0], 1, np.random.default_rng(1))) >= models.count(
        models.FEATURES.start(both[0], 1, np.random.default_rng(1)))
    fits = []
    for fw in both:
        def loss(w, x, y, fw=fw):
            return ((models.FEATURES.denoise(fw, w, x) - y) ** 2).mean()
        start = models.FEATURES.start(fw, 3, np.random.default_rng(1))
        fits.append(fw.fit(loss, start, [(x, x[::-1])] * 5, 0.01))
    assert np.allclose(*(fit.losses for fit in fits), rtol=1e-3) and fits[0].losses[-1] < fits[0].losses[0]
    assert fits[0].numbers.keys() == fits[1].numbers.keys() == {"alpha", "sigma"}
    folder = tmp_path / "bench"
    assert demo.run(["bench-vs-conv", *COMMANDS["bench-vs-conv"], "--framework", "both", "--out-dir", str(folder)]) == 0
    assert [row[5] for row in rows_of(folder / "bench_vs_conv.csv")[1:]] == ["torch"] * 6 + ["jax"] * 6


def test_the_gradient_of_1_0_is_the_filter_itself():
    dy = np.random.default_rng(1).random((1, 1, 12, 9), dtype=np.float32)
    x = torch.zeros(1, 1, 12, 9, requires_grad=True)
    (choose("torch", "cpu")[0].filter_as_adjoint(x, 4) * torch.from_numpy(dy)).sum().backward()
    assert np.allclose(x.grad, iir2d.filter(dy, 4), atol=1e-6)
    jax = pytest.importorskip("jax")
    fw, = choose("jax", "cpu")
    got = jax.grad(lambda x: (fw.filter_as_adjoint(x, 4) * dy).sum())(np.zeros_like(dy))
    assert np.allclose(got, iir2d.filter(dy, 4), atol=1e-6)


def test_a_hidden_filter_is_found():
    names = [n for n in ("torch", "jax") if importlib.util.find_spec(n)]
    result = learn.learn_filter([choose(n, "cpu")[0] for n in names], 1)
    assert [c.held for c in result.claims] == [True] * 2 * len(names), result.claims


def test_conjugate_gradients_need_the_exact_adjoint():
    with Image.open(pictures.SAMPLES / "astronaut.png") as image:
        picture = pictures.make_picture("astronaut", image, 1)
    truth = pictures.centre(picture.pixels, 96)
    assert truth.shape == (96, 96)
    result = deblur.deblur(truth, 1)
    assert [c.held for c in result.claims] == [True, True, True], result.claims
    by_method = {}
    for method, _, decibels, residual in result.tables["deblur"].rows:
        by_method.setdefault(method, []).append((decibels, residual))
    decibels, residual = np.array(by_method["exact_adjoint"]).T
    assert decibels[-1] - decibels[0] >= 12 and (np.diff(residual) < 0).all() and len(decibels) == 21
    assert by_method["filter_as_adjoint"][-1][0] < decibels[0]


def test_errors_of_the_adjoints():
    table = deblur.adjoint_errors(1)
    assert len(table.rows) == 8 and max(table.column("error_exact")) <= 1e-12
    causal = [row[3] for row in table.rows if row[0] not in (5, 6)]
    assert min(causal) > 0.5


def test_plot_takes_the_files_of_1_0(tmp_path):
    summary, history = tmp_path / "summary.csv", tmp_path / "history.csv"
    summary.write_text(",".join(SUMMARY) + "\r\nbaseline_conv,0.1,0.01,3.5,20,24,4\r\nconv_plus_iir_bank,0.2,0.1,5,20,19,-1\r\n")
    history.write_text("model,step,loss\n" + "".join(f"{m},{i},{1 / i}\n" for m in ("baseline_conv", "other") for i in (1, 2, 3)))
    folder = tmp_path / "out"
    assert demo.run(["plot", "--summary_csv", str(summary), f"--history_csv={history}", "--out-dir", str(folder)]) == 0
    assert {p.name for p in folder.iterdir()} == {
        "psnr_gain_bar.png", "train_time_bar.png", "loss_curves.png", "plot.csv", "plot.json"}
    inputs = json.loads((folder / "plot.json").read_text(encoding="utf-8"))["inputs"]
    assert inputs[str(summary)] == hashlib.sha256(summary.read_bytes()).hexdigest()
    history.write_text("model,step\nx,1\n")
    with pytest.raises(Failure, match="loss") as failure:
        demo.run(["plot", "--summary-csv", str(summary), "--history-csv", str(history), "--out-dir", str(folder)])
    assert failure.value.code == 3


def test_a_loss_that_diverged_is_null_in_the_record(tmp_path):
    summary = tmp_path / "summary.csv"
    summary.write_text(",".join(SUMMARY) + "\r\nbaseline_conv,0.1,nan,3.5,20,nan,nan\r\n")
    folder = tmp_path / "out"
    assert demo.run(["plot", "--summary-csv", str(summary), "--out-dir", str(folder)]) == 0
    assert "null" in (folder / "plot.json").read_text(encoding="utf-8")


def test_the_report(tmp_path):
    code = demo.run(["report", "--quick", "--out-dir", str(tmp_path)])
    claims = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["claims"]
    failed = [c for c in claims if not c["held"]]
    # A busy machine may time anything.
    assert code == (5 if failed else 0) and all("faster" in c["claim"] for c in failed), failed
    assert len(claims) >= 8
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") >= 6 and "psnr_gain" in page
    assert not re.findall(r'(?:src|href)\s*=\s*"(?!data:)|url\(|https?:|@import|<script|<link', page)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    for name in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (tmp_path / name).is_file()
    for claim in claims:
        assert claim["claim"] in text and claim["figure"] in text


def test_spellings_and_refusals(tmp_path, capsys):
    spelled = options.parse(["bench_vs_conv", "--out_dir=x_y", "--warmup", "0"])
    assert spelled.command == "bench-vs-conv" and str(spelled.out_dir) == "x_y" and spelled.warmup == 0
    assert options.parse(["images", "--patch", "32", "--noise_sigma", "0.2"]).size == 32
    assert str(options.parse(["train"]).out_dir).endswith("train")
    for arguments, code, says in (
        (["train", "--steps", "0"], 2, "at least 1"),
        (["train", "--framework", "tensorflow"], 2, "tensorflow"),
        (["paint"], 2, "paint"),
        (["train", "--device", "tpu"], 2, "device tpu is unknown"),
        (["dataset", "--data-dir", ".", "--hf", "name"], 2, "not allowed with"),
        (["images", "--data-dir", str(tmp_path)], 3, "has no images"),
        (["plot", "--summary-csv", str(tmp_path / "none.csv")], 3, "cannot be read"),
        (["train", "--out-dir", "/proc/nothing"], 6, "cannot be written"),
    ):
        if "--out-dir" not in arguments:
            arguments = [*arguments, "--out-dir", str(tmp_path)] if arguments[0] != "paint" else arguments
        with pytest.raises(Failure, match=says) as failure:
            demo.run(arguments)
        assert failure.value.code == code, arguments
    if not torch.cuda.is_available():
        with pytest.raises(Failure) as failure:
            demo.run(["train", "--device", "cuda", "--out-dir", str(tmp_path)])
        assert failure.value.code == 4
    done = subprocess.run([sys.executable, "-m", "iir2d.demo", "train", "--lr", "-1"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("iir2d.demo: error: ")


def test_charts_of_any_names_and_numbers(tmp_path, capsys, monkeypatch):
    summary, history = tmp_path / "summary.csv", tmp_path / "history.csv"
    summary.write_text("model,train_time_s,psnr_gain\n$x^{,1,2\n\x1b[31mred,inf,-inf\n", encoding="utf-8")
    history.write_text("model,step,loss\n$x^{,1,inf\n$x^{,2,0.5\n", encoding="utf-8")
    arguments = ["plot", "--summary-csv", str(summary), "--history-csv", str(history), "--out-dir", str(tmp_path / "out")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert demo.run(arguments) == 0
    assert len(list((tmp_path / "out").glob("*.png"))) == 3
    shown = capsys.readouterr().out
    assert "?[31mred" in shown and "\x1b" not in shown
    # They need neither torch nor jax.
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("torch", "jax") else found(name))
    assert demo.run(arguments) == 0


def test_every_end_has_the_command_lines_code(tmp_path):
    def run(*arguments, **options):
        command = [sys.executable, "-m", "iir2d.demo", *arguments, "--out-dir", str(tmp_path / "out")]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    ran = run("bench-vs-conv", "--height", "1000000", "--width", "1000000")
    said = ran.communicate(timeout=120)[1]
    assert ran.returncode == 4 and len(said.splitlines()) == 1
    assert said.startswith("iir2d.demo: error: there is not enough memory: ")
    # A reader that goes away: the files are written all the same.
    (tmp_path / "summary.csv").write_text("model,train_time_s,psnr_gain\na,1,2\n", encoding="utf-8")
    ran = run("plot", "--summary-csv", str(tmp_path / "summary.csv"))
    ran.stdout.close()
    ran.stdout = None
    said = ran.communicate(timeout=120)[1]
    assert ran.returncode == 6 and "Traceback" not in said, said
    assert (tmp_path / "out" / "plot.csv").is_file()
    # The end of a command that is asked to end.
    ran = run("train", "--steps", "100000")
    assert ran.stdout.readline()
    ran.send_signal(signal.SIGTERM)
    said = ran.communicate(timeout=120)[1]
    assert ran.returncode == 130 and said == "iir2d.demo: error: interrupted\n", said
    for arguments, says in ((["--steps", "many"], "many is not a whole number"), (["--lr", "fast"], "fast is not a number")):
        with pytest.raises(Failure, match=says):
            demo.run(["train", *arguments, "--out-dir", str(tmp_path)])


def test_without_matplotlib(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert demo.run(["bench-vs-conv", *COMMANDS["bench-vs-conv"], "--out-dir", str(tmp_path)]) == 0
    assert {p.name for p in tmp_path.iterdir()} == {"bench_vs_conv.csv", "bench_vs_conv.json"}
    assert "matplotlib is not installed: the PNG files are left out" in capsys.readouterr().err


KILLED = """
import os, signal, sys
from iir2d.demo import __main__ as demo
opened, left = os.fdopen, int(sys.argv.pop(1))

def killing(handle, mode):
    global left
    file, left = opened(handle, mode), left - 1
    if left:
        return file
    class Killing:
        def __enter__(self):
            return self
        def __exit__(self, *_):
            pass
        def write(self, content):
            file.write(content[: len(content) // 2])
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    return Killing()

os.fdopen = killing
demo.main()
"""


@pytest.mark.parametrize("number", [2, 5])
def test_killed_while_it_writes_it_leaves_no_partial_file(tmp_path, number):
    """The process dies when half of a file is written."""
    command = [sys.executable, "-c", KILLED, str(number), "train", *SMALL, "--out-dir", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    left = {p.name for p in tmp_path.iterdir()}
    assert len([n for n in left if not n.startswith(".")]) == number - 1
    for name in left:
        if name.endswith(".json"):
            json.loads((tmp_path / name).read_text(encoding="utf-8"))
        elif name.endswith(".csv"):
            text = (tmp_path / name).read_text(encoding="utf-8")
            assert text.endswith("\n") and len({len(row) for row in rows_of(tmp_path / name)}) == 1
    if output._anonymous(tmp_path) is not None:
        assert not [n for n in left if n.startswith(".")], left


def test_a_file_is_replaced_where_there_are_no_files_without_a_name(tmp_path, monkeypatch):
    for _ in range(2):
        output.write(tmp_path / "a.txt", b"first")
        monkeypatch.setattr(output, "_anonymous", lambda folder: None)
    output.write(tmp_path / "a.txt", b"second")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"] and (tmp_path / "a.txt").read_bytes() == b"second"


def test_a_file_is_written_where_nothing_links_a_file_without_a_name(tmp_path, monkeypatch):
    """As without /proc."""
    def refused(*arguments, **more):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "link", refused)
    for content in (b"first", b"second"):
        output.write(tmp_path / "a.txt", content)
        assert [p.name for p in tmp_path.iterdir()] == ["a.txt"] and (tmp_path / "a.txt").read_bytes() == content


def test_the_samples_lie_in_the_package():
    source = Path(__file__).resolve().parents[2] / "resources" / "samples"
    for path in pictures.files(pictures.SAMPLES):
        assert path.read_bytes() == (source / path.name).read_bytes()
    assert (pictures.SAMPLES / "README.md").is_file()


def test_the_notebook_runs_and_holds_no_output():
    """Its code cells in order in one namespace, which is what a kernel does with them."""
    pytest.importorskip("jax")
    path = Path(__file__).resolve().parents[2] / "notebooks" / "iir2d_tour.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    namespace = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), f"{path.name} {cell['id']}", "exec"), namespace)
