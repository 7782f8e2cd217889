#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every option of every --help is in each shell's completion and in the page of the manual, and the shells and man take
them. usage: completion_test.py IIR2D WORKBENCH"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

IIR2D, WORKBENCH = map(os.path.abspath, sys.argv[1:3])
OPTION = re.compile(r"^ +(-{1,2}[\w-]+(?:,-{1,2}[\w-]+)*)", re.MULTILINE)
COMMAND = re.compile(r"^  ([a-z][\w-]*)\s{2,}", re.MULTILINE)


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def help_of(path):
    return output(*path, "--help")


def options_in(text):
    return {name for found in OPTION.findall(text) for name in found.split(",")}


def commands_in(text):
    return COMMAND.findall(text[text.index("Subcommands:"):]) if "Subcommands:" in text else []


def everything(path):
    """(words of the command, options) of the program and of all its commands."""
    text = help_of(path)
    yield path[1:], options_in(text)
    for command in commands_in(text):
        yield from everything([*path, command])


class OfIir2d(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = list(everything([IIR2D]))
        cls.shells = {shell: output(IIR2D, "completion", shell) for shell in ("bash", "zsh", "fish")}
        cls.page = output(IIR2D, "man")

    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.shells["bash"] + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _iir2d; printf "%s\\n" "${COMPREPLY[@]}"'
        return output("bash", "--norc", "-c", script, "bash", *words).split()

    def test_there_are_commands_within_commands(self):
        self.assertIn(["release", "new"], [words for words, _ in self.all])
        self.assertGreater(sum(len(options) for _, options in self.all), 150)

    def test_bash_offers_every_command_and_option(self):
        for words, options in self.all:
            if words[:1] == ["completion"]:
                continue
            self.assertEqual(set(self.complete("iir2d", *words, "-")), options, words)
        for words, _ in self.all:
            if words:
                self.assertIn(words[-1], self.complete("iir2d", *words[:-1], words[-1][:2]))

    def test_bash_offers_no_option_where_a_value_is_to_be_given(self):
        self.assertEqual(self.complete("iir2d", "filter", "--border", ""), [])
        self.assertEqual(self.complete("iir2d", "filter", "--border", "-"), [])

    def test_zsh_and_fish_have_every_option(self):
        for words, options in self.all:
            for option in options:
                self.assertIn(f"{option}", self.shells["zsh"], words)
                spelled = f"-l {option[2:]} " if option.startswith("--") else f"-s {option[1:]} "
                found = [line for line in self.shells["fish"].splitlines()
                         if spelled in line and all(word in line for word in words)]
                self.assertTrue(found, (words, option))

    def test_the_manual_has_every_command_and_option(self):
        text = self.page.replace("\\-", "-")
        for words, options in self.all:
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", text, words)
            if words:
                self.assertIn(f".SS \\fBiir2d {' '.join(words)}\\fR", text)

    def test_shells_take_them(self):
        tried = 0
        for shell, check in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
            if shutil.which(shell) is None:
                continue
            with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
                file.write(self.shells[shell])
                file.flush()
                run = subprocess.run([shell, *check, file.name], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr), (0, ""), shell)
            tried += 1
        self.assertGreater(tried, 0)

    def test_another_shell_is_refused(self):
        run = subprocess.run([IIR2D, "completion", "tcsh"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count("\n"), 1)


class Pages(unittest.TestCase):
    def page(self, program):
        return output(program, "man") if program == IIR2D else output(program, "--man")

    def test_the_windows_page_has_every_option(self):
        text = self.page(WORKBENCH).replace("\\-", "-")
        for option in options_in(help_of([WORKBENCH])):
            self.assertIn(f"\\fB{option}\\fR", text)

    def test_they_are_the_same_each_time(self):
        for program in (IIR2D, WORKBENCH):
            self.assertEqual(self.page(program), self.page(program))

    def test_man_warns_of_nothing(self):
        if shutil.which("man") is None:
            self.skipTest("there is no man here")
        for program in (IIR2D, WORKBENCH):
            with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
                file.write(self.page(program))
                file.flush()
                run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file.name], capture_output=True,
                                     text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
            self.assertEqual((run.returncode, run.stderr), (0, ""), program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
