# SPDX-License-Identifier: MIT
# Configures a project that takes SOURCE in with add_subdirectory, in WORK, and compiles its program's source. The
# library is not built once more: that takes minutes.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(_ ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../embedding -B ${WORK} -G ${GENERATOR} -DIIR2D_SOURCE=${SOURCE}
    -DIIR2D_CUDA=OFF -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_C_COMPILER=${C_COMPILER}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(_ ${CMAKE_COMMAND} --build ${WORK} --target example_object)
# Installing the embedding project installs nothing of the library.
run(_ ${CMAKE_COMMAND} --install ${WORK} --prefix ${WORK}/prefix)
file(GLOB_RECURSE installed ${WORK}/prefix/*)
if(installed)
  message(FATAL_ERROR "installing the embedding project installed ${installed}")
endif()
