# Finds Apache Arrow's C++ libraries and offers them under one set of names, wherever they come from:
#
#   Arrow::arrow  Arrow::compute  Arrow::parquet  Arrow::acero  Arrow::s3  Arrow::substrait  Arrow::python
#
# SHOAL_ARROW_SOURCE says where to look:
#   package   an installed Arrow, by find_package(Arrow)
#   wheel     the pyarrow wheel of the Python interpreter: headers and shared libraries ship in it
#   auto      the wheel when the Python extension is built (one process can't hold two libarrow),
#             else the package, else the wheel
#
# Sets SHOAL_ARROW_FOUND_IN (package or wheel), SHOAL_ARROW_MAJOR and, for a wheel,
# SHOAL_ARROW_LIBRARY_DIR. This file is installed too: shoalConfig.cmake includes it.

set(SHOAL_ARROW_SOURCE "auto" CACHE STRING "Where Arrow comes from: auto, wheel or package")
set_property(CACHE SHOAL_ARROW_SOURCE PROPERTY STRINGS auto wheel package)

set(_shoal_arrow_components compute parquet acero s3 substrait python)

# Adds Arrow::<name>, an interface to `target`. Targets are global, so that a consumer's folders see them.
function(_shoal_arrow_alias name target)
  if(NOT TARGET Arrow::${name})
    add_library(Arrow::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(Arrow::${name} INTERFACE ${target})
  endif()
endfunction()

macro(_shoal_arrow_from_package)
  find_package(Arrow CONFIG QUIET)
  if(Arrow_FOUND)
    set(SHOAL_ARROW_FOUND_IN package)
    string(REGEX MATCH "^[0-9]+" SHOAL_ARROW_MAJOR "${ARROW_VERSION}")
    _shoal_arrow_alias(arrow Arrow::arrow_shared)
    foreach(package IN ITEMS ArrowCompute ArrowAcero ArrowSubstrait Parquet)
      find_package(${package} CONFIG QUIET)
    endforeach()
    # A part that has no library of its own in this Arrow is within libarrow.
    foreach(pair IN ITEMS "compute=ArrowCompute::arrow_compute_shared" "parquet=Parquet::parquet_shared"
                          "acero=ArrowAcero::arrow_acero_shared" "s3=ArrowS3::arrow_s3_shared"
                          "substrait=ArrowSubstrait::arrow_substrait_shared")
      string(REPLACE "=" ";" pair "${pair}")
      list(GET pair 0 name)
      list(GET pair 1 target)
      if(TARGET ${target})
        _shoal_arrow_alias(${name} ${target})
      else()
        _shoal_arrow_alias(${name} Arrow::arrow_shared)
      endif()
    endforeach()
  endif()
endmacro()

macro(_shoal_arrow_from_wheel)
  if(NOT Python_EXECUTABLE)
    find_package(Python 3.11 QUIET COMPONENTS Interpreter)
  endif()
  if(Python_EXECUTABLE)
    execute_process(
      COMMAND ${Python_EXECUTABLE} -c "import pyarrow; print(pyarrow.__path__[0])"
      OUTPUT_VARIABLE _shoal_pyarrow OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  # The wheel has no unversioned names: libarrow.so.2600 is all there is of libarrow.
  file(GLOB _shoal_libarrow "${_shoal_pyarrow}/libarrow.so.*")
  list(FILTER _shoal_libarrow INCLUDE REGEX "libarrow\\.so\\.[0-9]+$")
  if(_shoal_pyarrow AND _shoal_libarrow)
    set(SHOAL_ARROW_FOUND_IN wheel)
    set(SHOAL_ARROW_LIBRARY_DIR "${_shoal_pyarrow}")
    string(REGEX MATCH "[0-9]+$" _shoal_soversion "${_shoal_libarrow}")
    math(EXPR SHOAL_ARROW_MAJOR "${_shoal_soversion} / 100")
    foreach(name IN ITEMS arrow ${_shoal_arrow_components})
      if(name MATCHES "arrow|parquet")
        set(file "lib${name}.so.${_shoal_soversion}")
      else()
        set(file "libarrow_${name}.so.${_shoal_soversion}")
      endif()
      if(NOT TARGET Arrow::${name} AND EXISTS "${_shoal_pyarrow}/${file}")
        add_library(Arrow::${name} SHARED IMPORTED GLOBAL)
        set_target_properties(
          Arrow::${name}
          PROPERTIES IMPORTED_LOCATION "${_shoal_pyarrow}/${file}" IMPORTED_SONAME "${file}"
                     INTERFACE_INCLUDE_DIRECTORIES "${_shoal_pyarrow}/include")
        if(NOT name STREQUAL "arrow")
          target_link_libraries(Arrow::${name} INTERFACE Arrow::arrow)
        endif()
      endif()
    endforeach()
  endif()
endmacro()

unset(SHOAL_ARROW_FOUND_IN)
if(SHOAL_BUILD_PYTHON)
  if(SHOAL_ARROW_SOURCE STREQUAL "package")
    message(FATAL_ERROR "The Python extension shares pyarrow's libraries: it can't be built with "
                        "SHOAL_ARROW_SOURCE=package")
  endif()
  _shoal_arrow_from_wheel()
elseif(SHOAL_ARROW_SOURCE STREQUAL "wheel")
  _shoal_arrow_from_wheel()
elseif(SHOAL_ARROW_SOURCE STREQUAL "package")
  _shoal_arrow_from_package()
else()
  _shoal_arrow_from_package()
  if(NOT SHOAL_ARROW_FOUND_IN)
    _shoal_arrow_from_wheel()
  endif()
endif()

if(NOT SHOAL_ARROW_FOUND_IN)
  message(FATAL_ERROR
    "Apache Arrow's C++ libraries were not found (SHOAL_ARROW_SOURCE=${SHOAL_ARROW_SOURCE}). Install Arrow "
    "so that find_package(Arrow) finds it, or run `pip install pyarrow==26.0.1` and pass "
    "-DPython_EXECUTABLE=<that Python>.")
endif()
if(NOT Arrow_FIND_QUIETLY)
  message(STATUS "Arrow ${SHOAL_ARROW_MAJOR} from ${SHOAL_ARROW_FOUND_IN} ${SHOAL_ARROW_LIBRARY_DIR}")
endif()
