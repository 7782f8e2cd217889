#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries the zip and the installer for Windows in a folder, under wine: installers/release/check_windows.py says how.
# usage: check_windows.sh FOLDER [--linux BUILD] [--report FILE.xml] [--make-if-kept]
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONUTF8=1 TZ=UTC
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec python3 -B "$here/release/check_windows.py" "$@"
