# SPDX-License-Identifier: MIT
"""Builds what packages are made of, once, and makes packages of it."""
import os
import pathlib
import shutil
import tempfile

import common

TARGETS = ("programs", "iir2d", "iir2d_compiler")  # nothing depends on the last, and packages hold it
CPACK_TIME_LIMIT_S = 900


def environment(version, allow_dirty):
    """The same for everybody: language, time zone, time, and what was found of the sources when the run began."""
    return {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": version["PACKAGE_EPOCH"],
            common.STATE: "|".join(version[name] for name in ("COMMIT", "COMMIT_TIME", "COMMIT_TAG", "DIRTY")),
            "IIR2D_ALLOW_DIRTY": "ON" if allow_dirty else ""}


def cuda_home():
    """CUDA_HOME for CMake: none is needed with an image or an installed toolkit, else the compiler that ./bootstrap fetches."""
    if os.environ.get("IIR2D_GPU_IMAGE") or os.environ.get("CUDA_HOME") or shutil.which("nvcc") or \
            os.path.exists("/usr/local/cuda/bin/nvcc"):
        return {}
    folder = common.cache_folder() / "cuda-13.0"
    if not (folder / "bin/nvcc").exists():
        common.run("python3", common.SOURCES / "installers/fetch_cuda_compiler.py", folder)
    return {"CUDA_HOME": str(folder)}


def configure_and_build(folder, version, allow_dirty, jobs, slim=None, targets=TARGETS):
    """The preset "packaged" in `folder`; with the folder of fetch_openimageio.py, what AppImage and portable tree need beside it. IIR2D_GPU_IMAGE and IIR2D_CMAKE_ARGS of the environment are for this too."""
    os.umask(0o022)
    image = os.environ.get("IIR2D_GPU_IMAGE", "")  # said even where it is empty: the folder remembers that of a run before
    more = [f"-DIIR2D_GPU_IMAGE={os.path.abspath(image) if image else ''}", *os.environ.get("IIR2D_CMAKE_ARGS", "").split()]
    more.append(f"-DIIR2D_SLIM_OPENIMAGEIO={slim or ''}")
    env = {**environment(version, allow_dirty), **cuda_home()}
    common.run("cmake", "--preset", "packaged", "-S", common.SOURCES, "-B", folder, *more, env=env, cwd=common.SOURCES)
    common.run("cmake", "--build", folder, "--parallel", jobs, "--target", *targets, *(["portable_parts"] if slim else []), env=env)


def make_debs(folder, out, version, allow_dirty):
    """The four packages as files in `out`, each whole or not at all; returns them."""
    packages = folder / "packages"
    shutil.rmtree(packages, ignore_errors=True)
    common.run("cpack", "-G", "DEB", env=environment(version, allow_dirty), cwd=folder, timeout=CPACK_TIME_LIMIT_S)
    made = sorted(packages.glob("*.deb"))
    if len(made) != 4:
        raise common.Failure(common.NOT_WRITTEN, f"CPack made {len(made)} packages, not 4")
    for deb in made:
        common.place_whole(deb, out / deb.name)
    return [out / deb.name for deb in made]


def make_source(out, version):
    """iir2d-V.tar.xz of the commit."""
    name = f"iir2d-{version['PACKAGE_V']}"
    archive = out / f".{name}.tar.part"
    try:
        with tempfile.TemporaryDirectory() as scratch:
            # In a clone that has the tag of this version and no other: cmake/source-commit.txt says that tag or none.
            clone = pathlib.Path(scratch) / "clone.git"
            common.run("git", "clone", "-q", "--bare", "--shared", "--no-tags", common.SOURCES, clone)
            if "-git" not in version["PACKAGE_V"]:
                common.run("git", "-C", clone, "tag", f"v{version['PACKAGE_V']}", version["COMMIT"])
            common.run("git", "-C", clone, "-c", "tar.umask=0022", "archive", f"--prefix={name}/", "-o", archive, version["COMMIT"])
        compressed = common.run("xz", "-9", "--threads=1", "--keep", "--force", archive) or archive.with_name(archive.name + ".xz")
        os.replace(compressed, out / f"{name}.tar.xz")
    finally:
        archive.unlink(missing_ok=True)
        archive.with_name(archive.name + ".xz").unlink(missing_ok=True)
    return out / f"{name}.tar.xz"
