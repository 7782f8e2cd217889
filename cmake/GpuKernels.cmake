# SPDX-License-Identifier: MIT
# iir2d_compress_ptx(text image result): a target that compresses the PTX that is made with the image, which the workbench
# shows (page Kernels).
function(iir2d_compress_ptx text image result)
  add_custom_command(OUTPUT ${result}
    COMMAND ${CMAKE_COMMAND} -DTEXT=${text} -DRESULT=${result} -P ${PROJECT_SOURCE_DIR}/cmake/CompressPtx.cmake
    DEPENDS ${image} ${PROJECT_SOURCE_DIR}/cmake/CompressPtx.cmake
    COMMENT "Compressing the PTX of the GPU kernels" VERBATIM)
  add_custom_target(gpu_kernels_ptx DEPENDS ${result})
endfunction()

# iir2d_gpu_kernels(target file.cu folder)
# Compiles the GPU kernels into one compressed fat binary in `folder` and embeds it in `target`; without a CUDA compiler a
# placeholder is embedded, which the library tells from kernels when a driver refuses it. The definitions
# IIR2D_CUDA_TOOLKIT and IIR2D_CUDA_ARCHITECTURES say what was built: of one source alone, so that builds for other
# architectures find the library's other objects in the compiler cache.
set(IIR2D_CUDA AUTO CACHE STRING "Compile the GPU kernels: AUTO (when nvcc is found), ON or OFF")
set(IIR2D_CUDA_ARCHITECTURES "75" CACHE STRING
    "GPU architectures to compile for; the newest is kept as PTX too, which a driver compiles for newer GPUs")
set(IIR2D_GPU_IMAGE "" CACHE FILEPATH
    "GPU kernels that another build of these sources compiled: its gpu_kernels.fatbin, with gpu_kernels.fatbin.txt beside it")
include(Embed)

# nvcc of PATH, of CUDA_HOME (./bootstrap names what it fetched), or of the usual place.
function(iir2d_find_nvcc result)
  find_program(IIR2D_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH
               PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(IIR2D_NVCC)
  set(${result} ${IIR2D_NVCC} PARENT_SCOPE)
endfunction()

# Copies IIR2D_GPU_IMAGE to `image` and sets in the caller's scope by what (`toolkit`) and for what (`names`) it was
# compiled. A file beside it says both: the image itself does not.
function(iir2d_take_gpu_image image toolkit names)
  if(NOT EXISTS ${IIR2D_GPU_IMAGE} OR NOT EXISTS ${IIR2D_GPU_IMAGE}.txt)
    message(FATAL_ERROR "iir2d: IIR2D_GPU_IMAGE needs both ${IIR2D_GPU_IMAGE} and ${IIR2D_GPU_IMAGE}.txt")
  endif()
  file(STRINGS ${IIR2D_GPU_IMAGE}.txt _lines)
  list(LENGTH _lines _count)
  if(NOT _count EQUAL 2)
    message(FATAL_ERROR "iir2d: ${IIR2D_GPU_IMAGE}.txt must have two lines: the toolkit's version, the architectures")
  endif()
  list(GET _lines 0 _toolkit)
  list(GET _lines 1 _names)
  configure_file(${IIR2D_GPU_IMAGE} ${image} COPYONLY)
  configure_file(${IIR2D_GPU_IMAGE}.txt ${image}.txt COPYONLY)  # other builds may take it from here
  message(STATUS "iir2d: GPU kernels by CUDA ${_toolkit} for ${_names}, compiled elsewhere")
  set(${toolkit} ${_toolkit} PARENT_SCOPE)
  set(${names} ${_names} PARENT_SCOPE)
endfunction()

function(iir2d_gpu_kernels target source folder)
  set(_nvcc "")
  if(NOT IIR2D_CUDA STREQUAL "OFF" AND NOT IIR2D_GPU_IMAGE)
    iir2d_find_nvcc(_nvcc)
  endif()
  set(_version "")
  if(_nvcc)
    execute_process(COMMAND ${_nvcc} --version OUTPUT_VARIABLE _out ERROR_QUIET)
    if(_out MATCHES "release ([0-9]+\\.[0-9]+)")
      set(_version ${CMAKE_MATCH_1})
    endif()
  endif()
  if(IIR2D_CUDA STREQUAL "ON" AND NOT _version AND NOT IIR2D_GPU_IMAGE)
    message(FATAL_ERROR "iir2d: IIR2D_CUDA=ON, but no nvcc was found: install the CUDA toolkit or set IIR2D_NVCC")
  endif()

  set(_image ${folder}/gpu_kernels.fatbin)
  set(IIR2D_GPU_KERNELS_PTX "" CACHE INTERNAL "PTX of the GPU kernels, as built")
  set(IIR2D_GPU_KERNELS_PTX_120 "" CACHE INTERNAL "PTX of the GPU kernels for compute_120, made by ptx_text_120")
  set(IIR2D_GPU_KERNELS_SHOWN "" CACHE INTERNAL "Compressed PTX of the GPU kernels, which is installed; empty: none")
  set(IIR2D_GPU_KERNELS_LOG "" CACHE INTERNAL "What ptxas told of the GPU kernels, as built")
  if(IIR2D_GPU_IMAGE)
    iir2d_take_gpu_image(${_image} _version _names)
    if(IIR2D_BUILD_WORKBENCH AND EXISTS ${IIR2D_GPU_IMAGE}.ptx.zst)
      configure_file(${IIR2D_GPU_IMAGE}.ptx.zst ${_image}.ptx.zst COPYONLY)
      set(IIR2D_GPU_KERNELS_SHOWN ${_image}.ptx.zst CACHE INTERNAL "Compressed PTX of the GPU kernels, which is installed; empty: none")
    endif()
  elseif(_version)
    list(GET IIR2D_CUDA_ARCHITECTURES -1 _newest)
    set(_codes "")
    set(_names "")
    foreach(_arch ${IIR2D_CUDA_ARCHITECTURES})
      list(APPEND _codes "-gencode=arch=compute_${_arch},code=sm_${_arch}")
      list(APPEND _names "sm_${_arch}")
    endforeach()
    list(APPEND _codes "-gencode=arch=compute_${_newest},code=compute_${_newest}")
    list(JOIN _names " " _names)
    file(CONFIGURE OUTPUT ${_image}.txt CONTENT "${_version}\n${_names}\n")
    # Contraction only where the source asks for it: results are those of the tests' executor to the bit.
    set(_ptx ${PROJECT_BINARY_DIR}/tests/gpu/ptx)
    set(IIR2D_GPU_KERNELS_PTX ${_ptx}/gpu_kernels.compute_${_newest}.ptx CACHE INTERNAL "PTX of the GPU kernels, as built")
    set(IIR2D_GPU_KERNELS_LOG ${_image}.ptxas.log CACHE INTERNAL "What ptxas told of the GPU kernels, as built")
    set(_compile ${_nvcc} -std=c++20 -O3 -fmad=false -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/kernels/include)
    add_custom_command(OUTPUT ${_image} BYPRODUCTS ${_ptx}/gpu_kernels.compute_${_newest}.ptx
      COMMAND ${CMAKE_COMMAND} -DLOG=${_image}.ptxas.log -DIMAGE=${_image} -DPTX=${_ptx} -DNEWEST=${_newest}
              -P ${PROJECT_SOURCE_DIR}/cmake/CompileGpuKernels.cmake --
              ${_compile} --threads 0 --compress-mode=size ${_codes} -MD -MF ${_image}.d -MT ${_image}
              -fatbin -o ${_image} ${source}
      DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/CompileGpuKernels.cmake DEPFILE ${_image}.d
      COMMENT "Compiling the GPU kernels for ${_names}" VERBATIM)
    if(IIR2D_BUILD_WORKBENCH)
      iir2d_compress_ptx(${IIR2D_GPU_KERNELS_PTX} ${_image} ${_image}.ptx.zst)
      set(IIR2D_GPU_KERNELS_SHOWN ${_image}.ptx.zst CACHE INTERNAL "Compressed PTX of the GPU kernels, which is installed; empty: none")
    endif()
    # The front end writes another text for the newest GPUs. A test has it made: nothing that is installed needs it.
    if(PROJECT_IS_TOP_LEVEL AND _version VERSION_GREATER_EQUAL 12.8 AND NOT 120 IN_LIST IIR2D_CUDA_ARCHITECTURES)
      set(_text ${_ptx}/gpu_kernels.compute_120.ptx)
      add_custom_command(OUTPUT ${_text}
        COMMAND ${_compile} -arch=compute_120 -ptx -MD -MF ${_text}.d -MT ${_text} -o ${_text} ${source}
        DEPENDS ${source} DEPFILE ${_text}.d COMMENT "Compiling the GPU kernels to PTX for compute_120" VERBATIM)
      add_custom_target(ptx_text_120 DEPENDS ${_text})
      set(IIR2D_GPU_KERNELS_PTX_120 ${_text} CACHE INTERNAL "PTX of the GPU kernels for compute_120, made by ptx_text_120")
    endif()
    if(PROJECT_IS_TOP_LEVEL)
      add_custom_target(gpu_resources
        COMMAND ${CMAKE_COMMAND} -DLOG=${_image}.ptxas.log -DTABLE=${PROJECT_SOURCE_DIR}/docs/gpu-resources.md
                -DTOOLKIT=${_version} -P ${PROJECT_SOURCE_DIR}/cmake/GpuResources.cmake
        DEPENDS ${_image} COMMENT "Writing docs/gpu-resources.md" VERBATIM)
    endif()
    message(STATUS "iir2d: GPU kernels by CUDA ${_version} for ${_names}")
  else()
    set(_names "")
    file(REMOVE ${_image}.txt)  # of a build before
    file(WRITE ${_image}.placeholder "no CUDA kernels in this build\n")
    add_custom_command(OUTPUT ${_image} COMMAND ${CMAKE_COMMAND} -E copy ${_image}.placeholder ${_image} VERBATIM)
    message(STATUS "iir2d: built without CUDA kernels (IIR2D_CUDA=${IIR2D_CUDA}, no nvcc is used)")
  endif()
  set(IIR2D_GPU_KERNELS_TOOLKIT "${_version}" CACHE INTERNAL "Version of the compiler of the GPU kernels; empty: there are none")
  iir2d_embed(${target} NAME gpu_kernels FILE ${_image} NAMESPACE iir2d::embedded)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/kernels/device/cuda/kernel_library.cpp TARGET_DIRECTORY iir2d_controls
    PROPERTIES COMPILE_DEFINITIONS "IIR2D_CUDA_TOOLKIT=\"${_version}\";IIR2D_CUDA_ARCHITECTURES=\"${_names}\"")
endfunction()
