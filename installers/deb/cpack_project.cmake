# SPDX-License-Identifier: MIT
# Read by CPack before each package: the version of the sources as they are now, and what makes their bytes the same
# anywhere.
include(${CPACK_IIR2D_SOURCE_DIR}/cmake/PackageVersion.cmake)
set(IIR2D_SOURCE_COMMIT "${CPACK_IIR2D_SOURCE_COMMIT}")
set(_version ${CPACK_PACKAGE_VERSION})
iir2d_package_version(${CPACK_IIR2D_SOURCE_DIR} ${_version})
iir2d_why_not_packaged(_why ${CPACK_IIR2D_SOURCE_DIR} ${_version} "$ENV{IIR2D_ALLOW_DIRTY}")
if(_why)
  message(FATAL_ERROR "${_why}")
endif()
set(ENV{SOURCE_DATE_EPOCH} ${PACKAGE_EPOCH})
set(ENV{IIR2D_PACKAGE_KIND} deb)
set(CPACK_IIR2D_V ${PACKAGE_V})
set(CPACK_DEBIAN_PACKAGE_VERSION ${PACKAGE_V_DEB})
set(_exactly "(= ${PACKAGE_V_DEB}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} ${_exactly}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} ${_exactly}")
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_DEPENDS "iir2d-tools ${_exactly}")
