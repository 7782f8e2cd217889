# SPDX-License-Identifier: MIT
"""The demo pack: python -m iir2d.demo COMMAND measures, trains and draws on the project's own pictures.

docs/python-demo.md shows what comes out of it.
"""
