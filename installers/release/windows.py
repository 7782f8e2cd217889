# SPDX-License-Identifier: MIT
"""Makes zip and installer for Windows, cross-built by mingw-w64 from the same sources, with the GPU kernels of the build for Linux."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import build
import common
import spdx

KINDS = ("windows",)
TARGETS = ("iir2d", "iir2d_cli")  # for Windows, and for Linux to compare with and for the GPU kernels
GPU_KERNELS = ("kernels/gpu_kernels.fatbin",)  # all that packages for Windows take of it where nothing is compared
FOLDER = common.SOURCES / "build/windows"
RUNTIME_LICENCE = "GPL-3.0-or-later WITH GCC-exception-3.1"
RUNTIME = {"libgcc_s_seh-1.dll": ("g++-mingw-w64-x86-64-posix", RUNTIME_LICENCE), "libstdc++-6.dll": ("g++-mingw-w64-x86-64-posix", RUNTIME_LICENCE),
           "libwinpthread-1.dll": ("mingw-w64-x86-64-dev", "MIT AND BSD-3-Clause-Clear")}


class CannotBeHad(Exception):
    """A source of the libraries for Windows is not to be had: the rest of a release is made all the same."""


def prefix_of_dependencies():
    """Where the libraries for Windows are kept: as the environment says, else in this checkout, or for all clones in the cache folder."""
    own = common.SOURCES / "build/windows-dependencies"
    shared = common.cache_folder() / "windows-dependencies"
    chosen = os.environ.get("IIR2D_WINDOWS_DEPENDENCIES") or (shared if shared.is_dir() and not own.is_dir() else own)
    return pathlib.Path(chosen).resolve()


def why_not():
    """Why nothing can be made for Windows of what is here: a library is not kept, a tool is missing; empty: nothing speaks against it."""
    lists = ("debian-windows-packages.txt", "debian-release-packages.txt")
    tools = {"x86_64-w64-mingw32-g++-posix": lists[0], "/usr/lib/wine/wine64": lists[0], "wineserver": lists[0], "makensis": lists[0],
             "rsvg-convert": lists[1]}
    for tool, named in tools.items():
        if shutil.which(tool) is None:
            return f"{tool} is not installed (installers/{named})"
    prefix = prefix_of_dependencies()
    done = subprocess.run([sys.executable, "-B", common.SOURCES / "installers/windows/build_dependencies.py", prefix, "--kept"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    return "" if done.returncode == 0 else f"the libraries are not kept: {done.stderr.strip().removeprefix('build_dependencies: error: ')}"


def dependencies(jobs):
    """The folder of the libraries for Windows; what of it is kept is kept by hash."""
    prefix = prefix_of_dependencies()
    done = subprocess.run([sys.executable, "-B", common.SOURCES / "installers/windows/build_dependencies.py", prefix, "--jobs", str(jobs)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", check=False)
    last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1].removeprefix("build_dependencies: error: ")
    if done.returncode == 6:
        raise CannotBeHad(last)
    if done.returncode != 0:
        raise common.Failure(common.NOT_WRITTEN, f"a library for Windows could not be built: {last}")
    return prefix


def gpu_image(linux):
    """That of the build for Linux, byte for byte."""
    image = linux / "kernels/gpu_kernels.fatbin"
    return image if (linux / "kernels/gpu_kernels.fatbin.txt").is_file() else None


def configure_and_build(linux, version, allow_dirty, jobs):
    prefix = dependencies(jobs)
    env = build.environment(version, allow_dirty)
    image = gpu_image(linux)
    gpu = [f"-DIIR2D_GPU_IMAGE={image}", "-DIIR2D_CUDA=ON"] if image else ["-DIIR2D_GPU_IMAGE=", "-DIIR2D_CUDA=OFF"]
    common.run("cmake", "--preset", "windows", "-S", common.SOURCES, "-B", FOLDER, f"-DCMAKE_PREFIX_PATH={prefix}", *gpu, env=env,
               cwd=common.SOURCES)
    known = common.run("cmake", "--build", FOLDER, "--target", "help", env=env)
    targets = [*TARGETS, *(["iir2d_images"] if "iir2d_images:" in known else [])]
    common.run("cmake", "--build", FOLDER, "--parallel", jobs, "--target", *targets, env=env)
    return prefix


def make(linux, out, version, allow_dirty, jobs):
    """Both files in `out`, each whole or not at all, with their bills."""
    prefix = configure_and_build(linux, version, allow_dirty, jobs)
    packages = FOLDER / "packages"
    common.run(sys.executable, "-B", common.SOURCES / "installers/windows/package.py", FOLDER, packages, "--version", version["PACKAGE_V"],
               "--epoch", version["PACKAGE_EPOCH"], env=build.environment(version, allow_dirty))
    made = []
    for suffix in ("zip", "exe"):
        name = f"iir2d-tools-{version['PACKAGE_V']}-win64.{suffix}"
        common.place_whole(packages / name, out / name)
        made.append(out / name)
        staged = FOLDER / "package" / ("zip" if suffix == "zip" else "nsis")
        common.write_whole(out / f"{name}.spdx.json", spdx.of_windows(out / name, files_in(staged), linked(prefix), RUNTIME, version))
    return made


def files_in(staged):
    """{name in the package: path} of what was installed for a package: programs and development files as one tree."""
    return {file.relative_to(part).as_posix(): file for part in sorted(staged.iterdir()) for file in sorted(part.rglob("*")) if file.is_file()}


def licences():
    """{name: text} of the folder `licenses` of what was packaged: of all that is linked into the programs, and of the compiler's DLLs."""
    folder = FOLDER / "package/zip/programs/licenses"
    return {file.name: file.read_text(encoding="utf-8", errors="replace") for file in sorted(folder.iterdir())}


def linked(prefix):
    """[(name, version, licence)] of what was built for Windows and is linked in, statically."""
    pinned = json.loads((common.SOURCES / "installers/windows/sources.json").read_text(encoding="utf-8"))
    return [(one["name"], one["version"], one["licence"], one.get("package"), one["sha256"])
            for one in (*pinned["sources"], *pinned["headers"]) if (prefix / "stamps" / one["name"]).is_file()]


def unpack_zip(archive, folder):
    with zipfile.ZipFile(archive) as content:
        content.extractall(folder)
    return next(folder.iterdir())
