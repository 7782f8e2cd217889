# SPDX-License-Identifier: MIT
# Cross-builds for 64-bit Windows by Debian 12's g++-mingw-w64-x86-64-posix: cmake -DCMAKE_TOOLCHAIN_FILE=installers/windows/mingw.cmake
# -DCMAKE_PREFIX_PATH=FOLDER, of what build_dependencies.py made. The -posix compiler: std::thread and std::mutex are there.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(_mingw x86_64-w64-mingw32)
set(CMAKE_C_COMPILER ${_mingw}-gcc-posix)
set(CMAKE_CXX_COMPILER ${_mingw}-g++-posix)
set(CMAKE_RC_COMPILER ${_mingw}-windres)
# wine runs what configurations try; without it libarchive's crashes CMake 3.25.
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/lib/wine/wine64)

# Headers and libraries only of mingw and of the prefix, programs only of this machine.
set(CMAKE_FIND_ROOT_PATH /usr/${_mingw} ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_PREFIX_PATH)

# Windows aligns the stack to 16 bytes, and GCC spills vectors of 32 and 64 to it as if it were aligned to theirs (GCC bug
# 54412): the assembler turns every aligned move into one that need not be.
set(CMAKE_C_FLAGS_INIT "-Wa,-muse-unaligned-vector-move")
set(CMAKE_CXX_FLAGS_INIT "-Wa,-muse-unaligned-vector-move")
# The same bytes of the same sources, and what Windows can do against faults of memory. Windows 10: _WIN32_WINNT of it.
add_compile_definitions(_WIN32_WINNT=0x0A00)
set(_linked "-Wl,--no-insert-timestamp -Wl,--dynamicbase -Wl,--nxcompat -Wl,--high-entropy-va")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${_linked}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${_linked}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${_linked}")
