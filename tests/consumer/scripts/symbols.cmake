# SPDX-License-Identifier: MIT
# What LIBRARY exports: exactly the C functions of the stable interface, C++ of the public namespaces, and of
# everything else only weak instances of the standard library's templates, which its headers make visible.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(expected
  iir2d_api_version_major iir2d_api_version_minor iir2d_api_version_packed iir2d_api_version_patch
  iir2d_build_fingerprint iir2d_config_parse iir2d_config_text iir2d_copy_to_host_cuda iir2d_describe_devices iir2d_filter_backward_cpu
  iir2d_filter_backward_cuda iir2d_filter_count iir2d_filter_forward_cpu iir2d_filter_forward_cuda iir2d_filter_key
  iir2d_filter_parameter iir2d_filter_workspace_cuda iir2d_forward_cpu iir2d_forward_cpu_with iir2d_forward_cuda iir2d_forward_cuda_stream
  iir2d_last_error iir2d_pool_backward_cpu iir2d_pool_backward_cpu_with
  iir2d_pool_backward_cuda iir2d_pool_forward_cpu iir2d_pool_forward_cpu_with iir2d_pool_forward_cuda iir2d_pool_output_size iir2d_status_string
  iir2d_tune_export iir2d_tune_import iir2d_tune_load_model iir2d_tune_set_chooser iir2d_tune_set_mode iir2d_tune_stats)
set(internal_namespaces "(7support|4pool|3iir|6device|4cuda|7convert|8embedded|3gpu|4tune)")

run(listing ${NM} --dynamic --defined-only ${LIBRARY})
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(c_names "")
foreach(line ${lines})
  if(NOT line MATCHES "^[0-9a-f]+ ([A-Za-z]) (.*)$")
    message(FATAL_ERROR "cannot read nm's line: ${line}")
  endif()
  set(kind ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  if(name MATCHES "^_Z(NK?|T[IVS]N|GV.*|ZN.*)5iir2d${internal_namespaces}" OR name MATCHES "3tbb")
    list(APPEND strays "${line}")
  elseif(name MATCHES "^_Z")
    if(kind MATCHES "[TDBR]" AND NOT name MATCHES "^_Z(NK?|T[IVS]N|T[IVS])5iir2d")
      list(APPEND strays "${line}")
    endif()
  else()
    list(APPEND c_names ${name})
  endif()
endforeach()
if(strays)
  list(JOIN strays "\n" strays)
  message(FATAL_ERROR "exported, but no part of the interface:\n${strays}")
endif()
list(SORT c_names)
expect_same("exported C functions" "${c_names}" "${expected}")
