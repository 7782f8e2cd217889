# SPDX-License-Identifier: MIT
"""Checks of Debian packages installed in a bare Debian, used by a user without rights."""
import json
import re
import shutil
import statistics

import common
from report import expect

SHARE = "/usr/share/iir2d-workbench"
MODULE = "/usr/lib/x86_64-linux-gnu/iir2d/libiir2d-images.so"
BENCH = "iir2d bench --sizes 32x32 --filter-ids 1 --precisions f32 --device cpu --warmup 0 --iters 1 --quiet"
# Commands that open no image, in this order: later ones use what earlier ones wrote.
WITHOUT_IMAGES = ("--version", "--help", "completion bash", "man", "devices", BENCH[6:] + " --record RECORD",
                  "parity --sizes 16x16 --filter-ids 1 --device cpu", "verify /home/user/record",
                  "compare-records /home/user/record /home/user/record", "reproduce /home/user/record --record /home/user/again",
                  "history add /home/user/record", "history list", "key new KEY", "release new r1 --dir FOLDER --stage dev --commit " + "0" * 40)
MOST_LIBRARIES = 25
MOST_MS = 50


def copy_in(debian, files, folder):
    place = debian.path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copyfile(file, place / file.name)
        (place / file.name).chmod(0o644)
    place.chmod(0o755)


def listing(debian):
    """Every path, but of places that hold what apt and dpkg remember."""
    script = r"find / -xdev \( -path /proc -o -path /dev -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/cache " \
             r"-o -path /var/log -o -path /tmp -o -path /home -o -path /packages \) -prune -o -print | sort"
    return set(debian.as_root(script).splitlines())


def check_install(debian, debs):
    copy_in(debian, debs.values(), "/packages")
    debian.as_root("apt-get update -q && apt-get install -y --no-install-recommends /packages/*.deb")
    state = debian.as_root("dpkg -l | grep -c '^ii'").strip()
    return f"{state} packages are installed"


def check_use(debian, version):
    text = debian.as_user("iir2d --version")
    expect(f"package: deb {version}\n" in text, f"--version says: {text}")
    expect("commit unknown" not in text, f"--version says: {text}")
    expect(("local changes" in text) == version.endswith(".dirty"), f"--version says: {text}")
    debian.as_user(f"iir2d run {SHARE}/presets/wide-blur.json {SHARE}/samples/rocket.jpg blurred.png && iir2d info blurred.png")
    debian.as_user(f"{BENCH} --record record && iir2d verify record")
    check_compiler(debian, "iir2d")
    window = debian.as_user("QT_QPA_PLATFORM=offscreen iir2d-workbench --version")
    expect(f"package: deb {version}\n" in window, f"the window's --version says: {window}")
    return text.splitlines()[1]


def check_compiler(debian, iir2d):
    """The compiler process is installed and starts: what is missing is NVIDIA's compilers, and Clang, which is in no package."""
    said = debian.as_user(f"{iir2d} synth targets")
    expect("could not be started" not in said, f"synth targets says: {common.last_lines(said, 3)}")
    expect("ptx-nvrtc:sm_90" in said and "NVRTC" in said and "no Clang" in said, f"synth targets says: {common.last_lines(said, 3)}")


def check_screenshots(debian, keep):
    done = debian.attempt("iir2d-workbench --screenshots shots", user=True)
    expect(done.returncode == 0, common.last_lines(done.stderr + done.stdout, 8))
    made = sorted(debian.path("/home/user/shots").glob("*.png"))
    expect(len(made) > 50, f"{len(made)} screenshots")
    expect("screenshot:" not in done.stderr, common.last_lines(done.stderr))
    for name in ("README.md", "command-line.md", "filters.md"):
        expect(debian.path(f"/usr/share/doc/iir2d-workbench/{name}").exists(), f"the manual's {name} is missing")
    keep_screenshots(made, keep)
    return f"{len(made)} screenshots"


def keep_screenshots(made, keep):
    """Copies them out of the chroot, where a folder for them is given."""
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        for path in made:
            shutil.copyfile(path, keep / path.name)


CMAKE_CONSUMER = """cmake_minimum_required(VERSION 3.25)
project(consumer VERSION 1.0 LANGUAGES C CXX)
find_package(iir2d 1.1 REQUIRED)
add_executable(in_c example.c)
add_executable(in_cxx example.cpp)
target_link_libraries(in_c PRIVATE iir2d::iir2d)
target_link_libraries(in_cxx PRIVATE iir2d::iir2d)
"""


def check_consumers(debian):
    project = common.SOURCES / "tests/consumer/project"
    copy_in(debian, [project / "example.c", project / "example.cpp"], "/home/user/consumer")
    debian.path("/home/user/consumer/CMakeLists.txt").write_text(CMAKE_CONSUMER)
    debian.as_root("apt-get install -y --no-install-recommends g++ cmake make pkg-config && chown -R user: /home/user/consumer")
    debian.as_user("cmake -S consumer -B built && cmake --build built && built/in_c && built/in_cxx")
    debian.as_user("cc consumer/example.c $(pkg-config --cflags --libs iir2d) -lm -o by_pkg_config && ./by_pkg_config")
    debian.as_user("c++ -std=c++23 consumer/example.cpp $(pkg-config --cflags --libs iir2d) -o by_pkg_config && ./by_pkg_config")
    return "C and C++, by find_package and by pkg-config"


def check_desktop(debian):
    debian.as_root("apt-get install -y --no-install-recommends xdg-utils shared-mime-info desktop-file-utils appstream man-db "
                   "libfile-mimeinfo-perl")
    debian.as_user(f"cp {SHARE}/presets/wide-blur.json x.iir2d")
    found = debian.as_user("xdg-mime query filetype x.iir2d").strip()
    expect(found == "application/vnd.iir2d.recipe+json", f"x.iir2d is {found}")
    for command in ("desktop-file-validate /usr/share/applications/org.iir2d.Workbench.desktop",
                    "appstreamcli validate --no-net /usr/share/metainfo/org.iir2d.Workbench.metainfo.xml"):
        said = debian.as_user(command)
        expect("warning" not in said.lower() and "W:" not in said, said)
    for page in ("iir2d", "iir2d-workbench"):
        done = debian.attempt(f"man --warnings -l /usr/share/man/man1/{page}.1.gz > /dev/null", user=True)
        expect(done.returncode == 0 and done.stderr == "", f"man says of {page}: {done.stderr}")
    default = debian.attempt("xdg-mime query default image/png", user=True).stdout.strip()
    expect(default != "org.iir2d.Workbench.desktop" or "image/png" not in debian.as_root(
        "cat /usr/share/applications/mimeapps.list /etc/xdg/mimeapps.list 2>/dev/null || true"), "it takes image/png for itself")
    return found


def check_light_start(debian):
    """Libraries and time of the commands that open no image."""
    debian.as_user("rm -rf record && mkdir -p times")
    figures = []
    for command in WITHOUT_IMAGES:
        base = "iir2d " + command
        first = base.replace("RECORD", "/home/user/record").replace("KEY", "key.pem").replace("FOLDER", "releases")
        done = debian.attempt(f"LD_DEBUG=libs LD_DEBUG_OUTPUT=/home/user/trace {first}", user=True)
        # Comparing and reproducing may find that a small case of one run was slower: that is a verdict, not a failure.
        expect(done.returncode == 0 or (done.returncode == 5 and command.startswith(("compare-records", "reproduce"))),
               f"{first} ended with {done.returncode}: {common.last_lines(done.stderr, 3)}")
        trace = debian.as_user("cat trace.* && rm -f trace.*")
        libraries = {name.rsplit("/", 1)[-1] for name in re.findall(r"calling init: (\S+)", trace)}
        expect(libraries, f"{first}: the trace is empty")
        expect(not [name for name in libraries if "OpenImageIO" in name or "iir2d-images" in name], f"{first} opens OpenImageIO")
        expect(len(libraries) < MOST_LIBRARIES, f"{first} opens {len(libraries)} libraries")
        figures.append((command.split()[0], len(libraries)))
    return ", ".join(f"{name} {count}" for name, count in figures) + " libraries"


def check_start_times(debian):
    """Of what does nothing but start: what the others compute is not a start."""
    script = ("import subprocess, time, json, sys\n"
              "times = []\n"
              "for _ in range(11):\n"
              "    begun = time.perf_counter()\n"
              "    subprocess.run(['iir2d', *sys.argv[1:]], stdout=subprocess.DEVNULL, check=True)\n"
              "    times.append(1000 * (time.perf_counter() - begun))\n"
              "print(json.dumps(times))\n")
    debian.as_root("apt-get install -y --no-install-recommends python3")
    debian.path("/home/user/start.py").write_text(script)
    figures = []
    for command in ("--version", "--help", "completion bash", "man", "devices", "history list", "verify record"):
        times = json.loads(debian.as_user(f"python3 start.py {command}"))
        figures.append((command, statistics.median(times), max(times)))
    with open("/proc/loadavg", encoding="ascii") as file:
        load = file.read().split()[0]
    text = ", ".join(f"{command} {median:.0f} ms" for command, median, _ in figures) + f" (medians of 11, load average {load})"
    expect(all(median <= MOST_MS for _, median, _ in figures), text)
    return text


def check_module(debian):
    """The image module removed, and replaced by an empty file."""
    sample = f"{SHARE}/samples/rocket.jpg"
    debian.as_root(f"mv {MODULE} {MODULE}.kept")
    try:
        for state in ("true", f"touch {MODULE}"):
            debian.as_root(state)
            done = debian.attempt(f"iir2d info {sample}", user=True)
            expect(done.returncode == 4, f"exit code {done.returncode}: {done.stderr}")
            expect(done.stderr.count("\n") == 1 and "libiir2d-images.so" in done.stderr and "iir2d-tools" in done.stderr, done.stderr)
            debian.as_user("iir2d verify record")
    finally:
        debian.as_root(f"mv -f {MODULE}.kept {MODULE}")
    debian.as_user(f"iir2d info {sample}")
    return done.stderr.strip()


def check_formats(debian):
    formats = json.loads(debian.as_user("iir2d info --formats --json"))
    read = sorted(entry["name"] for entry in formats["formats"] if entry["reads"])
    expect({"png", "jpeg", "tiff", "openexr", "raw"} <= set(read), f"it reads {read}")
    return f"{formats['library']}, reads {len(read)}: {' '.join(read)}"


def check_no_network(debian):
    """Sockets of both programs, of the image worker too, are of the machine itself."""
    debian.as_root("apt-get install -y --no-install-recommends strace")
    traces = []
    for command, ends_with in ((f"iir2d info {SHARE}/samples/rocket.jpg", 0), ("timeout --foreground 8 iir2d-workbench", 124)):
        done = debian.attempt(f"QT_QPA_PLATFORM=offscreen strace -f -e trace=network -o network {command}", user=True)
        expect(done.returncode == ends_with, f"{command} ended with {done.returncode}: {common.last_lines(done.stderr, 4)}")
        traces.append(debian.path("/home/user/network").read_text(encoding="utf-8", errors="replace"))
    expect("AF_UNIX" in traces[0], "the trace is empty")  # the worker's connection
    expect(not any("AF_INET" in trace for trace in traces), "a program opens a network socket")
    return f"{sum(trace.count('AF_UNIX') for trace in traces)} calls about sockets, none of a network"


def check_upgrade_and_removal(debian, debs, older, before):
    """From a lower version, with settings; then removed and purged: what was there before is there again."""
    copy_in(debian, older, "/packages/older")
    debian.as_root("apt-get remove -y --purge iir2d-workbench iir2d-tools libiir2d-dev libiir2d1 && "
                   "apt-get install -y --no-install-recommends /packages/older/*.deb")
    file = debian.path("/home/user/.config/iir2d-workbench/settings.json")
    debian.as_user("mkdir -p .config/iir2d-workbench && touch .config/iir2d-workbench/settings.json")
    file.write_text('{"schema_version": 1, "theme": "dark", "of_a_later_version": [1, 2]}')
    debian.as_root("chown -R user: /home/user/.config")
    said = debian.as_root("apt-get install -y --no-install-recommends /packages/*.deb")
    expect("4 upgraded" in said, common.last_lines(said, 6))
    # The window reads them, and writes them when it ends; a second signal would end it at once.
    debian.attempt("QT_QPA_PLATFORM=offscreen timeout --foreground 8 iir2d-workbench", user=True)
    settings = json.loads(file.read_text(encoding="utf-8"))
    expect(settings["theme"] == "dark" and settings["of_a_later_version"] == [1, 2] and len(settings) > 3,
           f"the settings are {str(settings)[:300]}")
    kept = file.read_text(encoding="utf-8")
    debian.as_user("iir2d history list")
    for way in ("remove", "purge"):
        debian.as_root(f"apt-get {way} -y iir2d-workbench iir2d-tools libiir2d-dev libiir2d1")
        now = listing(debian)
        left = {path for path in now - before if "iir2d" in path}
        expect(not left, f"{way} leaves behind: {sorted(left)[:5]}")
        expect(not before - now, f"{way} took: {sorted(before - now)[:5]}")
        expect(file.read_text(encoding="utf-8") == kept, f"{way} changed the settings")
        if way == "remove":
            debian.as_root("apt-get install -y --no-install-recommends /packages/*.deb")
    return f"settings kept and read; {len(debs)} packages gone without a trace"
