# SPDX-License-Identifier: MIT
# Four Debian packages of one build that is configured for /usr, by CPack: `cpack -G DEB` in the build folder. Their version is
# that of the sources when CPack runs (cpack_project.cmake), and repack.py finishes what CPack made.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR IIR2D_RELOCATABLE OR NOT IIR2D_INSTALL)
  message(FATAL_ERROR "iir2d: IIR2D_PACKAGED is for -DCMAKE_INSTALL_PREFIX=/usr -DIIR2D_RELOCATABLE=OFF: take the preset \"packaged\"")
endif()
set(IIR2D_MAINTAINER "IIR2D Workbench contributors <packages@iir2d.org>" CACHE STRING "Maintainer of the packages")
set(_deb ${CMAKE_CURRENT_LIST_DIR})
set(_control ${CMAKE_CURRENT_BINARY_DIR}/control)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME iir2d)
set(CPACK_PACKAGE_VENDOR "IIR2D Workbench contributors")
set(CPACK_PACKAGE_CONTACT "${IIR2D_MAINTAINER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR OFF)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL library development tools workbench)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_PROJECT_CONFIG_FILE ${_deb}/cpack_project.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${_deb}/finish.cmake)
set(CPACK_IIR2D_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_IIR2D_SOURCE_COMMIT "${IIR2D_SOURCE_COMMIT}")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE iir2d)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/kernels)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libiir2d${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(CONFIGURE OUTPUT ${_control}/shlibs CONTENT "libiir2d ${PROJECT_VERSION_MAJOR} libiir2d${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}~)\n")
file(CONFIGURE OUTPUT ${_control}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${_control}/shlibs;${_control}/triggers")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "recursive (IIR) image filters and pooling
The library computes recursive filters (exponential, cascades, biquads,
forward-backward, Deriche) and pooling (maximum, average, power, adaptive)
of planes in memory, with exact gradients, on processors with the vectors
that they have, and on NVIDIA GPUs where there is a driver for one.
.
It prints nothing, throws nothing across its C interface and never aborts.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libiir2d-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "recursive (IIR) image filters and pooling - development files
The library computes recursive filters and pooling of planes in memory, on
processors and on NVIDIA GPUs.
.
This package has its headers for C and C++, a CMake package and a file for
pkg-config.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME iir2d-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION graphics)
# Opened by `iir2d tune train` alone.
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS libxgboost0)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "recursive (IIR) image filters and pooling - command line
The program iir2d filters and pools images of many formats, one or many at
a time, compares them, measures how long that takes and keeps records of it
that can be checked, compared, signed and reproduced.
.
Images are decoded in a process of its own, so that a damaged file costs
that file only. Presets, sample images and completion for bash, zsh and
fish are included.")

# Only where whoever makes the packages put models there.
if(EXISTS ${PROJECT_SOURCE_DIR}/resources/models)
  list(APPEND CPACK_COMPONENTS_ALL models)
  set(CPACK_DEBIAN_MODELS_PACKAGE_NAME iir2d-models)
  set(CPACK_DEBIAN_MODELS_PACKAGE_SECTION graphics)
  set(CPACK_DEBIAN_MODELS_DESCRIPTION "recursive (IIR) image filters and pooling - models of machines
Models that choose how kernels are executed on the machines that they were
trained on. The programs give the same results without them.")
endif()

set(CPACK_DEBIAN_WORKBENCH_PACKAGE_NAME iir2d-workbench)
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_WORKBENCH_PACKAGE_RECOMMENDS "qt6-wayland, fonts-dejavu-core | fonts-noto-core")
set(CPACK_DEBIAN_WORKBENCH_DESCRIPTION "recursive (IIR) image filters and pooling - desktop program
Open an image, move a slider and see the result of a recursive filter or of
pooling at once, compare it with the original, and measure how long it takes
beside a plain copy of the image. What was seen is what is saved, measured
and recorded, and any state can be copied as a command for iir2d.
.
The manual is included.")
include(CPack)
