#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads damaged images for a night. usage: night.sh BUILD_FOLDER [HOURS]
# Ends at the first failure; what ended a worker or the program is in image-fuzz-night/SEED.
set -eu
build=$1
end=$(($(date +%s) + ${2:-8} * 3600))
while [ "$(date +%s)" -lt "$end" ]; do
    seed=$(date +%s)
    "$build/bin/image_fuzz" --seconds 600 --jobs "$(nproc)" --seed "$seed" --keep "image-fuzz-night/$seed"
done
