# SPDX-License-Identifier: MIT
# cmake -DALL=all.def -DDEF=file.def -P WriteDef.cmake: of what the linker exported the functions of the C interface.
file(STRINGS ${ALL} _lines REGEX "^ +iir2d_[a-z0-9_]+")
set(_text "LIBRARY iir2d.dll\nEXPORTS\n")
foreach(_line ${_lines})
  string(REGEX MATCH "iir2d_[a-z0-9_]+" _name "${_line}")
  string(APPEND _text "    ${_name}\n")
endforeach()
file(WRITE ${DEF} "${_text}")
