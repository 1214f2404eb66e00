# distutils: language = c++
"""The compiled half of shoal. Private: use the names that `shoal` exports."""

cimport pyarrow.lib as pa
from libcpp.string cimport string
from libcpp.string_view cimport string_view


cdef extern from "shoal/version.h" namespace "shoal" nogil:
    string_view CVersion "shoal::Version"()


def version() -> str:
    """The version of the C++ library."""
    return string(CVersion()).decode()
