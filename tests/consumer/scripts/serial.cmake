# SPDX-License-Identifier: MIT
# Builds the kernels alone without oneTBB from SOURCE in WORK, installs them, and runs both examples on them.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
# Unoptimised: this asks whether it compiles, links and computes, not how fast.
run(_ ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Debug
    -DIIR2D_BUILD_WORKBENCH=OFF -DIIR2D_BUILD_TESTS=OFF -DIIR2D_BUILD_BENCH=OFF -DIIR2D_USE_TBB=OFF
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DIIR2D_WERROR=${WERROR} -DIIR2D_SANITIZE=${SANITIZE})
run(_ ${CMAKE_COMMAND} --build ${WORK}/build)
file(REMOVE_RECURSE ${WORK}/prefix)
run(_ ${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)
file(GLOB_RECURSE library ${WORK}/prefix/libiir2d.so)
find_program(READELF readelf)
if(READELF)
  run(dynamic ${READELF} -d ${library})
  if(dynamic MATCHES "NEEDED[^\n]*tbb")
    message(FATAL_ERROR "the serial build needs ${CMAKE_MATCH_0}")
  endif()
endif()
foreach(LANGUAGE C CXX)
  run(_ ${CMAKE_COMMAND} -DPREFIX=${WORK}/prefix -DWORK=${WORK}/${LANGUAGE} -DLANGUAGE=${LANGUAGE}
      -DCOMPILER=${${LANGUAGE}_COMPILER} "-DFLAGS=${FLAGS}" -DGENERATOR=${GENERATOR} -DCONFIG=Debug
      -P ${CMAKE_CURRENT_LIST_DIR}/cmake_consumer.cmake)
endforeach()
