#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_release.sh on a small release: it takes what is whole and refuses every changed byte. And what comes into --out comes
whole. usage: release_test.py SOURCES IIR2D"""
import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCES, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(SOURCES / "installers/release"))
import check  # noqa: E402
import common  # noqa: E402
import evidence  # noqa: E402
import deb_files  # noqa: E402
import make  # noqa: E402
import signing  # noqa: E402
import spdx  # noqa: E402
import table  # noqa: E402
from report import Report, expect  # noqa: E402

VERSION = {"PACKAGE_V": "1.2.0-gitX", "PACKAGE_V_DEB": "1.2.0~gitX", "PACKAGE_EPOCH": "1772667000", "COMMIT": "0" * 40}


def outcome(*arguments):
    """(exit code, what was said) of check_release."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            check.main([str(argument) for argument in arguments])
            code = 0
        except common.Failure as failure:
            code = failure.code
            print(failure, file=said)
        except (AssertionError, KeyError, ValueError, StopIteration) as failure:
            code = common.CHECK_FAILED
            print(failure, file=said)
    return code, said.getvalue()


class Release(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.place = pathlib.Path(self.scratch.name)
        self.folder = self.place / "packages"
        (self.folder / "evidence").mkdir(parents=True)
        archive = self.folder / "iir2d-1.2.0-gitX.tar.xz"
        archive.write_bytes(b"an archive\n")
        common.write_whole(self.folder / f"{archive.name}.spdx.json", spdx.of_source(archive, VERSION))
        (self.folder / "NOTICES.txt").write_text("notices\n")
        (self.folder / "evidence/rebuild.json").write_text("{}\n")

    def tearDown(self):
        self.scratch.cleanup()

    def key(self, name):
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.place / name], check=True)
        return self.place / name

    def public(self, key):
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", f"{key}.pub"], check=True)
        return f"{key}.pub"

    def test_unsigned_is_taken_and_said(self):
        signing.sum_and_sign(self.folder, None)
        code, said = outcome(self.folder, "--no-install")
        self.assertEqual(code, 0, said)
        self.assertIn("not signed", said)
        self.assertEqual(outcome(self.folder, "--no-install", "--signer", self.public(self.key("a")))[0], 5)

    def test_signed_is_taken_with_its_key_and_no_other(self):
        key = self.key("a")
        signing.sum_and_sign(self.folder, key)
        self.assertEqual(outcome(self.folder, "--no-install", "--signer", self.public(key))[0], 0)
        self.assertEqual(outcome(self.folder, "--no-install")[0], 0)
        self.assertEqual(outcome(self.folder, "--no-install", "--signer", self.public(self.key("b")))[0], 5)

    def test_a_flipped_byte_in_any_file_is_found(self):
        key = self.key("a")
        signing.sum_and_sign(self.folder, key)
        public = self.public(key)
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        self.assertEqual(len(files), 9, files)
        for path in files:
            whole = path.read_bytes()
            for at in {0, len(whole) // 2, len(whole) - 1}:
                changed = bytearray(whole)
                changed[at] ^= 1
                path.write_bytes(changed)
                self.assertEqual(outcome(self.folder, "--no-install", "--signer", public)[0], 5, (path.name, at))
            path.write_bytes(whole)
        self.assertEqual(outcome(self.folder, "--no-install", "--signer", public)[0], 0)

    def test_what_is_missing_added_or_a_link_is_found(self):
        signing.sum_and_sign(self.folder, None)
        notices = self.folder / "NOTICES.txt"
        for change in (notices.unlink, lambda: (self.folder / "more.txt").write_text("x"),
                       lambda: (notices.rename(self.place / "kept"), notices.symlink_to(self.place / "kept")),
                       lambda: (self.folder / "more").mkdir(), lambda: (self.folder / "evidence/more").mkdir(),
                       lambda: (self.folder / "evidence/more.txt").write_text("x"),
                       lambda: (self.folder / "evidence" / signing.SUMS).unlink()):
            copy = self.place / "copy"
            shutil.copytree(self.folder, copy)
            change()
            self.assertEqual(outcome(self.folder, "--no-install")[0], 5)
            shutil.rmtree(self.folder)
            copy.rename(self.folder)

    def test_a_bill_of_another_package_is_found(self):
        (self.folder / "iir2d-1.2.0-gitX.tar.xz").write_bytes(b"another archive\n")
        signing.sum_and_sign(self.folder, None)
        code, said = outcome(self.folder, "--no-install")
        self.assertEqual(code, 5, said)
        self.assertIn("is about another", said)

    @unittest.skipIf(shutil.which("dpkg-deb") is None, "there is no dpkg-deb here")
    def test_a_bill_names_every_file_of_a_package_and_no_other(self):
        tree = self.place / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text("Package: p\nVersion: 1\nArchitecture: amd64\nMaintainer: A <a@b.org>\nDescription: d\n")
        (tree / "usr").mkdir()
        (tree / "usr/a").write_text("a")
        deb = self.folder / "p_1_amd64.deb"

        def packed():
            # Else the package has the time in it, and is another one a second later.
            subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, deb], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
            return spdx.of_deb(deb, "p", VERSION)

        common.write_whole(self.folder / f"{deb.name}.spdx.json", packed())
        self.assertEqual(check.check_bill(deb), "1 files")
        strange = self.place / "a\"; false \" b.deb"  # the name is no command
        shutil.copyfile(deb, strange)
        self.assertEqual(deb_files.control_files(strange), {"control"})
        (tree / "usr/b").write_text("b")
        bill = packed()
        self.assertEqual(bill, packed())  # the same each time
        self.assertIn("./usr/b", bill)
        common.write_whole(self.folder / f"{deb.name}.spdx.json", bill.replace("./usr/b", "./usr/c"))
        with self.assertRaises(AssertionError):
            check.check_bill(deb)

    def test_a_strange_list_of_sums_is_refused(self):
        for text in ("", "x\n", f"{'0' * 64}  ../a\n", f"{'0' * 64}  a\n{'0' * 64}  a\n", f"{'0' * 64}  b\n{'0' * 64}  a\n",
                     f"{'0' * 64}  a"):
            (self.folder / signing.SUMS).write_text(text)
            self.assertEqual(outcome(self.folder, "--no-install")[0], 5, text)


def publish(out, turns):
    for _ in range(turns):
        with make.Staging(out) as staging:
            for name in "abcdefgh":
                common.write_whole(staging.folder / name, name * 400000)
            common.write_whole(staging.folder / "evidence/r", "r" * 400000)
            signing.sum_and_sign(staging.folder, None)
            staging.publish()


def started(out):
    """A process that publishes again and again, until it is killed."""
    process = os.fork()
    if process == 0:
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                publish(out, 1000)
        finally:
            os._exit(1)
    return process


class Publishing(unittest.TestCase):
    def test_killed_at_any_moment_it_leaves_whole_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "packages"
            for kill in range(60):  # 20, and on a busy machine more, until some came as far as publishing
                if kill >= 20 and (out / "a").is_file():
                    break
                process = started(out)
                # Within the first two turns and what is between; longer where they take longer.
                time.sleep(0.01 * (kill + 1) if kill < 20 else 0.03 * kill)
                os.kill(process, signal.SIGKILL)
                self.assertEqual(os.waitpid(process, 0)[1], signal.SIGKILL, "it ended by itself")
                for path in out.rglob("*") if out.exists() else ():
                    if ".making" in path.parts:
                        continue  # swept by the next run
                    if path.is_file() and path.name != signing.SUMS:
                        self.assertEqual(path.read_text(), path.name * 400000, path)
                    self.assertFalse(path.name.startswith("."), path)
            self.assertTrue((out / "a").is_file())
            publish(out, 1)
            self.assertEqual(sorted(path.name for path in out.iterdir()), sorted(["SHA256SUMS", *"abcdefgh", "evidence"]))
            self.assertEqual([path.name for path in pathlib.Path(scratch).iterdir()], ["packages"])

    def test_files_of_a_run_before_go(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "packages"
            for names in ("ab", "bc"):
                with make.Staging(out) as staging:
                    for name in names:
                        common.write_whole(staging.folder / name, name)
                    signing.sum_and_sign(staging.folder, None)
                    staging.publish()
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["SHA256SUMS", "b", "c"])


    def test_files_of_others_stay(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "packages"
            (out / "evidence").mkdir(parents=True)
            for name in ("mine", "evidence/mine", "release.pub.pem"):
                (out / name).write_text("mine")
            for names in ("a", "b"):
                with make.Staging(out) as staging:
                    common.write_whole(staging.folder / names, names)
                    common.write_whole(staging.folder / f"evidence/{names}", names)
                    signing.sum_and_sign(staging.folder, None)
                    staging.publish()
            self.assertEqual(sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()),
                             ["SHA256SUMS", "b", "evidence/SHA256SUMS", "evidence/b", "evidence/mine", "mine", "release.pub.pem"])

    def test_two_runs_do_not_write_at_once(self):
        with tempfile.TemporaryDirectory() as scratch:
            with make.Staging(pathlib.Path(scratch)):
                with self.assertRaises(common.Failure):
                    make.Staging(pathlib.Path(scratch)).__enter__()
            with make.Staging(pathlib.Path(scratch)):
                pass

    def test_a_folder_of_something_else_is_refused_before_anything_is_made(self):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch)
            (out / signing.SUMS).write_text("strange\n")
            with self.assertRaises(common.Failure) as caught:
                make.Staging(out).__enter__()
            self.assertEqual(caught.exception.code, common.BAD_ARGUMENT)
            (out / signing.SUMS).unlink()
            (out / "evidence").write_text("a file")
            with self.assertRaises(common.Failure):
                make.Staging(out).__enter__()

    def test_out_and_key_in_the_checkout_are_no_change_of_it(self):
        with tempfile.TemporaryDirectory() as scratch:
            sources = (pathlib.Path(scratch) / "project").resolve()
            sources.mkdir()
            (sources / "CMakeLists.txt").write_text("project(iir2d VERSION 1.1.0 LANGUAGES C)\n")
            (sources / "CHANGELOG.md").write_text("## [1.1.0] - unreleased\n")
            git = ["git", "-C", sources, "-c", "user.name=A", "-c", "user.email=a@example.org"]
            for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a"]):
                subprocess.run([*git, *command], check=True)
            out, key = sources / "new/D", sources / "key.pem"
            key.write_text("a key")
            with make.Staging(out) as staging:
                (staging.folder / "a").write_text("a")
                self.assertEqual(common.package_version(False, (out, None, key), sources)["DIRTY"], "0")
                with self.assertRaises(common.Failure):
                    common.package_version(False, (out,), sources)
                (sources / "new/other").write_text("a change")
                with self.assertRaises(common.Failure):
                    common.package_version(False, (out, key), sources)


class Paths(unittest.TestCase):
    def test_a_folder_is_found_as_a_path_of_its_own(self):
        for data in (b"\0/src/kernels/a.cpp\0", b"-I/src/kernels", b"in /src", b'"/src"', b"file:///src/a", b"=/src=."):
            self.assertTrue(common.names_path(data, "/src"), data)
        for data in (b"`python/src` is", b"/srcs/a", b"/src.tar", b"../src/a", b"/usr/src-1", b"x/src/a"):
            self.assertFalse(common.names_path(data, "/src"), data)
        self.assertTrue(common.names_path(b"\xff/work/a b/x", pathlib.Path("/work/a b")))


class Scratches(unittest.TestCase):
    def test_what_a_killed_run_left_goes_and_what_is_in_use_stays(self):
        with tempfile.TemporaryDirectory() as place:
            left, used = (pathlib.Path(place) / f"{common.Scratch.PREFIX}{name}" for name in ("left", "used"))
            for folder in (left, used):
                (folder / "in").mkdir(parents=True)
            with common.Locked(used):
                for folder in (left, used):
                    os.utime(folder, (1, 1))
                with common.Scratch("new", place) as new:
                    self.assertTrue(new.is_dir() and used.is_dir())
                    self.assertFalse(left.exists())
                self.assertFalse(new.exists())

    def test_evidence_of_another_content_gets_another_name(self):
        self.assertEqual(evidence.free_name("a.spdx.json", {"b"}), "a.spdx.json")
        self.assertEqual(evidence.free_name("a.spdx.json", {"a.spdx.json", "a-2.spdx.json"}), "a-3.spdx.json")


class Table(unittest.TestCase):
    def test_a_check_has_passed_when_all_its_tests_have(self):
        self.assertEqual(table.state(("^a: one", "^a: two"), {"a: one": True, "a: two (x)": True}), ("passed", ""))
        self.assertEqual(table.state(("^a: one", "^a: two"), {"a: one": True, "a: two": False}), ("FAILED", "a: two"))
        self.assertEqual(table.state(("^a: one", "^a: two"), {"a: one": True})[0], "not tried")
        self.assertEqual(sorted(table.CHECKS), list(range(1, 28)))

    def test_it_reads_our_reports_and_those_of_ctest(self):
        with tempfile.TemporaryDirectory() as scratch:
            report, of_ctest = pathlib.Path(scratch) / "a.xml", pathlib.Path(scratch) / "b.xml"
            ours = Report("test", "packaging")
            with contextlib.redirect_stderr(io.StringIO()):
                ours.check("good", lambda: "seen")
                ours.check("bad", lambda: expect(False, "no"))
            report.write_text(ours.junit(), encoding="utf-8")
            of_ctest.write_text('<testsuite><testcase name="run" status="run"/><testcase name="fail" status="fail"><failure message=""/></testcase>'
                                '<testcase name="left out" status="disabled"><skipped/></testcase></testsuite>', encoding="utf-8")
            self.assertEqual(table.results([report, of_ctest]), {"good": True, "bad": False, "run": True, "fail": False})


class Attaching(unittest.TestCase):
    """Evidence of packages on a fresh release: what it fills, and that it fills nothing else."""
    ROLES = ("kernel-engineer", "platform-engineer", "qa-engineer", "product-lead")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        roles = []
        for role in self.ROLES:
            self.iir2d("key", "new", f"{role}.key")
            roles += ["--role", f"{role}={role}.key.pub"]
        self.iir2d("release", "new", "v1", "--dir", ".", "--stage", "ga", "--commit", VERSION["COMMIT"], *roles)
        self.out = self.place / "packages"
        (self.out / "evidence").mkdir(parents=True)
        report = Report("test", "packaging")
        with contextlib.redirect_stderr(io.StringIO()):
            report.check("deb: is there", lambda: "yes")
        same = [{"library_sha256": "1" * 64, "built_utc": "2026-01-01T00:00:00Z"}] * 2
        for name, text in (("packaging-report.xml", report.junit()), ("rebuild.json", json.dumps({"builds": same, "reason": None})),
                           ("licence.txt", "a licence\n"), ("notices.txt", "notices\n"), ("a_1~2-1_amd64.deb.spdx.json", "{}\n")):
            (self.out / "evidence" / name).write_text(text, encoding="utf-8")

    def iir2d(self, *arguments):
        environment = {**os.environ, "IIR2D_CONFIG_DIR": str(self.place / "config")}
        done = subprocess.run([PROGRAM, *arguments], cwd=self.place, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_fills_four_requirements_and_none_besides(self):
        with contextlib.redirect_stderr(io.StringIO()):
            said = evidence.attach(PROGRAM, self.out, self.place / "v1", VERSION).splitlines()
        self.assertEqual(said[0], "filled: B.rebuild, D.licence, D.notices, D.packaging")
        self.assertTrue(any(line.startswith("open: C.baseline: ") for line in said), said)
        kept = json.loads((self.place / "v1/release.json").read_text(encoding="utf-8"))["attachments"]
        self.assertEqual(len(kept), 5)
        # Again: nothing twice, nothing filled.
        with contextlib.redirect_stderr(io.StringIO()):
            again = evidence.attach(PROGRAM, self.out, self.place / "v1", VERSION).splitlines()
        self.assertEqual(again, ["filled: nothing", *said[1:]])
        self.assertEqual(json.loads((self.place / "v1/release.json").read_text(encoding="utf-8"))["attachments"], kept)

    def test_a_failed_check_fills_nothing_of_packaging(self):
        report = Report("test", "packaging")
        with contextlib.redirect_stderr(io.StringIO()):
            report.check("deb: is there", lambda: expect(False, "no"))
            (self.out / "evidence/packaging-report.xml").write_text(report.junit(), encoding="utf-8")
            said = evidence.attach(PROGRAM, self.out, self.place / "v1", VERSION).splitlines()
        self.assertEqual(said[0], "filled: B.rebuild, D.licence, D.notices")


class Ends(unittest.TestCase):
    def ended(self, failure):
        def main():
            raise failure

        said = io.StringIO()
        kept = signal.getsignal(signal.SIGTERM)
        with contextlib.redirect_stderr(said):
            code = common.main_of("tool", main, common.CHECK_FAILED)
        signal.signal(signal.SIGTERM, kept)
        return code, said.getvalue()

    def test_whatever_goes_wrong_is_one_line(self):
        for failure, code in ((common.Failure(2, "a\nb\n"), 2), (AssertionError("a"), 5), (OSError("a"), 6), (KeyError("a"), 5),
                              (StopIteration(), 5), (json.JSONDecodeError("a", "b", 0), 5), (KeyboardInterrupt(), 130)):
            found, said = self.ended(failure)
            self.assertEqual(found, code, failure)
            self.assertEqual(said.count("\n"), 0 if code == 130 else 1, said)

    def test_a_program_that_takes_too_long_is_a_failure(self):
        with self.assertRaises(common.Failure) as caught:
            common.run("sleep", "9", timeout=0.1)
        self.assertEqual(caught.exception.code, common.NOT_WRITTEN)


class Arguments(unittest.TestCase):
    def test_what_is_wrong_is_said_with_exit_code_2(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        release = scratch.name
        (pathlib.Path(release) / "release.json").write_text("{}")
        for arguments in (["--only", "rpm"], ["--only", "deb,macos"], ["--jobs", "0"], ["--unknown"], ["--sign", "/nonexistent"],
                          ["--evidence", "/nonexistent"], ["--evidence", release, "--quick"], ["--evidence", release, "--allow-dirty"]):
            with self.assertRaises(common.Failure) as caught:
                make.parse(arguments)
            self.assertEqual(caught.exception.code, 2, arguments)
            self.assertNotIn("\n", str(caught.exception))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
