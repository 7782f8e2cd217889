# SPDX-License-Identifier: MIT
"""What lies in the package and what it loads."""

import subprocess
import sys
from pathlib import Path

import iir2d


def needed(path):
    found = subprocess.run(["readelf", "-d", str(path)], capture_output=True, text=True, check=True).stdout
    return [line.split("[")[1].rstrip("]") for line in found.splitlines() if "NEEDED" in line]


def test_libraries_are_ours_or_the_systems():
    folder = Path(iir2d.__file__).parent
    module, = folder.glob("_native*.so")
    assert "libiir2d.so.1" in needed(module)
    for path in (module, Path(iir2d.get_library())):
        assert not [n for n in needed(path) if any(word in n for word in ("cuda", "torch", "jax", "python"))]


def test_headers_of_c_alone():
    folder = Path(iir2d.get_include()) / "iir2d"
    assert {p.name for p in folder.iterdir()} == {"iir2d_core.h", "iir2d_filter.h", "iir2d_pool.h", "iir2d_tune.h", "export.h"}
    source = "#include <iir2d/iir2d_filter.h>\n#include <iir2d/iir2d_pool.h>\nint main(void) { return iir2d_api_version_major(); }\n"
    done = subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-x", "c", f"-I{iir2d.get_include()}", "-"],
                          input=source, text=True, check=False)
    assert done.returncode == 0


def test_old_companions_are_refused_with_both_versions():
    code = (
        "import sys, types\n"
        "torch = types.ModuleType('torch'); torch.__version__ = '1.13.1'; torch.Tensor = object\n"
        "sys.modules['torch'] = torch\n"
        "import iir2d.torch\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: iir2d.torch needs torch 2.6 or later, this is torch 1.13.1" in done.stderr
