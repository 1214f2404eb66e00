# Values that cross the border.


cdef str text(string_view value):
    return value.data()[:value.size()].decode("utf-8", "surrogateescape")


cdef str text_of(const c_string& value):
    return value.decode("utf-8", "surrogateescape")


cdef c_string as_bytes(str value) except *:
    # What the filesystem can't decode comes back as it was (os.fsdecode).
    return value.encode("utf-8", "surrogateescape")


cdef list texts(vector[c_string] values):
    return [text_of(value) for value in values]


cdef vector[c_string] as_byte_strings(values) except *:
    cdef vector[c_string] out
    for value in values:
        out.push_back(as_bytes(value))
    return out


cdef int64_t integer(str option, value) except? -1:
    """The option's value; an error names the option. True is no number."""
    if isinstance(value, bool):
        raise TypeError(f"{option} must be a number, not {value!r}")
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{option} must be an integer, not {type(value).__name__}") from None
    except OverflowError:
        raise OverflowError(f"{option} is {value}, which has more than 64 bits") from None


cdef int64_t positive(str option, value) except? -1:
    cdef int64_t number = integer(option, value)
    if number < 1:
        raise ValueError(f"{option} must be at least 1, but is {number}")
    return number


cdef int small(str option, int64_t number) except? -1:
    if number > INT_MAX:
        raise OverflowError(f"{option} is {number}, but must be at most {INT_MAX}")
    return <int> number


cdef object figure(const CPrecision[int64_t]& value):
    """(value, exact), or None."""
    return None if value.is_absent() else (value.value(), value.is_exact())


cdef object scalar_figure(const CPrecision[shared_ptr[CScalar]]& value):
    return None if value.is_absent() else (pyarrow_wrap_scalar(value.value()), value.is_exact())


cdef dict requests_of(const CStoreRequests& r):
    return {"list": r.list, "head": r.head, "get": r.get, "retries": r.retries, "bytes": r.bytes}


cdef dict listing_report_of(const CListingReport& report):
    issues = {}
    for i in range(kNumListingIssues):
        issue = <CListingIssue> <int> i
        if report[issue].count:
            issues[text(CIssueName(issue))] = (report[issue].count, tuple(texts(report[issue].examples)))
    return {
        "files": report.files,
        "directories_listed": report.directories_listed,
        "directories_cached": report.directories_cached,
        "directories_pruned": report.directories_pruned,
        "files_pruned": report.files_pruned,
        "stat_calls": report.stat_calls,
        "store_requests": requests_of(report.store_requests),
        "recursive": report.recursive,
        "known_prefixes": tuple(texts(report.known_prefixes)),
        "complete": report.complete,
        "issues": issues,
        "text": text_of(report.ToString()),
    }


cdef dict metrics_of(const CScanMetrics& m):
    return {
        "files_opened": m.files_opened,
        "footers_cached": m.footers_cached,
        "files_pruned": m.files_pruned,
        "row_groups_read": m.row_groups_read,
        "row_groups_pruned": m.row_groups_pruned,
        "requests": m.requests,
        "bytes_read": m.bytes_read,
        "rows_decoded": m.rows_decoded,
        "rows_returned": m.rows_returned,
        "batches_returned": m.batches_returned,
        "peak_bytes": m.peak_bytes,
        "store_requests": requests_of(m.store_requests),
        "planning_requests": requests_of(m.planning_requests),
        "listing_report": listing_report_of(m.listing),
        "skipped": tuple(texts(m.skipped)),
        "unseen_columns": tuple(texts(m.unseen_columns)),
    }


def listing_issues() -> list:
    """The kinds of listing issues, by name."""
    return [text(CIssueName(<CListingIssue> <int> i)) for i in range(kNumListingIssues)]


def parse_filter(str filter not None):
    """The expression that a filter text says."""
    encoded = filter.encode()
    return Expression.wrap(GetResultValue(CParseFilter(string_view(<const char*> encoded, len(encoded)))))


def is_expression(value) -> bool:
    return isinstance(value, Expression)


def column(str name not None):
    """A reference to the column of that name, or, dotted, to a field of a struct."""
    return Expression.wrap(CMakeFieldExpression(CFieldRef(as_bytes(name))))


def check_references(Expression expression not None, Schema schema not None):
    """Raises if a reference of the expression names no field of the schema, or several."""
    check_status(CCheckReferences(expression.unwrap(), deref(pyarrow_unwrap_schema(schema))))


def known_values(Expression expression not None):
    """The columns that the expression says have one value: {name: scalar}."""
    return {
        text_of(known.first): pyarrow_wrap_scalar(known.second)
        for known in CKnownValues(expression.unwrap())
    }


def check_format_options(str name not None, str options not None):
    """Raises ArrowInvalid, naming the option, if the format can't be made with these options, a JSON object."""
    cdef c_string c_name = as_bytes(name)
    cdef c_string c_options = as_bytes(options)
    GetResultValue(CGetFileFormatWith(<string_view> c_name, <string_view> c_options))
