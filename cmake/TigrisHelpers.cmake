# Warnings, include roots and output directories of all targets.
include_guard()

option(TIGRIS_WERROR "Treat warnings as errors" ON)

add_library(tigris_warnings INTERFACE)
target_compile_options(tigris_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<BOOL:${TIGRIS_WERROR}>:-Werror>)
# g++ 12 reports false positives for std::string and std::optional when it optimizes (GCC bugs
# 105651 and 105562).
target_compile_options(tigris_warnings INTERFACE
                       $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-maybe-uninitialized>)

# Unity builds compile several sources of a target at once: the standard library's templates, most
# of what these small files cost, are parsed and instantiated once per batch.
option(TIGRIS_UNITY "Compile C++ sources in batches" OFF)
function(tigris_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TIGRIS_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# tigris_unity_groups(target "Source Source..." ...): one batch for each list of sources, named
# without folder and suffix; the others are compiled on their own.
function(tigris_unity_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TIGRIS_UNITY} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(group IN LISTS ARGN)
    string(REPLACE " " "|" names "${group}")
    string(REGEX MATCH "^[^ ]+" first "${group}")
    set(members ${sources})
    list(FILTER members INCLUDE REGEX "/(${names})[.]cpp$")
    set_source_files_properties(${members} PROPERTIES UNITY_GROUP ${first})
  endforeach()
endfunction()

# `#include "tigris/IR/Graph.h"` means the same in the build tree and installed.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/lib ${PROJECT_BINARY_DIR}/include/tigris SYMBOLIC)

# tigris_layers(OUT layer...): the sources of those lib/ folders and of the folders in them.
# `Layer/File` is one source.
function(tigris_layers out)
  set(sources)
  foreach(layer IN LISTS ARGN)
    set(path ${PROJECT_SOURCE_DIR}/lib/${layer})
    if(EXISTS ${path}.cpp)
      list(APPEND sources ${path}.cpp)
    else()
      file(GLOB_RECURSE found CONFIGURE_DEPENDS ${path}/*.cpp)
      list(APPEND sources ${found})
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# tigris_folders(OUT layer): the folders of lib/<layer>, as layers.
function(tigris_folders out layer)
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/lib
       ${PROJECT_SOURCE_DIR}/lib/${layer}/*)
  list(FILTER entries EXCLUDE REGEX "[.][a-z]+$")
  set(${out} ${entries} PARENT_SCOPE)
endfunction()

# tigris_add_library(name STATIC|SHARED LAYERS ... LINK ...)
function(tigris_add_library name kind)
  cmake_parse_arguments(arg "" "" "LAYERS;LINK" ${ARGN})
  tigris_layers(sources ${arg_LAYERS})
  add_library(${name} ${kind} ${sources})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE tigris_warnings)
endfunction()

# tigris_add_resource(library symbol file): `extern const char symbol[]` of namespace tigris holds
# the file's text
function(tigris_add_resource library resource_symbol resource_name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${resource_name})
  file(READ ${PROJECT_SOURCE_DIR}/${resource_name} resource_text)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/Resource.cpp.in
                 ${PROJECT_BINARY_DIR}/resources/${resource_symbol}.cpp @ONLY)
  target_sources(${library} PRIVATE ${PROJECT_BINARY_DIR}/resources/${resource_symbol}.cpp)
endfunction()

# tigris_add_tool(name [PROGRAM file] LINK ...): tools/<file>/*.cpp, listed in the global property
# TIGRIS_TOOLS. PROGRAM (default: the target's name) is what it is called outside CMake.
function(tigris_add_tool name)
  cmake_parse_arguments(arg "" "PROGRAM" "LINK" ${ARGN})
  if(NOT arg_PROGRAM)
    set(arg_PROGRAM ${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/${arg_PROGRAM}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${arg_LINK} tigris_warnings)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${arg_PROGRAM})
  set_property(GLOBAL APPEND PROPERTY TIGRIS_TOOLS ${name})
endfunction()
