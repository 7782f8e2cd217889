# SPDX-License-Identifier: MIT
# Run by `cmake --install` and by CPack: writes package.txt beside the resources, "KIND V". KIND is IIR2D_PACKAGE_KIND of the
# environment, which whoever makes a package sets, else "none".
include(${IIR2D_SOURCES}/cmake/PackageVersion.cmake)
iir2d_package_version(${IIR2D_SOURCES} ${IIR2D_VERSION})
set(_kind "$ENV{IIR2D_PACKAGE_KIND}")
if(_kind STREQUAL "")
  set(_kind none)
endif()
if(IS_ABSOLUTE "${IIR2D_RESOURCES}")
  set(_folder "$ENV{DESTDIR}${IIR2D_RESOURCES}")
else()
  set(_folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${IIR2D_RESOURCES}")
endif()
file(WRITE ${_folder}/package.txt "${_kind} ${PACKAGE_V}\n")
file(CHMOD ${_folder}/package.txt PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
