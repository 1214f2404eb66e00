# What is asked for, and how it is to be done.


@cython.final
cdef class ScanRequest:
    """Columns, filter, limit and offset of a scan. Immutable."""
    cdef CScanRequest request

    def __init__(self, columns, Expression filter, limit, offset):
        """`columns`: pairs of a name and an expression, or None for all; `filter`: an expression, or None."""
        cdef vector[CProjectedColumn] c_columns
        cdef CProjectedColumn c_column
        if columns is not None:
            for name, expression in columns:
                c_column = CProjectedColumn()
                c_column.name = as_bytes(name)
                c_column.expression = (<Expression?> expression).unwrap()
                c_columns.push_back(c_column)
            self.request.columns = c_columns
        if filter is not None:
            self.request.filter = filter.unwrap()
        if limit is not None:
            self.request.limit = integer("limit", limit)
        self.request.offset = integer("offset", offset)


cdef COnBadFile on_bad_file(str option, value) except *:
    if value == "error":
        return COnBadFile.kError
    if value == "skip":
        return COnBadFile.kSkip
    raise ValueError(f"{option} must be 'error' or 'skip', but is {value!r}")


@cython.final
cdef class ScanOptions:
    """How a scan runs. None: the library's default. Immutable."""
    cdef CScanOptions options
    cdef MemoryPool pool

    def __init__(self, *, batch_size=None, memory_budget=None, workers=None, io_concurrency=None, ordered=True,
                 on_missing="error", on_corrupt="error", MemoryPool memory_pool=None):
        if batch_size is not None:
            self.options.batch_rows = positive("batch_size", batch_size)
        if memory_budget is not None:
            self.options.memory_budget = positive("memory_budget", memory_budget)
        if workers is not None:
            self.options.workers = small("workers", integer("workers", workers))
            if self.options.workers < 0:  # the library's own sign for "as many as there are cores"
                raise ValueError(f"workers must be 0 or more, but is {workers}")
        if io_concurrency is not None:
            self.options.io_concurrency = small("io_concurrency", positive("io_concurrency", io_concurrency))
        self.options.ordered = flag("ordered", ordered)
        self.options.on_missing = on_bad_file("on_missing", on_missing)
        self.options.on_corrupt = on_bad_file("on_corrupt", on_corrupt)
        self.pool = memory_pool

    @property
    def skips_corrupt(self):
        return self.options.on_corrupt == COnBadFile.kSkip

    cdef CScanOptions get(self):
        # pyarrow's default pool can change at any time (pa.set_memory_pool), so it is asked for when a scan starts. As
        # long as nobody has chosen one, the library's own pool is the better one.
        cdef CScanOptions options = self.options
        if self.pool is not None:
            options.pool = self.pool.pool
        elif c_get_memory_pool() != c_default_memory_pool():
            options.pool = c_get_memory_pool()
        return options
