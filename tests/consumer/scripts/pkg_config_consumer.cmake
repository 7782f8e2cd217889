# SPDX-License-Identifier: MIT
# Builds the C example with nothing but a compiler and pkg-config, from a moved copy of PREFIX, in WORK.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(COPY ${PREFIX}/ DESTINATION ${WORK}/moved)
set(ENV{PKG_CONFIG_PATH} ${WORK}/moved/${LIBDIR}/pkgconfig)
run(version ${PKG_CONFIG} --modversion iir2d)
expect_same("pkg-config --modversion" "${version}" "${VERSION}\n")
run(flags ${PKG_CONFIG} --cflags --libs iir2d)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(own_flags UNIX_COMMAND "${FLAGS}")
run(_ ${COMPILER} -std=c99 -Wall -Wextra -Wpedantic -Werror ${own_flags}
    ${CMAKE_CURRENT_LIST_DIR}/../project/example.c -o ${WORK}/example ${flags})
set(ENV{LD_LIBRARY_PATH} ${WORK}/moved/${LIBDIR})
run(output ${WORK}/example)
expect_same("example in C" "${output}" "${EXPECTED_C}")
