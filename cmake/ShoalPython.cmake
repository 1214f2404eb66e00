# The Python extension shoal._core. It is Cython with `cimport pyarrow`, so it uses the wheel's Arrow
# and fits the pyarrow major version it was built for; _built_for.py records which.

file(GLOB _shoal_cython CONFIGURE_DEPENDS python/src/*.pyx python/src/*.pxd python/src/*.pxi)
file(GLOB _shoal_extension_sources CONFIGURE_DEPENDS python/src/*.cc)
get_filename_component(_shoal_site_packages ${SHOAL_ARROW_LIBRARY_DIR} DIRECTORY)

set(_shoal_core_cpp ${CMAKE_CURRENT_BINARY_DIR}/python/_core.cpp)
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python)
add_custom_command(
  OUTPUT ${_shoal_core_cpp}
  COMMAND ${Python_EXECUTABLE} -m cython --cplus -3 --module-name shoal._core -I ${_shoal_site_packages}
          -I ${PROJECT_SOURCE_DIR}/python/src -o ${_shoal_core_cpp}
          ${PROJECT_SOURCE_DIR}/python/src/_core.pyx
  DEPENDS ${_shoal_cython}
  COMMENT "Cython shoal._core"
  VERBATIM)

python_add_library(shoal_python MODULE WITH_SOABI ${_shoal_core_cpp} ${_shoal_extension_sources})
target_include_directories(shoal_python PRIVATE python/src)
target_include_directories(shoal_python SYSTEM PRIVATE ${Python_NumPy_INCLUDE_DIRS})
target_link_libraries(shoal_python PRIVATE shoal shoal_warnings Arrow::parquet Arrow::python)
set_source_files_properties(${_shoal_core_cpp} PROPERTIES COMPILE_OPTIONS -w)  # generated code
# Python needs the module's init function and nothing else of it.
target_link_options(shoal_python PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(
  shoal_python
  PROPERTIES OUTPUT_NAME _core
             LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python
             CXX_VISIBILITY_PRESET hidden
             INSTALL_RPATH "$ORIGIN/../pyarrow")

configure_file(python/src/_built_for.py.in ${CMAKE_CURRENT_BINARY_DIR}/python/_built_for.py @ONLY)
# Only the wheel's build asks for this component: a plain `cmake --install` has no place for it.
install(TARGETS shoal_python LIBRARY DESTINATION shoal COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/python/_built_for.py DESTINATION shoal COMPONENT python
        EXCLUDE_FROM_ALL)
if(SHOAL_BUILD_CLI AND DEFINED SKBUILD_SCRIPTS_DIR)
  # bin/shoal of an environment finds Arrow in the pyarrow of the same environment. It is linked by
  # itself, since a program remembers one way to Arrow and the one installed for C++ has another.
  add_executable(shoal_cli_of_wheel $<TARGET_OBJECTS:shoal_cli>)
  target_link_libraries(shoal_cli_of_wheel PRIVATE shoal Arrow::parquet)
  set_target_properties(
    shoal_cli_of_wheel
    PROPERTIES OUTPUT_NAME shoal
               LINKER_LANGUAGE CXX
               RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/python
               INSTALL_RPATH "$ORIGIN/../lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/\
site-packages/pyarrow")
  install(TARGETS shoal_cli_of_wheel RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python
                                                                                EXCLUDE_FROM_ALL)
endif()
