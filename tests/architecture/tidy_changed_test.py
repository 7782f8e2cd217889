#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks which files tidy_changed.py takes for changed, in clones of every kind that it is run in."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import tidy_changed

# Whatever the user's own git is set to.
SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def git(root, *arguments):
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, env={**os.environ, **SETTINGS})


def commit(root, name):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(path.read_text("utf-8") + "x\n" if path.exists() else "x\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", name)


def changed(root):
    return tidy_changed.changed_files(root, tidy_changed.default_base(root))


class Changed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "origin"
        self.root.mkdir()
        git(self.root, "init", "-q", "-b", "main")
        for number in range(12):
            commit(self.root, f"core/f{number}.cpp")

    def clone(self, *arguments):
        path = self.root.parent / "clone"
        git(self.root, "clone", "-q", *arguments, self.root.as_uri(), str(path))
        return path

    def test_on_main_the_last_ten_commits(self):
        self.assertEqual(changed(self.clone()), [f"core/f{number}.cpp" for number in range(11, 1, -1)])

    def test_on_a_branch_what_came_since_it_left_main(self):
        clone = self.clone()
        git(clone, "checkout", "-q", "-b", "work")
        commit(clone, "ui/a.cpp")
        commit(clone, "docs/a.md")
        commit(clone, "ui/b.h")
        self.assertEqual(changed(clone), ["ui/b.h", "ui/a.cpp"])
        (clone / "core/f1.cpp").write_text("y\n", "utf-8")
        self.assertEqual(changed(clone), ["core/f1.cpp", "ui/b.h", "ui/a.cpp"])

    def test_without_a_remote_what_came_since_the_local_main(self):
        git(self.root, "checkout", "-q", "-b", "work")
        commit(self.root, "ui/a.cpp")
        self.assertEqual(changed(self.root), ["ui/a.cpp"])

    def test_without_any_main_the_last_ten_commits(self):
        git(self.root, "branch", "-q", "-m", "main", "landing")
        self.assertEqual(len(changed(self.root)), 10)

    def test_in_a_shallow_clone_all_that_it_has(self):
        shallow = self.clone("--depth", "1")
        self.assertEqual(sorted(changed(shallow)), sorted(f"core/f{number}.cpp" for number in range(12)))

    def test_without_git_nothing(self):
        folder = self.root.parent / "plain"
        folder.mkdir()
        self.assertEqual(changed(folder), [])


if __name__ == "__main__":
    unittest.main()
