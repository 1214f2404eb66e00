# Plans.


cdef tuple fragment_of(const CFragment& fragment):
    """(path, size, mtime_ns, partition values as scalars, None where the path lacks the key, row groups or None, rows as
    a figure, the order as triples, statistics of columns or None)."""
    values = []
    cdef size_t i
    cdef shared_ptr[CScalar] value
    if fragment.partition_values.get() != NULL:
        for i in range(fragment.partition_values.get().size()):
            value = deref(fragment.partition_values)[i]
            values.append(pyarrow_wrap_scalar(value) if value.get() != NULL else None)
    row_groups = None
    if fragment.row_groups.has_value():
        row_groups = tuple(fragment.row_groups.value())
    return (
        text_of(fragment.path),
        fragment.version.size if fragment.version.size >= 0 else None,
        fragment.version.mtime_ns if fragment.version.mtime_ns >= 0 else None,
        values,
        row_groups,
        figure(fragment.num_rows),
        order_of(fragment.ordering),
        None if fragment.column_statistics.get() == NULL else columns_of(deref(fragment.column_statistics)),
    )


cdef list order_of(const vector[CSortColumn]& order):
    """Triples of name, whether descending, whether nulls come first."""
    out = []
    cdef size_t i
    for i in range(order.size()):
        out.append((text_of(order[i].name), bool(order[i].descending), bool(order[i].nulls_first)))
    return out


cdef list columns_of(const vector[CColumnStatistics]& columns):
    out = []
    cdef size_t i
    for i in range(columns.size()):
        out.append((
            figure(columns[i].null_count),
            scalar_figure(columns[i].min),
            scalar_figure(columns[i].max),
            figure(columns[i].distinct_count),
        ))
    return out


cdef tuple statistics_of(CTableStatistics s):
    """(rows, bytes, per column of the table (nulls, min, max, distinct values)); figures."""
    return (figure(s.num_rows), figure(s.total_bytes), columns_of(s.columns))


cdef CPlanOptions plan_options(bint collect_statistics, bint column_statistics, meta_fetch_concurrency) except *:
    cdef CPlanOptions options
    options.collect_statistics = collect_statistics
    options.column_statistics = column_statistics
    if meta_fetch_concurrency is not None:
        options.meta_fetch_concurrency = small(
            "meta_fetch_concurrency", positive("meta_fetch_concurrency", meta_fetch_concurrency)
        )
    return options


cdef CFileGroupOptions group_options(
    target_partitions, bint by_rows, min_size, preserve_file_partitions, bint by_ordering, ordering
) except *:
    """`ordering`: triples of name, whether descending, whether nulls come first."""
    cdef CFileGroupOptions options
    cdef CSortColumn column
    options.target_partitions = small("target_partitions", positive("target_partitions", target_partitions))
    options.balance = CBalance.kRows if by_rows else CBalance.kBytes
    if min_size is not None:
        options.repartition_file_min_size = min_size
    options.preserve_file_partitions = small(
        "preserve_file_partitions", integer("preserve_file_partitions", preserve_file_partitions)
    )
    options.split_file_groups_by_statistics = by_ordering
    for name, descending, nulls_first in ordering:
        column = CSortColumn()
        column.name = as_bytes(name)
        column.descending = descending
        column.nulls_first = nulls_first
        options.ordering.push_back(column)
    return options


@cython.final
cdef class ScanPlan:
    """What a scan will read. Immutable."""
    cdef shared_ptr[CScanPlan] plan

    def __init__(self):
        raise TypeError("Use Dataset.plan() or ScanPlan.from_json() to make a plan")

    @staticmethod
    cdef ScanPlan wrap(shared_ptr[CScanPlan] plan):
        cdef ScanPlan self = ScanPlan.__new__(ScanPlan)
        self.plan = plan
        return self

    @staticmethod
    def from_json(str json not None, FileSystem filesystem):
        cdef shared_ptr[CFileSystem] c_filesystem
        if filesystem is not None:
            c_filesystem = filesystem.unwrap()
        encoded = json.encode()
        cdef string_view view = string_view(<const char*> encoded, len(encoded))
        cdef shared_ptr[CScanPlan] plan
        with nogil:
            plan = make_shared[CScanPlan](GetResultValue(CScanPlan.FromJson(view, c_filesystem)))
        return ScanPlan.wrap(plan)

    def to_json(self):
        cdef c_string json
        with nogil:
            json = GetResultValue(self.plan.get().ToJson())
        return text_of(json)

    def to_text(self):
        cdef c_string words
        with nogil:
            words = self.plan.get().ToString()
        return text_of(words)

    @property
    def table_schema(self):
        return pyarrow_wrap_schema(self.plan.get().table_schema)

    @property
    def partition_schema(self):
        return pyarrow_wrap_schema(self.plan.get().partition_schema)

    @property
    def output_schema(self):
        return pyarrow_wrap_schema(self.plan.get().output_schema)

    @property
    def files_inspected(self):
        return self.plan.get().inspection.files

    def num_fragments(self):
        return self.plan.get().fragments.size()

    def fragment(self, size_t i):
        if i >= self.plan.get().fragments.size():
            raise IndexError(f"The plan has no fragment {i}")
        return fragment_of(self.plan.get().fragments[i])

    def statistics(self):
        return statistics_of(self.plan.get().statistics)

    def prune_report(self):
        cdef CPruneReport* report = &self.plan.get().prune
        conjuncts = [
            {
                "conjunct": text_of(c.conjunct),
                "directories_pruned": c.directories_pruned,
                "files_pruned": c.files_pruned,
                "row_groups_pruned": c.row_groups_pruned,
                "limitation": text_of(c.limitation) or None,
            }
            for c in report.conjuncts
        ]
        return {
            "filter": text_of(report.filter) or None,
            "conjuncts": conjuncts,
            "levels": [
                {
                    "key": text_of(level.key),
                    "directories": level.directories,
                    "directories_kept": level.directories_kept,
                }
                for level in report.levels
            ],
            "directories_pruned": report.directories_pruned,
            "files_listed": report.files_listed,
            "files_kept_by_keys": report.files_kept_by_keys,
            "files_kept": report.files_kept,
            "row_groups_seen": report.row_groups_seen,
            "row_groups_kept": report.row_groups_kept,
            "footers_read": report.footers_read,
            "footers_cached": report.footers_cached,
            "metadata_bytes": report.metadata_bytes,
            "store_requests": requests_of(report.store_requests),
            "pruned": [
                {
                    "path": text_of(piece.path),
                    "row_group": piece.row_group if piece.row_group >= 0 else None,
                    "level": text(CLevelName(piece.level)),
                    "conjunct": conjuncts[piece.conjunct]["conjunct"] if piece.conjunct >= 0 else None,
                }
                for piece in report.pruned
            ],
        }

    def listing_report(self):
        return listing_report_of(self.plan.get().listing)

    def store_requests(self):
        return requests_of(self.plan.get().store_requests())

    def inspection_requests(self):
        return requests_of(self.plan.get().inspection.store_requests)

    def file_groups(self, target_partitions, bint by_rows, min_size, preserve_file_partitions, bint by_ordering, ordering):
        """`ordering`: triples of name, whether descending, whether nulls come first."""
        cdef CFileGroupOptions options = group_options(
            target_partitions, by_rows, min_size, preserve_file_partitions, by_ordering, ordering
        )
        cdef shared_ptr[CFileGroups] groups
        with nogil:
            groups = make_shared[CFileGroups](GetResultValue(CMakeFileGroups(deref(self.plan), options)))
        return FileGroups.wrap(self.plan, groups)

    def start(self, ScanOptions options not None):
        cdef CScanOptions c_options = options.get()
        cdef shared_ptr[CStream] stream
        with nogil:
            stream = GetResultValue(CallStartPlan(self.plan, c_options))
        return Stream.wrap(stream, options.pool)

    def read(self, ScanOptions options not None):
        """(table, metrics)."""
        cdef CScanOptions c_options = options.get()
        cdef CTableRead read
        with nogil:
            read = GetResultValue(CallReadPlan(self.plan, c_options))
        return pyarrow_wrap_table(read.table), metrics_of(read.metrics)


@cython.final
cdef class FileGroups:
    """A plan divided into groups. Immutable."""
    cdef shared_ptr[CScanPlan] plan
    cdef shared_ptr[CFileGroups] groups

    def __init__(self):
        raise TypeError("Use ScanPlan.file_groups() to make groups")

    @staticmethod
    cdef FileGroups wrap(shared_ptr[CScanPlan] plan, shared_ptr[CFileGroups] groups):
        cdef FileGroups self = FileGroups.__new__(FileGroups)
        self.plan = plan
        self.groups = groups
        return self

    def __len__(self):
        return self.groups.get().groups.size()

    def group(self, size_t i):
        """(plan, partition values as lists of scalars)."""
        if i >= self.groups.get().groups.size():
            raise IndexError(f"There is no group {i}")
        cdef CFileGroup* group = &self.groups.get().groups[i]
        cdef size_t k, v
        values = [
            [
                pyarrow_wrap_scalar(deref(group.partition_values[v])[k])
                for k in range(deref(group.partition_values[v]).size())
            ]
            for v in range(group.partition_values.size())
        ]
        return ScanPlan.wrap(make_shared[CScanPlan](CPartOf(deref(self.plan), group.fragments))), values

    @property
    def by_partition_values(self):
        return bool(self.groups.get().by_partition_values)

    @property
    def output_partitioning(self):
        return texts(self.groups.get().output_partitioning)

    @property
    def output_ordering(self):
        return order_of(self.groups.get().output_ordering)

    @property
    def ordering_limitation(self):
        return text_of(self.groups.get().ordering_limitation)

    def start(self, ScanOptions options not None, bint file_stream_work_stealing):
        """A stream for each group."""
        cdef CReadFileGroupsOptions c_options
        c_options.scan = options.get()
        c_options.file_stream_work_stealing = file_stream_work_stealing
        cdef vector[shared_ptr[CStream]] streams
        with nogil:
            streams = GetResultValue(CallStartGroups(self.plan, self.groups, c_options))
        return [Stream.wrap(stream, options.pool) for stream in streams]
