# Finds a vendor's kernel library. It is optional and may be installed after the first
# configuration.
include_guard()

# tigris_vendor_library(OUT VARIABLE FOLDER HEADER DOC): sets OUT to the folder of the library, or
# to "" if there is none. The cache entry VARIABLE is the folder chosen by the user, which must
# contain HEADER. If it is empty, every configuration searches build/deps/FOLDER: a failed search is
# not cached.
function(tigris_vendor_library out variable folder header doc)
  set(${variable} "" CACHE PATH "${doc}; empty: build/deps/${folder}, if it is there")
  set(found "${${variable}}")
  if(NOT found)
    get_filename_component(found ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../build/deps/${folder} ABSOLUTE)
    if(NOT EXISTS ${found}/${header})
      set(found "")
    endif()
  elseif(NOT EXISTS ${found}/${header})
    message(FATAL_ERROR "${variable}=${found} holds no ${header}")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
