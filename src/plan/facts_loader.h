// Reading the facts of a file in the caller's thread, for planning.
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/file_format.h>
#include <shoal/plan.h>

#include "plan/facts_cache.h"
#include "runtime/counters.h"
#include "schema/names.h"

namespace shoal::plan {

struct LoadedFacts {
  std::shared_ptr<const FileFacts> facts;  // nullptr: the file is empty (zero bytes)
  FileVersion version = {};
  bool cached = false;
};

/// Looks at the file (which tells whether it is still the one listed), then takes its facts from
/// the cache, or opens it and reads them. `cache` may be null. Blocking, until `stop` ends
/// waiting for a store; thread-safe.
arrow::Result<LoadedFacts> LoadFacts(const FileFormat& format,
                                     const std::shared_ptr<const SourceFile>& file,
                                     FactsCache* cache,
                                     const std::shared_ptr<runtime::Counters>& counters,
                                     const arrow::StopToken& stop);

/// The files of a table whose schema is known. Of a format of text they are read by it: such a file
/// has names of columns, and the types are the table's. Facts have the names that the table has for
/// the file's columns.
struct TableFiles {
  TableFiles() = default;
  explicit TableFiles(const ScanPlan& plan);

  std::shared_ptr<const FileFormat> format;
  TableTypes types;
  std::shared_ptr<arrow::Schema> partition_schema;
  SchemaRules rules;
  std::shared_ptr<const schema::Spelling> spelling;  // null: names are compared with case

  /// A file's schema with the names that the table has for its columns.
  arrow::Result<std::shared_ptr<arrow::Schema>> Named(
      const std::string& path, const std::shared_ptr<arrow::Schema>& in_file) const;
  /// Whether ReadFacts() leaves out what only inspection wants to know; then its facts are for this
  /// table and not for a cache.
  bool reads_names_only(const std::string& path) const {
    return format->FormatOf(path).text_typing() != nullptr;
  }
  std::unique_ptr<FactsReader> ReadFacts(const std::shared_ptr<const SourceFile>& file) const;
  /// Facts that ReadFacts() or an inspection gave, with the table's names and types. Invalid,
  /// listing both, if no column of a declared schema is in the file, and where names are not
  /// distinct (schema::DistinctNames).
  arrow::Result<std::shared_ptr<const FileFacts>> Typed(
      const std::string& path, std::shared_ptr<const FileFacts> facts) const;

 private:
  arrow::Status CheckNames(const std::string& path, const arrow::Schema& file_schema) const;
};

/// The same for files of that table.
arrow::Result<LoadedFacts> LoadFacts(const TableFiles& table,
                                     const std::shared_ptr<const SourceFile>& file,
                                     FactsCache* cache,
                                     const std::shared_ptr<runtime::Counters>& counters,
                                     const arrow::StopToken& stop);

}  // namespace shoal::plan
