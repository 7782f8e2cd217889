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
  if(NOT IIR2D_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "Release|RelWithDebInfo" AND NOT MINGW)
    target_compile_options(iir2d_flags INTERFACE -fstack-protector-strong -D_FORTIFY_SOURCE=2)
    target_link_options(iir2d_flags INTERFACE -Wl,-z,relro,-z,now)
  endif()
endif()

if(IIR2D_SANITIZE)
  list(JOIN IIR2D_SANITIZE "," _sanitizers)
  target_compile_options(iir2d_flags INTERFACE -fsanitize=${_sanitizers} -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer)
  target_link_options(iir2d_flags INTERFACE -fsanitize=${_sanitizers})
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
