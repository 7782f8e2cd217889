#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks what installers/make_release.sh made, as somebody who only has the files: hashes, signature, bills of materials
# against contents, an installation in a bare Debian. installers/check_release.sh --help lists the options.
set -euo pipefail
export LC_ALL=C.UTF-8 PYTHONUTF8=1 TZ=UTC
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v python3 > /dev/null || { echo "check_release: error: python3 is missing" >&2; exit 6; }
exec python3 -B "$here/release/check.py" "$@"
