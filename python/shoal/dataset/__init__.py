"""The names, signatures and meanings of `pyarrow.dataset`, on shoal's engine.

Code that says ``import pyarrow.dataset as ds`` works with ``import shoal.dataset as ds``, as far as it reads
files, tables in memory and unions of them: writing, joins and some of the formats' options are not there yet,
and raise an error. Where pyarrow would lose or alter data (keys such as ``01``, columns that appear in later
files), shoal keeps it; docs/python.md lists the differences.
"""

from pyarrow.compute import Expression, field, scalar

from shoal.dataset._dataset import (
    Dataset,
    FileSystemDataset,
    InMemoryDataset,
    UnionDataset,
    dataset,
    parquet_dataset,
)
from shoal.dataset._format import (
    CsvFileFormat,
    FeatherFileFormat,
    FileFormat,
    IpcFileFormat,
    JsonFileFormat,
    OrcFileFormat,
    ParquetFileFormat,
)
from shoal.dataset._fragment import FileFragment, Fragment, ParquetFileFragment, RowGroupInfo
from shoal.dataset._partitioning import (
    DirectoryPartitioning,
    FilenamePartitioning,
    HivePartitioning,
    Partitioning,
    PartitioningFactory,
    get_partition_keys,
    partitioning,
)
from shoal.dataset._scanner import Scanner

__all__ = [
    "CsvFileFormat",
    "Dataset",
    "DirectoryPartitioning",
    "Expression",
    "FeatherFileFormat",
    "FileFormat",
    "FileFragment",
    "FileSystemDataset",
    "FilenamePartitioning",
    "Fragment",
    "HivePartitioning",
    "InMemoryDataset",
    "IpcFileFormat",
    "JsonFileFormat",
    "OrcFileFormat",
    "ParquetFileFormat",
    "ParquetFileFragment",
    "Partitioning",
    "PartitioningFactory",
    "RowGroupInfo",
    "Scanner",
    "UnionDataset",
    "dataset",
    "field",
    "get_partition_keys",
    "parquet_dataset",
    "partitioning",
    "scalar",
]
