#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's changelog, made of CHANGELOG.md. usage: changelog_test.py SOURCES"""
import pathlib
import sys
import unittest

SOURCES = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCES / "installers/deb"))
import repack  # noqa: E402

TEXT = """# Changelog

## [1.2.0] - unreleased

### Added
- First line of an item that is long enough to be broken into two lines, because Debian's have no more than eighty
  characters.
- A second one.

## [1.1.0] - unreleased

### Added
- Never released.

## [1.0.0] - 2025-02-03

### Fixed
- An old one.
"""


class Changelog(unittest.TestCase):
    def setUp(self):
        self.text = repack.debian_changelog(TEXT, "1.2.0~git20260305.abcdef0-1", "A <a@example.org>", 1772667000)

    def test_the_newest_section_is_the_package(self):
        self.assertTrue(self.text.startswith("iir2d (1.2.0~git20260305.abcdef0-1) unstable; urgency=medium\n\n  * First"))
        self.assertIn("\n -- A <a@example.org>  Wed, 04 Mar 2026 23:30:00 +0000\n", self.text)

    def test_older_sections_have_their_days(self):
        self.assertIn("iir2d (1.0.0-1) unstable", self.text)
        self.assertIn("Mon, 03 Feb 2025 00:00:00 +0000", self.text)

    def test_what_was_not_released_says_so_and_is_older(self):
        self.assertIn("iir2d (1.1.0-1) UNRELEASED", self.text)
        self.assertIn("Wed, 04 Mar 2026 23:29:59 +0000", self.text)

    def test_lines_are_short_and_whole(self):
        self.assertLessEqual(max(map(len, self.text.splitlines())), 80)
        self.assertIn("eighty characters.", " ".join(self.text.split()))

    def test_ours_can_be_made(self):
        text = repack.debian_changelog((SOURCES / "CHANGELOG.md").read_text(), "9-1", "A <a@example.org>", 0)
        self.assertGreater(text.count("\n  * "), 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
