# SPDX-License-Identifier: MIT
# Installs everything into a scratch folder, moves that folder, and uses the programs from there, with nothing of
# the source tree in reach but what they were installed with.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE _code OUTPUT_VARIABLE _out ERROR_VARIABLE _out)
  if(NOT _code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${_code}:\n${_out}")
  endif()
  set(output "${_out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${SCRATCH}/moved)
set(_clean ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH --unset=IIR2D_RESOURCE_DIR QT_QPA_PLATFORM=offscreen
           IIR2D_CONFIG_DIR=${SCRATCH}/config)
set(_share ${SCRATCH}/moved/share/iir2d-workbench)
set(_preset ${_share}/presets/wide-blur.json)
run(${_clean} ${SCRATCH}/moved/bin/iir2d run ${_preset} ${_share}/samples/rocket.jpg ${SCRATCH}/blurred.png)
run(${_clean} ${SCRATCH}/moved/bin/iir2d bench --sizes 64x64 --iters 3 --record ${SCRATCH}/record)
run(${_clean} ${SCRATCH}/moved/bin/iir2d verify ${SCRATCH}/record)
run(${_clean} ${SCRATCH}/moved/bin/iir2d-workbench --version)
foreach(_file ${SCRATCH}/blurred.png ${SCRATCH}/record/record.json)
  if(NOT EXISTS ${_file})
    message(FATAL_ERROR "${_file} was not written")
  endif()
endforeach()
file(REMOVE_RECURSE ${SCRATCH})
