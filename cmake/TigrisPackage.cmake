# Installation: libtigris with the headers for plugins, tools, CMake package, pkg-config file,
# runtime sources, manual pages, completions; and the .deb of `cpack`. All parts find each other by
# relative paths, so the installed tree can be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tigris)
set(runtime_dir ${CMAKE_INSTALL_DATADIR}/tigris/runtime)

# --- libtigris and the tools
get_property(tools GLOBAL PROPERTY TIGRIS_TOOLS)
install(TARGETS tigris EXPORT TigrisTargets LIBRARY)
install(TARGETS ${tools} EXPORT TigrisTools RUNTIME)
foreach(layer Support IR Analysis Pass)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tigris
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endforeach()

# --- find_package(Tigris), pkg-config
install(EXPORT TigrisTargets NAMESPACE Tigris:: DESTINATION ${package_dir})
install(EXPORT TigrisTools NAMESPACE Tigris:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TigrisConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/package/TigrisConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS runtime_dir)
# Firmware projects run the tools on the host, whatever the target is.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/TigrisConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/tigris.pc.in ${PROJECT_BINARY_DIR}/package/tigris.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/TigrisConfig.cmake
              ${PROJECT_BINARY_DIR}/package/TigrisConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TigrisFunctions.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TigrisModel.c.in
              ${PROJECT_SOURCE_DIR}/cmake/TigrisModel.h.in
        DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/package/tigris.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# --- the runtime as sources: a firmware project compiles it with its own flags
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/ DESTINATION ${runtime_dir})

# --- plugins, built as third-party code: against find_package(Tigris), which is this build
file(WRITE ${PROJECT_BINARY_DIR}/build-package/TigrisConfig.cmake
     "include(${PROJECT_SOURCE_DIR}/cmake/TigrisFunctions.cmake)\n")
file(COPY ${PROJECT_BINARY_DIR}/package/TigrisConfigVersion.cmake
     DESTINATION ${PROJECT_BINARY_DIR}/build-package)
add_library(Tigris::tigris ALIAS tigris)
set(Tigris_DIR ${PROJECT_BINARY_DIR}/build-package)
set(TIGRIS_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/tigris/plugins)
add_subdirectory(${PROJECT_SOURCE_DIR}/plugins ${PROJECT_BINARY_DIR}/plugins)
set(plugins hardswish live-bytes-schedule lp-normalization prune-stats slow-base)
foreach(plugin IN LISTS plugins)
  target_link_libraries(${plugin} PRIVATE tigris_warnings)
  install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tigris/plugins)
endforeach()
# All that a user runs, without the tests.
add_custom_target(suite DEPENDS ${tools} ${plugins})

# --- manual pages and completions, printed by the tools themselves
set(generated)
foreach(tool IN LISTS tools)
  get_target_property(program ${tool} OUTPUT_NAME)
  set(man ${PROJECT_BINARY_DIR}/share/man/man1/${program}.1)
  set(bash ${PROJECT_BINARY_DIR}/share/bash-completion/completions/${program})
  set(zsh ${PROJECT_BINARY_DIR}/share/zsh/site-functions/_${program})
  set(fish ${PROJECT_BINARY_DIR}/share/fish/vendor_completions.d/${program}.fish)
  add_custom_command(
    OUTPUT ${man} ${bash} ${zsh} ${fish}
    COMMAND ${CMAKE_COMMAND} -E make_directory
            ${PROJECT_BINARY_DIR}/share/man/man1 ${PROJECT_BINARY_DIR}/share/bash-completion/completions
            ${PROJECT_BINARY_DIR}/share/zsh/site-functions
            ${PROJECT_BINARY_DIR}/share/fish/vendor_completions.d
    COMMAND ${tool} --generate=man > ${man}
    COMMAND ${tool} --generate=bash > ${bash}
    COMMAND ${tool} --generate=zsh > ${zsh}
    COMMAND ${tool} --generate=fish > ${fish}
    DEPENDS ${tool} COMMENT "Manual page and completions of ${program}" VERBATIM)
  list(APPEND generated ${man} ${bash} ${zsh} ${fish})
endforeach()
foreach(command analyze codegen compile run dump)
  set(man ${PROJECT_BINARY_DIR}/share/man/man1/tigris-${command}.1)
  if(NOT man IN_LIST generated)
    add_custom_command(
      OUTPUT ${man}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/share/man/man1
      COMMAND tigris-driver ${command} --generate=man > ${man}
      DEPENDS tigris-driver COMMENT "Manual page of tigris ${command}" VERBATIM)
    list(APPEND generated ${man})
  endif()
endforeach()
add_custom_target(tigris_manuals ALL DEPENDS ${generated})
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

# --- cpack -G DEB
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME tigris)
set(CPACK_PACKAGE_CONTACT "The TiGrIS developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pkg-config, cmake, g++")
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # libtigris is part of the package, and found by the tools' relative run path.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
endif()
include(CPack)
