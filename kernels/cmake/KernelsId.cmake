# SPDX-License-Identifier: MIT
# iir2d_kernels_id(target): adds to the target a source that names, by 16 digits, the sources of what computes on the
# CPU, and the same of GPUs. As a script (-DROOT= -DOUTPUT=) it writes that source: the digits are of the SHA-256 of a line
# "path sha256" for each of them, in order of their paths.
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

# The same of what computes on GPUs: kernels, what they take from the CPU's, and what makes launches of a job.
function(iir2d_list_gpu_sources root result)
  set(_patterns "")
  foreach(_folder convert iir pool support)
    list(APPEND _patterns ${root}/${_folder}/*.cpp ${root}/${_folder}/*.h)
  endforeach()
  file(GLOB _sources ${ARGN} RELATIVE ${root} ${_patterns} ${root}/*.cu ${root}/device/cuda/repeated_launches.*)
  list(FILTER _sources INCLUDE REGEX
       "gpu|cuda|warp|window_formula|geometry|windows.h|analysis|border|coefficients|passes|pass_end|start_state")
  list(FILTER _sources EXCLUDE REGEX "cpu|reference|c_api|configs|/plan[._]")
  list(SORT _sources)
  set(${result} ${_sources} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  foreach(_backend cpu gpu)
    cmake_language(CALL iir2d_list_${_backend}_sources ${ROOT} _sources)
    set(_lines "")
    foreach(_source ${_sources})
      file(SHA256 ${ROOT}/${_source} _hash)
      string(APPEND _lines "${_source} ${_hash}\n")
    endforeach()
    string(SHA256 _id "${_lines}")
    string(SUBSTRING ${_id} 0 16 _id_of_${_backend})
  endforeach()
  file(WRITE ${OUTPUT} "// Written at build time: see kernels/cmake/KernelsId.cmake.
#include \"iir2d/tune.h\"

std::string_view iir2d::kernels_id() {
    return \"${_id_of_cpu}\";
}

std::string_view iir2d::kernels_id(Backend backend) {
    return backend == Backend::cpu ? kernels_id() : \"${_id_of_gpu}\";
}
")
  return()
endif()

set(IIR2D_KERNELS_ID_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(iir2d_kernels_id target)
  iir2d_list_cpu_sources(${CMAKE_CURRENT_SOURCE_DIR} _sources CONFIGURE_DEPENDS)
  iir2d_list_gpu_sources(${CMAKE_CURRENT_SOURCE_DIR} _of_gpus CONFIGURE_DEPENDS)
  list(APPEND _sources ${_of_gpus})
  list(REMOVE_DUPLICATES _sources)
  list(TRANSFORM _sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(_written ${CMAKE_CURRENT_BINARY_DIR}/kernels_id.cpp)
  add_custom_command(OUTPUT ${_written}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -DOUTPUT=${_written} -P ${IIR2D_KERNELS_ID_SCRIPT}
    DEPENDS ${_sources} ${IIR2D_KERNELS_ID_SCRIPT}
    COMMENT "Naming the kernels' sources" VERBATIM)
  target_sources(${target} PRIVATE ${_written})
  set_source_files_properties(${_written} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
