#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes every package of the commit that is checked out, checks them, and says with what (docs/packaging.md).
# installers/make_release.sh --help lists the options.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONUTF8=1 TZ=UTC  # the same bytes whoever makes them
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v python3 > /dev/null || { echo "make_release: error: python3 is missing: run ./bootstrap deps" >&2; exit 6; }
exec python3 -B "$here/release/make.py" "$@"
