# SPDX-License-Identifier: MIT
# iir2d_embed(target NAME symbol FILE path [NAMESPACE workbench::embedded])
# Compiles a file's bytes, 16-aligned, into `target` as `workbench::embedded::symbol`, a std::string_view that the
# code declares itself: namespace workbench::embedded { extern const std::string_view symbol; }
#
# Run as a script (cmake -DSYMBOL=... -DNAMESPACE=... -DINPUT=... -DOUTPUT=... -P Embed.cmake) it writes the source
# file. Bytes
# are written as numbers, since compilers limit the length of a string literal.
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
  add_custom_command(OUTPUT ${_source}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${E_NAME} -DNAMESPACE=${E_NAMESPACE} -DINPUT=${E_FILE}
            -DOUTPUT=${_source} -P ${IIR2D_EMBED_SCRIPT}
    DEPENDS ${E_FILE} ${IIR2D_EMBED_SCRIPT}
    COMMENT "Embedding ${E_NAME}" VERBATIM)
  # A custom command belongs to its folder's targets; this one carries it to a target of any folder.
  add_custom_target(embed_${E_NAME} DEPENDS ${_source})
  add_dependencies(${target} embed_${E_NAME})
  target_sources(${target} PRIVATE ${_source})
endfunction()
