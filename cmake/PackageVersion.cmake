# SPDX-License-Identifier: MIT
# iir2d_package_version(folder version): sets in the caller's scope what packages of the sources in `folder` are called.
#   PACKAGE_V      1.2.0 where the clean tag v1.2.0 is checked out, else 1.2.0-gitYYYYMMDD.HASH7 (the commit's day, UTC);
#                  1.2.0 too where nothing says the commit
#   PACKAGE_V_DEB  the same for Debian, 1.2.0~git..., which is older than 1.2.0
#   PACKAGE_EPOCH  SOURCE_DATE_EPOCH of the environment, else the commit's time
# and COMMIT, COMMIT_TIME, COMMIT_TAG, DIRTY (SourceCommit.cmake). With local changes PACKAGE_V ends with ".dirty".
#
# As a script it prints them and refuses what must not be packaged, with exit code 1 and one sentence:
#   cmake -DSOURCE_DIR=folder [-DIIR2D_SOURCE_COMMIT=hash] [-DALLOW_DIRTY=ON] \
#         [-DIIR2D_LEAVE_OUT=path;path] -P cmake/PackageVersion.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)  # a script has no policies of its own
endif()
include(${CMAKE_CURRENT_LIST_DIR}/SourceCommit.cmake)

function(iir2d_package_version folder version)
  iir2d_source_commit(${folder})
  list(FIND COMMIT_TAG v${version} _at)  # IN_LIST is a policy, and CPack sets none
  if(_at GREATER -1)
    set(COMMIT_TAG v${version})
  elseif(COMMIT_TAG)
    list(GET COMMIT_TAG 0 COMMIT_TAG)
  endif()
  set(PACKAGE_V ${version})
  set(PACKAGE_V_DEB ${version})
  set(_kept "$ENV{SOURCE_DATE_EPOCH}")
  set(_time "${COMMIT_TIME}")
  if(_time STREQUAL "")
    set(_time "${_kept}")
  endif()
  if(COMMIT AND _time AND NOT (COMMIT_TAG STREQUAL "v${version}" AND NOT DIRTY))
    set(ENV{SOURCE_DATE_EPOCH} ${_time})
    string(TIMESTAMP _day "%Y%m%d" UTC)
    if(_kept STREQUAL "")
      unset(ENV{SOURCE_DATE_EPOCH})
    else()
      set(ENV{SOURCE_DATE_EPOCH} "${_kept}")
    endif()
    string(SUBSTRING ${COMMIT} 0 7 _short)
    set(_suffix "git${_day}.${_short}")
    if(DIRTY)
      string(APPEND _suffix ".dirty")
    endif()
    set(PACKAGE_V "${version}-${_suffix}")
    set(PACKAGE_V_DEB "${version}~${_suffix}")
  endif()
  set(PACKAGE_EPOCH "$ENV{SOURCE_DATE_EPOCH}")
  if(PACKAGE_EPOCH STREQUAL "")
    set(PACKAGE_EPOCH "${COMMIT_TIME}")
  endif()
  foreach(_name PACKAGE_V PACKAGE_V_DEB PACKAGE_EPOCH COMMIT COMMIT_TIME COMMIT_TAG DIRTY)
    set(${_name} "${${_name}}" PARENT_SCOPE)
  endforeach()
endfunction()

# Sets `result` to why the sources in `folder` must not be packaged, empty where they may. After iir2d_package_version().
function(iir2d_why_not_packaged result folder version allow_dirty)
  set(_why "")
  if(NOT COMMIT)
    set(_why "nothing says which commit the sources are of: package a git checkout or an archive made by git, or give -DIIR2D_SOURCE_COMMIT=")
  elseif(NOT PACKAGE_EPOCH MATCHES "^[0-9]+$")
    set(_why "nothing says when the commit was made: set SOURCE_DATE_EPOCH")
  elseif(DIRTY AND NOT allow_dirty)
    set(_why "the tree has changes that are not committed")
  elseif(COMMIT_TAG AND NOT DIRTY)
    file(STRINGS ${folder}/CHANGELOG.md _sections REGEX "^## \\[")
    list(GET _sections 0 _top)
    if(NOT COMMIT_TAG STREQUAL "v${version}")
      set(_why "the tag ${COMMIT_TAG} is on version ${version}")
    elseif(_top MATCHES "unreleased")
      set(_why "the tag ${COMMIT_TAG} is on a commit whose CHANGELOG.md says \"unreleased\"")
    endif()
  endif()
  set(${result} "${_why}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(STRINGS ${SOURCE_DIR}/CMakeLists.txt _line REGEX "^project\\(iir2d VERSION [0-9.]+")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" _version "${_line}")
  iir2d_package_version(${SOURCE_DIR} ${_version})
  iir2d_why_not_packaged(_why ${SOURCE_DIR} ${_version} "${ALLOW_DIRTY}")
  if(_why)
    message(FATAL_ERROR "${_why}")
  endif()
  foreach(_name PACKAGE_V PACKAGE_V_DEB PACKAGE_EPOCH COMMIT COMMIT_TIME COMMIT_TAG DIRTY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${_name}=${${_name}}")
  endforeach()
endif()
