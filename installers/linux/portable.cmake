# SPDX-License-Identifier: MIT
# What AppImage and portable tree have beside the programs: an image module of few libraries (core/image/module), the launcher, and
# the program at the beginning of the AppImage. Linked statically: they run on systems that lack everything else.
set(_portable ${PROJECT_BINARY_DIR}/portable)
function(iir2d_portable_program target name)
  add_executable(${target} EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${target} PRIVATE iir2d_product_flags)
  target_link_options(${target} PRIVATE -static)
  target_compile_definitions(${target} PRIVATE IIR2D_VERSION="${PROJECT_VERSION}")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${_portable} C_STANDARD 17
                                             C_EXTENSIONS ON POSITION_INDEPENDENT_CODE OFF)
endfunction()
iir2d_portable_program(iir2d_launcher AppRun linux/launcher.c)
iir2d_portable_program(iir2d_appimage_runtime appimage-runtime linux/appimage_runtime.c linux/appimage_file.c linux/appimage_file.h
                       linux/appimage_extract.c linux/appimage_mount.c)
find_path(IIR2D_SQUASHFUSE_INCLUDE squashfuse.h PATH_SUFFIXES squashfuse)
find_path(IIR2D_FUSE3_INCLUDE fuse_lowlevel.h PATH_SUFFIXES fuse3)
mark_as_advanced(IIR2D_SQUASHFUSE_INCLUDE IIR2D_FUSE3_INCLUDE)
if(NOT IIR2D_SQUASHFUSE_INCLUDE OR NOT IIR2D_FUSE3_INCLUDE)
  message(FATAL_ERROR "iir2d: the AppImage needs libsquashfuse-dev and libfuse3-dev (installers/debian-release-packages.txt)")
endif()
target_include_directories(iir2d_appimage_runtime SYSTEM PRIVATE ${IIR2D_SQUASHFUSE_INCLUDE} ${IIR2D_FUSE3_INCLUDE})
target_compile_definitions(iir2d_appimage_runtime PRIVATE FUSE_USE_VERSION=32 _FILE_OFFSET_BITS=64)
target_link_libraries(iir2d_appimage_runtime PRIVATE squashfuse_ll squashfuse fuse3 zstd z lzma lz4 lzo2 pthread)
add_custom_target(portable_parts DEPENDS iir2d_launcher iir2d_appimage_runtime iir2d_images_slim)
