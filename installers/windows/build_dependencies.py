#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds for Windows, by mingw-w64, the libraries that the programs are linked with, into a folder.
usage: build_dependencies.py PREFIX [--only NAME,NAME...] [--without-images] [--jobs N] [--kept]

What they are is in sources.json: Debian's source packages (whose sums decide, not what apt says of them) and headers of
packages for every architecture. What is there already, of the same sources by the same compiler and recipe, is kept. Static
libraries: the programs need the DLLs of the compiler beside their own, and none else. --kept builds nothing and asks whether all are
kept. Ends with 0, with 6 and one sentence where a source cannot be had, or is not kept, with 1 where one does not build.
"""
import argparse
import contextlib
import hashlib
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
TOOLCHAIN = HERE / "mingw.cmake"
TARGET = "x86_64-w64-mingw32"
EMULATOR = "/usr/lib/wine/wine64"  # as in mingw.cmake
SUITES = ("http://deb.debian.org/debian bookworm main", "http://deb.debian.org/debian-security bookworm-security main",
          "http://deb.debian.org/debian trixie main")
FOR_IMAGES = ("libpng", "libjpeg-turbo", "libtiff", "Imath", "OpenEXR", "Boost", "OpenImageIO")


class CannotBeHad(Exception):
    pass


def sum_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Builder:
    def __init__(self, prefix, jobs):
        self.prefix, self.jobs = prefix, jobs
        self.work = prefix / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        flags = f"-O2 -ffile-prefix-map={prefix}=deps -ffile-prefix-map={self.work}=deps"  # headers, sources: no path of the build is kept
        self.environment = {**os.environ, "CFLAGS": flags, "CXXFLAGS": flags, "LC_ALL": "C", "WINEDEBUG": "-all",
                            "WINEPREFIX": str(prefix / "wine"), "NINJA_STATUS": "", "SOURCE_DATE_EPOCH": "1"}

    def run(self, *command, folder=None):
        log = self.work / "log.txt"
        with log.open("wb") as file:
            code = subprocess.run([str(word) for word in command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=file, stderr=subprocess.STDOUT).returncode
        if code != 0:
            sys.stderr.write(log.read_text(encoding="utf-8", errors="replace")[-4000:])
            raise subprocess.CalledProcessError(code, command)

    def cmake(self, source, *options, target="install"):
        """Configures, builds `target` and returns the folder of the build, which is gone after installing."""
        build = source.parent / (source.name + ".build")
        shutil.rmtree(build, ignore_errors=True)
        self.run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}",
                 f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_INSTALL_PREFIX={self.prefix}", "-DCMAKE_INSTALL_LIBDIR:PATH=lib",
                 "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-DNDEBUG", "-DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG",
                 "-DBUILD_SHARED_LIBS=OFF", "-DBUILD_TESTING=OFF", "-DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON",
                 "-DZLIB_INCLUDE_DIR=" + str(self.prefix / "include"), "-DZLIB_LIBRARY=" + str(self.prefix / "lib/libz.a"), *options)
        self.run("cmake", "--build", build, "--parallel", self.jobs, "--target", target)
        if target == "install":
            shutil.rmtree(build)
        return build

    def compile(self, name, sources, *options, suffix="gcc-posix"):
        """A static library of a few sources."""
        build = self.work / f"{name}.objects"
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir()
        objects = []
        for source in sources:
            objects.append(build / (source.stem + ".o"))
            self.run(f"{TARGET}-{suffix}", *self.environment["CFLAGS"].split(), "-Wa,-muse-unaligned-vector-move",
                     "-D_WIN32_WINNT=0x0A00", *options, "-c", source, "-o", objects[-1])
        library = self.prefix / f"lib/lib{name}.a"
        library.parent.mkdir(parents=True, exist_ok=True)
        library.unlink(missing_ok=True)
        self.run(f"{TARGET}-ar", "rcsD", library, *objects)
        shutil.rmtree(build)

    # --- what is fetched ---------------------------------------------------------------------------------------

    def apt(self, *command, folder=None):
        """apt-get with lists and sources of its own. Returns whether it says that it worked, which decides nothing."""
        root = self.work / "apt"
        for part in ("lists/partial", "cache/archives/partial"):
            (root / part).mkdir(parents=True, exist_ok=True)
        sources = root / "sources.list"
        text = "".join(f"deb-src {suite}\n" for suite in SUITES) + f"deb {SUITES[0]}\n"
        fresh = not sources.is_file() or sources.read_text(encoding="utf-8") != text
        sources.write_text(text, encoding="utf-8")
        options = ["-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={root}/lists",
                   "-o", f"Dir::Cache={root}/cache", "-o", "APT::Sandbox::User=root", "-o", "APT::Get::List-Cleanup=0"]
        if fresh or not any((root / "lists").glob("*Sources*")):
            subprocess.run(["apt-get", "-q", *options, "update"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        program, *rest = command
        return subprocess.run([program, *options, *rest], cwd=folder, capture_output=True, text=True, check=False)

    def fetched(self, item):
        """The pinned file of an entry: of the folder of files that are kept, or fetched."""
        files = self.prefix / "files"
        files.mkdir(exist_ok=True)
        name = item.get("file") or f"{item['package']}_{item['debian']}.deb"
        kept = files / name
        if kept.is_file() and sum_of(kept) == item["sha256"]:
            return kept
        scratch = self.work / "fetched"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        if "debian" in item:
            self.apt("apt-get", "-q", "download", f"{item['package']}={item['debian']}", folder=scratch)
            got = next(scratch.glob("*.deb"), None)
        else:
            # Whichever revision of the package has this file: it is the file that is pinned.
            got = None
            told = self.apt("apt-cache", "showsrc", "--only-source", item["package"]).stdout
            for paragraph in told.split("\n\n"):
                if f" {item['file']}\n" not in paragraph + "\n":
                    continue
                version = next(line.split(" ", 1)[1] for line in paragraph.splitlines() if line.startswith("Version: "))
                self.apt("apt-get", "-q", "source", "--download-only", f"{item['package']}={version}", folder=scratch)
                got = scratch / item["file"]
                if got.is_file():
                    break
        if got is None or not got.is_file():
            raise CannotBeHad(f"{name} cannot be had from Debian")
        if sum_of(got) != item["sha256"]:
            raise CannotBeHad(f"{name} is not what was pinned: its SHA-256 is {sum_of(got)}")
        os.replace(got, kept)
        shutil.rmtree(scratch)
        return kept

    def unpacked(self, item, part=None):
        """The sources of an entry; of a large one only what `part` takes."""
        folder = self.work / item["name"]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        with tarfile.open(self.fetched(item)) as archive:
            top = None
            for entry in archive:
                top = top or entry.name.split("/")[0]
                path = pathlib.PurePosixPath(entry.name)
                if ".." in path.parts or path.is_absolute() or not (entry.isdir() or entry.isfile()):
                    continue
                if part is None or part(entry.name.partition("/")[2]):
                    archive.extract(entry, folder)
        return folder / top

    def keep_licences(self, item, source):
        for name in item.get("texts", []):
            if (source / name).is_file():
                to = self.prefix / "licences" / f"{item['name']}-{name}"
                to.parent.mkdir(exist_ok=True)
                shutil.copyfile(source / name, to)

    def take_headers(self, item):
        folder = self.work / item["name"]
        shutil.rmtree(folder, ignore_errors=True)
        self.run("dpkg-deb", "-x", self.fetched(item), folder)
        usr = folder / "usr"
        for place in (usr / "include", usr / TARGET / "include"):
            if place.is_dir():
                shutil.copytree(place, self.prefix / "include", dirs_exist_ok=True)
        for place in (usr / "share/cmake", usr / "share/eigen3/cmake", usr / "lib/cmake", usr / "share/robin-map/cmake"):
            if place.is_dir():
                shutil.copytree(place, self.prefix / "share" / place.relative_to(usr / place.relative_to(usr).parts[0]), dirs_exist_ok=True)
        if (usr / TARGET / "lib/libz.a").is_file():
            (self.prefix / "lib").mkdir(exist_ok=True)
            shutil.copyfile(usr / TARGET / "lib/libz.a", self.prefix / "lib/libz.a")
        for text in usr.glob("share/doc/*/copyright"):
            to = self.prefix / "licences" / f"{item['name']}-copyright"
            to.parent.mkdir(exist_ok=True)
            shutil.copyfile(text, to)
        shutil.rmtree(folder)


def write_highway_config(folder, version):
    """The CMake package that Debian's patches give Highway 1.0.3."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hwy-config.cmake").write_text("""add_library(hwy::hwy STATIC IMPORTED)
get_filename_component(_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
set_target_properties(hwy::hwy PROPERTIES IMPORTED_LOCATION ${_prefix}/lib/libhwy.a INTERFACE_INCLUDE_DIRECTORIES ${_prefix}/include
                                          INTERFACE_COMPILE_DEFINITIONS HWY_STATIC_DEFINE)
""", encoding="utf-8")
    (folder / "hwy-config-version.cmake").write_text(f'set(PACKAGE_VERSION "{version}")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n',
                                                     encoding="utf-8")


# --- recipes: one function for each source ---------------------------------------------------------------------

def highway(b, item):
    source = b.unpacked(item)
    b.cmake(source, "-DHWY_ENABLE_CONTRIB=OFF", "-DHWY_ENABLE_EXAMPLES=OFF", "-DHWY_ENABLE_TESTS=OFF")
    write_highway_config(b.prefix / "lib/cmake/hwy", item["version"])
    return source


def onetbb(b, item):
    source = b.unpacked(item, lambda name: not name.startswith(("test/", "doc/", "examples/")))
    b.cmake(source, "-DTBB_TEST=OFF", "-DTBB_STRICT=OFF", "-DTBBMALLOC_BUILD=OFF", "-DTBB_ENABLE_IPO=OFF",
            "-DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON")
    # For mingw it marks what it exports even where it is static: a DLL that takes it in would export it.
    b.run(f"{TARGET}-objcopy", "--remove-section=.drectve", b.prefix / "lib/libtbb12.a")
    return source


def sqlite(b, item):
    """The amalgamation is made by programs of this machine, then compiled for Windows."""
    source = b.unpacked(item)
    build = b.work / "sqlite.build"
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir()
    native = {key: value for key, value in b.environment.items() if key not in ("CFLAGS", "CXXFLAGS")}
    kept, b.environment = b.environment, native
    try:
        b.run(source / "configure", "--disable-readline", "--disable-tcl", folder=build)
        b.run("make", "sqlite3.c", folder=build)
    finally:
        b.environment = kept
    b.compile("sqlite3", [build / "sqlite3.c"], "-DSQLITE_THREADSAFE=1", "-DSQLITE_OMIT_LOAD_EXTENSION")
    for header in ("sqlite3.h",):
        shutil.copyfile(build / header, b.prefix / "include" / header)
    shutil.rmtree(build)
    return source


def pugixml(b, item):
    source = b.unpacked(item)
    b.cmake(source)
    return source


def fmt(b, item):
    source = b.unpacked(item)
    b.cmake(source, "-DFMT_TEST=OFF", "-DFMT_DOC=OFF")
    return source


def libcrypto(b, item):
    """Hashes and Ed25519, without what speaks to a network and without old ciphers."""
    source = b.unpacked(item)
    without = ("shared tests ssl tls dtls legacy engine dso sock cmp cms ct ocsp ts srp psk comp async autoload-config idea camellia seed "
               "aria bf cast rc2 rc4 md4 mdc2 rmd160 whirlpool sm2 sm3 sm4 siphash blake2 dsa dh scrypt ocb siv gost").split()
    # Nothing is looked for in a folder that a stranger could make. The assembler's option is for its own sources, too.
    b.run("./Configure", "mingw64", f"--cross-compile-prefix={TARGET}-", "--prefix=/nonexistent", "--openssldir=/nonexistent/ssl", "--libdir=lib",
          f"CFLAGS={b.environment['CFLAGS']} -Wa,-muse-unaligned-vector-move", *(f"no-{word}" for word in without), folder=source)
    b.run("make", f"-j{b.jobs}", "build_generated", folder=source)
    b.run("make", f"-j{b.jobs}", "libcrypto.a", folder=source)
    shutil.copyfile(source / "libcrypto.a", b.prefix / "lib/libcrypto.a")
    shutil.copytree(source / "include/openssl", b.prefix / "include/openssl", dirs_exist_ok=True)
    return source


def libarchive(b, item):
    source = b.unpacked(item)
    off = ("MBEDTLS NETTLE OPENSSL LIBB2 LZ4 LZO LZMA ZSTD BZip2 LIBXML2 EXPAT PCREPOSIX CNG TAR CPIO CAT XATTR ACL ICONV TEST "
           "COVERAGE").split()
    build = b.cmake(source, *(f"-DENABLE_{word}=OFF" for word in off), "-DENABLE_ZLIB=ON", "-DENABLE_WERROR=OFF", target="archive_static")
    # It would install a DLL too, which linkers would take.
    shutil.copyfile(build / "libarchive/libarchive_static.a", b.prefix / "lib/libarchive.a")
    for header in ("archive.h", "archive_entry.h"):
        shutil.copyfile(source / "libarchive" / header, b.prefix / "include" / header)
    return source


def libpng(b, item):
    source = b.unpacked(item)
    b.cmake(source, "-DPNG_SHARED=OFF", "-DPNG_TESTS=OFF", "-DPNG_EXECUTABLES=OFF")
    return source


def libjpeg(b, item):
    """Without vectors: they give the same samples, and need an assembler of their own."""
    source = b.unpacked(item)
    b.cmake(source, "-DENABLE_SHARED=OFF", "-DWITH_SIMD=OFF", "-DWITH_TURBOJPEG=OFF")
    return source


def libtiff(b, item):
    source = b.unpacked(item)
    b.cmake(source, "-Dtiff-tools=OFF", "-Dtiff-tests=OFF", "-Dtiff-contrib=OFF", "-Dtiff-docs=OFF", "-Dcxx=OFF", "-Djbig=OFF",
            "-Dlerc=OFF", "-Dlzma=OFF", "-Dzstd=OFF", "-Dwebp=OFF", "-Dlibdeflate=OFF", "-Dold-jpeg=ON")
    return source


def imath(b, item):
    source = b.unpacked(item)
    b.cmake(source, "-DPYTHON=OFF")
    return source


def openexr(b, item):
    source = b.unpacked(item, lambda name: not name.startswith(("src/test/", "docs/", "website/")))
    b.cmake(source, "-DOPENEXR_BUILD_TOOLS=OFF", "-DOPENEXR_INSTALL_TOOLS=OFF", "-DOPENEXR_INSTALL_EXAMPLES=OFF", "-DDOCS=OFF",
            "-DOPENEXR_INSTALL_DOCS=OFF")
    return source


def boost(b, item):
    """Headers, and the compiled part of what OpenImageIO uses."""
    compiled = re.compile(r"libs/(thread|chrono|atomic|date_time)/src/|LICENSE|libs/[^/]+(/[^/]+)?/include/")
    source = b.unpacked(item, compiled.match)
    shutil.rmtree(b.prefix / "include/boost", ignore_errors=True)
    for folder in sorted(source.glob("libs/**/include/boost")):
        shutil.copytree(folder, b.prefix / "include/boost", dirs_exist_ok=True)
    thread = source / "libs/thread/src"
    options = (f"-I{b.prefix}/include", "-std=c++17", "-w", "-DBOOST_ALL_NO_LIB", "-DBOOST_SYSTEM_NO_DEPRECATED")
    b.compile("boost_thread", [thread / "future.cpp", *sorted((thread / "win32").glob("*.cpp"))], *options, "-DBOOST_THREAD_BUILD_LIB",
              "-DBOOST_THREAD_USES_CHRONO", suffix="g++-posix")
    b.compile("boost_chrono", sorted((source / "libs/chrono/src").glob("*.cpp")), *options, "-DBOOST_CHRONO_STATIC_LINK",
              suffix="g++-posix")
    b.compile("boost_atomic", [source / "libs/atomic/src" / name for name in ("lock_pool.cpp", "wait_ops_windows.cpp")], *options,
              f"-I{source}/libs/atomic/src", "-DBOOST_ATOMIC_STATIC_LINK", "-DBOOST_ATOMIC_SOURCE", suffix="g++-posix")
    # Its code is in headers; CMake asks for the library, too.
    b.compile("boost_date_time", [source / "libs/date_time/src/gregorian/greg_month.cpp"], *options, "-DBOOST_DATE_TIME_STATIC_LINK",
              suffix="g++-posix")
    return source


def openimageio(b, item):
    """Into one static library. It converts and copies samples: -O1 gives the same ones and takes half as long to compile."""
    unused = re.compile(r"(testsuite/(?!common/|runtest)|src/doc/|src/fonts/|src/iv/)(?!.*\.txt$)")
    source = b.unpacked(item, lambda name: not unused.match(name))
    off = ("PYTHON QT FREETYPE OPENCOLORIO OPENCV TBB DCMTK FFMPEG GIF LIBHEIF LIBRAW OPENJPEG OPENVDB PTEX WEBP R3DSDK NUKE "
           "Freetype OpenColorIO OpenCV FFmpeg Libheif LibRaw OpenJPEG OpenVDB Ptex WebP Nuke BZip2 libjpeg-turbo").split()
    b.cmake(source, *(f"-DUSE_{word}=OFF" for word in off), "-DOIIO_BUILD_TOOLS=OFF", "-DOIIO_BUILD_TESTS=OFF", "-DBUILD_DOCS=OFF",
            "-DINSTALL_DOCS=OFF", "-DINSTALL_FONTS=OFF", "-DSTOP_ON_WARNING=OFF", "-DCMAKE_CXX_STANDARD=17", "-DLINKSTATIC=ON",
            "-DUSE_CCACHE=OFF", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_MODE=GROUP", "-DUSE_STD_FILESYSTEM=ON",
            "-DUSE_SIMD=sse2", "-DBUILD_MISSING_ROBINMAP=OFF", "-DBUILD_MISSING_FMT=OFF", "-DOIIO_DISABLE_BOOST_STACKTRACE=ON",
            "-DBoost_USE_STATIC_LIBS=ON", f"-DBOOST_ROOT={b.prefix}", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -w -DNDEBUG")
    return source


RECIPES = {"highway": highway, "oneTBB": onetbb, "sqlite": sqlite, "pugixml": pugixml, "fmt": fmt, "libcrypto": libcrypto,
           "libarchive": libarchive, "libpng": libpng, "libjpeg-turbo": libjpeg, "libtiff": libtiff, "Imath": imath,
           "OpenEXR": openexr, "Boost": boost, "OpenImageIO": openimageio}


@contextlib.contextmanager
def wine_server(environment):
    """One server for all that configurations and builds try, ended with them."""
    pathlib.Path(environment["WINEPREFIX"]).mkdir(exist_ok=True)
    server = shutil.which("wineserver")
    quiet = {"env": environment, "check": False, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if server:
        subprocess.run([server, "-p"], **quiet)
        # The services of Windows begin with the first program, and keep the pipes open that it was given.
        subprocess.run([EMULATOR, "wineboot", "-i"], **quiet)
    try:
        yield
    finally:
        if server:
            subprocess.run([server, "-k"], **quiet)


def told_of(item, compiler):
    """A hash of all that a library is made of: its sources, its recipe, the compiler and how it is called."""
    recipe = RECIPES.get(item["name"], Builder.take_headers)
    parts = [json.dumps(item, sort_keys=True), inspect.getsource(recipe), compiler, TOOLCHAIN.read_text(encoding="utf-8")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_kept(prefix, item, compiler):
    stamp = prefix / "stamps" / item["name"]
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == told_of(item, compiler)


def main():
    parser = argparse.ArgumentParser(prog="build_dependencies")
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--without-images", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kept", action="store_true")
    chosen = parser.parse_args()
    compiler = shutil.which(f"{TARGET}-g++-posix")
    if compiler is None:
        raise CannotBeHad("there is no g++-mingw-w64-x86-64-posix: install it (installers/debian-windows-packages.txt)")
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    pinned = json.loads((HERE / "sources.json").read_text(encoding="utf-8"))
    only = {name for name in chosen.only.split(",") if name}
    prefix = chosen.prefix.resolve()
    wanted = [item for item in pinned["headers"] + pinned["sources"] if (not only or item["name"] in only) and
              not (chosen.without_images and item["name"] in FOR_IMAGES + ("robin-map",))]
    missing = [item for item in wanted if not is_kept(prefix, item, version)]
    if chosen.kept:
        if missing:
            raise CannotBeHad(f"{prefix} lacks {', '.join(item['name'] for item in missing)}")
        return
    b = Builder(prefix, chosen.jobs)
    for folder in ("stamps", "include", "lib"):
        (prefix / folder).mkdir(exist_ok=True)
    with wine_server(b.environment) if missing else contextlib.nullcontext():
        for item in missing:
            print(f"build_dependencies: {item['name']} {item['version']}", file=sys.stderr, flush=True)
            if recipe := RECIPES.get(item["name"]):
                source = recipe(b, item)
                b.keep_licences(item, source)
                shutil.rmtree(b.work / item["name"], ignore_errors=True)
            else:
                b.take_headers(item)
            (prefix / "stamps" / item["name"]).write_text(told_of(item, version), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except CannotBeHad as refused:
        print(f"build_dependencies: error: {refused}", file=sys.stderr)
        sys.exit(6)
    except subprocess.CalledProcessError as failed:
        print(f"build_dependencies: error: {' '.join(map(str, failed.cmd))[:200]} ended with {failed.returncode}", file=sys.stderr)
        sys.exit(1)
