# SPDX-License-Identifier: MIT
# Writes iir2d_build_info.h; touches it only when its content changes, so nothing rebuilds for nothing.
# Where nothing says the commit it is empty; the programs then report null with a reason.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)  # a script has no policies of its own
endif()
include(${CMAKE_CURRENT_LIST_DIR}/SourceCommit.cmake)
iir2d_source_commit(${SOURCE_DIR})
string(STRIP "${FLAGS}" FLAGS)
set(_text "// Generated; do not edit.
#pragma once
#define IIR2D_BUILD_VERSION \"${VERSION}\"
#define IIR2D_BUILD_COMMIT \"${COMMIT}\"
#define IIR2D_BUILD_DIRTY ${DIRTY}
#define IIR2D_BUILD_COMPILER \"${COMPILER}\"
#define IIR2D_BUILD_FLAGS \"${FLAGS}\"
#define IIR2D_BUILD_TYPE \"${BUILD_TYPE}\"
#define IIR2D_BUILD_SYSTEM \"${SYSTEM}\"
#define IIR2D_BUILD_SANITIZE \"${SANITIZE}\"
")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${_text}" @ONLY)
