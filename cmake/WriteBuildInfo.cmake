# SPDX-License-Identifier: MIT
# Writes iir2d_build_info.h; touches it only when its content changes, so nothing rebuilds for nothing.
# A source archive without .git says so by an empty commit; the programs then report null with a reason.
set(COMMIT "")
set(DIRTY 0)
find_program(GIT_PROGRAM git)
if(GIT_PROGRAM AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_PROGRAM} -C ${SOURCE_DIR} rev-parse --verify HEAD
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _rc)
  if(NOT _rc EQUAL 0)
    set(COMMIT "")
  endif()
  execute_process(COMMAND ${GIT_PROGRAM} -C ${SOURCE_DIR} status --porcelain
                  OUTPUT_VARIABLE _changes ERROR_QUIET)
  if(_changes)
    set(DIRTY 1)
  endif()
endif()
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
