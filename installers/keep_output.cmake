# SPDX-License-Identifier: MIT
# cmake -DOUTPUT=file -P keep_output.cmake -- program arguments...
# Keeps what a program prints; the file is there only where it ended with 0.
set(_command "")
set(_after FALSE)
math(EXPR _last "${CMAKE_ARGC} - 1")
foreach(_i RANGE ${_last})
  if(_after)
    list(APPEND _command "${CMAKE_ARGV${_i}}")
  elseif("${CMAKE_ARGV${_i}}" STREQUAL "--")
    set(_after TRUE)
  endif()
endforeach()
execute_process(COMMAND ${_command} OUTPUT_FILE ${OUTPUT}.part ERROR_VARIABLE _said RESULT_VARIABLE _failed)
if(_failed)
  file(REMOVE ${OUTPUT}.part)
  message(FATAL_ERROR "${_command} ended with ${_failed}: ${_said}")
endif()
file(RENAME ${OUTPUT}.part ${OUTPUT})
