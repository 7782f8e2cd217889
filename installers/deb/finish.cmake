# SPDX-License-Identifier: MIT
# Run by CPack when its packages are made: what it cannot do itself, repack.py does.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 PYTHONUTF8=1 TZ=UTC python3
                        ${CPACK_IIR2D_SOURCE_DIR}/installers/deb/repack.py ${CPACK_IIR2D_SOURCE_DIR}
                        "${CPACK_PACKAGE_CONTACT}" ${CPACK_PACKAGE_FILES}
                RESULT_VARIABLE _failed)
if(_failed)
  message(FATAL_ERROR "the packages could not be finished")
endif()
