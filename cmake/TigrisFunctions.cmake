# The functions of find_package(Tigris). This project uses them, too.
#
#   tigris_add_pass_plugin(NAME SOURCE...)
#       A pass plugin NAME.so, linked with libtigris; see docs/plugins.md. It exports only its entry
#       point.
#       install(TARGETS NAME DESTINATION ${TIGRIS_PLUGIN_DIR}) installs it where tools find it by
#       name.
#
#   tigris_compile_model(NAME MODEL file.onnx FAST 256K [SLOW 8M] [FLASH 4M] [TARGET esp32s3] [IO
#   arena]
#                        [PASSES pipeline] [PLUGINS lib...] [XIP]
#                        [IMPORT_OPTIONS ...] [NORM_OPTIONS ...] [PLAN_OPTIONS ...] [EMIT_OPTIONS
#                        ...])
#       Compiles a model as part of the build. Writes NAME.tgrs to the current binary directory and
#       defines
#       the library target NAME, which contains the file at an address with the alignment that the
#       runtime needs:
#           #include "NAME.h"      const unsigned char NAME_tgrs[]; size_t NAME_tgrs_size
#       The project's runtime, add_subdirectory(${TIGRIS_RUNTIME_DIR}), then contains only the
#       kernels and parts that its
#       models need together; TIGRIS_SELECT_KERNELS=OFF keeps everything, for plans from other
#       sources.
#       NAME_kernels.h beside NAME.h is the selection for this model alone, for runtimes that are
#       built differently.
#       FAST and SLOW are the -m options of tigris-plan: without SLOW, the plan uses slow memory only
#       if none exists without, and the build prints how much; SLOW 0 forbids it.
#       PLUGINS accepts paths, names and targets of tigris_add_pass_plugin. A change of FAST plans
#       again but
#       does not import again; with Ninja, the build stops at a step whose result does not change.
include_guard()

function(tigris_add_pass_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Tigris::tigris)
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
  # A symbol that is missing should fail here, not on the user's computer. Sanitizers leave theirs
  # to the program.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  if(TIGRIS_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${TIGRIS_PLUGIN_OUTPUT_DIRECTORY})
  endif()
endfunction()

# What tells that FILE, the output of a step, has been made. With Ninja the file itself, which keeps
# its time where its bytes stay the same; make knows stamps only.
function(_tigris_made out file)
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    string(APPEND file .stamp)
  endif()
  set(${out} ${file} PARENT_SCOPE)
endfunction()

# One step of the pipe: OUTPUT from INPUT by TOOL. --if-changed keeps the time of an equal result,
# so the step is known to be done by its stamp.
function(_tigris_step tool input output)
  cmake_parse_arguments(arg "" "" "OPTIONS;DEPENDS;BYPRODUCTS" ${ARGN})
  add_custom_command(
    OUTPUT ${output}.stamp
    BYPRODUCTS ${output} ${arg_BYPRODUCTS}
    COMMAND Tigris::${tool} ${arg_OPTIONS} --if-changed --depfile=${output}.d
            --depfile-target=${output}.stamp -o ${output} ${input}
    COMMAND ${CMAKE_COMMAND} -E touch ${output}.stamp
    DEPENDS ${arg_DEPENDS} Tigris::${tool}
    DEPFILE ${output}.d
    COMMENT "${tool} ${output}" VERBATIM)
endfunction()

# Adds a model's selection header, which TARGET makes, to what the project's runtime is compiled
# with: a header that includes those of all models. The runtime links tigris_selection where it
# exists.
function(_tigris_select header target)
  if(NOT TARGET tigris_selection)
    set(folder ${CMAKE_BINARY_DIR}/tigris_selection)
    add_library(tigris_selection INTERFACE)
    target_include_directories(tigris_selection INTERFACE ${folder})
    target_compile_definitions(tigris_selection INTERFACE TIGRIS_SELECTION_HEADER="tigris_selection.h")
    file(GENERATE OUTPUT ${folder}/tigris_selection.h CONTENT
         "/* Generated: what the models of this project need. */
$<JOIN:$<TARGET_PROPERTY:tigris_selection,TIGRIS_INCLUDES>,\n>\n")
  endif()
  set_property(TARGET tigris_selection APPEND PROPERTY TIGRIS_INCLUDES "#include \"${header}\"")
  add_dependencies(tigris_selection ${target})
endfunction()

set(_TIGRIS_FUNCTIONS_DIR ${CMAKE_CURRENT_LIST_DIR})

function(tigris_compile_model name)
  cmake_parse_arguments(arg "XIP" "MODEL;FAST;SLOW;FLASH;TARGET;IO;PASSES"
                        "PLUGINS;IMPORT_OPTIONS;NORM_OPTIONS;PLAN_OPTIONS;EMIT_OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tigris_compile_model(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "tigris_compile_model: '${name}' cannot be part of a C identifier")
  endif()
  if(NOT arg_MODEL OR NOT arg_FAST)
    message(FATAL_ERROR "tigris_compile_model(${name}): MODEL and FAST are required")
  endif()
  get_filename_component(model ${arg_MODEL} ABSOLUTE)
  set(base ${CMAKE_CURRENT_BINARY_DIR}/${name})

  set(norm ${arg_NORM_OPTIONS})
  set(plugin_files)
  foreach(plugin IN LISTS arg_PLUGINS)
    if(TARGET ${plugin})
      list(APPEND norm --load-pass-plugin=$<TARGET_FILE:${plugin}>)
      list(APPEND plugin_files ${plugin})
    else()
      list(APPEND norm --load-pass-plugin=${plugin})
    endif()
  endforeach()
  if(arg_PASSES)
    list(APPEND norm --passes=${arg_PASSES})
  endif()
  set(plan -m ${arg_FAST})
  if(DEFINED arg_SLOW)
    list(APPEND plan -m ${arg_SLOW})
  endif()
  if(arg_FLASH)
    list(APPEND plan -f ${arg_FLASH})
  endif()
  if(arg_TARGET)
    list(APPEND plan --target=${arg_TARGET})
  endif()
  if(arg_IO)
    list(APPEND plan --io=${arg_IO})
  endif()
  set(kernels ${base}_include/${name}_kernels.h)
  set(emit ${arg_EMIT_OPTIONS} --kernels-header=${kernels})
  if(arg_XIP)
    list(APPEND emit --xip)
  endif()

  _tigris_made(imported ${base}.imported.yaml)
  _tigris_made(normalized ${base}.normalized.yaml)
  _tigris_made(planned ${base}.planned.yaml)
  _tigris_made(emitted ${base}.tgrs)
  _tigris_step(tigris-import ${model} ${base}.imported.yaml
               OPTIONS ${arg_IMPORT_OPTIONS} DEPENDS ${model})
  _tigris_step(tigris-norm ${base}.imported.yaml ${base}.normalized.yaml
               OPTIONS ${norm} DEPENDS ${imported} ${plugin_files})
  _tigris_step(tigris-plan ${base}.normalized.yaml ${base}.planned.yaml
               OPTIONS ${plan} ${arg_PLAN_OPTIONS} DEPENDS ${normalized})
  _tigris_step(tigris-emit ${base}.planned.yaml ${base}.tgrs
               OPTIONS ${emit} DEPENDS ${planned} BYPRODUCTS ${kernels})

  # .incbin costs no compile time and no text file five times the size of the model.
  set(TIGRIS_MODEL_NAME ${name})
  set(TIGRIS_MODEL_FILE ${base}.tgrs)
  configure_file(${_TIGRIS_FUNCTIONS_DIR}/TigrisModel.c.in ${base}_model.c @ONLY)
  configure_file(${_TIGRIS_FUNCTIONS_DIR}/TigrisModel.h.in ${base}_include/${name}.h @ONLY)
  # The stamps make all steps part of the target.
  add_custom_target(${name}_plan DEPENDS ${base}.imported.yaml.stamp ${base}.normalized.yaml.stamp
                                         ${base}.planned.yaml.stamp ${base}.tgrs.stamp)
  _tigris_select(${kernels} ${name}_plan)
  add_library(${name} STATIC ${base}_model.c)
  add_dependencies(${name} ${name}_plan)
  set_source_files_properties(${base}_model.c PROPERTIES OBJECT_DEPENDS ${emitted})
  target_include_directories(${name} PUBLIC ${base}_include)
endfunction()
