# SPDX-License-Identifier: MIT
# iir2d_kernels_id(target): adds to the target a source that names, by 16 digits, the sources of what computes on the
# CPU. As a script (-DROOT= -DOUTPUT=) it writes that source: the digits are of the SHA-256 of a line "path sha256" for
# each of them, in order of their paths.
function(iir2d_list_cpu_sources root result)
  set(_patterns "")
  foreach(_folder convert iir pool support)
    list(APPEND _patterns ${root}/${_folder}/*.cpp ${root}/${_folder}/*.h)
  endforeach()
  file(GLOB _sources ${ARGN} RELATIVE ${root} ${_patterns})
  # Not those for GPUs, the judge and what only checks, plans, names and hands over.
  list(FILTER _sources EXCLUDE REGEX "gpu|cuda|reference|c_api|c_call|c_poll|c_struct|c_tensor|configs|/plan[._]|names|last_error|describe")
  list(SORT _sources)
  set(${result} ${_sources} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  iir2d_list_cpu_sources(${ROOT} _sources)
  set(_lines "")
  foreach(_source ${_sources})
    file(SHA256 ${ROOT}/${_source} _hash)
    string(APPEND _lines "${_source} ${_hash}\n")
  endforeach()
  string(SHA256 _id "${_lines}")
  string(SUBSTRING ${_id} 0 16 _id)
  file(WRITE ${OUTPUT} "// Written at build time: see kernels/cmake/KernelsId.cmake.
#include \"iir2d/tune.h\"

std::string_view iir2d::kernels_id() {
    return \"${_id}\";
}
")
  return()
endif()

set(IIR2D_KERNELS_ID_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(iir2d_kernels_id target)
  iir2d_list_cpu_sources(${CMAKE_CURRENT_SOURCE_DIR} _sources CONFIGURE_DEPENDS)
  list(TRANSFORM _sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(_written ${CMAKE_CURRENT_BINARY_DIR}/kernels_id.cpp)
  add_custom_command(OUTPUT ${_written}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -DOUTPUT=${_written} -P ${IIR2D_KERNELS_ID_SCRIPT}
    DEPENDS ${_sources} ${IIR2D_KERNELS_ID_SCRIPT}
    COMMENT "Naming the kernels' sources" VERBATIM)
  target_sources(${target} PRIVATE ${_written})
  set_source_files_properties(${_written} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
