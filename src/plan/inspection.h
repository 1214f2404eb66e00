// Finding out what a table looks like: its format, its columns, the types of its partition keys.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/file_format.h>
#include <shoal/infer_from.h>
#include <shoal/listing.h>
#include <shoal/plan.h>

#include "plan/facts_cache.h"
#include "schema/names.h"

namespace shoal::plan {

struct InspectionOptions {
  ListOptions list;
  std::string format;                             // empty: by extension, else by magic bytes
  std::shared_ptr<const FileFormat> file_format;  // before `format`; may be null
  InferFrom infer = InferFrom::kSample;           // where there is no file_format
  std::shared_ptr<arrow::Schema> schema;          // declared; may be null
  std::shared_ptr<arrow::Schema> columns;         // of the files, known from elsewhere; may be null
  int64_t sample = 256;                           // files to inspect; -1: all
  SchemaRules rules;
  /// All files, where `format` is known and somebody has listed them: then nothing is listed again.
  std::shared_ptr<const FileTable> listed;
  ListingReport listed_report;
  /// Given to the cache as its store as soon as the format is known; no folder: none.
  FactsStoreOptions store;
  /// Whether to go on without a file whose facts can't be read for this reason; null: never.
  std::function<bool(const arrow::Status& error)> may_skip;
};

/// A file that was left out, and why.
struct SkippedFile {
  std::string path;
  arrow::Status error;
};

/// What the inspection found. Everything after it (listing, planning, reading) goes by this.
struct Inspection {
  std::shared_ptr<const FileFormat> format;
  std::shared_ptr<arrow::Schema>
      table_schema;  // columns of the files, then keys that are not among them
  bool schema_declared = false;
  SchemaRules rules;
  /// How the table writes names that may differ in case; null: they may not.
  std::shared_ptr<const schema::Spelling> spelling;
  std::shared_ptr<arrow::Schema> partition_schema;  // keys, in order of first appearance by path
  std::set<std::string> keys_in_files;              // keys that are columns of files as well
  std::set<std::string> keys_inferred;              // keys whose types come from their texts
  std::set<std::string> keys_missing;               // keys that some inspected path lacks
  std::vector<VirtualField> virtual_columns;        // used by the request: see virtual_columns.h
  InspectionReport cost;
  std::vector<SkippedFile> skipped;  // by InspectionOptions::may_skip
  ListOptions list;                  // as given, with the extensions of an inferred format
  /// All files, where the table is small enough that inspecting it listed it.
  std::shared_ptr<const FileTable> all_files;
  ListingReport report;  // of all_files
};

/// NotImplemented, naming the option: the format cannot do what the rules ask for.
arrow::Status CheckRules(const SchemaRules& rules, const FileFormat& format);

/// The files with keys as the table writes them; nothing if they have those.
arrow::Result<std::optional<FileTable>> SpellKeys(const FileTable& files,
                                                  const Inspection& inspection);

/// Reports the files of a full listing whose paths lack a key of the table: it reads as null there.
arrow::Status ReportMissingKeys(const FileTable& files, const Inspection& inspection,
                                ListingReport* report);

arrow::Result<Inspection> Inspect(const ListingSource& source, const InspectionOptions& options,
                                  const std::shared_ptr<FactsCache>& cache);

}  // namespace shoal::plan
