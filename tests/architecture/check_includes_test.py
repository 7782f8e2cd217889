#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that check_includes.py can fail: each violation, planted alone in a clean tree, is found and named."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).resolve().parent / "check_includes.py"

CLEAN = {
    "kernels/include/iir2d/plan.h": '#include "iir2d/error.h"\n#include <vector>\n',
    "kernels/pool/cpu.cpp": '#include "kernels/pool/cpu.h"\n#include "iir2d/plan.h"\n#include <queue>\n',
    "core/image/module/decoder.cpp": '#include <OpenImageIO/imageio.h>\n#include "core/image/image.h"\n'
                                    '#include "iir2d/plan.h"\n',
    "ui/window/window.cpp": '#include <QMainWindow>\n#include <QtCharts/QChart>\n#include "core/image/image.h"\n',
    "app/workbench/main.cpp": '#include <QApplication>\n#include "ui/window/window.h"\n'
                              '#include "core/image/image.h"\n',
    "tests/ui/window_test.cpp": '#include "ui/window/window.h"\n#include "kernels/pool/cpu.h"\n',
}

# (file, its line, what the checker must say)
VIOLATIONS = [
    ("kernels/iir/cpu.cpp", '#include "core/image/image.h"', "kernels must not include core"),
    ("kernels/iir/gpu.cu", "#include <app/iir2d/options.h>", "kernels must not include app"),
    ("core/recipe/recipe.cpp", '#include "ui/session/session.h"', "core must not include ui"),
    ("core/recipe/recipe.h", '#  include  "app/iir2d/options.h"', "core must not include app"),
    ("ui/window/window.h", '#include "app/workbench/options.h"', "ui must not include app"),
    ("core/benchmark/runner.cpp", '#include "kernels/support/parallel.h"', "only the public headers of kernels"),
    ("ui/window/view.cpp", '#include "kernels/pool/geometry.h"', "only the public headers of kernels"),
    ("ui/window/other.cpp", '#include "kernels/include/iir2d/plan.h"', "only the public headers of kernels"),
    ("app/iir2d/main.cpp", '#include "kernels/iir/cpu.h"', "only the public headers of kernels"),
    ("kernels/include/iir2d/extra.h", '#include "kernels/pool/geometry.h"', "not installed"),
    ("kernels/pool/qt.cpp", "#include <QVector>", "kernels must not know Qt"),
    ("core/image/qt.cpp", "#include <QtCore/qglobal.h>", "core must not know Qt"),
    ("core/image/qt2.cpp", '#include "qimage.h"', "core must not know Qt"),
    ("ui/window/reader.cpp", "#include <OpenImageIO/imageio.h>", "only core/image/module may know OpenImageIO"),
    ("kernels/pool/reader.cpp", "#include <OpenImageIO/imageio.h>", "only core/image/module may know OpenImageIO"),
    ("core/image/reader.cpp", "#include <OpenImageIO/imageio.h>", "only core/image/module may know OpenImageIO"),
    ("app/worker/reader.cpp", "#include <OpenImageIO/imageio.h>", "only core/image/module may know OpenImageIO"),
    ("core/image/inner.cpp", '#include "core/image/module/decoder.h"', "opened when a program runs"),
    ("core/image/up.cpp", '#include "../recipe/recipe.h"', "not with ../"),
    ("core/image/up2.cpp", '#include "core/image/../recipe/recipe.h"', "not with ../"),
    ("tests/core/up_test.cpp", '#include "../helper.h"', "not with ../"),
    ("core/image/macro.cpp", "#include WHAT", "through a macro"),
    ("core/image/split.cpp", '#include \\\n    "ui/session/session.h"', "core must not include ui"),
    ("core/image/after.cpp", '/* a */ #include "ui/session/session.h"', "core must not include ui"),
]

INNOCENT = [
    ("core/image/comment.cpp", '// #include "ui/session/session.h"\n/*\n#include <QImage>\n*/\n'),
    ("core/image/text.cpp", 'const char* s = "/*";\n#include <quote.hpp>\n// */\n#include <queue>\n'),
    ("ui/window/names.cpp", '#include "core/quality/q.h"\n'),
]


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for name, text in CLEAN.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run_checker(self, *arguments):
        return subprocess.run([sys.executable, str(CHECKER), *arguments], capture_output=True, text=True,
                              check=False)

    def test_a_clean_tree_passes(self):
        result = self.run_checker(str(self.root))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(f"hold in {len(CLEAN)} files", result.stdout)

    def test_each_violation_is_found_alone(self):
        for name, line, says in VIOLATIONS:
            with self.subTest(file=name, line=line):
                path = self.write(name, "#pragma once\n\n" + line + "\n")
                result = self.run_checker(str(self.root))
                path.unlink()
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertEqual(len(result.stdout.splitlines()), 1, result.stdout)
                self.assertTrue(result.stdout.startswith(f"{name}:3: "), result.stdout)
                self.assertIn(says, result.stdout)

    def test_comments_and_like_names_are_not_violations(self):
        for name, text in INNOCENT:
            with self.subTest(file=name):
                path = self.write(name, text)
                result = self.run_checker(str(self.root))
                path.unlink()
                self.assertEqual(result.returncode, 0, result.stdout)

    def test_every_violation_is_counted(self):
        self.write("core/image/many.cpp", '#include "ui/a.h"\n#include <QImage>\n#include "../b.h"\n')
        result = self.run_checker(str(self.root))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stdout.splitlines()), 3, result.stdout)

    def test_a_missing_room_fails(self):
        for path in (self.root / "ui").rglob("*.cpp"):
            path.unlink()
        result = self.run_checker(str(self.root))
        self.assertEqual(result.returncode, 1)
        self.assertIn("nothing was checked there", result.stdout)

    def test_a_wrong_root_fails(self):
        self.assertEqual(self.run_checker(str(self.root / "nowhere")).returncode, 2)
        self.assertEqual(self.run_checker().returncode, 2)


if __name__ == "__main__":
    unittest.main()
