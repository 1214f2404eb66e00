# Finds nlohmann/json's headers: in the `nlohmann-json` Python package, else installed.
# Sets SHOAL_JSON_INCLUDE_DIR. Private to the library: no public header includes it.

if(NOT Python_EXECUTABLE)
  find_package(Python 3.11 QUIET COMPONENTS Interpreter)
endif()
if(Python_EXECUTABLE)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
            "import importlib.util as u; print(u.find_spec('nlohmann_json').submodule_search_locations[0])"
    OUTPUT_VARIABLE _shoal_json OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
find_path(SHOAL_JSON_INCLUDE_DIR nlohmann/json.hpp HINTS "${_shoal_json}/include")
if(NOT SHOAL_JSON_INCLUDE_DIR)
  message(FATAL_ERROR "nlohmann/json.hpp was not found. Run `pip install nlohmann-json==3.12.0`, or install "
                      "nlohmann-json3-dev.")
endif()
