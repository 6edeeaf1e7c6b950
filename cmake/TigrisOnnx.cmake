# Provides the ONNX protobuf schema and the ONNX text parser as two targets, from whatever source
# the host has.
#
#   tigris_onnx       <onnx/onnx_pb.h> and the protobuf runtime
#   tigris_onnx_text  <onnx/defs/parser.h>: onnx::OnnxParser, for tests that write models as text
#
# The first source that exists is used, and never two at once (two descriptor pools would collide):
#   1. a CMake package ONNX of at least TIGRIS_ONNX_MIN_VERSION
#   2. TIGRIS_ONNX_SOURCE_DIR: the `onnx` directory of the PyPI wheel, which contains the schema and
#   the
#      sources; scripts/bootstrap.sh puts it below build/venv, where it is found without being named
#   3. any older CMake package ONNX
# Sets TIGRIS_ONNX_PROVIDER (package, wheel, old-package or off). TIGRIS_ONNX_TEXT_LABELS is ON when
# the text syntax knows node names (`[name] y = Relu(x)`) and quoted identifiers. Measurements
# behind the order: docs/rationale/onnx-dependency.md.

set(TIGRIS_ONNX_MIN_VERSION 1.17)
set(TIGRIS_ONNX_SOURCE_DIR "" CACHE PATH "the `onnx` folder of an installed or unpacked onnx wheel")
# Not cached: a wheel that bootstrap installs after the first configure is found by the second.
set(_tigris_onnx_wheel "${TIGRIS_ONNX_SOURCE_DIR}")
if(NOT _tigris_onnx_wheel)
  file(GLOB _tigris_onnx_found LIST_DIRECTORIES true
       "${CMAKE_CURRENT_LIST_DIR}/../build/venv/lib/python3*/site-packages/onnx")
  if(_tigris_onnx_found)
    list(GET _tigris_onnx_found 0 _tigris_onnx_wheel)
  endif()
endif()
set(TIGRIS_ONNX_PROVIDER off)
set(TIGRIS_ONNX_TEXT_LABELS OFF)

# Everything that includes ONNX headers must agree on these two.
set(_tigris_onnx_definitions ONNX_ML=1 ONNX_NAMESPACE=onnx)

function(tigris_onnx_from_package)
  foreach(pair "tigris_onnx=onnx_proto" "tigris_onnx_text=onnx")
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 imported)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${imported} protobuf::libprotobuf)
    target_compile_definitions(${name} INTERFACE ${_tigris_onnx_definitions})
  endforeach()
  target_link_libraries(tigris_onnx_text INTERFACE tigris_onnx)
endfunction()

function(tigris_onnx_from_wheel source)
  # A copy of the headers in use keeps the rest of site-packages off the include path.
  set(root "${CMAKE_BINARY_DIR}/onnx")
  file(MAKE_DIRECTORY "${root}/onnx")
  file(COPY "${source}/onnx_pb.h" "${source}/string_utils.h" "${source}/onnx-ml.proto"
       DESTINATION "${root}/onnx")
  file(COPY "${source}/common" "${source}/defs" DESTINATION "${root}/onnx"
       FILES_MATCHING PATTERN "*.h" PATTERN "parser.cc" PATTERN "status.cc"
       PATTERN "__pycache__" EXCLUDE)
  add_custom_command(
    OUTPUT "${root}/onnx/onnx-ml.pb.cc" "${root}/onnx/onnx-ml.pb.h"
    COMMAND protobuf::protoc --cpp_out=. onnx/onnx-ml.proto
    WORKING_DIRECTORY "${root}"
    DEPENDS "${root}/onnx/onnx-ml.proto"
    COMMENT "Generating the ONNX schema" VERBATIM)

  add_library(tigris_onnx STATIC "${root}/onnx/onnx-ml.pb.cc" "${root}/onnx/onnx-ml.pb.h")
  target_link_libraries(tigris_onnx PUBLIC protobuf::libprotobuf)
  add_library(tigris_onnx_text STATIC "${root}/onnx/defs/parser.cc" "${root}/onnx/common/status.cc")
  target_link_libraries(tigris_onnx_text PUBLIC tigris_onnx)
  foreach(name tigris_onnx tigris_onnx_text)
    target_include_directories(${name} SYSTEM PUBLIC "${root}")
    target_compile_definitions(${name} PUBLIC ${_tigris_onnx_definitions})
    # Third-party code: the project's warning flags do not apply.
    target_compile_options(${name} PRIVATE -w)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_CLANG_TIDY "")
  endforeach()
endfunction()

find_package(Protobuf QUIET)
if(Protobuf_FOUND)
  find_package(ONNX ${TIGRIS_ONNX_MIN_VERSION} CONFIG QUIET)
  if(ONNX_FOUND)
    set(TIGRIS_ONNX_PROVIDER package)
    set(TIGRIS_ONNX_TEXT_LABELS ON)
    tigris_onnx_from_package()
  elseif(_tigris_onnx_wheel AND TARGET protobuf::protoc)
    if(NOT EXISTS "${_tigris_onnx_wheel}/onnx-ml.proto")
      message(FATAL_ERROR "TIGRIS_ONNX_SOURCE_DIR: ${_tigris_onnx_wheel} holds no onnx-ml.proto")
    endif()
    set(TIGRIS_ONNX_PROVIDER wheel)
    set(TIGRIS_ONNX_TEXT_LABELS ON)
    tigris_onnx_from_wheel("${_tigris_onnx_wheel}")
  else()
    find_package(ONNX CONFIG QUIET)
    if(ONNX_FOUND)
      set(TIGRIS_ONNX_PROVIDER old-package)
      tigris_onnx_from_package()
    endif()
  endif()
endif()
message(STATUS "ONNX schema: ${TIGRIS_ONNX_PROVIDER}")
