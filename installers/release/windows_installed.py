# SPDX-License-Identifier: MIT
"""The installer for Windows under wine: silent installs, what they write, and what uninstalling takes away."""
import time

from report import expect

PATIENCE_S = 30

UNINSTALL = "Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\IIR2D.Tools"
APP_PATHS = "Software\\Microsoft\\Windows\\CurrentVersion\\App Paths\\iir2d.exe"
VALUES = {"DisplayName", "DisplayVersion", "Publisher", "EstimatedSize", "UninstallString", "QuietUninstallString", "InstallLocation"}


class Installed:
    def __init__(self, wine, installer, scratch):
        self.wine, self.installer = wine, installer
        self.version = installer.name.removeprefix("iir2d-tools-").removesuffix("-win64.exe")
        self.scratch = scratch

    def unix(self, path):
        """The place of a name of drive C."""
        return self.wine.drive / path.partition(":\\")[2].replace("\\", "/")

    def install(self, *options):
        code, _, err = self.wine.start(self.installer, "/S", *options, folder=self.scratch)
        expect(code == 0, f"the installer ended with {code}: {err.decode(errors='replace')[-300:]}")

    def uninstall(self, folder, *options):
        """It goes on as a copy of itself, which removes the program that was started."""
        code, _, err = self.wine.start(folder / "uninstall.exe", "/S", *options, folder=self.scratch)
        expect(code == 0, f"the uninstaller ended with {code}: {err.decode(errors='replace')[-300:]}")
        given_up = time.monotonic() + PATIENCE_S
        while (folder / "uninstall.exe").exists() and time.monotonic() < given_up:
            time.sleep(0.2)
        time.sleep(1)  # for what it does after that: the registry
        expect(not (folder / "uninstall.exe").exists(), f"{folder} still has uninstall.exe after {PATIENCE_S} s")

    def runs(self, folder):
        code, out, err = self.wine.start(folder / "iir2d.exe", "--version", folder=self.scratch)
        expect(code == 0 and b"package: nsis " in out, f"the installed program ended with {code}: {out!r} {err[-200:]!r}")

    def per_user(self):
        before = self.files()
        self.install()
        told = self.wine.registry(f"HKCU\\{UNINSTALL}")
        expect(VALUES <= set(told), f"the registry lacks {sorted(VALUES - set(told))}")
        expect(told["DisplayVersion"] == self.version, f"DisplayVersion is {told['DisplayVersion']}")
        folder = self.unix(told["InstallLocation"])
        expect("Local/Programs" in str(folder) and folder.is_dir(), f"it is in {told['InstallLocation']}")
        self.runs(folder)
        expect(self.wine.registry(f"HKCU\\{APP_PATHS}"), "there is no App Paths")
        expect(self.wine.registry("HKCU\\Software\\Classes\\.iir2d"), ".iir2d is not known")
        for name in ("include/iir2d/iir2d_core.h", "lib/iir2d.lib", "lib/libiir2d.dll.a", "resources/package.txt"):
            expect((folder / name).is_file(), f"{name} is not installed")
        self.uninstall(folder)
        expect(not folder.exists(), f"uninstalling leaves {folder}")
        left = self.files() - before
        expect(not left, f"uninstalling leaves {sorted(left)[:5]}")
        for key in (UNINSTALL, APP_PATHS, "Software\\Classes\\.iir2d", "Software\\Classes\\IIR2D.Recipe", "Software\\Classes\\Applications\\iir2d.exe"):
            expect(not self.wine.registry(f"HKCU\\{key}"), f"uninstalling leaves the key {key}")
        return told["InstallLocation"]

    def elsewhere(self):
        folder = self.wine.drive / "own-tools"
        self.install("/D=C:\\own-tools")
        expect((folder / "iir2d.exe").is_file(), "/D= is not honoured")
        stranger = folder / "stranger.txt"
        stranger.write_text("not of the installer\n", encoding="utf-8")
        old = folder / "resources/presets/wide-blur.json"
        old.write_text("of an earlier version\n", encoding="utf-8")
        self.install("/D=C:\\own-tools")
        self.runs(folder)
        expect(stranger.is_file() and "earlier" not in old.read_text(encoding="utf-8"), "installing over it did not replace the earlier version")
        data = self.wine.drive / "users/root/AppData/Roaming/iir2d-workbench"
        data.mkdir(parents=True, exist_ok=True)
        (data / "settings.json").write_text("{}\n", encoding="utf-8")
        self.uninstall(folder)
        left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        expect(left == ["stranger.txt"], f"of the folder stay {left[:5]}")
        expect((data / "settings.json").is_file(), "uninstalling took settings away")
        return "stranger.txt and %APPDATA% stay"

    def all_users(self):
        path = "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
        before = {name.lower(): value for name, value in self.wine.registry(f"HKLM\\{path}").items()}.get("path")
        self.install("/AllUsers", "/ADDPATH")
        told = self.wine.registry(f"HKLM\\{UNINSTALL}")
        folder = self.unix(told["InstallLocation"])
        expect("Program Files" in str(folder), f"it is in {told['InstallLocation']}")
        self.runs(folder)
        changed = {name.lower(): value for name, value in self.wine.registry(f"HKLM\\{path}").items()}["path"]
        expect(changed == f"{before};{told['InstallLocation']}", f"PATH is {changed}, and was {before}")
        self.uninstall(folder, "/AllUsers")
        after = {name.lower(): value for name, value in self.wine.registry(f"HKLM\\{path}").items()}.get("path")
        expect(after == before, f"PATH is {after} after uninstalling, and was {before}")
        expect(not self.wine.registry(f"HKLM\\{UNINSTALL}"), "uninstalling leaves its key")
        return told["InstallLocation"]

    def files(self):
        drive = self.wine.drive
        return {str(path.relative_to(drive)) for path in drive.rglob("*") if path.is_file() and "Temp" not in path.parts and "temp" not in path.parts}
