# SPDX-License-Identifier: MIT
# iir2d_take_paths_as_utf8(): for what is compiled in this folder and below it. Windows alone needs it: core/support/utf8_paths.h.
macro(iir2d_take_paths_as_utf8)
  if(MINGW)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/core/support/utf8_paths.h>")
  endif()
endmacro()
