# SPDX-License-Identifier: MIT
# cmake -DLOG=file -DIMAGE=file -P CompileGpuKernels.cmake -- nvcc arguments...
# Runs nvcc, keeps what ptxas tells of every kernel in LOG, and fails where a kernel spills registers to memory:
# in these, a spill is a mistake.
set(_command "")
set(_ours TRUE)
math(EXPR _last "${CMAKE_ARGC} - 1")
foreach(_i RANGE ${_last})
  if(_ours)
    if("${CMAKE_ARGV${_i}}" STREQUAL "--")
      set(_ours FALSE)
    endif()
  else()
    list(APPEND _command "${CMAKE_ARGV${_i}}")
  endif()
endforeach()

execute_process(COMMAND ${_command} -Xptxas -v ERROR_VARIABLE _told RESULT_VARIABLE _failed)
file(WRITE ${LOG} "${_told}")
# What is not ptxas telling of kernels is for whoever builds.
string(REGEX REPLACE "(ptxas info[^\n]*|    [0-9]+ bytes stack frame[^\n]*)\n" "" _rest "${_told}")
if(NOT _rest STREQUAL "")
  message("${_rest}")
endif()
if(_failed)
  message(FATAL_ERROR "nvcc failed (${_failed})")
endif()
string(REGEX MATCH "Function properties for ([^\n]*)\n[^\n]*[^0-9][1-9][0-9]* bytes spill" _spill "${_told}")
if(_spill)
  file(REMOVE ${IMAGE})
  message(FATAL_ERROR "the GPU kernel ${CMAKE_MATCH_1} spills registers (all of it: ${LOG})")
endif()
