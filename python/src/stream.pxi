# A running scan.


@cython.final
cdef class Stream:
    """Batches, pulled one by one. Dropping or closing it stops the scan."""
    cdef shared_ptr[CStream] wrapped

    def __init__(self):
        raise TypeError("Start a scan to get a stream")

    @staticmethod
    cdef Stream wrap(shared_ptr[CStream] wrapped, object pool):
        cdef Stream self = Stream.__new__(Stream)
        self.wrapped = wrapped
        if pool is not None:
            wrapped.get().Keep(<PyObject*> pool)
        return self

    def __dealloc__(self):
        with nogil:
            self.wrapped.reset()

    @property
    def schema(self):
        return pyarrow_wrap_schema(self.wrapped.get().schema())

    def __iter__(self):
        return self

    def __next__(self):
        cdef shared_ptr[CRecordBatch] batch
        with nogil:
            check_status(self.wrapped.get().ReadNext(&batch))
        if batch.get() == NULL:
            raise StopIteration
        return pyarrow_wrap_batch(batch)

    def close(self):
        with nogil:
            check_status(self.wrapped.get().Close())

    def metrics(self):
        return metrics_of(GetResultValue(self.wrapped.get().metrics()))

    def reader(self):
        """The stream as a pyarrow.RecordBatchReader. Both draw on the same batches."""
        cdef RecordBatchReader reader = RecordBatchReader.__new__(RecordBatchReader)
        reader.reader = <shared_ptr[CRecordBatchReader]> self.wrapped
        return reader


def close_all_streams():
    with nogil:
        CStream.CloseAll()
