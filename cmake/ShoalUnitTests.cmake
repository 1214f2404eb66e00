# One program holds all unit tests: src/**/*_test.cc and cli/*_test.cc (beside the code) and tests/unit/*.cc; tests/support/ is for all of them.
# ctest labels: `oracle` and `fuzz` for suites whose name says so, `unit` for the rest.

include(GoogleTest)
find_package(Threads REQUIRED)

# GoogleTest: the sources that the `ros-gtest-vendor` and `ros-gmock-vendor` wheels carry, else an installed one.
if(Python_EXECUTABLE)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('data') + '/src')"
    OUTPUT_VARIABLE _shoal_gtest OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(EXISTS "${_shoal_gtest}/gtest_vendor/src/gtest-all.cc"
   AND EXISTS "${_shoal_gtest}/gmock_vendor/src/gmock-all.cc")
  add_library(shoal_gtest STATIC EXCLUDE_FROM_ALL
    ${_shoal_gtest}/gtest_vendor/src/gtest-all.cc
    ${_shoal_gtest}/gmock_vendor/src/gmock-all.cc
    ${_shoal_gtest}/gmock_vendor/src/gmock_main.cc)
  target_include_directories(
    shoal_gtest SYSTEM
    PUBLIC ${_shoal_gtest}/gtest_vendor/include ${_shoal_gtest}/gmock_vendor/include
    PRIVATE ${_shoal_gtest}/gtest_vendor ${_shoal_gtest}/gmock_vendor)
  target_link_libraries(shoal_gtest PUBLIC Threads::Threads)
else()
  find_package(GTest QUIET)
  if(NOT TARGET GTest::gmock_main)
    message(FATAL_ERROR "GoogleTest was not found. Run `pip install --require-hashes -r "
                        "requirements/googletest.txt`, or install libgtest-dev and libgmock-dev.")
  endif()
  add_library(shoal_gtest INTERFACE)
  target_link_libraries(shoal_gtest INTERFACE GTest::gmock_main GTest::gmock GTest::gtest)
endif()

file(GLOB _shoal_unit_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/*.cc
     ${PROJECT_SOURCE_DIR}/tests/support/*.cc)
# Of the program, the parts that are tested alone: each x_test.cc with its x.cc, and what that needs.
file(GLOB _shoal_cli_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*_test.cc)
set(_shoal_cli_parts ${_shoal_cli_tests} ${PROJECT_SOURCE_DIR}/cli/temporal_text.cc)
list(TRANSFORM _shoal_cli_tests REPLACE "_test\\.cc$" ".cc")
list(APPEND _shoal_cli_parts ${_shoal_cli_tests})
add_executable(shoal_unit_tests ${shoal_test_sources} ${_shoal_unit_sources} ${_shoal_cli_parts})
target_include_directories(shoal_unit_tests PRIVATE src tests tests/unit cli)
target_include_directories(shoal_unit_tests SYSTEM PRIVATE ${SHOAL_JSON_INCLUDE_DIR})
target_link_libraries(shoal_unit_tests PRIVATE shoal shoal_gtest shoal_warnings Arrow::parquet)
shoal_share_precompiled_header(shoal_unit_tests)

foreach(group IN ITEMS "unit=-*Oracle*:*Fuzz*" "oracle=*Oracle*" "fuzz=*Fuzz*")
  string(REPLACE "=" ";" group "${group}")
  list(GET group 0 label)
  list(GET group 1 filter)
  gtest_discover_tests(
    shoal_unit_tests DISCOVERY_MODE PRE_TEST TEST_FILTER "${filter}" TEST_LIST shoal_${label}_tests
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES LABELS ${label})
endforeach()
