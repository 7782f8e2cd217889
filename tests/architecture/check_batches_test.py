#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that check_batches.py finds functions that a batch confuses, and takes no others for them."""

import unittest

import check_batches


def source(text):
    return f"namespace room {{\n\nnamespace {{\n\n{text}\n\n}}  // namespace\n\n}}  // namespace room\n"


def found(one, other):
    return list(check_batches.findings([[("one.cpp", source(one)), ("other.cpp", source(other))]]))


LARGER = "double larger(double a, double b) {\n    return a > b ? a : b;\n}"


class Batches(unittest.TestCase):
    def test_a_template_beside_a_function_of_numbers(self):
        finding, = found(LARGER, "template <class T>\nT larger(T a, T b) {\n    return a > b ? a : b;\n}")
        self.assertIn("larger(double a, double b) of one.cpp", finding)
        self.assertIn("larger(T a, T b) of other.cpp", finding)

    def test_two_functions_of_numbers(self):
        self.assertEqual(len(found("float half(float x) {\n}", "double half(double x) {\n}")), 1)
        self.assertEqual(len(found("float half(float x) {\n}", "std::int64_t half(auto x) {\n}")), 1)

    def test_what_no_call_confuses(self):
        self.assertEqual(found(LARGER, "double larger(double a) {\n}"), [])
        self.assertEqual(found("Json json_of(const Counts& counts) {\n}", "Json json_of(const Release& release) {\n}"), [])
        self.assertEqual(found("float number(double value) {\n}", "float number(std::string_view text) {\n}"), [])
        self.assertEqual(found(LARGER, "double most(double a, double b) {\n    return larger(a, b);\n}"), [])

    def test_of_one_source_they_are_its_own(self):
        self.assertEqual(list(check_batches.findings([[("one.cpp", source(LARGER + "\n\nint larger(int a, int b) {\n}"))]])), [])

    def test_what_stands_in_a_named_namespace_is_left_to_the_linker(self):
        text = f"namespace room {{\n\n{LARGER}\n\n}}  // namespace room\n"
        self.assertEqual(check_batches.functions(text), [])


if __name__ == "__main__":
    unittest.main()
