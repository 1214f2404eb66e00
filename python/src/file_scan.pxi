# Scans that an engine takes over.


cdef CReadMode read_mode(bint engine_reads):
    return CReadMode.kEngineReads if engine_reads else CReadMode.kShoalReads


cdef vector[CExpression] expressions(filters) except *:
    cdef vector[CExpression] out
    for filter in filters:
        out.push_back((<Expression?> filter).unwrap())
    return out


cdef list supports_of(vector[CFilterSupport] supports):
    return [(text(CFilterUseName(support.use)), text_of(support.reason)) for support in supports]


cdef CScanArguments scan_arguments(projection, filters, limit, offset) except *:
    cdef CScanArguments arguments
    cdef vector[int] places
    if projection is not None and all(isinstance(column, str) for column in projection):
        arguments.projection = CColumnsNamed(as_byte_strings(projection))
    elif projection is not None:
        for column in projection:
            places.push_back(small("projection", integer("projection", column)))
        arguments.projection = CColumnsAt(places)
    arguments.filters = expressions(filters)
    if limit is not None:
        arguments.limit = integer("limit", limit)
    arguments.offset = integer("offset", offset)
    return arguments


@cython.final
cdef class SchemaAdapter:
    """From batches of one file to batches of a scan. Immutable."""
    cdef shared_ptr[CSchemaAdapter] adapter

    def __init__(self):
        raise TypeError("Use FileScan.adapter() to make a schema adapter")

    def columns(self):
        return list(self.adapter.get().columns())

    def leaves(self):
        return list(self.adapter.get().leaves())

    def adapt(self, RecordBatch batch not None):
        cdef shared_ptr[CRecordBatch] c_batch = pyarrow_unwrap_batch(batch)
        cdef CMemoryPool* pool = c_get_memory_pool()
        with nogil:
            c_batch = GetResultValue(self.adapter.get().Adapt(deref(c_batch), pool))
        return pyarrow_wrap_batch(c_batch)


@cython.final
cdef class FileScan:
    """A scan that an engine can take over. Immutable."""
    cdef shared_ptr[CFileScanConfig] scan

    def __init__(self):
        raise TypeError("Use Dataset.file_scan() to make a file scan")

    @staticmethod
    cdef FileScan wrap(shared_ptr[CFileScanConfig] scan):
        cdef FileScan self = FileScan.__new__(FileScan)
        self.scan = scan
        return self

    def plan(self):
        return ScanPlan.wrap(make_shared[CScanPlan](deref(self.scan.get().plan)))

    def schemas(self):
        """(table, files, partition keys, scan, output)."""
        cdef CFileScanConfig* scan = self.scan.get()
        return (
            pyarrow_wrap_schema(scan.table_schema),
            pyarrow_wrap_schema(scan.file_schema),
            pyarrow_wrap_schema(scan.partition_schema),
            pyarrow_wrap_schema(scan.scan_schema),
            pyarrow_wrap_schema(scan.output_schema),
        )

    def filesystem(self):
        return FileSystem.wrap(self.scan.get().filesystem)

    def format_name(self):
        return text(self.scan.get().format.get().name())

    def projection(self):
        return list(self.scan.get().projection)

    def filters(self):
        return supports_of(self.scan.get().filters)

    def residual_filters(self):
        return [Expression.wrap(filter) for filter in self.scan.get().residual_filters]

    def limit(self):
        """(limit, offset, whether they are pushed, why not, rows a group need give); None: none."""
        cdef CFileScanConfig* scan = self.scan.get()
        return (
            scan.limit.value() if scan.limit.has_value() else None,
            scan.offset,
            scan.limit_pushed,
            text_of(scan.limit_reason) or None,
            scan.group_limit.value() if scan.group_limit.has_value() else None,
        )

    def statistics(self):
        return statistics_of(self.scan.get().statistics)

    def output_partitioning(self):
        return texts(self.scan.get().output_partitioning)

    def adapter(self, size_t fragment, Schema file_schema not None):
        if fragment >= self.scan.get().plan.get().fragments.size():
            raise IndexError(f"The plan has no fragment {fragment}")
        cdef SchemaAdapter out = SchemaAdapter.__new__(SchemaAdapter)
        cdef shared_ptr[CSchema] schema = pyarrow_unwrap_schema(file_schema)
        with nogil:
            out.adapter = GetResultValue(CallMakeAdapter(deref(self.scan), fragment, deref(schema)))
        return out

    def finish(self, RecordBatch batch not None):
        cdef shared_ptr[CRecordBatch] c_batch = pyarrow_unwrap_batch(batch)
        cdef CMemoryPool* pool = c_get_memory_pool()
        with nogil:
            c_batch = GetResultValue(self.scan.get().Finish(c_batch, pool))
        return pyarrow_wrap_batch(c_batch)
