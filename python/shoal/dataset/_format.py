"""File formats."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal._dataset import open as _open
from shoal._formats import CsvFormat, JsonFormat
from shoal._formats import as_format as as_format_of_open

if TYPE_CHECKING:
    import pyarrow.csv as pacsv
    import pyarrow.json as pajson


class FileFormat:
    """A file format. Use one of its subclasses."""

    default_extname = ""

    def __init__(self) -> None:
        if type(self) is FileFormat:
            raise TypeError("FileFormat is abstract: use one of its subclasses, such as ParquetFileFormat")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class OpenedFormat(FileFormat):
    """A format that `shoal.open` reads, with options."""

    _format: str | CsvFormat | JsonFormat

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenedFormat) and self._format == other._format

    def __hash__(self) -> int:
        return hash(as_format_of_open(self._format))

    def inspect(self, file: Any, filesystem: Any = None) -> pa.Schema:
        """The schema of one file."""
        if filesystem is not None and isinstance(file, os.PathLike):
            file = os.fspath(file)
        return _open(file, filesystem=filesystem, partitioning=None, format=self._format).schema


class ParquetFileFormat(OpenedFormat):
    """The Parquet format, with its default options."""

    default_extname = "parquet"
    _format = "parquet"


class IpcFileFormat(OpenedFormat):
    """Arrow IPC files and streams."""

    default_extname = "arrow"
    _format = "ipc"


class FeatherFileFormat(IpcFileFormat):
    """Feather files of version 2, which are Arrow IPC files."""

    default_extname = "feather"


class OrcFileFormat(OpenedFormat):
    """The ORC format."""

    default_extname = "orc"
    _format = "orc"


class CsvFileFormat(OpenedFormat):
    """CSV files.

    Types are found from samples of all inspected files and alter no value: ``01`` stays text. Quoted line
    ends need no option. Of the options those on how pyarrow reads (``block_size``, ``use_threads``,
    ``newlines_in_values``) change nothing here.

    Parameters
    ----------
    parse_options, convert_options, read_options
        As in ``pyarrow.csv``.

    Raises
    ------
    NotImplementedError
        An option is set that is not supported; the message names it.
    """

    default_extname = "csv"

    def __init__(
        self,
        parse_options: pacsv.ParseOptions | None = None,
        convert_options: pacsv.ConvertOptions | None = None,
        read_options: pacsv.ReadOptions | None = None,
    ) -> None:
        import pyarrow.csv as pacsv

        self.parse_options = parse = parse_options or pacsv.ParseOptions()
        self.convert_options = convert = convert_options or pacsv.ConvertOptions()
        self.read_options = read = read_options or pacsv.ReadOptions()
        _refuse("ParseOptions", parse, pacsv.ParseOptions(), ["invalid_row_handler"])
        _refuse(
            "ConvertOptions",
            convert,
            pacsv.ConvertOptions(),
            [
                "check_utf8",
                "column_types",
                "timestamp_parsers",
                "auto_dict_encode",
                "include_columns",
                "include_missing_columns",
            ],
        )
        _refuse("ReadOptions", read, pacsv.ReadOptions(), ["skip_rows_after_names"])
        self._format = CsvFormat(
            delimiter=parse.delimiter,
            quote=parse.quote_char or None,
            double_quote=bool(parse.double_quote),
            escape=parse.escape_char or None,
            skip_empty_lines=parse.ignore_empty_lines,
            skip_rows=read.skip_rows,
            header=not read.column_names and not read.autogenerate_column_names,
            column_names=read.column_names or (),
            encoding=read.encoding,
            null_values=convert.null_values,
            quoted_null=convert.quoted_strings_can_be_null,
            string_null=convert.strings_can_be_null,
            true_values=convert.true_values,
            false_values=convert.false_values,
            decimal_point=convert.decimal_point,
        )


class JsonFileFormat(OpenedFormat):
    """Files of JSON lines. ``block_size`` and ``use_threads`` of the options change nothing here.

    Parameters
    ----------
    parse_options, read_options
        As in ``pyarrow.json``.

    Raises
    ------
    NotImplementedError
        An option is set that is not supported; the message names it.
    """

    default_extname = "json"

    def __init__(
        self,
        parse_options: pajson.ParseOptions | None = None,
        read_options: pajson.ReadOptions | None = None,
    ) -> None:
        import pyarrow.json as pajson

        self.parse_options = parse_options or pajson.ParseOptions()
        self.read_options = read_options or pajson.ReadOptions()
        _refuse(
            "ParseOptions",
            self.parse_options,
            pajson.ParseOptions(),
            ["explicit_schema", "newlines_in_values", "unexpected_field_behavior"],
        )
        self._format = JsonFormat()


def _refuse(kind: str, given: Any, by_default: Any, names: list[str]) -> None:
    for name in names:
        if getattr(given, name) != getattr(by_default, name):
            raise NotImplementedError(
                f"{kind}.{name} is not supported by shoal.dataset; declare a schema for columns and types"
            )


_BY_NAME: dict[str, type[OpenedFormat]] = {
    "parquet": ParquetFileFormat,
    "csv": CsvFileFormat,
    "json": JsonFileFormat,
    "ipc": IpcFileFormat,
    "arrow": IpcFileFormat,
    "feather": FeatherFileFormat,
    "orc": OrcFileFormat,
}


def as_format(given: object) -> OpenedFormat:
    if given is None or given == "parquet":
        return ParquetFileFormat()
    if isinstance(given, OpenedFormat):
        return given
    if isinstance(given, str):
        made = _BY_NAME.get(given)
        if made is None:
            raise ValueError(f"format '{given}' is not supported; {', '.join(_BY_NAME)} are")
        return made()
    raise TypeError(f"format must be a name or a FileFormat, not {type(given).__name__}")
