# SPDX-License-Identifier: MIT
# iir2d_source_commit(folder): sets in the caller's scope which commit the sources in `folder` are of.
#   COMMIT        its hash; empty where nothing says it
#   COMMIT_TIME   seconds since 1970; empty where nothing says it
#   COMMIT_TAG    v1.2.3 where that tag is on it, a list where several of that form are, else empty
#   DIRTY         1 with local changes, and where they are of another commit than IIR2D_SOURCE_COMMIT says; else 0
# It asks git, or in an archive that git made (.gitattributes) cmake/source-commit.txt. IIR2D_SOURCE_COMMIT, a hash, is
# believed before both. IIR2D_LEAVE_OUT: paths in `folder` whose changes do not count.
#
# IIR2D_SOURCE_STATE of the environment, "commit|time|tag|dirty", is believed before everything: installers/make_release.sh
# asks once, and again at its end.
function(iir2d_source_commit folder)
  if("$ENV{IIR2D_SOURCE_STATE}" MATCHES "^([0-9a-f]+)\\|([0-9]*)\\|([^|]*)\\|([01])$")
    set(COMMIT ${CMAKE_MATCH_1} PARENT_SCOPE)
    set(COMMIT_TIME "${CMAKE_MATCH_2}" PARENT_SCOPE)
    set(COMMIT_TAG "${CMAKE_MATCH_3}" PARENT_SCOPE)
    set(DIRTY ${CMAKE_MATCH_4} PARENT_SCOPE)
    return()
  endif()
  set(_version_tag "^v[0-9]+\\.[0-9]+\\.[0-9]+$")
  set(COMMIT "")
  set(COMMIT_TIME "")
  set(COMMIT_TAG "")
  set(DIRTY 0)
  find_program(GIT_PROGRAM git)
  set(_git ${GIT_PROGRAM} -C ${folder})
  set(_wanted HEAD)
  if(IIR2D_SOURCE_COMMIT)
    string(LENGTH "${IIR2D_SOURCE_COMMIT}" _digits)
    if(NOT IIR2D_SOURCE_COMMIT MATCHES "^[0-9a-f]+$" OR NOT _digits EQUAL 40)
      message(FATAL_ERROR "iir2d: IIR2D_SOURCE_COMMIT=${IIR2D_SOURCE_COMMIT} is not a commit: give its 40 digits")
    endif()
    set(_wanted ${IIR2D_SOURCE_COMMIT})
    set(COMMIT ${IIR2D_SOURCE_COMMIT})
  endif()

  set(_by_git FALSE)
  if(GIT_PROGRAM AND EXISTS ${folder}/.git)
    execute_process(COMMAND ${_git} log -1 --format=%H|%ct ${_wanted} -- OUTPUT_VARIABLE _line ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _failed)
    if(NOT _failed AND _line MATCHES "^([0-9a-f]+)\\|([0-9]+)$")
      set(_by_git TRUE)
      set(COMMIT ${CMAKE_MATCH_1})
      set(COMMIT_TIME ${CMAKE_MATCH_2})
      execute_process(COMMAND ${_git} tag --points-at ${COMMIT} ERROR_QUIET OUTPUT_VARIABLE COMMIT_TAG
                      OUTPUT_STRIP_TRAILING_WHITESPACE)
      string(REPLACE "\n" ";" COMMIT_TAG "${COMMIT_TAG}")
      list(FILTER COMMIT_TAG INCLUDE REGEX "${_version_tag}")
      set(_but "")
      foreach(_path ${IIR2D_LEAVE_OUT})
        list(APPEND _but ":(exclude,literal)${_path}")
      endforeach()
      execute_process(COMMAND ${_git} status --porcelain --untracked-files=normal -- . ${_but} OUTPUT_VARIABLE _changes ERROR_QUIET)
      execute_process(COMMAND ${_git} diff --quiet HEAD ${COMMIT} -- . ${_but} ERROR_QUIET RESULT_VARIABLE _another)
      if(_changes OR _another)
        set(DIRTY 1)
      endif()
    endif()
  endif()

  if(NOT _by_git AND EXISTS ${folder}/cmake/source-commit.txt)
    file(STRINGS ${folder}/cmake/source-commit.txt _lines)
    list(GET _lines 0 _hash)
    list(GET _lines 1 _time)
    set(_description "")
    list(LENGTH _lines _count)
    if(_count GREATER 2)
      list(GET _lines 2 _description)
    endif()
    # A file that git did not fill in says nothing.
    if(_hash MATCHES "^[0-9a-f]+$" AND _time MATCHES "^[0-9]+$" AND (NOT COMMIT OR COMMIT STREQUAL _hash))
      set(COMMIT ${_hash})
      set(COMMIT_TIME ${_time})
      if(_description MATCHES "${_version_tag}")
        set(COMMIT_TAG ${_description})
      endif()
    endif()
  endif()
  foreach(_name COMMIT COMMIT_TIME COMMIT_TAG DIRTY)
    set(${_name} "${${_name}}" PARENT_SCOPE)
  endforeach()
endfunction()
