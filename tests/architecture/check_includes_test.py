#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that check_includes.py can fail: each violation, planted alone in a clean tree, is found and named."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).resolve().parent / "check_includes.py"
sys.path.insert(0, str(CHECKER.parent))
import check_includes  # noqa: E402

ARCHITECTURE = """# Architecture

| folder | may include | subject |
| --- | --- | --- |
| `kernels/include/iir2d` | | public headers |
| `kernels/support` | `iir2d` | threads |
| `kernels/iir` | `iir2d`, `support` | filters |
| `kernels/pool` | `iir2d`, `support` | pooling |

Some text, and a table of something else:

| room | subject |
| --- | --- |
| `nothing/of/this` | is a folder |

| folder | may include | subject |
| --- | --- | --- |
| `core/image` | `iir2d` | images |
| `core/image/module` | `iir2d`, `image` | the module |
| `core/recipe` | `iir2d`, `image` | recipes |
| `core/benchmark` | `iir2d`, `recipe` | benchmarks |
| `core/ptx` | `image` | PTX |
| `ui/session` | `core/recipe` | the recipe |
| `ui/window` | `core/*`, `session` | the window |
| `app/iir2d` | `core/*` | the command line |
| `app/worker` | `core/image` | the worker |
| `app/workbench` | `core/*`, `ui/*` | the program |
| `python/src` | `iir2d` | the module |
"""

CLEAN = {
    "docs/architecture.md": ARCHITECTURE,
    "kernels/support/parallel.cpp": '#include "kernels/support/parallel.h"\n',
    "kernels/iir/cpu.h": '#include "kernels/support/parallel.h"\n#include "iir2d/plan.h"\n',
    "kernels/cmake/iir2d.pc.in": "no source, and needs no row\n",
    "core/image/image.cpp": "#include <vector>\n",
    "core/ptx/types.cpp": "#include <vector>\n",
    "core/recipe/json.cpp": '#include "core/image/image.h"\n',
    "core/benchmark/matrix.cpp": '#include "core/recipe/recipe.h"\n',
    "ui/session/undo.cpp": '#include "core/recipe/recipe.h"\n',
    "app/iir2d/batch.cpp": '#include "core/benchmark/matrix.h"\n',
    "app/worker/roles.cpp": '#include "core/image/image.h"\n',
    "kernels/include/iir2d/plan.h": '#include "iir2d/error.h"\n#include <vector>\n',
    "kernels/pool/cpu.cpp": '#include "kernels/pool/cpu.h"\n#include "iir2d/plan.h"\n#include <queue>\n',
    "core/image/module/decoder.cpp": '#include <OpenImageIO/imageio.h>\n#include "core/image/image.h"\n'
                                    '#include "iir2d/plan.h"\n',
    "ui/window/window.cpp": '#include <QMainWindow>\n#include <QtCharts/QChart>\n#include "core/image/image.h"\n',
    "app/workbench/main.cpp": '#include <QApplication>\n#include "ui/window/window.h"\n'
                              '#include "core/image/image.h"\n',
    "python/src/native.cpp": '#include <nanobind/nanobind.h>\n#include "iir2d/iir2d_filter.h"\n'
                             '#include "python/src/planes.h"\n',
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
    ("core/image/recipes.cpp", '#include "core/recipe/recipe.h"', "core/image may not include core/recipe: docs/arch"),
    ("kernels/pool/filters.cpp", '#include "kernels/iir/cpu.h"', "kernels/pool may not include kernels/iir: docs/arch"),
    ("kernels/support/plan.h", '#include <kernels/pool/plan.h>', "kernels/support may not include kernels/pool"),
    ("core/ptx/text.cpp", '#include "core/image/image.h"', "core/ptx may include of ours only core/support/error.h"),
    ("core/benchmark/picture.cpp", '#include "core/image/image.h"', "core/benchmark may not include core/image"),
    ("ui/session/image.cpp", '#include "core/image/image.h"', "ui/session may not include core/image"),
    ("ui/session/shell.cpp", '#include "ui/window/window.h"', "ui/session may not include ui/window"),
    ("app/worker/device.cpp", '#include "iir2d/device.h"', "app/worker may not include kernels/include/iir2d"),
    ("app/worker/other.cpp", '#include "app/iir2d/options.h"', "app/worker may not include app/iir2d"),
    ("python/src/plan.cpp", '#include "iir2d/plan.h"', "python may include of ours only iir2d/iir2d_core.h"),
    ("python/src/inner.cpp", '#include "kernels/iir/cpu.h"', "python may include of ours only iir2d/iir2d_core.h"),
    ("python/src/image.cpp", '#include "core/image/image.h"', "python may include of ours only iir2d/iir2d_core.h"),
    ("app/iir2d/py.cpp", '#include "python/src/planes.h"', "app must not include python"),
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
    ("ui/window/names.cpp", '#include "core/image/q.h"\n'),
    ("ui/window/others.cpp", '#include "iirs/iir2d/plan.h"\n#include "json/core/json.h"\n'),
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
        """As a program would run it, in this process: to start Python 40 times takes seconds."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = check_includes.main(list(arguments))
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    def test_the_program_has_the_same_exit_codes_and_words(self):
        for planted in (None, *VIOLATIONS[:1]):
            if planted:
                self.write(planted[0], "#pragma once\n\n" + planted[1] + "\n")
            for arguments in ([str(self.root)], ["--graph", str(self.root)], []):
                run = subprocess.run([sys.executable, str(CHECKER), *arguments], capture_output=True, text=True, check=False)
                here = self.run_checker(*arguments)
                self.assertEqual((run.returncode, run.stdout, run.stderr), (here.returncode, here.stdout, here.stderr))

    def test_a_clean_tree_passes(self):
        result = self.run_checker(str(self.root))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(f"hold in {len(CLEAN) - 2} files", result.stdout)

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

    def fails_saying(self, *sentences):
        """The check fails with these messages and no other."""
        result = self.run_checker(str(self.root))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertEqual(result.stdout.splitlines(), list(sentences))

    def test_a_folder_without_a_row_fails(self):
        self.write("core/tune/tune.cpp", "#include <vector>\n")
        self.fails_saying("core/tune: the folder has no row in the tables of docs/architecture.md")

    def test_a_folder_inside_a_folder_needs_a_row_of_its_own(self):
        self.write("kernels/pool/gpu/kernel.cu", "#include <cstdint>\n")
        self.fails_saying("kernels/pool/gpu: the folder has no row in the tables of docs/architecture.md")

    def change_table(self, old, new):
        self.assertEqual(ARCHITECTURE.count(old), 1, old)
        self.write("docs/architecture.md", ARCHITECTURE.replace(old, new))

    def test_a_row_without_a_folder_fails(self):
        self.change_table("| `ui/session`", "| `ui/charts` | | gone |\n| `ui/session`")
        self.fails_saying("docs/architecture.md:23: ui/charts has no source file")

    def test_a_row_that_names_an_unknown_folder_fails(self):
        self.change_table("`iir2d`, `recipe` |", "`iir2d`, `recipe`, `recipes` |")
        self.fails_saying("docs/architecture.md:21: core/benchmark may include core/recipes, which has no row")

    def test_two_rows_of_one_folder_fail(self):
        self.change_table("| `ui/session`", "| `core/image` | `recipe` | again |\n| `ui/session`")
        self.fails_saying("docs/architecture.md:23: core/image has a row already, in line 18")

    def test_a_row_that_names_no_folder_fails(self):
        self.change_table("| `ui/session`", "| anything | `recipe` | unclear |\n| `ui/session`")
        self.fails_saying("docs/architecture.md:23: the row does not begin with one folder in backticks")

    def test_a_row_cannot_open_its_own_room(self):
        self.change_table("| `core/*`, `session` |", "| `core/*`, `ui/*` |")
        self.fails_saying("docs/architecture.md:24: ui/window may include ui/*: a room is not its own folder")

    def test_a_cycle_in_the_tables_fails_though_no_include_uses_it(self):
        self.change_table("| `core/image` | `iir2d` |", "| `core/image` | `iir2d`, `benchmark` |")
        self.fails_saying("docs/architecture.md: the tables allow a cycle: "
                          "core/image -> core/benchmark -> core/recipe -> core/image")

    def test_without_tables_every_folder_is_missing(self):
        (self.root / "docs/architecture.md").unlink()
        result = self.run_checker(str(self.root))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.count("the folder has no row"), 15, result.stdout)

    def test_the_graph_lists_each_folder_after_those_it_includes(self):
        result = self.run_checker("--graph", str(self.root))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertIn("kernels/include/iir2d: nothing", lines)
        self.assertIn("ui/window: core/image (1)", lines)
        self.assertIn("core/image/module: kernels/include/iir2d (1), core/image (1)", lines)
        self.assertEqual(lines[-1], "15 folders, 14 arrows, each folder after those that it includes: "
                                    "there is no cycle")
        places = {line.split(":")[0]: number for number, line in enumerate(lines[:-1])}
        self.assertEqual(len(places), 15)
        for line in lines[:-1]:
            folder, targets = line.split(": ")
            for target in [] if targets == "nothing" else targets.split(", "):
                self.assertLess(places[target.split()[0]], places[folder], line)

    def test_the_graph_names_a_cycle(self):
        self.write("core/image/back.cpp", '#include "core/benchmark/matrix.h"\n')
        result = self.run_checker("--graph", str(self.root))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.splitlines()[-1],
                         "there is a cycle: core/benchmark -> core/recipe -> core/image -> core/benchmark")

    def test_a_wrong_root_fails(self):
        self.assertEqual(self.run_checker(str(self.root / "nowhere")).returncode, 2)
        self.assertEqual(self.run_checker().returncode, 2)


if __name__ == "__main__":
    unittest.main()
