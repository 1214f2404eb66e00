# The C++ API (include/shoal) and what stands between it and Python (the headers beside this file).

from libcpp cimport bool as c_bool
from libcpp.map cimport map as c_map
from libcpp.memory cimport shared_ptr
from libcpp.optional cimport optional
from libcpp.pair cimport pair
from libcpp.set cimport set as c_set
from libcpp.string cimport string as c_string
from libcpp.string_view cimport string_view
from libcpp.vector cimport vector
from libc.stdint cimport int32_t, int64_t

from pyarrow.includes.libarrow cimport (
    CExpression,
    CFieldRef,
    CMemoryPool,
    CRecordBatch,
    CRecordBatchReader,
    CScalar,
    CSchema,
    CTable,
)
from pyarrow.includes.common cimport CResult, CStatus, PyObject
from pyarrow.includes.libarrow_fs cimport CFileSystem, CFileType


cdef extern from "shoal/version.h" namespace "shoal" nogil:
    string_view CVersion "shoal::Version"()


cdef extern from "shoal/filter.h" namespace "shoal" nogil:
    CResult[CExpression] CParseFilter "shoal::ParseFilter"(string_view text)


cdef extern from "shoal/statistics.h" namespace "shoal" nogil:
    cdef cppclass CPrecision "shoal::Precision"[T]:
        c_bool is_absent()
        c_bool is_exact()
        const T& value()

    cdef cppclass CColumnStatistics "shoal::ColumnStatistics":
        CPrecision[int64_t] null_count
        CPrecision[shared_ptr[CScalar]] min
        CPrecision[shared_ptr[CScalar]] max
        CPrecision[int64_t] distinct_count

    cdef cppclass CTableStatistics "shoal::TableStatistics":
        CPrecision[int64_t] num_rows
        CPrecision[int64_t] total_bytes
        vector[CColumnStatistics] columns


cdef extern from "shoal/file_format.h" namespace "shoal" nogil:
    cdef cppclass CFileFormat "shoal::FileFormat":
        string_view name()

    CResult[shared_ptr[const CFileFormat]] CGetFileFormatWith "shoal::GetFileFormat"(
        string_view name, string_view options_json
    )


cdef extern from "shoal/partitioning.h" namespace "shoal" nogil:
    cdef cppclass CPartitionKey "shoal::PartitionKey":
        CPartitionKey()
        c_string name
        optional[c_string] value

    cdef cppclass CFormattedPath "shoal::Partitioning::FormattedPath":
        c_string directory
        c_string file_prefix

    cdef cppclass CPartitioning "shoal::Partitioning":
        string_view name()
        const shared_ptr[CSchema]& declared()
        CResult[vector[CPartitionKey]] ParseDirectory(int depth, string_view segment)
        CResult[vector[CPartitionKey]] ParseFileName(string_view name)
        CResult[CFormattedPath] Format(const vector[CPartitionKey]& keys)

    cdef cppclass CHiveOptions "shoal::HiveOptions":
        shared_ptr[CSchema] declared
        c_string null_marker
        c_bool percent_decode

    cdef cppclass CPositionalOptions "shoal::PositionalOptions":
        vector[c_string] field_names
        shared_ptr[CSchema] declared
        c_bool percent_decode
        c_bool null_where_missing

    shared_ptr[const CPartitioning] MakeHivePartitioning(CHiveOptions options)
    shared_ptr[const CPartitioning] MakeDirectoryPartitioning(CPositionalOptions options)
    shared_ptr[const CPartitioning] MakeFilenamePartitioning(CPositionalOptions options)
    shared_ptr[const CPartitioning] MakeNoPartitioning()


cdef extern from "shoal/listing.h" namespace "shoal" nogil:
    cdef enum class CListingIssue "shoal::ListingIssue":
        pass

    const int kNumListingIssues
    string_view CIssueName "shoal::ToString"(CListingIssue issue)
    CResult[CListingIssue] ParseListingIssue(string_view name)

    cdef cppclass CIssueEntry "shoal::ListingReport::Entry":
        int64_t count
        vector[c_string] examples

    cdef cppclass CStoreRequests "shoal::StoreRequests":
        int64_t list
        int64_t head
        int64_t get
        int64_t retries
        int64_t bytes
        c_string ToString()

    cdef cppclass CListingReport "shoal::ListingReport":
        int64_t files
        int64_t directories_listed
        int64_t directories_cached
        int64_t directories_pruned
        int64_t files_pruned
        int64_t stat_calls
        CStoreRequests store_requests
        c_bool recursive
        vector[c_string] known_prefixes
        c_bool complete
        const CIssueEntry& operator[](CListingIssue issue)
        c_string ToString()

    cdef cppclass CFileTable "shoal::FileTable":
        int64_t num_files()
        c_string path(int64_t i)


cdef extern from "shoal/plan.h" namespace "shoal" nogil:
    cdef cppclass CProjectedColumn "shoal::ProjectedColumn":
        CProjectedColumn()
        c_string name
        CExpression expression

    cdef cppclass CScanRequest "shoal::ScanRequest":
        optional[vector[CProjectedColumn]] columns
        CExpression filter
        optional[int64_t] limit
        int64_t offset

    cdef cppclass CPlanOptions "shoal::PlanOptions":
        c_bool collect_statistics
        c_bool column_statistics
        int meta_fetch_concurrency

    cdef cppclass CSortColumn "shoal::SortColumn":
        CSortColumn()
        c_string name
        c_bool descending
        c_bool nulls_first

    cdef cppclass CFileVersion "shoal::FileVersion":
        int64_t size
        int64_t mtime_ns

    cdef cppclass CFragment "shoal::Fragment":
        c_string path
        CFileVersion version
        shared_ptr[const vector[shared_ptr[CScalar]]] partition_values
        optional[vector[int]] row_groups
        CPrecision[int64_t] num_rows
        CPrecision[int64_t] num_bytes
        shared_ptr[const vector[CColumnStatistics]] column_statistics
        vector[CSortColumn] ordering

    cdef enum class CPruneLevel "shoal::PruneLevel":
        pass

    string_view CLevelName "shoal::ToString"(CPruneLevel level)

    cdef cppclass CConjunctReport "shoal::ConjunctReport":
        c_string conjunct
        int64_t directories_pruned
        int64_t files_pruned
        int64_t row_groups_pruned
        c_string limitation

    cdef cppclass CLevelReport "shoal::LevelReport":
        c_string key
        int64_t directories
        int64_t directories_kept

    cdef cppclass CPrunedPiece "shoal::PrunedPiece":
        c_string path
        int row_group
        CPruneLevel level
        int conjunct

    cdef cppclass CPruneReport "shoal::PruneReport":
        c_string filter
        vector[CConjunctReport] conjuncts
        vector[CLevelReport] levels
        int64_t directories_pruned
        int64_t files_listed
        int64_t files_kept_by_keys
        int64_t files_kept
        int64_t row_groups_seen
        int64_t row_groups_kept
        int64_t footers_read
        int64_t footers_cached
        int64_t metadata_bytes
        vector[CPrunedPiece] pruned
        CStoreRequests store_requests

    cdef cppclass CInspectionReport "shoal::InspectionReport":
        int64_t files
        CStoreRequests store_requests

    cdef cppclass CScanPlan "shoal::ScanPlan":
        shared_ptr[CFileSystem] filesystem
        shared_ptr[const CFileFormat] format
        shared_ptr[CSchema] table_schema
        shared_ptr[CSchema] partition_schema
        shared_ptr[CSchema] output_schema
        vector[CFragment] fragments
        CTableStatistics statistics
        CPruneReport prune
        CListingReport listing
        CInspectionReport inspection
        CStoreRequests store_requests()
        c_string ToString()
        CResult[c_string] ToJson()
        @staticmethod
        CResult[CScanPlan] FromJson(string_view json, shared_ptr[CFileSystem] filesystem)


cdef extern from "shoal/file_groups.h" namespace "shoal" nogil:
    cdef enum class CBalance "shoal::FileGroupOptions::Balance":
        kBytes
        kRows

    cdef cppclass CFileGroupOptions "shoal::FileGroupOptions":
        int target_partitions
        CBalance balance
        int64_t repartition_file_min_size
        int preserve_file_partitions
        c_bool split_file_groups_by_statistics
        vector[CSortColumn] ordering

    cdef cppclass CFileGroup "shoal::FileGroup":
        vector[CFragment] fragments
        vector[shared_ptr[const vector[shared_ptr[CScalar]]]] partition_values

    cdef cppclass CFileGroups "shoal::FileGroups":
        vector[CFileGroup] groups
        c_bool by_partition_values
        vector[c_string] output_partitioning
        vector[CSortColumn] output_ordering
        c_string ordering_limitation

    CResult[CFileGroups] CMakeFileGroups "shoal::MakeFileGroups"(const CScanPlan& plan, const CFileGroupOptions& options)
    CScanPlan CPartOf "shoal::PartOf"(const CScanPlan& plan, vector[CFragment] fragments)


cdef extern from "shoal/scan.h" namespace "shoal" nogil:
    cdef enum class COnBadFile "shoal::OnBadFile":
        kError
        kSkip

    cdef cppclass CScanOptions "shoal::ScanOptions":
        int workers
        int io_concurrency
        int64_t memory_budget
        int64_t batch_rows
        c_bool ordered
        COnBadFile on_missing
        COnBadFile on_corrupt
        CMemoryPool* pool

    cdef cppclass CReadFileGroupsOptions "shoal::ReadFileGroupsOptions":
        CReadFileGroupsOptions()
        CScanOptions scan
        c_bool file_stream_work_stealing

    cdef cppclass CScanMetrics "shoal::ScanMetrics":
        int64_t files_opened
        int64_t footers_cached
        int64_t files_pruned
        int64_t row_groups_read
        int64_t row_groups_pruned
        int64_t requests
        int64_t bytes_read
        int64_t rows_decoded
        int64_t rows_returned
        int64_t batches_returned
        int64_t peak_bytes
        CStoreRequests store_requests
        CStoreRequests planning_requests
        CListingReport listing
        vector[c_string] skipped
        vector[c_string] unseen_columns


cdef extern from "<chrono>" nogil:
    cdef cppclass CMilliseconds "std::chrono::milliseconds":
        CMilliseconds()
        CMilliseconds(int64_t)


cdef extern from "shoal/listing_cache.h" namespace "shoal" nogil:
    void CForgetListings "shoal::ForgetListings"(string_view path)
    void CSetListingCacheLimit "shoal::SetListingCacheLimit"(int64_t bytes)


cdef extern from "shoal/infer_from.h" namespace "shoal" nogil:
    cdef enum class CInferFrom "shoal::InferFrom":
        kSample
        kAll


cdef extern from "shoal/dataset.h" namespace "shoal" nogil:
    cdef cppclass CVirtualColumnNames "shoal::VirtualColumnNames":
        c_string filename
        c_string row_index
        c_string file_size
        c_string file_mtime
        c_string fragment_index

    cdef enum class CDuplicateNames "shoal::DuplicateNames":
        kError
        kRename

    cdef enum class CPromote "shoal::Promote":
        kLossless
        kPermissive

    cdef cppclass COpenOptions "shoal::OpenOptions":
        shared_ptr[CFileSystem] filesystem
        c_string format
        shared_ptr[const CFileFormat] file_format
        CInferFrom infer
        shared_ptr[const CPartitioning] partitioning
        c_string partition_base_dir
        shared_ptr[CSchema] schema
        int64_t inspect
        CDuplicateNames duplicate_names
        c_bool case_insensitive
        CPromote promote
        c_string extension
        vector[c_string] ignore_prefixes
        c_bool ignore_subdirectory
        CVirtualColumnNames virtual_columns
        c_set[CListingIssue] strict
        int list_concurrency
        c_string cache
        int64_t cache_limit
        CMilliseconds listing_cache_ttl
        c_map[c_string, c_string] storage_options

    cdef cppclass CCacheReport "shoal::CacheReport":
        c_string path
        int64_t files_known
        int64_t files_used
        int64_t files_added
        c_string problem

    CResult[c_string] CUserCacheDirectory "shoal::UserCacheDirectory"()

    cdef cppclass CDataset "shoal::Dataset":
        @staticmethod
        CResult[shared_ptr[CDataset]] Open(vector[c_string] sources, COpenOptions options)
        CResult[shared_ptr[CFileSystem]] filesystem()
        CCacheReport cache_report()


cdef extern from "shoal/union_dataset.h" namespace "shoal" nogil:
    cdef cppclass CUnionDataset "shoal::UnionDataset"(CDataset):
        pass

    CResult[shared_ptr[CUnionDataset]] CMakeUnion "shoal::UnionDataset::Make"(
        vector[shared_ptr[CDataset]] children, shared_ptr[CSchema] schema)
    CResult[shared_ptr[CDataset]] COpenTable "shoal::OpenTable"(shared_ptr[CTable] table)


cdef extern from "shoal/file_scan.h" namespace "shoal" nogil:
    cdef enum class CReadMode "shoal::ReadMode":
        kShoalReads
        kEngineReads

    cdef enum class CFilterUse "shoal::FilterUse":
        pass

    string_view CFilterUseName "shoal::ToString"(CFilterUse use)

    cdef cppclass CFilterSupport "shoal::FilterSupport":
        CFilterUse use
        c_string reason

    cdef cppclass CColumnChoice "shoal::ColumnChoice":
        pass

    CColumnChoice CColumnsNamed "shoal::ColumnChoice"(vector[c_string] names)
    CColumnChoice CColumnsAt "shoal::ColumnChoice"(vector[int] places)

    cdef cppclass CScanArguments "shoal::ScanArguments":
        CColumnChoice projection
        vector[CExpression] filters
        optional[int64_t] limit
        int64_t offset

    cdef enum class CConstraintKind "shoal::TableConstraint::Kind":
        kPrimaryKey
        kUnique

    cdef cppclass CTableConstraint "shoal::TableConstraint":
        CTableConstraint()
        CConstraintKind kind
        vector[c_string] columns

    cdef cppclass CFileScanOptions "shoal::FileScanOptions":
        CReadMode mode
        c_bool collect_statistics
        int meta_fetch_concurrency
        CFileGroupOptions grouping
        vector[CTableConstraint] constraints

    cdef cppclass CSchemaAdapter "shoal::SchemaAdapter":
        const vector[int]& columns()
        const vector[int]& leaves()
        CResult[shared_ptr[CRecordBatch]] Adapt(const CRecordBatch& batch, CMemoryPool* pool)

    cdef cppclass CFileScanConfig "shoal::FileScanConfig":
        shared_ptr[CFileSystem] filesystem
        shared_ptr[const CFileFormat] format
        shared_ptr[CSchema] table_schema
        shared_ptr[CSchema] file_schema
        shared_ptr[CSchema] partition_schema
        vector[int] projection
        shared_ptr[CSchema] scan_schema
        shared_ptr[CSchema] output_schema
        vector[CFilterSupport] filters
        vector[CExpression] residual_filters
        optional[int64_t] limit
        int64_t offset
        c_bool limit_pushed
        c_string limit_reason
        optional[int64_t] group_limit
        CTableStatistics statistics
        vector[c_string] output_partitioning
        shared_ptr[const CScanPlan] plan
        CResult[shared_ptr[CRecordBatch]] Finish(shared_ptr[CRecordBatch] batch, CMemoryPool* pool)


cdef extern from "stream.h" namespace "shoal::python" nogil:
    cdef cppclass CStream "shoal::python::Stream"(CRecordBatchReader):
        CResult[CScanMetrics] metrics()
        void Keep(PyObject* used)
        @staticmethod
        void CloseAll()


cdef extern from "calls.h" namespace "shoal::python" nogil:
    CResult[shared_ptr[CDataset]] CallOpen "shoal::python::Open"(vector[c_string], COpenOptions)
    CResult[CFileType] CallLook "shoal::python::Look"(shared_ptr[CFileSystem], c_string)
    CResult[shared_ptr[CDataset]] CallRefresh "shoal::python::Refresh"(shared_ptr[CDataset])
    CResult[shared_ptr[CSchema]] CallSchema "shoal::python::Schema"(shared_ptr[CDataset])
    CResult[shared_ptr[CSchema]] CallPartitionSchema "shoal::python::PartitionSchema"(shared_ptr[CDataset])
    CResult[shared_ptr[const CFileFormat]] CallFormat "shoal::python::Format"(shared_ptr[CDataset])
    CResult[shared_ptr[const CFileTable]] CallFiles "shoal::python::Files"(shared_ptr[CDataset])
    CResult[shared_ptr[CListingReport]] CallReport "shoal::python::Report"(shared_ptr[CDataset])
    CResult[int64_t] CallCount "shoal::python::Count"(shared_ptr[CDataset], CExpression, CScanOptions)
    CResult[shared_ptr[CTableStatistics]] CallStatistics "shoal::python::Statistics"(
        shared_ptr[CDataset] dataset, CExpression filter)
    CResult[shared_ptr[CScanPlan]] CallPlan "shoal::python::Plan"(
        shared_ptr[CDataset], CScanRequest, CPlanOptions)
    CResult[shared_ptr[CSchema]] CallOutputSchema "shoal::python::OutputSchema"(
        shared_ptr[CDataset], CScanRequest)
    CResult[shared_ptr[CStream]] CallStartScan "shoal::python::StartScan"(
        shared_ptr[CDataset], CScanRequest, CScanOptions)
    CResult[shared_ptr[CStream]] CallStartPlan "shoal::python::StartPlan"(shared_ptr[CScanPlan], CScanOptions)

    CResult[vector[shared_ptr[CStream]]] CallStartGroups "shoal::python::StartGroups"(
        shared_ptr[CScanPlan], shared_ptr[CFileGroups], CReadFileGroupsOptions)

    cdef cppclass CTableRead "shoal::python::TableRead":
        shared_ptr[CTable] table
        CScanMetrics metrics

    CResult[CTableRead] CallReadScan "shoal::python::ReadScan"(
        shared_ptr[CDataset], CScanRequest, CScanOptions)
    CResult[CTableRead] CallReadPlan "shoal::python::ReadPlan"(shared_ptr[CScanPlan], CScanOptions)
    CResult[int64_t] CallCountScan "shoal::python::CountScan"(
        shared_ptr[CDataset], CScanRequest, CScanOptions)
    CResult[shared_ptr[CScanPlan]] CallPlanFragment "shoal::python::PlanFragment"(
        shared_ptr[CDataset], CScanRequest, shared_ptr[CScanPlan], int64_t, optional[vector[int]])
    CResult[vector[int]] CallMatchingRowGroups "shoal::python::MatchingRowGroups"(
        shared_ptr[CDataset], shared_ptr[CScanPlan], int64_t, optional[vector[int]], CExpression)
    CResult[vector[CFilterSupport]] CallSupportsFilters "shoal::python::SupportsFilters"(
        shared_ptr[CDataset], vector[CExpression], CReadMode)
    CResult[shared_ptr[CFileScanConfig]] CallFileScan "shoal::python::FileScan"(
        shared_ptr[CDataset], CScanArguments, CFileScanOptions)
    CResult[shared_ptr[CSchemaAdapter]] CallMakeAdapter "shoal::python::MakeAdapter"(
        const CFileScanConfig&, size_t fragment, const CSchema& file_schema)


cdef extern from "expressions.h" namespace "shoal::python" nogil:
    CStatus CCheckReferences "shoal::python::CheckReferences"(const CExpression&, const CSchema&)
    vector[pair[c_string, shared_ptr[CScalar]]] CKnownValues "shoal::python::KnownValues"(const CExpression&)
