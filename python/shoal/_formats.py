"""File formats that have options."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Literal

from shoal import _core


@dataclasses.dataclass(frozen=True, kw_only=True)
class CsvFormat:
    """CSV, and how it is written. The defaults read RFC 4180 and what most programs write.

    The type of a column is the first of these that alters no value seen in any inspected file: null, int64,
    bool, date32, time32[s], timestamp[s], timestamp[ns], the same in UTC (for values with an offset), double,
    string. Digits with zeros or a ``+`` in front, and ``-0``, are text, and integers that a double can't hold
    are no double. A value that turns up later and does not fit is an error that names file, line,
    column and value; declare a schema, or infer from all. Files are unpacked by the end of their names:
    ``.gz``, ``.bz2``, ``.zst`` or ``.zstd``, ``.lz4``.

    Parameters
    ----------
    delimiter
        None: a tab in files named ``.tsv`` or ``.tab``, else a comma.
    quote
        None: quotes mean nothing.
    double_quote
        A quote inside quotes is written twice.
    escape
        The character that takes the meaning from the one after it.
    comment
        Lines that begin with it are left out.
    skip_rows
        Lines that are left out before anything else.
    header
        Whether the first record has the columns' names.
    column_names
        The columns' names, in place of the header's. Without names and header: f0, f1, ...
    skip_empty_lines
        Leave out lines without a byte in files of one column, too, where they are how a null is written. In
        other files they are always left out.
    encoding
        utf-8, latin1, utf-16, or what else the machine's iconv knows, spelled as in Python, too (latin-1,
        utf_8, utf-8-sig). A byte order mark is no data.
    null_values
        The texts that mean null. By default only the empty one, which is the empty string where it is quoted.
    quoted_null
        Whether a null value may be quoted.
    string_null
        Whether columns of text have nulls; otherwise each value there is text.
    true_values, false_values
        How booleans are written.
    decimal_point
        The character before the decimals of a number.
    quoted_text
        Quoted values are text, whatever they look like.
    infer
        What of each inspected file the types are found from: "sample" (of files up to 1 MiB all, of others
        the beginning and some places after it), or "all": takes as long as reading it.

    Raises
    ------
    pyarrow.ArrowInvalid, TypeError
        An option makes no sense; the message names it.
    """

    delimiter: str | None = None
    quote: str | None = '"'
    double_quote: bool = True
    escape: str | None = None
    comment: str | None = None
    skip_rows: int = 0
    header: bool = True
    column_names: Sequence[str] = ()
    skip_empty_lines: bool = False
    encoding: str = "utf-8"
    null_values: Sequence[str] = ("",)
    quoted_null: bool = False
    string_null: bool = True
    true_values: Sequence[str] = ("true", "True", "TRUE")
    false_values: Sequence[str] = ("false", "False", "FALSE")
    decimal_point: str = "."
    quoted_text: bool = False
    infer: Literal["sample", "all"] = "sample"

    def __post_init__(self) -> None:
        for name in ("column_names", "null_values", "true_values", "false_values"):
            texts = getattr(self, name)
            if isinstance(texts, str):
                raise TypeError(f"{name} must be a list of texts; for one write [{texts!r}]")
            object.__setattr__(self, name, tuple(texts))
        _core.check_format_options("csv", _options(self))


@dataclasses.dataclass(frozen=True, kw_only=True)
class JsonFormat:
    """JSON lines: one object a line.

    Keys become columns, in order of first appearance; a key that a line lacks is null there. Numbers are
    int64 or uint64 if they all are integers of that range, else double; strings stay strings, whatever they
    look like: declare a schema to read them as timestamps, dates or decimals. A value that turns up later and
    does not fit is an error that names file, line and value. Files are unpacked by the end of their names:
    ``.gz``, ``.bz2``, ``.zst`` or ``.zstd``, ``.lz4``.

    Parameters
    ----------
    infer
        What of each inspected file the types are found from: "sample" (of files up to 1 MiB all, of others
        the beginning and some places after it), or "all": takes as long as reading it.
    """

    infer: Literal["sample", "all"] = "sample"

    def __post_init__(self) -> None:
        _core.check_format_options("json", _options(self))


def _options(format: CsvFormat | JsonFormat) -> str:
    """What is not as by default, as a JSON object."""
    options = {}
    for field in dataclasses.fields(format):
        value = getattr(format, field.name)
        if value != field.default:
            options[field.name] = value
    try:
        return json.dumps(options) if options else ""
    except TypeError:
        raise TypeError(
            f"the options of {type(format).__name__} are texts, numbers and bools: {options}"
        ) from None


def as_format(given: object) -> tuple[str, str]:
    """The format's name ("" if it is to be found), and its options as JSON ("" if there are none)."""
    if given is None:
        return "", ""
    if isinstance(given, str):
        return given, ""
    if isinstance(given, CsvFormat):
        return "csv", _options(given)
    if isinstance(given, JsonFormat):
        return "json", _options(given)
    raise TypeError(f"format must be a name, a CsvFormat or a JsonFormat, not {type(given).__name__}")
