#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What packages are called: by cmake/PackageVersion.cmake, of a small project in a checkout, an archive and neither; and that
every place that has the version has the same. usage: version_test.py CMAKE SOURCES"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

CMAKE, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
WHO = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2026-03-04T23:30:00-0800"))}
# cmake/source-commit.txt of a checkout; where this runs in an archive git has filled it in.
TO_BE_FILLED_IN = "$Format:%H$\n$Format:%ct$\n$Format:%(describe:tags=true,match=v[0-9]*,abbrev=40)$\n"
ENVIRONMENT = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "TZ": "Asia/Tokyo"}
ENVIRONMENT.pop("SOURCE_DATE_EPOCH", None)


class PackageVersion(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name) / "project"
        (self.folder / "cmake").mkdir(parents=True)
        shutil.copyfile(SOURCES / ".gitattributes", self.folder / ".gitattributes")
        (self.folder / "cmake/source-commit.txt").write_text(TO_BE_FILLED_IN)
        (self.folder / "CMakeLists.txt").write_text("project(iir2d VERSION 1.1.0 LANGUAGES C)\n")
        self.changelog("2026-03-05")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def tearDown(self):
        self.scratch.cleanup()

    def changelog(self, date):
        (self.folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## [1.1.0] - {date}\n\n## [1.0.0] - unreleased\n")

    def git(self, *arguments):
        run = subprocess.run(["git", *arguments], cwd=self.folder, env=ENVIRONMENT, check=True, capture_output=True, text=True)
        return run.stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a change")

    def ask(self, folder=None, environment=(), *definitions):
        """The values that the script prints, or the sentence that it refuses with."""
        run = subprocess.run([CMAKE, f"-DSOURCE_DIR={folder or self.folder}", *definitions, "-P",
                              SOURCES / "cmake/PackageVersion.cmake"],
                             env={**ENVIRONMENT, **dict(environment)}, capture_output=True, text=True)
        if run.returncode != 0:
            return " ".join(run.stderr.split())
        return dict(line.split("=", 1) for line in run.stdout.splitlines())

    def archive(self):
        place = pathlib.Path(self.scratch.name) / "archive"
        place.mkdir()
        self.git("archive", "-o", "../archive.tar", "HEAD")
        subprocess.run(["tar", "xf", "../archive.tar"], cwd=place, check=True)
        return place

    def test_a_commit_without_a_tag_is_named_by_its_day_and_hash(self):
        commit = self.git("rev-parse", "HEAD")
        found = self.ask()
        # The day in UTC, wherever the machine and the author are.
        self.assertEqual(found["PACKAGE_V"], f"1.1.0-git20260305.{commit[:7]}")
        self.assertEqual(found["PACKAGE_V_DEB"], f"1.1.0~git20260305.{commit[:7]}")
        self.assertEqual(found["COMMIT"], commit)
        self.assertEqual(found["PACKAGE_EPOCH"], self.git("log", "-1", "--format=%ct"))

    def test_the_clean_tag_is_the_version(self):
        self.git("tag", "v1.1.0")
        self.assertEqual(self.ask()["PACKAGE_V"], "1.1.0")
        self.assertEqual(self.ask()["PACKAGE_V_DEB"], "1.1.0")

    def test_another_tag_is_refused(self):
        self.git("tag", "v1.2.0")
        self.assertIn("the tag v1.2.0 is on version 1.1.0", self.ask())

    def test_a_tag_of_a_candidate_is_no_version(self):
        self.git("tag", "v1.1.0-rc1")
        self.assertIn("-git20260305.", self.ask()["PACKAGE_V"])
        self.git("tag", "v1.1.0")
        self.assertEqual(self.ask()["PACKAGE_V"], "1.1.0")
        self.git("tag", "v1.0.9")  # beside it
        self.assertEqual(self.ask()["PACKAGE_V"], "1.1.0")

    def test_a_given_commit_hides_no_change(self):
        first = self.git("rev-parse", "HEAD")
        self.assertEqual(self.ask(None, (), f"-DIIR2D_SOURCE_COMMIT={first}")["DIRTY"], "0")
        (self.folder / "new.txt").write_text("not committed\n")
        self.assertIn("changes that are not committed", self.ask(None, (), f"-DIIR2D_SOURCE_COMMIT={first}"))
        self.commit()
        self.assertIn("changes that are not committed", self.ask(None, (), f"-DIIR2D_SOURCE_COMMIT={first}"))

    def test_what_a_run_found_at_its_start_is_believed(self):
        (self.folder / "new.txt").write_text("of the run\n")
        found = self.ask(None, {"IIR2D_SOURCE_STATE": f"{'a' * 40}|1767225600||0"})
        self.assertEqual((found["PACKAGE_V"], found["DIRTY"]), ("1.1.0-git20260101.aaaaaaa", "0"))
        self.assertEqual(self.ask(None, {"IIR2D_SOURCE_STATE": f"{'a' * 40}|1767225600|v1.1.0|0"})["PACKAGE_V"], "1.1.0")

    def test_a_tag_is_refused_while_the_changelog_says_unreleased(self):
        self.changelog("unreleased")
        self.commit()
        self.assertIsInstance(self.ask(), dict)
        self.git("tag", "v1.1.0")
        self.assertIn("unreleased", self.ask())

    def test_changes_are_refused_unless_they_are_allowed(self):
        self.git("tag", "v1.1.0")
        (self.folder / "new.txt").write_text("not committed\n")
        self.assertIn("changes that are not committed", self.ask())
        allowed = self.ask(None, (), "-DALLOW_DIRTY=ON")
        self.assertRegex(allowed["PACKAGE_V"], r"^1\.1\.0-git20260305\.[0-9a-f]{7}\.dirty$")

    def test_the_file_for_archives_is_what_is_tried_here(self):
        text = (SOURCES / "cmake/source-commit.txt").read_text(encoding="utf-8")
        if "$Format" in text:
            self.assertEqual(text, TO_BE_FILLED_IN)
        else:
            self.assertRegex(text, r"^[0-9a-f]{40}\n\d+\n")

    def test_an_archive_knows_its_commit_and_tag(self):
        commit = self.git("rev-parse", "HEAD")
        checkout = self.ask()
        self.assertEqual(self.ask(self.archive()), checkout)
        self.assertEqual(checkout["COMMIT"], commit)
        shutil.rmtree(pathlib.Path(self.scratch.name) / "archive")
        self.git("tag", "v1.1.0")
        self.assertEqual(self.ask(self.archive())["PACKAGE_V"], "1.1.0")

    def test_what_says_no_commit_is_refused_and_can_be_told(self):
        bare = pathlib.Path(self.scratch.name) / "bare"
        shutil.copytree(self.folder, bare, ignore=shutil.ignore_patterns(".git"))
        self.assertIn("nothing says which commit", self.ask(bare))
        given = "0123456789abcdef0123456789abcdef01234567"
        self.assertIn("set SOURCE_DATE_EPOCH", self.ask(bare, (), f"-DIIR2D_SOURCE_COMMIT={given}"))
        told = self.ask(bare, {"SOURCE_DATE_EPOCH": "1767225600"}, f"-DIIR2D_SOURCE_COMMIT={given}")
        self.assertEqual(told["COMMIT"], given)
        self.assertEqual(told["PACKAGE_V"], "1.1.0-git20260101.0123456")
        self.assertIn("is not a commit", self.ask(bare, (), "-DIIR2D_SOURCE_COMMIT=main"))

    def test_source_date_epoch_is_kept_where_it_is_set(self):
        found = self.ask(None, {"SOURCE_DATE_EPOCH": "5"})
        self.assertEqual(found["PACKAGE_EPOCH"], "5")
        self.assertIn("git20260305", found["PACKAGE_V"])  # the commit's day all the same


class EveryPlace(unittest.TestCase):
    """The version is written in CMakeLists.txt; what cannot read it there says the same."""

    def setUp(self):
        text = (SOURCES / "CMakeLists.txt").read_text()
        self.version = re.search(r"^project\(iir2d VERSION ([0-9.]+)", text, re.MULTILINE)[1]
        self.top = re.search(r"^## \[([^\]]+)\] - (\S+)", (SOURCES / "CHANGELOG.md").read_text(), re.MULTILINE)

    def test_changelog(self):
        self.assertEqual(self.top[1], self.version)

    def test_metainfo(self):
        release = xml.parse(SOURCES / "installers/linux/org.iir2d.metainfo.xml.in").find("releases/release")
        self.assertEqual(release.get("version"), self.version)
        self.assertEqual(release.get("type") == "development", self.top[2] == "unreleased")

    def test_windows_resources(self):
        """They take the version of CMake's project(): another is written nowhere in them."""
        files = list(SOURCES.glob("installers/windows/*.rc*"))
        self.assertTrue(files)
        for file in files:
            text = file.read_text()
            self.assertIn('"ProductVersion", "@PROJECT_VERSION@"', text, file)
            self.assertIn("FILEVERSION @PROJECT_VERSION_MAJOR@,@PROJECT_VERSION_MINOR@,@PROJECT_VERSION_PATCH@,0", text, file)
            self.assertIsNone(re.search(r"\d+[.,]\d+[.,]\d", text), file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
