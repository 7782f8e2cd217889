# SPDX-License-Identifier: MIT
# One interface target, iir2d_flags, carries every warning, hardening and sanitizer flag of the project.
add_library(iir2d_flags INTERFACE)

if(MSVC)
  target_compile_options(iir2d_flags INTERFACE /W4 /permissive- /utf-8 /Zc:__cplusplus $<$<BOOL:${IIR2D_WERROR}>:/WX>)
  target_compile_definitions(iir2d_flags INTERFACE NOMINMAX WIN32_LEAN_AND_MEAN _CRT_SECURE_NO_WARNINGS)
else()
  # GCC warns when it sees a C++-only warning flag on a C file, hence the language conditions.
  target_compile_options(iir2d_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wformat=2
    # Designated initialisers leave the rest to the members' defaults, on purpose.
    -Wno-missing-field-initializers
    "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual>"
    # GCC 12 sees an overlapping copy in every "text" + std::string (GCC bug 105651, fixed in 13).
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>"
    "$<$<BOOL:${IIR2D_WERROR}>:-Werror>")
  if(WIN32)
    target_compile_definitions(iir2d_flags INTERFACE NOMINMAX WIN32_LEAN_AND_MEAN)
  endif()
  # GCC sweeps its memory from 128 MiB on, which takes a tenth of the time of a batch: from 512 MiB on.
  target_compile_options(iir2d_flags INTERFACE
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:C,CXX>>:--param=ggc-min-heapsize=524288>")
  if(NOT IIR2D_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "Release|RelWithDebInfo" AND NOT MINGW)
    target_compile_options(iir2d_flags INTERFACE -fstack-protector-strong -D_FORTIFY_SOURCE=2)
    target_link_options(iir2d_flags INTERFACE -Wl,-z,relro,-z,now)
  endif()
endif()

# Neither the sources' folder nor the build's is in what packages hold: the same sources give the same bytes anywhere. All
# builds without debug information are compiled that way, so that packages take what another build left in the compiler cache.
if(NOT MSVC AND (IIR2D_PACKAGED OR CMAKE_BUILD_TYPE STREQUAL "Release"))
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
endif()
if(IIR2D_PACKAGED AND NOT MSVC)
  set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)  # its place stays in the file, as long as the path was, when it is removed
endif()

# What product code is compiled with, beside the above: no conversion that may change a value or its sign.
add_library(iir2d_product_flags INTERFACE)
target_link_libraries(iir2d_product_flags INTERFACE iir2d_flags)
if(NOT MSVC)
  target_compile_options(iir2d_product_flags INTERFACE -Wconversion -Wsign-conversion)
endif()

if(IIR2D_SANITIZE)
  # What fuzzers count is compiled into what they link (iir2d_count_for_fuzzers()), and into nothing else: it takes a third of
  # the time of a compilation without optimisation.
  set(_checks ${IIR2D_SANITIZE})
  list(REMOVE_ITEM _checks fuzzer-no-link)
  list(JOIN _checks "," _checks)
  set(_counts "")
  if("fuzzer-no-link" IN_LIST IIR2D_SANITIZE)
    set(_counts "$<$<BOOL:$<TARGET_PROPERTY:IIR2D_COUNTED_FOR_FUZZERS>>:$<COMMA>fuzzer-no-link>")
  endif()
  target_compile_options(iir2d_flags INTERFACE "-fsanitize=${_checks}${_counts}" -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer)
  list(JOIN IIR2D_SANITIZE "," _sanitizers)
  target_link_options(iir2d_flags INTERFACE -fsanitize=${_sanitizers})
endif()

# iir2d_count_for_fuzzers(target...): what fuzzers link, so that they see where an input led. Compiled the same way without the
# fuzzers' build, so that the compiler cache has it for both.
function(iir2d_count_for_fuzzers)
  set_target_properties(${ARGN} PROPERTIES IIR2D_COUNTED_FOR_FUZZERS ON)
endfunction()

# ccache keeps its objects in the user's cache folder. Paths below the checkout are hashed as relative ones, so that
# a second clone finds what the first compiled; a precompiled header is accepted by its content. What a source includes
# is taken from the compiler's own list (CCACHE_DEPEND), so that a source is not preprocessed once more to be hashed.
if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE_PROGRAM ccache)
endif()
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
                CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
endif()

# iir2d_compile_in_batches(target): sixteen sources at a time, so that the headers they share are read and the templates
# they share are instantiated once (a unity build). Names in unnamed namespaces are then shared by the batch.
function(iir2d_compile_in_batches target)
  if(IIR2D_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# iir2d_compile_as_one(target source...): sources of this folder, compiled as one where the target is compiled in groups.
function(iir2d_compile_as_one target)
  foreach(_source ${ARGN})
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${_source})
      message(FATAL_ERROR "iir2d: there is no ${CMAKE_CURRENT_SOURCE_DIR}/${_source}")
    endif()
  endforeach()
  list(GET ARGN 0 _first)
  get_target_property(_folder ${target} SOURCE_DIR)
  file(RELATIVE_PATH _group ${_folder} ${CMAKE_CURRENT_SOURCE_DIR}/${_first})
  string(MAKE_C_IDENTIFIER ${_group} _group)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${_group})
endfunction()

# iir2d_compile_in_groups(target): what iir2d_compile_as_one names together, and all else alone.
function(iir2d_compile_in_groups target)
  iir2d_compile_in_batches(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# iir2d_compile_rest_by_folder(target): in groups, and what no group was named for with others of its folder, 24 at most; what a
# folder has less than five of, with that of other such folders.
function(iir2d_compile_rest_by_folder target)
  iir2d_compile_in_groups(${target})
  get_target_property(_sources ${target} SOURCES)
  set(_folders "")
  foreach(_source ${_sources})
    if(NOT IS_ABSOLUTE ${_source} OR NOT _source MATCHES "\\.cpp$")
      continue()
    endif()
    get_source_file_property(_group ${_source} TARGET_DIRECTORY ${target} UNITY_GROUP)
    get_source_file_property(_definitions ${_source} TARGET_DIRECTORY ${target} COMPILE_DEFINITIONS)
    if(NOT _group AND NOT _definitions)  # with definitions of its own it is compiled alone
      get_filename_component(_folder ${_source} DIRECTORY)
      file(RELATIVE_PATH _folder ${PROJECT_SOURCE_DIR} ${_folder})
      list(APPEND _folders ${_folder})
      list(APPEND _of_${_folder} ${_source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES _folders)
  foreach(_folder ${_folders})
    list(LENGTH _of_${_folder} _count)
    math(EXPR _groups "(${_count} + 23) / 24")
    set(_number 0)
    foreach(_source ${_of_${_folder}})
      math(EXPR _group "${_number} * ${_groups} / ${_count}")
      math(EXPR _number "${_number} + 1")
      string(MAKE_C_IDENTIFIER ${_folder}_${_group} _name)
      if(_count LESS 5)
        set(_name few)
      endif()
      set_source_files_properties(${_source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${_name})
    endforeach()
  endforeach()
endfunction()

# iir2d_read_headers_once(target header...): compiles headers of others, which most of the target's sources read, once
# for all of them. Not where sources are compiled one by one, so that a missing include is found, and not with Clang,
# whose precompiled headers the compiler cache does not share between folders.
function(iir2d_read_headers_once target)
  if(IIR2D_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# iir2d_compile_quickly(target): in batches, and in a release build -Og where GCC compiles, -O1 otherwise, for code that reads,
# writes and shows but does not compute: it takes a third of the time to compile. GCC's -Og takes three quarters of the time of its
# -O1 and less than its -O0, which inlines nothing and writes twice as much. In a debug build -O0, also where the preset asks for more: at -O1
# sanitizers make Clang take three to six times as long.
function(iir2d_compile_quickly target)
  iir2d_compile_in_batches(${target})
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE
      $<$<CONFIG:Release>:$<IF:$<CXX_COMPILER_ID:GNU>,-Og,-O1>> $<$<CONFIG:Debug>:-O0>)
  endif()
endfunction()
