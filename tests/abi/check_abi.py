#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares libiir2d's C interface with what was kept of it: libiir2d.so.MAJOR.abi, its functions and structs as
abidw describes them, and libiir2d.so.MAJOR.numbers, the numbers of its enumerators.

Additions pass: new functions, new enumerators, new fields at the end of a struct that says its own size.
Anything else is incompatible under the same major version and fails. --self-test shows that it does.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Structs that begin with their size, so that a program may know fewer fields than the library.
SIZED_STRUCTS = ("IIR2D_PoolParams", "IIR2D_FilterParams")
RULES = "".join(
    f"[suppress_type]\n  type_kind = struct\n  name = {name}\n  has_data_member_inserted_at = end\n"
    for name in SIZED_STRUCTS)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def describe(library, headers, out):
    code, text = run("abidw", "--exported-interfaces-only", "--headers-dir", str(headers), "--drop-private-types", "--no-show-locs",
                     "--no-corpus-path", "--no-comp-dir-path", "--out-file", str(out), str(library))
    if code != 0:
        sys.exit(f"abidw failed: {text}")


def differences(baseline, new, folder):
    """What abidiff says of two descriptions; empty when nothing but additions."""
    rules, old_file, new_file = folder / "rules.ini", folder / "old.abi", folder / "new.abi"
    rules.write_text(RULES)
    old_file.write_text(baseline)
    new_file.write_text(new)
    code, text = run("abidiff", "--no-added-syms", "--suppressions", str(rules), str(old_file), str(new_file))
    if code & 3:
        sys.exit(f"abidiff failed: {text}")
    return text if code != 0 else ""


def numbers_of(text):
    """Enumerators and their numbers, of a header (which gives each its number) or of a kept list."""
    return dict(re.findall(r"^\s*(IIR2D_\w+) (?:= )?(-?\d+),?", text, re.M))


def changed_numbers(kept, now):
    return [f"{name} was {number} and is {now.get(name, 'gone')}" for name, number in kept.items()
            if now.get(name) != number]


def exported(library):
    code, text = run("nm", "-D", "--defined-only", str(library))
    if code != 0:
        sys.exit(f"nm failed: {text}")
    return set(re.findall(r" T (iir2d_\w+)", text))


def self_test(baseline, folder):
    """Changes to the kept description, each as if the library had made it: what must fail does."""
    def changed(pattern, by):
        text, count = re.subn(pattern, by, baseline, count=1, flags=re.S)
        assert count == 1, f"nothing in the description is like {pattern}"
        return text

    function = r"<elf-symbol name='iir2d_status_string'[^>]*/>"
    def with_one_more(m):
        a_type = re.search(r"type-id='([^']+)' visibility", m[3])[1]
        return (f"{m[1]}{int(m[2]) + 64}{m[3]}<data-member access='public' layout-offset-in-bits='{m[2]}'>"
                f"<var-decl name='more' type-id='{a_type}' visibility='default'/></data-member>{m[4]}")

    struct = r"(<class-decl name='IIR2D_PoolParams' size-in-bits=')(\d+)('.*?)(</class-decl>)"
    incompatible = {
        "a function that is gone": changed(function, ""),
        "a parameter that is gone": changed(r"<parameter type-id='[^']*' name='argmax'/>", ""),
        "a field at another place":
            changed(r"(<class-decl name='IIR2D_Params'.*?layout-offset-in-bits=')32'", r"\g<1>96'"),
        "a struct of another size":
            changed(r"(<class-decl name='IIR2D_Params' size-in-bits=')\d+'", r"\g<1>4096'"),
    }
    for what, text in incompatible.items():
        if not differences(baseline, text, folder):
            sys.exit(f"{what} was not found")
    compatible = {
        "nothing": (baseline, baseline),
        "a function more": (changed(function, ""), baseline),
        "a field more at the end of a struct that says its size":
            (baseline, changed(struct, with_one_more)),
    }
    for what, (old, new) in compatible.items():
        found = differences(old, new, folder)
        if found:
            sys.exit(f"{what} was called incompatible: {found}")
    assert changed_numbers({"IIR2D_A": "1"}, {"IIR2D_A": "2"}) == ["IIR2D_A was 1 and is 2"]
    assert changed_numbers({"IIR2D_A": "1"}, {}) == ["IIR2D_A was 1 and is gone"]
    assert changed_numbers({"IIR2D_A": "1"}, numbers_of("  IIR2D_A = 1,\n  IIR2D_B = -2 /* new */")) == []
    print(f"{len(incompatible) + 2} incompatible changes found, {len(compatible) + 1} others let through")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interface", type=Path, required=True, help="the interface with debug information")
    parser.add_argument("--library", type=Path, required=True, help="the library itself")
    parser.add_argument("--baseline", type=Path, required=True)
    parser.add_argument("--headers", type=Path, required=True)
    parser.add_argument("--renew", action="store_true", help="write the baseline anew")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numbers = {}
        for header in sorted(options.headers.glob("iir2d_*.h")):
            numbers |= numbers_of(header.read_text())
        kept_numbers = options.baseline.with_suffix(".numbers")
        if options.renew:
            describe(options.interface, options.headers, options.baseline)
            kept_numbers.write_text("".join(f"{name} {number}\n" for name, number in numbers.items()))
            return
        if not options.baseline.exists():
            sys.exit(f"{options.baseline} is missing: a new major version needs its own (target iir2d_abi_baseline)")
        baseline = options.baseline.read_text()
        if options.self_test:
            self_test(baseline, folder)
            return
        describe(options.interface, options.headers, folder / "now.abi")
        found = differences(baseline, (folder / "now.abi").read_text(), folder)
        found += "\n".join(changed_numbers(numbers_of(kept_numbers.read_text()), numbers))
        if found:
            sys.exit("The C interface changed in a way that programs built against it may not survive. Undo the "
                     f"change or raise the major version (docs/abi-policy.md):\n{found}")
        lost = set(re.findall(r"<elf-symbol name='(iir2d_\w+)'", baseline)) - exported(options.library)
        if lost:
            sys.exit(f"{options.library} does not export {', '.join(sorted(lost))}")
        print("the C interface is what it was")


if __name__ == "__main__":
    main()
