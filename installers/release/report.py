# SPDX-License-Identifier: MIT
"""Checks with their findings, as lines for people and as JUnit XML for `iir2d release attach packaging-report`."""
import subprocess
import tarfile
import time
import traceback
import xml.etree.ElementTree as xml

import common


class Report:
    """One test for each check. A check is a function that returns a sentence on what it saw, or raises."""

    def __init__(self, tool, suite):
        self.tool = tool
        self.suite = suite
        self.cases = []  # (name, seconds, failure or None, what was seen)

    def check(self, name, function, *arguments):
        begun = time.monotonic()
        failure, seen = None, ""
        try:
            seen = function(*arguments) or ""
        except (AssertionError, common.Failure, OSError, ValueError, LookupError, StopIteration, subprocess.SubprocessError,
                tarfile.TarError) as error:
            failure = str(error) or "".join(traceback.format_exception(error))[-600:]
        seconds = time.monotonic() - begun
        self.cases.append((name, seconds, failure, seen))
        mark = "FAILED" if failure else "ok"
        common.say(self.tool, f"{mark:6} {name} ({seconds:.1f} s){': ' + (failure or seen) if failure or seen else ''}")
        return failure is None

    @property
    def failures(self):
        return [name for name, _, failure, _ in self.cases if failure]

    def refuse_failures(self):
        """Raises the Failure that names the failed checks, where there are any."""
        if self.failures:
            raise common.Failure(common.CHECK_FAILED, f"{len(self.failures)} of {len(self.cases)} checks failed: {'; '.join(self.failures)}")

    def finish(self, file):
        """Writes the JUnit report into `file` where there is one, refuses failures, and prints how many checks passed."""
        if file:
            common.write_whole(file, self.junit())
        self.refuse_failures()
        print(f"{len(self.cases)} checks passed")

    def junit(self):
        suite = xml.Element("testsuite", name=self.suite, tests=str(len(self.cases)), failures=str(len(self.failures)), errors="0",
                            skipped="0", time=f"{sum(case[1] for case in self.cases):.3f}")
        for name, seconds, failure, seen in self.cases:
            case = xml.SubElement(suite, "testcase", classname=self.suite, name=name, time=f"{seconds:.3f}")
            if failure:
                xml.SubElement(case, "failure", message=failure[:500]).text = failure
            elif seen:
                xml.SubElement(case, "system-out").text = seen
        xml.indent(suite)
        return xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def expect(condition, sentence):
    if not condition:
        raise AssertionError(sentence)
