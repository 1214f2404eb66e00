# The dataset.


def file_type(FileSystem filesystem not None, str path not None):
    """What is at the path, as the value of a pyarrow.fs.FileType."""
    cdef shared_ptr[CFileSystem] c_filesystem = filesystem.unwrap()
    cdef c_string c_path = as_bytes(path)
    cdef CFileType type
    with nogil:
        type = GetResultValue(CallLook(c_filesystem, c_path))
    return <int> type


def wherever(str path not None):
    """The path, so that it means the same in a process that runs elsewhere."""
    if not path or path.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", path):
        return path
    return os.path.join(os.getcwd(), path)


def user_cache_directory():
    """Where caches of this user are kept."""
    return text_of(GetResultValue(CUserCacheDirectory()))


def forget_listings(str path not None):
    cdef c_string c_path = as_bytes(path)
    with nogil:
        CForgetListings(<string_view> c_path)


def open_again(sources, options):
    return Dataset(sources, **options)


def union_of(children, Schema schema=None):
    """The datasets as one."""
    cdef vector[shared_ptr[CDataset]] c_children
    cdef shared_ptr[CSchema] c_schema
    children = tuple(children)
    for child in children:
        c_children.push_back((<Dataset?> child).dataset)
    if schema is not None:
        c_schema = pyarrow_unwrap_schema(schema)
    cdef Dataset made = Dataset.__new__(Dataset)
    made.dataset = <shared_ptr[CDataset]> GetResultValue(CMakeUnion(c_children, c_schema))
    made.remade_by = (union_of, (children, schema))
    return made


def table_dataset(Table table not None):
    """The table as a dataset."""
    cdef Dataset made = Dataset.__new__(Dataset)
    made.dataset = GetResultValue(COpenTable(pyarrow_unwrap_table(table)))
    made.remade_by = (table_dataset, (table,))
    return made


cdef optional[vector[int]] as_row_groups(row_groups) except *:
    cdef optional[vector[int]] out
    cdef vector[int] numbers
    if row_groups is not None:
        for number in row_groups:
            numbers.push_back(small("row_group", integer("row_group", number)))
        out = numbers
    return out


@cython.final
cdef class Dataset:
    """A table of files. Immutable. Pickles as its sources and options, so that who unpickles it lists anew."""
    cdef shared_ptr[CDataset] dataset
    cdef tuple remade_by  # a function and its arguments

    def __init__(self, sources, *, FileSystem filesystem=None, str format="", str format_options="",
                 Partitioning partitioning=None,
                 str partition_base_dir="", Schema schema=None, inspect=256, str extension="",
                 ignore_prefixes=("_", "."), bint ignore_subdirectory=False, strict=(), list_concurrency=100,
                 str cache="", cache_limit=1 << 30, int64_t listing_cache_ms=0, storage_options=None,
                 virtual_columns=None, bint rename_duplicates=False, bint case_insensitive=False,
                 bint permissive=False, bint infer_from_all=False):
        cdef COpenOptions options
        ignore_prefixes, strict = tuple(ignore_prefixes), tuple(strict)
        if filesystem is not None:
            options.filesystem = filesystem.unwrap()
        options.format = as_bytes(format)
        cdef c_string c_options = as_bytes(format_options)
        if format_options:
            options.file_format = GetResultValue(
                CGetFileFormatWith(<string_view> options.format, <string_view> c_options)
            )
        options.infer = CInferFrom.kAll if infer_from_all else CInferFrom.kSample
        if partitioning is not None:
            options.partitioning = partitioning.wrapped
        options.partition_base_dir = as_bytes(partition_base_dir)
        if schema is not None:
            options.schema = pyarrow_unwrap_schema(schema)
        options.inspect = integer("inspect", inspect)
        if rename_duplicates:
            options.duplicate_names = CDuplicateNames.kRename
        options.case_insensitive = case_insensitive
        if permissive:
            options.promote = CPromote.kPermissive
        options.extension = as_bytes(extension)
        options.ignore_prefixes = as_byte_strings(ignore_prefixes)
        options.ignore_subdirectory = ignore_subdirectory
        cdef c_string c_issue
        for issue in strict:
            c_issue = as_bytes(issue)
            options.strict.insert(GetResultValue(ParseListingIssue(<string_view> c_issue)))
        options.list_concurrency = small("list_concurrency", positive("list_concurrency", list_concurrency))
        options.cache = as_bytes(cache)
        options.cache_limit = positive("cache_limit", cache_limit)
        options.listing_cache_ttl = CMilliseconds(listing_cache_ms)
        virtual_columns = dict(virtual_columns or {})
        for name, value in virtual_columns.items():
            if name == "filename":
                options.virtual_columns.filename = as_bytes(value)
            elif name == "row_index":
                options.virtual_columns.row_index = as_bytes(value)
            elif name == "file_size":
                options.virtual_columns.file_size = as_bytes(value)
            elif name == "file_mtime":
                options.virtual_columns.file_mtime = as_bytes(value)
            elif name == "fragment_index":
                options.virtual_columns.fragment_index = as_bytes(value)
            else:
                raise ValueError(f"virtual_columns: there is no column {name!r}")
        storage_options = dict(storage_options or {})
        for name, value in storage_options.items():
            options.storage_options[as_bytes(name)] = as_bytes(value)
        sources = list(sources)
        cdef vector[c_string] c_sources = as_byte_strings(sources)
        if filesystem is None:
            sources = [wherever(source) for source in sources]
            partition_base_dir = wherever(partition_base_dir)
        self.remade_by = (open_again, (sources, {
            "filesystem": filesystem,
            "format": format,
            "format_options": format_options,
            "partitioning": partitioning,
            "partition_base_dir": partition_base_dir,
            "schema": schema,
            "inspect": inspect,
            "extension": extension,
            "ignore_prefixes": ignore_prefixes,
            "ignore_subdirectory": ignore_subdirectory,
            "strict": strict,
            "list_concurrency": list_concurrency,
            "cache": cache,
            "cache_limit": cache_limit,
            "listing_cache_ms": listing_cache_ms,
            "virtual_columns": virtual_columns,
            "storage_options": storage_options,
            "rename_duplicates": rename_duplicates,
            "case_insensitive": case_insensitive,
            "permissive": permissive,
            "infer_from_all": infer_from_all,
        }))
        with nogil:
            self.dataset = GetResultValue(CallOpen(c_sources, options))

    def schema(self):
        cdef shared_ptr[CSchema] schema
        with nogil:
            schema = GetResultValue(CallSchema(self.dataset))
        return pyarrow_wrap_schema(schema)

    def partition_schema(self):
        cdef shared_ptr[CSchema] schema
        with nogil:
            schema = GetResultValue(CallPartitionSchema(self.dataset))
        return pyarrow_wrap_schema(schema)

    def format_name(self):
        cdef shared_ptr[const CFileFormat] format
        with nogil:
            format = GetResultValue(CallFormat(self.dataset))
        return text(format.get().name())

    def filesystem(self):
        return FileSystem.wrap(GetResultValue(self.dataset.get().filesystem()))

    def files(self):
        cdef shared_ptr[const CFileTable] files
        with nogil:
            files = GetResultValue(CallFiles(self.dataset))
        return [text_of(files.get().path(i)) for i in range(files.get().num_files())]

    def listing_report(self):
        cdef shared_ptr[CListingReport] report
        with nogil:
            report = GetResultValue(CallReport(self.dataset))
        return listing_report_of(deref(report))

    def cache_report(self):
        cdef CCacheReport report
        with nogil:
            report = self.dataset.get().cache_report()
        return {
            "path": text_of(report.path) or None,
            "files_known": report.files_known,
            "files_used": report.files_used,
            "files_added": report.files_added,
            "problem": text_of(report.problem) or None,
        }

    def count(self, Expression filter, ScanOptions options not None):
        cdef CScanRequest request  # its filter keeps all rows
        cdef CScanOptions c_options = options.get()
        cdef int64_t rows
        if filter is not None:
            request.filter = filter.unwrap()
        with nogil:
            rows = GetResultValue(CallCount(self.dataset, request.filter, c_options))
        return rows

    def statistics(self, Expression filter):
        cdef CScanRequest request  # its filter keeps all rows
        cdef shared_ptr[CTableStatistics] statistics
        if filter is not None:
            request.filter = filter.unwrap()
        with nogil:
            statistics = GetResultValue(CallStatistics(self.dataset, request.filter))
        return statistics_of(deref(statistics))

    def count_scan(self, ScanRequest request not None, ScanOptions options not None):
        cdef CScanOptions c_options = options.get()
        cdef int64_t rows
        with nogil:
            rows = GetResultValue(CallCountScan(self.dataset, request.request, c_options))
        return rows

    def output_schema(self, ScanRequest request not None):
        cdef shared_ptr[CSchema] schema
        with nogil:
            schema = GetResultValue(CallOutputSchema(self.dataset, request.request))
        return pyarrow_wrap_schema(schema)

    def plan(self, ScanRequest request not None, *, bint collect_statistics=True, bint column_statistics=False,
             meta_fetch_concurrency=None):
        cdef CPlanOptions options = plan_options(collect_statistics, column_statistics, meta_fetch_concurrency)
        cdef shared_ptr[CScanPlan] plan
        with nogil:
            plan = GetResultValue(CallPlan(self.dataset, request.request, options))
        return ScanPlan.wrap(plan)

    def supports_filters(self, filters, bint engine_reads):
        """For each of the expressions (use, reason)."""
        cdef vector[CExpression] c_filters = expressions(filters)
        cdef CReadMode mode = read_mode(engine_reads)
        cdef vector[CFilterSupport] support
        with nogil:
            support = GetResultValue(CallSupportsFilters(self.dataset, c_filters, mode))
        return supports_of(support)

    def file_scan(self, projection, filters, limit, offset, *, bint engine_reads, bint collect_statistics,
                  meta_fetch_concurrency, target_partitions, min_size, preserve_file_partitions, bint by_ordering,
                  ordering, constraints):
        """`projection`: None, or a list of names, or one of places in the schema; `constraints`: pairs of whether
        it is the primary key, and names; `ordering`: triples of name, whether descending, whether nulls come first."""
        cdef CScanArguments arguments = scan_arguments(projection, filters, limit, offset)
        cdef CFileScanOptions options
        cdef CTableConstraint constraint
        options.mode = read_mode(engine_reads)
        options.collect_statistics = collect_statistics
        if meta_fetch_concurrency is not None:
            options.meta_fetch_concurrency = small(
                "meta_fetch_concurrency", positive("meta_fetch_concurrency", meta_fetch_concurrency)
            )
        options.grouping = group_options(
            target_partitions, False, min_size, preserve_file_partitions, by_ordering, ordering
        )
        for is_primary, names in constraints:
            constraint = CTableConstraint()
            constraint.kind = CConstraintKind.kPrimaryKey if is_primary else CConstraintKind.kUnique
            constraint.columns = as_byte_strings(names)
            options.constraints.push_back(constraint)
        cdef shared_ptr[CFileScanConfig] scan
        with nogil:
            scan = GetResultValue(CallFileScan(self.dataset, arguments, options))
        return FileScan.wrap(scan)

    def plan_fragment(self, ScanRequest request not None, ScanPlan whole not None, size_t fragment, row_groups=None):
        """The plan that reads one fragment of `whole`, or those of its row groups, for this dataset's schema."""
        if fragment >= whole.plan.get().fragments.size():
            raise IndexError(f"The plan has no fragment {fragment}")
        cdef shared_ptr[CScanPlan] plan
        cdef optional[vector[int]] c_row_groups = as_row_groups(row_groups)
        with nogil:
            plan = GetResultValue(
                CallPlanFragment(self.dataset, request.request, whole.plan, fragment, c_row_groups)
            )
        return ScanPlan.wrap(plan)

    def matching_row_groups(self, ScanRequest request not None, ScanPlan whole not None, size_t fragment, row_groups=None):
        """Of the row groups of a fragment of `whole` those that the request's filter does not rule out."""
        if fragment >= whole.plan.get().fragments.size():
            raise IndexError(f"The plan has no fragment {fragment}")
        cdef vector[int] out
        cdef optional[vector[int]] c_row_groups = as_row_groups(row_groups)
        with nogil:
            out = GetResultValue(
                CallMatchingRowGroups(self.dataset, whole.plan, fragment, c_row_groups, request.request.filter)
            )
        return list(out)

    def start(self, ScanRequest request not None, ScanOptions options not None):
        cdef CScanOptions c_options = options.get()
        cdef shared_ptr[CStream] stream
        with nogil:
            stream = GetResultValue(CallStartScan(self.dataset, request.request, c_options))
        return Stream.wrap(stream, options.pool)

    def read(self, ScanRequest request not None, ScanOptions options not None):
        """(table, metrics)."""
        cdef CScanOptions c_options = options.get()
        cdef CTableRead read
        with nogil:
            read = GetResultValue(CallReadScan(self.dataset, request.request, c_options))
        return pyarrow_wrap_table(read.table), metrics_of(read.metrics)

    def refresh(self):
        cdef Dataset fresh = Dataset.__new__(Dataset)
        with nogil:
            fresh.dataset = GetResultValue(CallRefresh(self.dataset))
        fresh.remade_by = self.remade_by
        return fresh

    def __reduce__(self):
        return self.remade_by
