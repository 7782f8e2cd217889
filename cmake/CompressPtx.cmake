# SPDX-License-Identifier: MIT
# cmake -DTEXT=file.ptx -DRESULT=file.ptx.zst -P CompressPtx.cmake
# Compresses one text by Zstandard. The same text gives the same bytes: no name or time is kept.
file(ARCHIVE_CREATE OUTPUT ${RESULT} PATHS ${TEXT} FORMAT raw COMPRESSION Zstd COMPRESSION_LEVEL 9)
