# SPDX-License-Identifier: MIT
# Configures a project that takes SOURCE in with add_subdirectory, in WORK, and compiles its program's source and one of the
# library's. The library is not built once more: that takes minutes, and half a minute even for what a target of the
# project would wait for, so that the two commands are run by themselves.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(_ ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../embedding -B ${WORK} -G ${GENERATOR} -DIIR2D_SOURCE=${SOURCE}
    -DIIR2D_CUDA=OFF -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_C_COMPILER=${C_COMPILER}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
run_compile_command(${WORK} example[.]cpp)
run_compile_command(${WORK} "(unity_support_cpu_[a-z]+_cpp_cxx[.]cxx|cpu_target[.]cpp)")
# Installing the embedding project installs nothing of the library.
run(_ ${CMAKE_COMMAND} --install ${WORK} --prefix ${WORK}/prefix)
file(GLOB_RECURSE installed ${WORK}/prefix/*)
if(installed)
  message(FATAL_ERROR "installing the embedding project installed ${installed}")
endif()
