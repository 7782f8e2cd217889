# SPDX-License-Identifier: MIT
# The installed library of PREFIX with LIBRARY, which was linked without oneTBB, in its place, in WORK: it needs no
# oneTBB and both examples run on it (the headers are those of the other tests). A build with IIR2D_USE_TBB=OFF configures and compiles nothing with oneTBB.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK}/prefix)
file(COPY ${PREFIX}/ DESTINATION ${WORK}/prefix)
get_filename_component(name ${LIBRARY} NAME)
set(installed ${WORK}/prefix/${LIBDIR}/${name})
if(NOT EXISTS ${installed})
  message(FATAL_ERROR "${installed} is not there to be replaced")
endif()
file(COPY_FILE ${LIBRARY} ${installed})
find_program(READELF readelf)
if(READELF)
  run(dynamic ${READELF} -d ${installed})
  if(dynamic MATCHES "NEEDED[^\n]*tbb")
    message(FATAL_ERROR "the serial library needs ${CMAKE_MATCH_0}")
  endif()
endif()
foreach(LANGUAGE C CXX)
  run(_ ${CMAKE_COMMAND} -DPREFIX=${WORK}/prefix -DWORK=${WORK}/${LANGUAGE} -DLANGUAGE=${LANGUAGE}
      -DCOMPILER=${${LANGUAGE}_COMPILER} "-DFLAGS=${FLAGS}" -DGENERATOR=${GENERATOR} -DCONFIG=${CONFIG} -DHEADERS=OFF
      -P ${CMAKE_CURRENT_LIST_DIR}/cmake_consumer.cmake)
endforeach()

run(_ ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/configured -G ${GENERATOR} -DIIR2D_BUILD_WORKBENCH=OFF
    -DIIR2D_BUILD_TESTS=OFF -DIIR2D_BUILD_BENCH=OFF -DIIR2D_USE_TBB=OFF -DIIR2D_CUDA=OFF
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
file(READ ${WORK}/configured/compile_commands.json commands)
if(NOT commands MATCHES "parallel.cpp")
  message(FATAL_ERROR "the configured build does not compile kernels/support/parallel.cpp")
endif()
if(commands MATCHES "IIR2D_HAVE_TBB")
  message(FATAL_ERROR "IIR2D_USE_TBB=OFF leaves IIR2D_HAVE_TBB defined")
endif()
