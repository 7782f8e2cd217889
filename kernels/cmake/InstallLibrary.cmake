# SPDX-License-Identifier: MIT
# Installs libiir2d as component `kernels`: the library, its headers, a CMake package and a pkg-config file. Both
# find their prefix from where they lie, so an installed tree can be moved. For packages the same files are in components
# `library`, what runs, and `development`, what builds; whoever installs everything gets them once.
include(CMakePackageConfigHelpers)
set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/iir2d)

install(TARGETS iir2d EXPORT iir2dTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT kernels
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT kernels
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT kernels)
install(TARGETS iir2d
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library EXCLUDE_FROM_ALL
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_SKIP EXCLUDE_FROM_ALL)
install(TARGETS iir2d
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development NAMELINK_ONLY EXCLUDE_FROM_ALL)
# Apart: of a DLL, NAMELINK_ONLY installs nothing.
install(TARGETS iir2d
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development EXCLUDE_FROM_ALL)

# iir2d_install_for_builders(arguments of install()): in components `kernels` and `development`.
macro(iir2d_install_for_builders)
  install(${ARGV} COMPONENT kernels)
  install(${ARGV} COMPONENT development EXCLUDE_FROM_ALL)
endmacro()
file(GLOB _headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/iir2d/*.h)
iir2d_install_for_builders(FILES ${_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/iir2d)
iir2d_install_for_builders(EXPORT iir2dTargets NAMESPACE iir2d:: DESTINATION ${_package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/iir2dConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/iir2dConfig.cmake INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/iir2dConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
iir2d_install_for_builders(FILES ${CMAKE_CURRENT_BINARY_DIR}/iir2dConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/iir2dConfigVersion.cmake DESTINATION ${_package_dir})

if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(IIR2D_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH _up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" _up ${_up})
  set(IIR2D_PC_PREFIX "\${pcfiledir}/${_up}")
endif()
foreach(_dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${_dir}})
    set(IIR2D_PC_${_dir} ${CMAKE_INSTALL_${_dir}})
  else()
    set(IIR2D_PC_${_dir} "\${prefix}/${CMAKE_INSTALL_${_dir}}")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/iir2d.pc.in ${CMAKE_CURRENT_BINARY_DIR}/iir2d.pc @ONLY)
iir2d_install_for_builders(FILES ${CMAKE_CURRENT_BINARY_DIR}/iir2d.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# iir2d.lib, with which Microsoft's compiler links C programs: of the functions of C alone, because its C++ is another.
if(MINGW)
  set(_lib ${CMAKE_CURRENT_BINARY_DIR}/iir2d.lib)
  target_link_options(iir2d PRIVATE LINKER:--output-def,${CMAKE_CURRENT_BINARY_DIR}/iir2d-all.def)
  add_custom_command(TARGET iir2d POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DALL=${CMAKE_CURRENT_BINARY_DIR}/iir2d-all.def -DDEF=${CMAKE_CURRENT_BINARY_DIR}/iir2d.def
            -P ${CMAKE_CURRENT_LIST_DIR}/WriteDef.cmake
    COMMAND ${CMAKE_DLLTOOL} -m i386:x86-64 -D iir2d.dll -d iir2d.def -l iir2d.lib  # it names what is inside by the path it is given
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    BYPRODUCTS ${_lib} VERBATIM)
  iir2d_install_for_builders(FILES ${_lib} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
