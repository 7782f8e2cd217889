# SPDX-License-Identifier: MIT
# iir2d_meta_objects(target): runs Qt's moc on each header that stands beside a source of the target, and compiles what it writes as
# one source. AUTOMOC would give moc the include folders, so that it reads Qt's own headers again for each header: 0.15 s instead of 0.005.
# Our classes need none of their macros: the output is the same, but for an include of <QtGui/qtextcursor.h>. A header without Q_OBJECT
# gives an empty file. A new header beside an old source is found when CMake runs again.
function(iir2d_meta_objects target)
  set(_folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_meta_objects)
  set(_made "")
  set(_includes "// Made by cmake/MetaObjects.cmake.\n")
  get_target_property(_sources ${target} SOURCES)
  get_target_property(_from ${target} SOURCE_DIR)
  foreach(_source ${_sources})
    get_filename_component(_source ${_source} ABSOLUTE BASE_DIR ${_from})
    string(REGEX REPLACE "\\.cpp$" ".h" _header ${_source})
    if(NOT _source MATCHES "\\.cpp$" OR NOT EXISTS ${_header})
      continue()
    endif()
    file(RELATIVE_PATH _name ${PROJECT_SOURCE_DIR} ${_header})
    string(REGEX REPLACE "\\.h$" ".moc.cpp" _name ${_name})
    get_filename_component(_into ${_folder}/${_name} DIRECTORY)
    file(MAKE_DIRECTORY ${_into})
    add_custom_command(OUTPUT ${_folder}/${_name} COMMAND Qt6::moc --no-notes -o ${_folder}/${_name} ${_header}
      DEPENDS ${_header} COMMENT "moc ${_name}" VERBATIM)
    list(APPEND _made ${_folder}/${_name})
    string(APPEND _includes "#include \"${_name}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${_folder}/all.cpp CONTENT "${_includes}")
  set_source_files_properties(${_folder}/all.cpp TARGET_DIRECTORY ${target} PROPERTIES
    OBJECT_DEPENDS "${_made}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${_folder}/all.cpp)
endfunction()
