// FileFormat: what the library asks of a file format.
//
// A format does no I/O and owns no threads. It answers two questions by the read protocol of
// unit.h: what does this file hold (FactsReader -> FileFacts), and what are the rows of this piece
// of it (Unit).
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/type.h>

#include <shoal/statistics.h>
#include <shoal/unit.h>

namespace shoal {

/// A leaf that rows are sorted by.
struct SortedLeaf {
  int leaf = 0;
  bool descending = false;
  bool nulls_first = false;
  friend bool operator==(const SortedLeaf&, const SortedLeaf&) = default;
};

/// What one metadata read of a file tells: schema, row counts and bounds of its pieces. A *row
/// group* is the smallest piece that can be skipped or read alone; a format without such pieces has
/// one that is the whole file. Immutable and safe to use from any thread.
class FileFacts {
 public:
  virtual ~FileFacts() = default;

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  virtual int num_row_groups() const = 0;
  /// Exact, or absent where only reading the data would tell.
  virtual Precision<int64_t> row_group_rows(int row_group) const = 0;
  /// Size in the file, compressed; 0 if unknown.
  virtual int64_t row_group_bytes(int row_group) const = 0;
  Precision<int64_t> num_rows() const;

  /// Bounds of leaves of the schema (ascending, counted depth first, see LeafIndex) over all row
  /// groups, each in the leaf's type. Never claims more than the file proves: what is unknown or
  /// untrustworthy is left out. One call for many leaves is cheaper than many calls.
  virtual arrow::Result<std::vector<ColumnBounds>> Bounds(const std::vector<int>& leaves) const = 0;
  arrow::Result<ColumnBounds> Bounds(int leaf) const;

  /// How the rows of each row group are sorted, the first leaf first, where the file says so of all
  /// of them. Of what it says only the part that means the order of Arrow's sort_indices: a leaf of
  /// a type whose order is another or none (floats, since NaN has no place in Parquet's order) ends
  /// it. It is the writer's claim, which only reading could check, and says nothing of the order
  /// between row groups. Empty: nothing is known.
  virtual arrow::Result<std::vector<SortedLeaf>> DeclaredOrder() const;

  /// Bytes of memory these facts occupy, for the byte limit of caches.
  virtual int64_t memory_size() const = 0;

 protected:
  explicit FileFacts(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}

 private:
  std::shared_ptr<arrow::Schema> schema_;
};

/// Reads the facts of one file, stepwise. Thread rule as for Unit.
class FactsReader {
 public:
  using Step = std::variant<NeedBytes, std::shared_ptr<const FileFacts>>;
  virtual ~FactsReader() = default;
  /// `got` answers the NeedBytes just returned; empty on the first call.
  virtual arrow::Result<Step> Next(Resident got) = 0;
};

/// Which rows and columns of a file a unit is to read.
struct UnitRequest {
  std::shared_ptr<const SourceFile> file;
  std::shared_ptr<const FileFacts> facts;
  /// The row groups to read, in the order their rows shall come, at least one. Small ones are asked
  /// for together: a unit for each would cost more than reading it.
  std::vector<int> row_groups;
  /// Leaves of facts->schema(), ascending, counted depth first. Batches have the schema
  /// ProjectLeaves(facts->schema(), leaves).
  std::vector<int> leaves;
  /// Rows a batch should have; a format may hand out fewer.
  int64_t batch_rows = 32768;
  /// After so many rows the unit will most likely not be asked again: a hint to read no more than
  /// they take.
  int64_t rows_wanted = std::numeric_limits<int64_t>::max();
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  /// For formats in which only reading tells which columns rows have: to be told of each that
  /// facts->schema() has not, as a path of names (`s.x`). May be told more than once, and from any
  /// thread. An error it gives is that of the rows from the first with the column on; those before
  /// are handed out. Null: nobody asks.
  std::function<arrow::Status(const std::string& column)> unseen_column = nullptr;
};

/// The columns of a table, for a format whose files do not say what types their columns have.
struct TableTypes {
  std::shared_ptr<arrow::Schema> schema;
  /// Somebody said so: a value is read as the type wherever that is possible (the text 01 as the
  /// number 1). Otherwise a value that the type would alter is an error.
  bool declared = false;
};

/// A file's facts, and where they are from, for errors.
struct FactsOf {
  std::string path;
  std::shared_ptr<const FileFacts> facts;
  /// facts->schema() with the names that the table has for the file's columns; null: the same
  /// names. Only where TextTyping::takes_names().
  std::shared_ptr<arrow::Schema> names = nullptr;
};

/// The half that a format of text has besides: what type a column has is read off its values, of
/// which inspection sees some, and the same text can be read as one type or another. Thread rule as
/// for FileFormat.
class TextTyping {
 public:
  virtual ~TextTyping() = default;

  /// Whether Union() and Retype() go by FactsOf::names, which OpenOptions::duplicate_names and
  /// case_insensitive need.
  virtual bool takes_names() const { return false; }

  /// The columns of a table of these files, in order of first appearance: each of the first type of
  /// the format's list that alters no value that was seen in any of them. Errors name the column
  /// and both files.
  virtual arrow::Result<std::shared_ptr<arrow::Schema>> Union(
      const std::vector<FactsOf>& files) const = 0;
  /// The other types, in the order of the list, that alter no value that was seen in that column of
  /// Union(files): for tables that have files of other formats besides, of which one may need it
  /// (CSV's 1 is the text 1 where they have text). By default there are none.
  virtual std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(
      const std::vector<FactsOf>& files, const std::string& column) const;

  /// Reads no more of a file than its columns' names take; their types are the table's. What the
  /// format can't read as such a type has the type string, and the table casts it if it was
  /// declared. Otherwise such a type, if it is none of text, is that of files of other formats: it
  /// is null here, and a value that turns up later is an error.
  virtual std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file,
                                                 const TableTypes& table) const = 0;
  /// The same of a file whose facts are known.
  virtual arrow::Result<std::shared_ptr<const FileFacts>> Retype(const FactsOf& file,
                                                                 const TableTypes& table) const = 0;
};

/// Facts as bytes that can be kept. `common` is what files of one table mostly share (the schema,
/// the writer's words); caches keep equal ones once.
struct SavedFacts {
  std::string common;
  std::string own;
};

/// Thread rule: const methods are called from many threads at once.
class FileFormat {
 public:
  virtual ~FileFormat() = default;

  /// "parquet", "csv", ...: what `format=` names.
  virtual std::string_view name() const = 0;
  /// File name endings, with the dot, lower case.
  virtual std::vector<std::string_view> extensions() const = 0;
  /// Whether a file that begins with `head` (up to 16 bytes) can be of this format.
  virtual bool MatchesMagic(std::string_view head) const = 0;

  virtual std::unique_ptr<FactsReader> ReadFacts(std::shared_ptr<const SourceFile> file) const = 0;
  virtual arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request) const = 0;

  /// The format that the file of that path is read by: this one, unless it stands for several.
  /// Lives as long as this one, and is asked for what is below in its place.
  virtual const FileFormat& FormatOf(std::string_view /*path*/) const { return *this; }

  /// Not null for formats of text. Lives as long as the format.
  virtual const TextTyping* text_typing() const { return nullptr; }
  /// A JSON object with the options that are not the default, from which GetFileFormat makes the
  /// same format; empty if there are none.
  virtual std::string OptionsJson() const { return ""; }

  /// What RestoreFacts makes the same facts of, for caches that outlive the process. Nothing, as by
  /// default: facts of this format are not kept, and its files are read each time.
  virtual std::optional<SavedFacts> SaveFacts(const FileFacts& facts) const;
  /// The inverse of SaveFacts. `file` is the one the facts were read from, with its version.
  /// Refuses with an error what SaveFacts has not written (the cache has a checksum against
  /// accidents, but another version of the format may have written the bytes), and does not crash
  /// whatever they are.
  virtual arrow::Result<std::shared_ptr<const FileFacts>> RestoreFacts(
      std::string_view common, std::string_view own,
      const std::shared_ptr<const SourceFile>& file) const;

  /// Of a file that tells of others (Parquet's `_metadata`): the path of the file that each of its
  /// row groups is in, as it is written there; empty where the file does not say. NotImplemented,
  /// as by default: there are no such files of this format.
  virtual arrow::Result<std::vector<std::string>> SummarizedFiles(const FileFacts& summary) const;
  /// What the summary says of the file that has those of its row groups.
  virtual arrow::Result<std::shared_ptr<const FileFacts>> FactsOfSummarized(
      const FileFacts& summary, const std::vector<int>& row_groups, const SourceFile& file) const;
};

/// The number of leaves of a type or schema: a nested type has those of its children, any other
/// type is one leaf.
int NumLeaves(const arrow::DataType& type);
int NumLeaves(const arrow::Schema& schema);
/// The first leaf of the schema's top-level column, counted depth first over the whole schema.
int LeafIndex(const arrow::Schema& schema, int column);
/// The schema with only those leaves; parents that keep no leaf are left out.
std::shared_ptr<arrow::Schema> ProjectLeaves(const arrow::Schema& schema,
                                             const std::vector<int>& leaves);

/// The format of that name; NotImplemented, listing the known names, if there is none.
/// `options_json`: an object with the format's options by name, as FileFormat::OptionsJson writes
/// it; empty: all as by default. Invalid, naming the option, if the format has none of that name or
/// the value makes no sense.
arrow::Result<std::shared_ptr<const FileFormat>> GetFileFormat(std::string_view name,
                                                               std::string_view options_json = {});

}  // namespace shoal
