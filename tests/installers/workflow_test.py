#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The workflow for Windows, which runs on a hosted runner only: bash reads its steps, its actions are pinned, the files that it names are there,
and winget's manifest is about the installer. usage: workflow_test.py SOURCES"""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1])
TEXT = (SOURCES / ".github/workflows/windows.yml").read_text(encoding="utf-8")


def blocks():
    """[(indentation of the key, text)] of every `run:`, as YAML has them."""
    lines = TEXT.splitlines()
    found = []
    for at, line in enumerate(lines):
        match = re.match(r"( +)(?:- )?run: (.*)", line)
        if not match:
            continue
        if match[2] != "|":
            found.append((at, match[2]))
            continue
        inside = []
        for more in lines[at + 1:]:
            if more.strip() and len(more) - len(more.lstrip()) <= len(match[1]):
                break
            inside.append(more)
        found.append((at, "\n".join(inside)))
    return found


def is_powershell(at):
    """Whether the step around a line says so."""
    lines = TEXT.splitlines()
    begin = max(i for i in range(at + 1) if re.match(r" +- ", lines[i]))
    return any("shell: pwsh" in line for line in lines[begin:at + 1])


class Workflow(unittest.TestCase):
    def test_bash_reads_every_step(self):
        scripts = [text for at, text in blocks() if not is_powershell(at)]
        self.assertGreater(len(scripts), 5)
        for text in scripts:
            done = subprocess.run(["bash", "-n"], input=re.sub(r"\$\{\{.*?\}\}", "x", text), text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, text + done.stderr)

    def test_actions_are_pinned_by_commit(self):
        uses = re.findall(r"uses: (\S+)(.*)", TEXT)
        self.assertGreater(len(uses), 5)
        for action, comment in uses:
            self.assertRegex(action, r"^[\w.-]+/[\w.-]+@[0-9a-f]{40}$")
            self.assertRegex(comment, r"# v\d")

    def test_what_it_names_is_there(self):
        for name in set(re.findall(r"(?:installers|tests)[/\\][\w./\\-]+\.(?:py|c)\b", TEXT)):
            self.assertTrue((SOURCES / name.replace("\\", "/")).is_file(), name)
        self.assertIn('"name": "msys2"', (SOURCES / "CMakePresets.json").read_text(encoding="utf-8"))

    def test_powershell_looks_at_every_exit_code(self):
        called = 0
        for at, text in blocks():
            lines = text.splitlines()
            for line, after in zip(lines, [*lines[1:], ""]) if is_powershell(at) else []:
                if re.match(r" *(?:& |\.\\|cl )", line):
                    called += 1
                    self.assertIn("if ($LASTEXITCODE -ne 0)", after, line)
        self.assertGreater(called, 4)

    def test_only_a_tag_has_winget_s_manifest(self):
        step = next(text for text in re.split(r"\n +- (?=name:|uses:)", TEXT) if "winget.py" in text)
        self.assertIn("if: github.ref_type == 'tag'\n", step)


class Winget(unittest.TestCase):
    def test_manifest_is_about_the_installer(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            installer = folder / "iir2d-workbench-1.2.0-win64.exe"
            installer.write_bytes(b"an installer")
            script = SOURCES / "installers/windows/winget.py"
            subprocess.run([sys.executable, "-B", script, installer, folder / "out", "--url", "https://example.org/v1/"], check=True)
            self.assertEqual(sorted(file.name for file in (folder / "out").iterdir()),
                             ["IIR2D.Workbench.installer.yaml", "IIR2D.Workbench.locale.en-US.yaml", "IIR2D.Workbench.yaml"])
            text = (folder / "out/IIR2D.Workbench.installer.yaml").read_text(encoding="utf-8")
            self.assertIn("PackageVersion: 1.2.0\n", text)
            self.assertEqual(text.count("InstallerUrl: https://example.org/v1/iir2d-workbench-1.2.0-win64.exe\n"), 2)
            self.assertEqual(text.count(f"InstallerSha256: {hashlib.sha256(b'an installer').hexdigest().upper()}\n"), 2)
            wrong = subprocess.run([sys.executable, "-B", script, script, folder / "out", "--url", "x"], capture_output=True, check=False)
            self.assertEqual(wrong.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
