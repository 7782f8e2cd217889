# SPDX-License-Identifier: MIT
"""The programs for Windows at work under wine, beside those for Linux."""
import array
import json
import os
import re
import shutil
import signal
import subprocess
import time

import common
from report import expect
from windows_files import TARGET

COMPILER = f"{TARGET}-gcc-posix"
CXX = f"{TARGET}-g++-posix"
# What an atomic file is made of, for a program of its own.
OF_ATOMIC_FILES = ("atomic_file.cpp", "escaped.cpp", "file_handle.cpp", "hex.cpp", "text.cpp", "utf8.cpp")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CASES = ["--sizes", "64x48", "--filter-ids", "1,6", "--precisions", "f32", "--border-modes", "mirror", "--threads", "1", "--device", "cpu"]
THREADS = re.compile(rb'"threads": \{\s+"value": "(\d+)"')
STRANGE = "Größe 日本"

# Lp pooling of f64 with other powers than 1 and 2 takes the system's pow(), whose last bits are its own: compared as numbers.
OF_THE_SYSTEM = re.compile(rb"pool 2 1 \d (?:3|2\.5) ")
TOLERANCE = 1e-13  # of the larger of 1 and the number


class Used:
    def __init__(self, wine, tree, linux, scratch):
        self.wine, self.tree, self.linux = wine, tree, linux
        self.work = scratch / "work"
        self.work.mkdir()
        self.own = {"IIR2D_CONFIG_DIR": str(self.work / "config"), "IIR2D_TUNE": "off"}

    def windows(self, *arguments, code=0, more=None):
        """Standard output of iir2d.exe, which must end with `code`."""
        ended, out, err = self.wine.start(self.tree / "iir2d.exe", *arguments, folder=self.work, more={**self.own, **(more or {})})
        expect(ended == code, f"iir2d.exe {' '.join(map(str, arguments))} ended with {ended}, not {code}: {err.decode(errors='replace').strip()[-400:]}")
        return out

    def native(self, *arguments, code=0):
        done = subprocess.run([str(self.linux / "bin/iir2d"), *map(str, arguments)], cwd=self.work, env={**os.environ, **self.own},
                              capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=300)
        expect(done.returncode == code, f"iir2d {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
        return done.stdout

    def compiled(self, source, name, *options):
        program = self.work / name
        subprocess.run([COMPILER, "-std=c11", "-O1", f"-I{self.tree / 'include'}", source, "-o", program, *options], check=True, capture_output=True)
        return program

    def beside_library(self):
        return {"WINEPATH": "Z:" + str(self.tree).replace("/", "\\")}

    def c_programs(self):
        source = common.SOURCES / "tests/consumer/project/example.c"
        outputs = set()
        for library in ("libiir2d.dll.a", "iir2d.lib"):
            program = self.compiled(source, f"example-{library.split('.')[0]}.exe", self.tree / "lib" / library)
            code, out, err = self.wine.start(program, folder=self.work, more=self.beside_library())
            expect(code == 0, f"the program linked with {library} ended with {code}: {err.decode(errors='replace')[-300:]}")
            outputs.add(out.replace(b"\r\n", b"\n"))
        expect(len(outputs) == 1, f"they print different things: {outputs}")
        return outputs.pop().decode().splitlines()[0]

    def bits(self):
        source = common.SOURCES / "tests/installers/bits.c"
        program = self.compiled(source, "bits.exe", self.tree / "lib/libiir2d.dll.a")
        native = self.work / "bits"
        subprocess.run(["gcc", "-std=c11", "-O1", f"-I{common.SOURCES / 'kernels/include'}", source, "-o", native, f"-L{self.linux / 'kernels'}",
                        "-liir2d", f"-Wl,-rpath,{self.linux / 'kernels'}"], check=True, capture_output=True)
        seen, count, largest = [], 0, 0.0
        targets = self.native("devices", "--json").decode()
        names = [name for name, word in (("SSE4", "sse4_1"), ("AVX2", "avx2"), ("AVX3", "avx512bw")) if word in targets]
        for target in names:
            for threads in ("1", "2"):
                chosen = {"IIR2D_CPU_TARGET": target, "IIR2D_TUNE": "off"}
                code, out, err = self.wine.start(program, threads, "windows.pow", folder=self.work, more={**self.beside_library(), **chosen})
                expect(code == 0, f"bits.exe ended with {code}: {err.decode(errors='replace')[-300:]}")
                ours = subprocess.run([str(native), threads, "linux.pow"], cwd=self.work, env={**os.environ, **chosen}, capture_output=True, check=True).stdout
                mine = out.replace(b"\r\n", b"\n").splitlines()
                theirs = ours.splitlines()
                different = [(a, b) for a, b in zip(mine, theirs) if a != b and not OF_THE_SYSTEM.match(b)]
                expect(len(mine) == len(theirs) and not different,
                       f"{target}, {threads} threads: {len(different)} of {len(theirs)} cases differ: " +
                       "; ".join(f"{a.decode()} is {b.decode()} on Linux" for a, b in different[:3]))
                largest = max(largest, self.difference_of_pow(f"{target}, {threads} threads"))
                count = len(theirs)
            seen.append(target)
        own = sum(1 for line in theirs if OF_THE_SYSTEM.match(line))
        return f"{count - own} cases each with {', '.join(seen)} and 1 and 2 threads, {own} more with the system's pow() differ by {largest:.1e} at most"

    def difference_of_pow(self, case):
        """The largest difference of the cases of the system's pow(), which must be within the tolerance."""
        mine, theirs = array.array("d"), array.array("d")
        for numbers, name in ((mine, "windows.pow"), (theirs, "linux.pow")):
            numbers.frombytes((self.work / name).read_bytes())
        expect(len(mine) == len(theirs) and len(theirs) > 0, f"{case}: {len(mine)} numbers of pow(), {len(theirs)} on Linux")
        largest = 0.0
        for a, b in zip(mine, theirs):
            difference = abs(a - b) / max(1.0, abs(b))
            expect(difference <= TOLERANCE, f"{case}: {a!r} is {b!r} on Linux")  # which NaN is not
            largest = max(largest, difference)
        return largest

    def texts(self):
        said = self.windows("--version")
        expect(b"\r" not in said and b"package: zip " in said, f"--version says {said!r}")
        listed = self.windows("devices", "--json")
        expect(b"\r" not in listed, "the JSON of devices has carriage returns")
        cpu = json.loads(listed)
        text = json.dumps(cpu)
        expect("x86-64-v2" in text, f"devices says {text[:300]}")
        # A name in no code page of one byte, and one that begins with a slash, which is no option.
        record = f"{STRANGE}/{STRANGE}"
        (self.work / STRANGE).mkdir()
        self.windows("bench", *CASES, "--iters", "3", "--warmup", "1", "--record", record)
        expect((self.work / record / "record.json").is_file(), f"there is no record in {record}")
        self.windows("verify", record)
        self.windows("verify", str(self.work / record))
        content = (self.work / record / "record.json").read_bytes()
        expect(b"\r" not in content, "record.json has carriage returns")
        return said.decode().splitlines()[2]

    def affinity(self):
        """As many threads as the processors that it may use."""
        if len(os.sched_getaffinity(0)) < 2:
            return "not tried: there is one processor here"
        pinned = self.compiled(common.SOURCES / "tests/installers/affinity.c", "affinity.exe")
        code, said, err = self.wine.start(pinned, self.tree / "iir2d.exe", "devices", "--json", folder=self.work, more=self.own)
        expect(code == 0, f"affinity.exe ended with {code}: {err.decode(errors='replace')[-300:]}")
        threads = [int(THREADS.findall(text)[0]) for text in (said, self.windows("devices", "--json"))]
        expect(threads[0] == 1 and threads[1] >= 2, f"it takes {threads[0]} threads on one processor, {threads[1]} on all")
        return f"1 thread on one processor, {threads[1]} on all"

    def exclusive(self):
        program = self.work / "exclusive.exe"
        sources = [common.SOURCES / "tests/installers/exclusive.cpp", *(common.SOURCES / "core/support" / name for name in OF_ATOMIC_FILES)]
        subprocess.run([CXX, "-std=c++23", "-O1", "-D_WIN32_WINNT=0x0A00", "-DNOMINMAX", f"-I{common.SOURCES}",
                        f"-I{common.SOURCES / 'kernels/include'}", *sources, "-o", program, "-static"], check=True, capture_output=True)
        code, out, err = self.wine.start(program, folder=self.work)
        expect(code == 0, f"exclusive.exe ended with {code}: {out.decode(errors='replace').strip()} {err.decode(errors='replace')[-300:]}")
        # The same of a key, which nothing may be written over.
        self.windows("key", "new", "first.key")
        before = (self.work / "first.key").read_bytes()
        self.windows("key", "new", "first.key", code=6)
        expect((self.work / "first.key").read_bytes() == before, "a key was written over")

    def interrupted(self):
        """wine makes Ctrl+C of SIGINT. The temporary folder of the record goes with the program."""
        before = set(self.work.iterdir())
        process = self.wine.begin(self.tree / "iir2d.exe", "bench", "--sizes", "1024x1024", "--filter-ids", "1", "--iters", "100000", "--device", "cpu",
                                  "--record", "never", folder=self.work, more=self.own)
        try:
            time.sleep(3)
            expect(process.poll() is None, f"the benchmark ended with {process.returncode} by itself")
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=30)
        finally:
            process.kill()
        expect(code == 130, f"after Ctrl+C it ended with {code}")
        left = sorted(path.name for path in set(self.work.iterdir()) - before)
        expect(not left, f"after Ctrl+C there is {left}")

    def records(self):
        parity = json.loads(self.windows("parity", *CASES, "--json"))
        native = json.loads(self.native("parity", *CASES, "--json"))
        errors = lambda told: [case.get("max_abs_err") for case in told["cases"]]  # noqa: E731
        expect(errors(parity) == errors(native), f"parity finds {errors(parity)}, on Linux {errors(native)}")
        self.windows("bench", *CASES, "--iters", "3", "--warmup", "1", "--record", "by-windows")
        self.native("bench", *CASES, "--iters", "3", "--warmup", "1", "--record", "by-linux")
        for record in ("by-windows", "by-linux"):
            self.windows("verify", record)
            self.native("verify", record)
        record = json.loads((self.work / "by-windows/record.json").read_text(encoding="utf-8"))
        text = json.dumps(record)
        expect("/proc" not in text and "Windows" in text, "the record's facts are not of Windows")
        expect("iir2d.dll" in text, "the record does not name the library that computed")
        self.windows("history", "add", "by-windows", "--db", "history.sqlite")
        self.windows("history", "add", "by-linux", "--db", "history.sqlite")
        listed = self.windows("history", "list", "--db", "history.sqlite")
        self.native("history", "check", "--db", "history.sqlite")
        # A byte of it changed.
        damaged = self.work / "by-windows/record.json"
        damaged.write_bytes(damaged.read_bytes().replace(b'"iterations"', b'"iteration5"', 1).replace(b"Windows", b"Windoes", 1))
        self.windows("verify", "by-windows", code=5)
        return f"{len(errors(parity))} cases of parity; {len(listed.splitlines())} lines of history"

    def keys(self):
        self.windows("key", "new", "release.key")
        self.windows("key", "new", "release.key", code=6)
        shown = self.windows("key", "show", "release.key.pub").strip()
        expect(len(shown) == 64 and shown == self.windows("key", "show", "release.key").strip(), f"key show says {shown!r}")
        expect(self.native("key", "show", "release.key.pub").strip() == shown, "on Linux the key is another")
        # wine gives what the user alone may do to the file's group, too.
        expect((self.work / "release.key").stat().st_mode & 0o007 == 0, "others may read the private key")
        other = self.work / "open.key"
        shutil.copyfile(self.work / "release.key", other)
        other.chmod(0o644)
        _, _, err = self.wine.start(self.tree / "iir2d.exe", "bench", *CASES, "--iters", "3", "--record", "signed", "--sign", "open.key", folder=self.work,
                                    more=self.own)
        expect(b"may read it" in err, f"a key that others may read is taken: {err.decode(errors='replace')[-300:]}")
        self.windows("bench", *CASES, "--iters", "3", "--record", "signed", "--sign", "release.key")
        self.native("verify", "signed", "--signer", "release.key.pub")
        self.windows("verify", "signed", "--signer", shown.decode())
        self.windows("release", "new", "v1", "--stage", "dev", "--commit", COMMIT)
        self.windows("release", "evaluate", "v1", code=5)
        self.windows("release", "verify", "v1")
        self.native("release", "verify", "v1")
        return shown.decode()[:16]

    def images(self):
        if not (self.tree / "iir2d-images.dll").is_file():
            self.windows("info", common.SOURCES / "resources/samples/rocket.jpg", code=4)
            return "not tried: these packages have no image module, which is said with exit code 4"
        return self.filtered_images()

    def filtered_images(self):
        """Every filter, operation of pooling and preset once, on one sample after the other: each takes four programs' starts."""
        folder = common.SOURCES / "resources/samples"
        samples = sorted(file for file in folder.iterdir() if file.suffix in (".png", ".exr", ".jpg"))
        presets = sorted((common.SOURCES / "resources/presets").glob("*.json"))
        cases = [("filter", "", ["--filter", str(filter_id)], None) for filter_id in range(1, 9)]
        cases += [("pool", ".tif", ["--op", operation, "--window", "3x2"], None) for operation in ("max", "avg", "lp")]
        cases += [("run", ".tif", [], preset) for preset in presets]
        for count, (command, suffix, options, preset) in enumerate(cases):
            sample = samples[count % len(samples)]
            self.same(count, command, sample, suffix or (".exr" if sample.suffix == ".exr" else ".png"), *options, preset=preset)
        name = f"{STRANGE}.png"
        shutil.copyfile(folder / "astronaut.png", self.work / name)
        self.windows("info", name)
        self.windows("info", self.work / name)
        self.windows("batch", presets[0], name, folder / "chelsea-gray16.png", "--out-dir", "batched")
        expect((self.work / "batched" / name).is_file(), "batch wrote no file of that name")
        return f"{len(cases)} results are those of Linux to the bit"

    def same(self, number, command, sample, suffix, *options, preset=None):
        mine, theirs = f"windows-{number}{suffix}", f"linux-{number}{suffix}"
        before = [preset] if preset else []
        self.windows(command, *before, sample, mine, *options, "-q")
        self.native(command, *before, sample, theirs, *options, "-q")
        self.native("compare", mine, theirs, "--tolerance", "0", "-q")
        for name in (mine, theirs):
            (self.work / name).unlink()
