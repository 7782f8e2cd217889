#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries the AppImage and the portable tree in a folder, in a bare Debian 12: installers/release/check_portable.py says how.
# usage: check_portable.sh FOLDER [--report FILE.xml] [--screenshots FOLDER] [--quick]
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONUTF8=1 TZ=UTC
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec python3 -B "$here/release/check_portable.py" "$@"
