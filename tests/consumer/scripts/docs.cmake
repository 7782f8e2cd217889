# SPDX-License-Identifier: MIT
# docs/library.md shows the examples as they are built here, to the letter.
file(READ ${SOURCE}/docs/library.md page)
foreach(file example.c filter.c example.cpp device_memory.cpp)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/../project/${file} example)
  string(FIND "${page}" "${example}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "docs/library.md does not contain tests/consumer/project/${file} as it is")
  endif()
endforeach()
