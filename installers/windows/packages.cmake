# SPDX-License-Identifier: MIT
# What the installation for Windows has beside programs, library and resources: the compiler's three DLLs, licences, package.txt.
# installers/windows/package.py makes zip and installer of it.
set(_runtime libgcc_s_seh-1.dll libstdc++-6.dll libwinpthread-1.dll)
get_filename_component(_beside_compiler ${CMAKE_CXX_COMPILER} DIRECTORY)  # where MSYS2 has them
foreach(_name ${_runtime})
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${_name} OUTPUT_VARIABLE _file OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${_file}")
    find_file(IIR2D_DLL_${_name} ${_name} PATHS /usr/x86_64-w64-mingw32/lib ${_beside_compiler} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    mark_as_advanced(IIR2D_DLL_${_name})
    set(_file ${IIR2D_DLL_${_name}})
  endif()
  if(NOT EXISTS "${_file}")
    message(FATAL_ERROR "iir2d: there is no ${_name}, which programs for Windows need beside them")
  endif()
  # Beside the programs of the build too: they run where they are.
  file(REAL_PATH ${_file} _file)
  configure_file(${_file} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${_name} COPYONLY)
  install(FILES ${_file} DESTINATION . RENAME ${_name} COMPONENT tools)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION licenses RENAME iir2d.txt COMPONENT tools)
foreach(_prefix ${CMAKE_PREFIX_PATH})
  if(IS_DIRECTORY ${_prefix}/licences)
    install(DIRECTORY ${_prefix}/licences/ DESTINATION licenses COMPONENT tools)
  endif()
endforeach()

install(CODE "set(IIR2D_VERSION ${PROJECT_VERSION})
set(IIR2D_SOURCES \"${PROJECT_SOURCE_DIR}\")
set(IIR2D_SOURCE_COMMIT \"${IIR2D_SOURCE_COMMIT}\")
set(IIR2D_RESOURCES resources)
include(\"${PROJECT_SOURCE_DIR}/installers/write_package_txt.cmake\")" COMPONENT tools)
