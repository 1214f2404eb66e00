# distutils: language = c++
# cython: language_level = 3, show_performance_hints = False
"""The compiled half of shoal. Private: use the names that `shoal` exports.

Nothing here has a meaning of its own: it turns Python's values into the library's and back. Every call that may block
releases the GIL and ends early if a signal handler raises.
"""

import atexit
import os
import re
from operator import index

import pyarrow as pa
import pyarrow._compute
import pyarrow._fs

from shoal._checks import flag

from cython.operator cimport dereference as deref
from libcpp cimport bool as c_bool
from libcpp.memory cimport make_shared, shared_ptr
from libcpp.string cimport string as c_string
from libcpp.string_view cimport string_view
from libcpp.utility cimport move
from libcpp.vector cimport vector
from libc.limits cimport INT_MAX
from libc.stdint cimport int64_t

cimport cython

from libshoal cimport *
from pyarrow._compute cimport Expression
from pyarrow._fs cimport FileSystem
from pyarrow.includes.common cimport CResult, GetResultValue
from pyarrow.includes.libarrow cimport (
    CExpression,
    CFieldRef,
    CMakeFieldExpression,
    CMemoryPool,
    CRecordBatch,
    CRecordBatchReader,
    CScalar,
    CSchema,
    c_default_memory_pool,
)
from pyarrow.includes.libarrow_fs cimport CFileSystem, CFileType
from pyarrow.includes.libarrow_python cimport c_get_memory_pool
from pyarrow.lib cimport (
    MemoryPool,
    RecordBatch,
    RecordBatchReader,
    Schema,
    Table,
    check_status,
    maybe_unbox_memory_pool,
    pyarrow_unwrap_batch,
    pyarrow_unwrap_schema,
    pyarrow_unwrap_table,
    pyarrow_wrap_batch,
    pyarrow_wrap_scalar,
    pyarrow_wrap_schema,
    pyarrow_wrap_table,
)


def version() -> str:
    """The version of the C++ library."""
    return text(CVersion())



include "values.pxi"
include "partitioning.pxi"
include "request.pxi"
include "stream.pxi"
include "plan.pxi"
include "file_scan.pxi"
include "dataset.pxi"


# Before the interpreter is taken down: what reads through a filesystem made in Python can't end afterwards.
atexit.register(close_all_streams)
