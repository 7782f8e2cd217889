# SPDX-License-Identifier: MIT
# GoogleTest from the system, or built from its sources (GTEST_SOURCE_DIR, /usr/src/googletest) on a bare machine.
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  set(GTEST_SOURCE_DIR /usr/src/googletest CACHE PATH "Sources of GoogleTest, used when it is not installed")
  if(NOT EXISTS ${GTEST_SOURCE_DIR}/CMakeLists.txt)
    message(FATAL_ERROR "GoogleTest is neither installed nor in ${GTEST_SOURCE_DIR}: install libgtest-dev and "
                        "libgmock-dev, set GTEST_SOURCE_DIR, or configure with -DIIR2D_BUILD_TESTS=OFF")
  endif()
  set(INSTALL_GTEST OFF)
  add_subdirectory(${GTEST_SOURCE_DIR} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  foreach(_t gtest gtest_main gmock gmock_main)
    if(NOT TARGET GTest::${_t})
      add_library(GTest::${_t} ALIAS ${_t})
    endif()
  endforeach()
endif()
include(GoogleTest)

# iir2d_compile_as_test(target): for what only tests use and that does not compute: in batches, and not optimised,
# which takes a third of the time to compile.
function(iir2d_compile_as_test target)
  iir2d_compile_in_batches(${target})
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,Debug>:-O0>)
  endif()
endfunction()

# The headers that every test reads, compiled once, with a test's options. A target of its own: whoever took them from a test would
# wait for all that this test needs, be it the GPU kernels' executor.
if(NOT MSVC)
  file(CONFIGURE OUTPUT test_headers.cpp CONTENT "")
  add_library(test_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  target_compile_definitions(test_headers PRIVATE IIR2D_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                  IIR2D_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(test_headers PRIVATE iir2d_flags GTest::gmock)
  iir2d_compile_as_test(test_headers)
  target_precompile_headers(test_headers PRIVATE <gmock/gmock.h>)
endif()

# Tests are linked by gold where binutils have it: in a third of the time.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CMAKE_CROSSCOMPILING AND NOT IIR2D_SANITIZE)
  find_program(IIR2D_GOLD ld.gold)
  mark_as_advanced(IIR2D_GOLD)
endif()

# iir2d_add_test(name SOURCES a.cpp ... LIBRARIES t ... [OWN_MAIN] [LABELS l ...] [TIMEOUT s]
#                [ENVIRONMENT v=x] [SHARDS n])
# One GoogleTest program, run by CTest test by test. OWN_MAIN: the sources have a main. ENVIRONMENT: one variable.
# SHARDS: CTest starts the program n times, each with a part of the tests: where starting takes longer than a test does.
function(iir2d_add_test name)
  cmake_parse_arguments(T "OWN_MAIN" "TIMEOUT;ENVIRONMENT;SHARDS" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE IIR2D_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             IIR2D_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE iir2d_flags ${T_LIBRARIES} GTest::gmock
                                        $<IF:$<BOOL:${T_OWN_MAIN}>,GTest::gtest,GTest::gtest_main>)
  if(IIR2D_GOLD)
    target_link_options(${name} PRIVATE -fuse-ld=gold)
  endif()
  # What reads images starts the worker, which is beside the test as it is beside the programs.
  if(TARGET iir2d_worker AND T_LIBRARIES MATCHES "core|workbench|ui_")
    add_dependencies(${name} iir2d_worker)
  endif()
  # Compile times. What compares samples with the library's headers alone is optimised a little, but in no debug build, also
  # where the preset asks for more; where a library computes, the headers that every test reads are compiled once.
  if(MSVC)
    iir2d_compile_in_batches(${name})
  elseif(T_LIBRARIES MATCHES "iir2d::iir2d|iir2d_internals")
    iir2d_compile_in_batches(${name})
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)
  else()
    iir2d_compile_as_test(${name})
    # Of a template that both instantiate the linker keeps the one it meets first: core's, which is optimised.
    if(T_LIBRARIES MATCHES "core|workbench|ui_" AND NOT APPLE)
      target_link_options(${name} PRIVATE
        $<$<CONFIG:Release>:LINKER:--whole-archive,$<TARGET_FILE:workbench_core>,--no-whole-archive>)
    endif()
    if("ui_test_main" IN_LIST T_LIBRARIES)
      target_precompile_headers(${name} REUSE_FROM ui_test_main)
    elseif("ui_model_test_main" IN_LIST T_LIBRARIES)
      # Compiled as position-independent code, because of Qt, and without the headers of widgets.
    else()
      target_precompile_headers(${name} REUSE_FROM test_headers)
    endif()
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(IIR2D_SANITIZE)
    math(EXPR T_TIMEOUT "${T_TIMEOUT} * 4")
  endif()
  set(_properties TIMEOUT ${T_TIMEOUT})
  foreach(_property LABELS ENVIRONMENT)
    if(T_${_property})  # an empty value would vanish, and the next name be taken for it
      list(APPEND _properties ${_property} "${T_${_property}}")
    endif()
  endforeach()
  if(T_SHARDS)
    math(EXPR _last "${T_SHARDS} - 1")
    foreach(_shard RANGE ${_last})
      add_test(NAME ${name}.shard_${_shard} COMMAND ${name})
      set_tests_properties(${name}.shard_${_shard} PROPERTIES ${_properties})
      set_property(TEST ${name}.shard_${_shard} APPEND PROPERTY ENVIRONMENT
        GTEST_TOTAL_SHARDS=${T_SHARDS} GTEST_SHARD_INDEX=${_shard})
    endforeach()
    return()
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES ${_properties})
endfunction()
