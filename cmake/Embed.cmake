# SPDX-License-Identifier: MIT
# iir2d_embed(target NAME symbol FILE path [NAMESPACE workbench::embedded])
# Compiles a file's bytes, 16-aligned, into `target` as `workbench::embedded::symbol`, a std::string_view that the
# code declares itself: namespace workbench::embedded { extern const std::string_view symbol; }
#
# Run as a script (cmake -DSYMBOL=... -DNAMESPACE=... -DINPUT=... -DOUTPUT=... -P Embed.cmake) it writes what the
# source file includes. Bytes are written as numbers, since compilers limit the length of a string literal.
#
# The source itself is written when CMake runs, and it alone depends on the file: a source that a command makes would hold up
# all other objects of the target, and of what is linked with it, until the file is there. So does, in the Ninja generator, a
# command of the target's own folder: what takes long is embedded from another one.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} _hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," _bytes "${_hex}")
  string(REPEAT "0x[0-9a-f][0-9a-f]," 16 _row)
  string(REGEX REPLACE "(${_row})" "\\1\n" _bytes "${_bytes}")
  file(WRITE ${OUTPUT} "// Generated from a resource; do not edit.
#include <string_view>

namespace ${NAMESPACE} {

namespace {

alignas(16) constexpr unsigned char bytes_of_${SYMBOL}[] = {
${_bytes}0x00};

}  // namespace

extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(bytes_of_${SYMBOL}), sizeof bytes_of_${SYMBOL} - 1};

}  // namespace ${NAMESPACE}
")
  return()
endif()

set(IIR2D_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(iir2d_embed target)
  cmake_parse_arguments(E "" "NAME;FILE;NAMESPACE" "" ${ARGN})
  if(NOT E_NAMESPACE)
    set(E_NAMESPACE workbench::embedded)
  endif()
  set(_source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${E_NAME}.cpp)
  set(_bytes ${CMAKE_CURRENT_BINARY_DIR}/embedded_${E_NAME}.inc)
  file(CONFIGURE OUTPUT ${_source} CONTENT "#include \"embedded_${E_NAME}.inc\"\n")
  add_custom_command(OUTPUT ${_bytes}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${E_NAME} -DNAMESPACE=${E_NAMESPACE} -DINPUT=${E_FILE}
            -DOUTPUT=${_bytes} -P ${IIR2D_EMBED_SCRIPT}
    DEPENDS ${E_FILE} ${IIR2D_EMBED_SCRIPT}
    COMMENT "Embedding ${E_NAME}" VERBATIM)
  # A custom command belongs to its folder's targets; this one makes it known.
  add_custom_target(iir2d_embed_${E_NAME} DEPENDS ${_bytes})
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    add_dependencies(${target} iir2d_embed_${E_NAME})
  endif()
  target_sources(${target} PRIVATE ${_source})
  set_source_files_properties(${_source} TARGET_DIRECTORY ${target} PROPERTIES
    OBJECT_DEPENDS ${_bytes} SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
