# SPDX-License-Identifier: MIT
# Configures, builds and runs the consumer project in LANGUAGE against the library in PREFIX, in WORK. HEADERS=OFF: without the
# headers one by one.
if(NOT DEFINED HEADERS)
  set(HEADERS ON)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(_ ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../project -B ${WORK} -G ${GENERATOR}
    -DLANGUAGE=${LANGUAGE} -DHEADERS=${HEADERS} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_${LANGUAGE}_COMPILER=${COMPILER} "-DCMAKE_${LANGUAGE}_FLAGS=${FLAGS}")
run(_ ${CMAKE_COMMAND} --build ${WORK})
# The package found is the one in PREFIX, not another one of the machine.
file(STRINGS ${WORK}/CMakeCache.txt found REGEX "^iir2d_DIR:")
string(FIND "${found}" "=${PREFIX}/" at)
if(at EQUAL -1)
  message(FATAL_ERROR "find_package(iir2d) found ${found}")
endif()
run(output ${WORK}/example)
expect_same("example in ${LANGUAGE}" "${output}" "${EXPECTED_${LANGUAGE}}")
if(LANGUAGE STREQUAL "C")
  run(output ${WORK}/filter)
  set(sentence "parameters of plane 1: sigma 1000 of filter 6 (Deriche smoother) is out of range: give 0.3 to 100")
  string(REGEX REPLACE "^[0-9.]+ [0-9.]+\n" "" said "${output}")
  expect_same("filter in C" "${said}" "invalid_argument\n${sentence}\n")
endif()
