# Provides tigris_tflite_schema: <tflite/schema_generated.h>, the reader and verifier of TensorFlow
# Lite files that flatc makes of lib/Import/Tflite/schema.fbs, and the headers of FlatBuffers.
#
# Debian's packages are libflatbuffers-dev and flatbuffers-compiler. Only headers are used, and the
# generated code must match their version, so that both come from one installation.
find_program(TIGRIS_FLATC flatc)
find_path(TIGRIS_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h)
mark_as_advanced(TIGRIS_FLATC TIGRIS_FLATBUFFERS_INCLUDE)
if(NOT TIGRIS_FLATC OR NOT TIGRIS_FLATBUFFERS_INCLUDE)
  message(FATAL_ERROR "FlatBuffers is missing: install libflatbuffers-dev and flatbuffers-compiler")
endif()

set(_tigris_tflite_root "${PROJECT_BINARY_DIR}/schemas")
set(_tigris_tflite_schema "${PROJECT_SOURCE_DIR}/lib/Import/Tflite/schema.fbs")
file(MAKE_DIRECTORY "${_tigris_tflite_root}/tflite")
add_custom_command(
  OUTPUT "${_tigris_tflite_root}/tflite/schema_generated.h"
  COMMAND "${TIGRIS_FLATC}" --cpp --scoped-enums --gen-object-api -o "${_tigris_tflite_root}/tflite"
          "${_tigris_tflite_schema}"
  DEPENDS "${_tigris_tflite_schema}"
  COMMENT "Generating the TensorFlow Lite schema" VERBATIM)
add_custom_target(tigris_tflite_header DEPENDS "${_tigris_tflite_root}/tflite/schema_generated.h")
add_library(tigris_tflite_schema INTERFACE)
add_dependencies(tigris_tflite_schema tigris_tflite_header)
# Without this, FlatBuffers' library would be needed for numbers that are written as text.
target_compile_definitions(tigris_tflite_schema INTERFACE FLATBUFFERS_LOCALE_INDEPENDENT=0)
target_include_directories(tigris_tflite_schema SYSTEM INTERFACE "${_tigris_tflite_root}"
                           "${TIGRIS_FLATBUFFERS_INCLUDE}")
