# SPDX-License-Identifier: MIT
# Target iir2d_build_info: a header, refreshed at every build, with what identifies the build
# (commit, dirty state, compiler, flags, build type). Only files that must show it include it.
set(IIR2D_SOURCE_COMMIT "" CACHE STRING "The commit that the sources are of, where neither git nor the archive says it")
set(IIR2D_BUILD_INFO_DIR ${PROJECT_BINARY_DIR}/generated)
set(_stamp ${IIR2D_BUILD_INFO_DIR}/iir2d_build_info.h)
string(TOUPPER "${CMAKE_BUILD_TYPE}" _config)
add_custom_target(iir2d_build_info_refresh
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${_stamp} -DVERSION=${PROJECT_VERSION}
    -DIIR2D_SOURCE_COMMIT=${IIR2D_SOURCE_COMMIT}
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DFLAGS=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_config}}" "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
    "-DSYSTEM=${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" "-DSANITIZE=${IIR2D_SANITIZE}"
    -P ${CMAKE_CURRENT_LIST_DIR}/WriteBuildInfo.cmake
  BYPRODUCTS ${_stamp}
  COMMENT "Refreshing build info" VERBATIM)
add_library(iir2d_build_info INTERFACE)
target_include_directories(iir2d_build_info INTERFACE $<BUILD_INTERFACE:${IIR2D_BUILD_INFO_DIR}>)
add_dependencies(iir2d_build_info iir2d_build_info_refresh)
