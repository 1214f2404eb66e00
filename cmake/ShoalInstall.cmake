# `cmake --install <build>` gives the program bin/shoal, and C++ users find_package(shoal) and the
# target shoal::shoal: the component cpp. The Python package is the other component; only the wheel's
# build installs it.

include(CMakePackageConfigHelpers)
set(_shoal_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)

install(TARGETS shoal EXPORT shoalTargets COMPONENT cpp)
install(DIRECTORY include/shoal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT cpp
        FILES_MATCHING PATTERN "*.h")
install(EXPORT shoalTargets NAMESPACE shoal:: DESTINATION ${_shoal_config_dir} COMPONENT cpp)
configure_package_config_file(cmake/shoalConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/shoalConfig.cmake
                              INSTALL_DESTINATION ${_shoal_config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/shoalConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/shoalConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/shoalConfigVersion.cmake cmake/ShoalArrow.cmake
        DESTINATION ${_shoal_config_dir} COMPONENT cpp)

if(SHOAL_BUILD_CLI)
  # A wheel's Arrow is not where the loader looks, so the installed program has to remember the place.
  set_target_properties(shoal_cli PROPERTIES INSTALL_RPATH "${SHOAL_ARROW_LIBRARY_DIR}")
  install(TARGETS shoal_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cpp)
endif()
