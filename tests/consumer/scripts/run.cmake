# SPDX-License-Identifier: MIT
# For the scripts of these tests.

# run(OUT_VARIABLE command...): runs a command, ends the test with all it printed when it fails.
function(run out)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE _out ERROR_VARIABLE _err RESULT_VARIABLE _rc)
  if(NOT _rc EQUAL 0)
    list(JOIN ARGN " " _command)
    message(FATAL_ERROR "${_command}\nended with ${_rc}:\n${_out}\n${_err}")
  endif()
  set(${out} "${_out}" PARENT_SCOPE)
endfunction()

function(expect_same what got expected)
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "${what}: got\n${got}\nexpected\n${expected}")
  endif()
endfunction()

# What each example must print; worked out by hand.
set(EXPECTED_C "iir2d 10200: 0.077006 0.107080 0.132643\nfilter 99: -3, invalid_filter_id\n")
string(CONCAT EXPECTED_CXX
  "0.2500 at 5\n0.1250 at 6\n0.1250 at 9\n0.0625 at 10\n"
  "window 5x5: with padding 0x0 and dilation 1x1 it does not fit the 4x4 input, the output would be empty\n")

# run_compile_command(folder source): the command of folder/compile_commands.json that compiles a file whose path ends so,
# by itself: nothing that its target waits for is built.
function(run_compile_command folder source)
  file(READ ${folder}/compile_commands.json commands)
  string(JSON count LENGTH "${commands}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON file GET "${commands}" ${i} file)
    if(file MATCHES "/${source}$")
      string(JSON command GET "${commands}" ${i} command)
      string(REGEX MATCH " -o ([^ ]+)" object "${command}")
      set(object ${CMAKE_MATCH_1})
      get_filename_component(object_folder ${folder}/${object} DIRECTORY)
      file(MAKE_DIRECTORY ${object_folder})
      separate_arguments(command UNIX_COMMAND "${command}")
      execute_process(COMMAND ${command} WORKING_DIRECTORY ${folder} ERROR_VARIABLE said RESULT_VARIABLE failed)
      if(failed OR NOT EXISTS ${folder}/${object})
        message(FATAL_ERROR "${file} could not be compiled (${failed}):\n${said}")
      endif()
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${folder} compiles no ${source}")
endfunction()
