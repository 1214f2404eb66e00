# How paths carry column values.


cdef list keys_of(vector[CPartitionKey] keys):
    return [(text_of(key.name), text_of(key.value.value()) if key.value.has_value() else None) for key in keys]


@cython.final
cdef class Partitioning:
    """How paths carry column values. Immutable."""
    cdef shared_ptr[const CPartitioning] wrapped
    cdef tuple made_by  # a function and its arguments: what is pickled

    def __init__(self):
        raise TypeError("Use shoal.partitioning() to make a partitioning")

    @staticmethod
    cdef Partitioning wrap(shared_ptr[const CPartitioning] wrapped, function, tuple arguments):
        cdef Partitioning self = Partitioning.__new__(Partitioning)
        self.wrapped = wrapped
        self.made_by = (function, arguments)
        return self

    def __reduce__(self):
        return self.made_by

    def __eq__(self, other):
        return isinstance(other, Partitioning) and self.made_by == (<Partitioning> other).made_by

    def __hash__(self):
        return hash((self.made_by[0], str(self.made_by[1])))

    @property
    def name(self):
        return text(self.wrapped.get().name())

    @property
    def declared(self):
        cdef shared_ptr[CSchema] declared = self.wrapped.get().declared()
        return pyarrow_wrap_schema(declared) if declared.get() != NULL else None

    def parse_directory(self, int depth, str segment not None):
        encoded = as_bytes(segment)
        return keys_of(GetResultValue(self.wrapped.get().ParseDirectory(depth, <string_view> encoded)))

    def parse_file_name(self, str name not None):
        encoded = as_bytes(name)
        return keys_of(GetResultValue(self.wrapped.get().ParseFileName(<string_view> encoded)))

    def format(self, keys):
        cdef vector[CPartitionKey] c_keys
        cdef CPartitionKey c_key
        for name, value in keys:
            c_key = CPartitionKey()
            c_key.name = as_bytes(name)
            if value is not None:
                c_key.value = as_bytes(value)
            c_keys.push_back(c_key)
        path = GetResultValue(self.wrapped.get().Format(c_keys))
        return text_of(path.directory), text_of(path.file_prefix)

    def __repr__(self):
        declared = self.declared
        inside = ", ".join(f"{field.name}: {field.type}" for field in declared) if declared is not None else ""
        return f"<shoal.Partitioning {self.name}{' (' + inside + ')' if inside else ''}>"


def hive_partitioning(Schema declared, str null_marker not None, bint percent_decode):
    cdef CHiveOptions options
    if declared is not None:
        options.declared = pyarrow_unwrap_schema(declared)
    options.null_marker = as_bytes(null_marker)
    options.percent_decode = percent_decode
    return Partitioning.wrap(
        MakeHivePartitioning(options), hive_partitioning, (declared, null_marker, percent_decode)
    )


cdef CPositionalOptions positional(field_names, Schema declared, bint percent_decode, bint null_where_missing) except *:
    cdef CPositionalOptions options
    options.field_names = as_byte_strings(field_names)
    if declared is not None:
        options.declared = pyarrow_unwrap_schema(declared)
    options.percent_decode = percent_decode
    options.null_where_missing = null_where_missing
    return options


def directory_partitioning(field_names, Schema declared, bint percent_decode, bint null_where_missing):
    names = list(field_names)
    return Partitioning.wrap(
        MakeDirectoryPartitioning(positional(names, declared, percent_decode, null_where_missing)),
        directory_partitioning,
        (names, declared, percent_decode, null_where_missing),
    )


def filename_partitioning(field_names, Schema declared, bint percent_decode, bint null_where_missing):
    names = list(field_names)
    return Partitioning.wrap(
        MakeFilenamePartitioning(positional(names, declared, percent_decode, null_where_missing)),
        filename_partitioning,
        (names, declared, percent_decode, null_where_missing),
    )


def no_partitioning():
    return Partitioning.wrap(MakeNoPartitioning(), no_partitioning, ())
