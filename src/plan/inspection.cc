#include "plan/inspection.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/location.h"
#include "base/text.h"
#include "formats/registry.h"
#include "list/sample.h"
#include "list/strictness.h"
#include "partition/infer.h"
#include "plan/facts_loader.h"
#include "plan/key_names.h"
#include "plan/merge_facts.h"
#include "runtime/parallel.h"
#include "storage/open_file.h"

namespace shoal::plan {

namespace {

constexpr int kRemoteFooters = 32;
constexpr int64_t kMagicBytes = 16;

std::shared_ptr<const SourceFile> SourceOf(const ListingSource& source, const FileTable& files,
                                           int64_t i) {
  return std::make_shared<const SourceFile>(
      SourceFile{source.filesystem(), files.path(i), files.version(i)});
}

/// The format that the first bytes of the first file with any show.
arrow::Result<std::shared_ptr<const FileFormat>> FormatByMagic(
    const ListingSource& source, const FileTable& files,
    const std::vector<std::shared_ptr<const FileFormat>>& known) {
  for (int64_t i = 0; i < files.num_files(); ++i) {
    auto file = SourceOf(source, files, i);
    ARROW_ASSIGN_OR_RAISE(auto open,
                          storage::OpenFile::Open(file, std::make_shared<runtime::Counters>()));
    if (open->size() == 0) continue;
    ARROW_ASSIGN_OR_RAISE(auto head, open->Read({0, std::min(kMagicBytes, open->size())}));
    if (auto format = formats::FormatOfMagic(std::string_view(*head), known)) return format;
    return arrow::Status::Invalid("'", file->path,
                                  "' is of no known format: neither its name nor its first bytes "
                                  "tell. Name it: format=\"csv\", say, "
                                  "or --format csv.");
  }
  return arrow::Status::Invalid("'", source.Describe(),
                                "' has only empty files: no format can be found. Name it: "
                                "format=\"csv\", say, or --format csv.");
}

/// What was looked for, what was left out and why, and what to do.
arrow::Status NothingFound(const ListingSource& source, const ListOptions& list,
                           const ListingReport& report) {
  std::ostringstream out;
  const std::string name = source.Describe();
  out << "There are no data files in '" << name << "'";
  std::string left_out;
  int64_t count = 0;
  ListingIssue last{};
  for (int i = 0; i < kNumListingIssues; ++i) {
    const auto issue = static_cast<ListingIssue>(i);
    const auto& entry = report.issues[i];
    if (entry.count == 0 || IsKept(issue)) continue;
    count += entry.count;
    last = issue;
    left_out += (left_out.empty() ? "" : ", ") + std::to_string(entry.count) + " " +
                std::string(list::Words(issue));
    if (!entry.examples.empty()) left_out += " (such as '" + entry.examples[0] + "')";
  }
  const int64_t folders = report.directories_listed + report.directories_cached;
  if (folders == 0 && count == 1) {
    // The source is a file.
    out << ": " << list::Explain(last);
  } else if (count > 0) {
    out << ": in " << base::Count(folders, "folder", "folders") << " there is nothing but "
        << left_out;
  } else if (base::HasGlobCharacters(name)) {
    out << ": nothing matches the pattern";
  } else if (folders > 1) {
    out << ": its " << folders << " folders are empty";
  } else {
    out << ": it is empty";
  }
  std::string extensions;
  if (report[ListingIssue::kExtension].count > 0) {
    for (const std::string& extension : list.extensions) {
      extensions += (extensions.empty() ? "" : ", ") + extension;
    }
    out << "; the names looked for end in " << extensions;
  }
  out << ". Name other files, or declare a schema to read it as an empty table";
  return arrow::Status::Invalid(out.str());
}

/// The listing whose names the inspection looks at, and the format they have.
struct Looked {
  FileSample sample;
  std::shared_ptr<const FileFormat> format;
  ListOptions list;
};

/// About `n` files. Where those looked at are none of the table's (their paths lack keys), others
/// may be.
arrow::Result<FileSample> SampleSome(const ListingSource& source, const ListOptions& list,
                                     int64_t n) {
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto sample, source.Sample(list, n));
    if (sample.complete || sample.files.num_files() > 0) return sample;
    n = n > std::numeric_limits<int64_t>::max() / 2 ? std::numeric_limits<int64_t>::max() : 2 * n;
  }
}

/// Of what was listed before, at no cost.
FileSample SampleOf(const InspectionOptions& options, int64_t n) {
  if (options.listed->num_files() <= n) return {*options.listed, true, options.listed_report};
  return {list::SelectEvenly(*options.listed, n), false, {}};
}

/// `sample`: how many files, -1: all.
arrow::Result<Looked> Look(const ListingSource& source, const InspectionOptions& options,
                           int64_t sample) {
  const int64_t n = sample < 0 ? std::numeric_limits<int64_t>::max() : sample;
  Looked out;
  out.list = options.list;
  if (options.file_format || !options.format.empty()) {
    out.format = options.file_format;
    if (!out.format) {
      ARROW_ASSIGN_OR_RAISE(out.format, formats::FormatOfName(options.format, options.infer));
    }
    if (out.format->name() == formats::kByExtension && out.list.extensions.empty()) {
      for (auto extension : out.format->extensions()) out.list.extensions.emplace_back(extension);
    }
    // Where schema, keys and format are declared, there is nothing to find out.
    if (options.schema && options.list.partitioning->declared()) {
      out.sample.complete = false;
    } else if (options.listed) {
      out.sample = SampleOf(options, n);
    } else {
      ARROW_ASSIGN_OR_RAISE(out.sample, SampleSome(source, out.list, n));
    }
    return out;
  }
  const auto known = formats::AllFormats(options.infer);
  const bool infer_extension = out.list.extensions.empty();
  if (infer_extension) {
    for (const auto& format : known) {
      for (auto extension : format->extensions()) out.list.extensions.emplace_back(extension);
    }
  }
  ARROW_ASSIGN_OR_RAISE(out.sample, SampleSome(source, out.list, n));
  for (int64_t i = 0; i < out.sample.files.num_files() && !out.format; ++i) {
    out.format = formats::FormatOfPath(out.sample.files.path(i), known);
  }
  if (out.format) {
    if (infer_extension) {
      // Files of other formats are not part of the table.
      out.list.extensions.clear();
      for (auto extension : out.format->extensions()) out.list.extensions.emplace_back(extension);
      bool has_others = false;
      for (int64_t i = 0; i < out.sample.files.num_files() && !has_others; ++i) {
        const auto format = formats::FormatOfPath(out.sample.files.name(i), known);
        has_others = format && format != out.format;
      }
      if (has_others) {
        ARROW_ASSIGN_OR_RAISE(out.sample, SampleSome(source, out.list, n));
      }
    }
    return out;
  }
  // No name tells: the bytes may, and then names do not matter.
  if (infer_extension) {
    out.list.extensions.clear();
    ARROW_ASSIGN_OR_RAISE(out.sample, SampleSome(source, out.list, n));
  }
  if (out.sample.files.num_files() == 0) {
    if (!options.schema) return NothingFound(source, out.list, out.sample.report);
    ARROW_ASSIGN_OR_RAISE(out.format, GetFileFormat("parquet"));
    return out;
  }
  ARROW_ASSIGN_OR_RAISE(out.format, FormatByMagic(source, out.sample.files, known));
  return out;
}

/// The union of the schemas of the sampled files; nullptr: they were all skipped or empty. Tells
/// `out` what that took and what was skipped, and `report` which files are empty.
arrow::Result<std::shared_ptr<arrow::Schema>> SchemaOfFiles(
    const ListingSource& source, const Looked& looked, const InspectionOptions& options,
    const std::shared_ptr<FactsCache>& cache, Inspection* out, ListingReport* report) {
  const FileTable& files = looked.sample.files;
  std::vector<std::shared_ptr<const FileFacts>> facts(files.num_files());
  std::vector<arrow::Status> errors(files.num_files());
  auto counters = std::make_shared<runtime::Counters>();
  const int64_t retries = storage::RetriesOn(source.filesystem());
  const int concurrency =
      base::IsLocal(*source.filesystem()) ? runtime::DefaultWorkers() : kRemoteFooters;
  ARROW_RETURN_NOT_OK(runtime::ParallelFor(
      files.num_files(), concurrency, looked.list.stop, [&](int64_t i) -> arrow::Status {
        auto loaded = LoadFacts(*looked.format, SourceOf(source, files, i), cache.get(), counters,
                                looked.list.stop);
        if (loaded.ok()) {
          facts[i] = std::move(loaded->facts);
        } else if (options.may_skip && options.may_skip(loaded.status())) {
          errors[i] = loaded.status();
        } else {
          return loaded.status();
        }
        return arrow::Status::OK();
      }));
  std::vector<FactsOf> found;
  schema::Spelling spelling;
  std::shared_ptr<arrow::Schema> last, names;
  for (int64_t i = 0; i < files.num_files(); ++i) {
    if (!errors[i].ok()) {
      out->skipped.push_back({files.path(i), errors[i]});
      continue;
    }
    ++out->cost.files;
    if (!facts[i]) {
      report->Add(ListingIssue::kZeroByte, files.path(i));
      continue;
    }
    ARROW_RETURN_NOT_OK(CheckRules(options.rules, looked.format->FormatOf(files.path(i))));
    // Files of one writer share one schema object.
    if (last != facts[i]->schema()) {
      last = facts[i]->schema();
      ARROW_ASSIGN_OR_RAISE(names,
                            schema::DistinctNames(last, options.rules, "file " + files.path(i)));
      if (options.rules.case_insensitive) {
        names = spelling.Respell(names);
        spelling.Learn(*names);
      }
    }
    found.push_back({files.path(i), std::move(facts[i]), names});
  }
  const auto read = static_cast<int64_t>(found.size());
  out->cost.footers_cached += counters->footers_cached;
  out->cost.footers_read += read - counters->footers_cached;
  out->cost.metadata_bytes += counters->bytes_read;
  out->cost.store_requests += counters->store_requests();
  out->cost.store_requests.retries += storage::RetriesOn(source.filesystem()) - retries;
  if (found.empty()) return nullptr;
  return MergeFacts(*looked.format, found, options.rules.promote);
}

}  // namespace

arrow::Status CheckRules(const SchemaRules& rules, const FileFormat& format) {
  const TextTyping* typing = format.text_typing();
  if (!typing || !rules.case_insensitive || typing->takes_names()) return arrow::Status::OK();
  return arrow::Status::NotImplemented(
      "case_insensitive: names in ", format.name(),
      " files are matched as they are written; open them without it");
}

arrow::Result<std::optional<FileTable>> SpellKeys(const FileTable& files,
                                                  const Inspection& inspection) {
  if (!inspection.spelling) return std::nullopt;
  return RespellKeys(files, *inspection.spelling);
}

arrow::Status ReportMissingKeys(const FileTable& files, const Inspection& inspection,
                                ListingReport* report) {
  std::vector<std::string> names;
  for (const auto& key : inspection.partition_schema->fields()) {
    // Of what no path carries, the files themselves may have it.
    if (files.keys().Find(key->name()) || !inspection.keys_in_files.contains(key->name()))
      names.push_back(key->name());
  }
  if (inspection.schema_declared) {
    // A key that the schema leaves out is none of the table's columns, but paths may still lack it.
    for (const auto& column : files.keys().columns) {
      if (std::find(names.begin(), names.end(), column.name) == names.end())
        names.push_back(column.name);
    }
  }
  return list::ReportMissingKeys(files, names, inspection.list.strict, report);
}

arrow::Result<Inspection> Inspect(const ListingSource& source, const InspectionOptions& options,
                                  const std::shared_ptr<FactsCache>& cache) {
  ARROW_ASSIGN_OR_RAISE(Looked looked, Look(source, options, options.sample));
  Inspection out;
  out.format = looked.format;
  out.rules = options.rules;
  ARROW_RETURN_NOT_OK(CheckRules(out.rules, *out.format));
  if (cache) cache->UseFormat(looked.format, source.filesystem());
  if (cache && !options.store.folder.empty() && !cache->store()) {
    cache->UseStore(
        std::make_shared<FactsStore>(options.store, looked.format, source.filesystem()));
  }
  out.list = looked.list;
  const FileTable& files = looked.sample.files;
  const KeyTable& keys = files.keys();

  std::shared_ptr<arrow::Schema> columns = options.schema;
  out.schema_declared = columns != nullptr;
  if (!columns && options.columns) {
    ARROW_ASSIGN_OR_RAISE(columns, schema::DistinctNames(options.columns, options.rules,
                                                         "'" + source.Describe() + "'"));
  }
  if (!columns) {
    if (files.num_files() == 0) return NothingFound(source, looked.list, looked.sample.report);
    for (int64_t sample = options.sample; !columns; sample *= 2) {
      if (sample != options.sample) {
        // Nothing is left of the sample: files are skipped, or empty. Others may be whole.
        if (looked.sample.complete) {
          return out.skipped.empty() ? NothingFound(source, looked.list, looked.sample.report)
                                     : out.skipped[0].error;
        }
        ARROW_ASSIGN_OR_RAISE(looked, Look(source, options, sample));
        if (files.num_files() == 0) return NothingFound(source, looked.list, looked.sample.report);
      }
      out.skipped.clear();
      ARROW_ASSIGN_OR_RAISE(
          columns, SchemaOfFiles(source, looked, options, cache, &out, &looked.sample.report));
    }
  }

  auto declared = options.list.partitioning->declared();
  if (options.rules.case_insensitive) {
    schema::Spelling spelling;
    spelling.Learn(*columns);
    if (declared) spelling.Learn(*declared);
    for (const auto& column : keys.columns) spelling.Learn(column.name);
    if (declared) declared = spelling.Respell(declared);
    ARROW_ASSIGN_OR_RAISE(auto spelled, RespellKeys(files, spelling));
    if (spelled) looked.sample.files = *std::move(spelled);
  }
  // Files that nobody has looked into may have any key as a column as well.
  const bool all_inspected = looked.sample.complete && !options.schema && !options.columns;
  arrow::FieldVector key_fields;
  auto add_key = [&](const std::string& name, const KeyColumn* column) {
    std::shared_ptr<arrow::DataType> type;
    const auto in_files = columns->GetFieldByName(name);
    if (in_files) out.keys_in_files.insert(name);
    // A column of nulls says nothing of its type, unless somebody has declared it.
    const bool is_typed = in_files && (options.schema || in_files->type()->id() != arrow::Type::NA);
    if (is_typed) {
      type = in_files->type();
    } else if (auto key = declared ? declared->GetFieldByName(name) : nullptr) {
      type = key->type();
    } else {
      type = column ? partition::InferKeyType(*column) : arrow::utf8();
      out.keys_inferred.insert(name);
    }
    if (!all_inspected) out.keys_in_files.insert(name);
    if (!column || std::find(column->index.begin(), column->index.end(), KeyColumn::kAbsent) !=
                       column->index.end()) {
      out.keys_missing.insert(name);
    }
    key_fields.push_back(arrow::field(name, std::move(type)));
  };
  for (const auto& column : keys.columns) {
    // A declared schema is the whole table: keys that it leaves out are left out.
    if (!options.schema || options.schema->GetFieldIndex(column.name) >= 0)
      add_key(column.name, &column);
  }
  if (declared) {
    for (const auto& field : declared->fields()) {
      const bool wanted = !options.schema || options.schema->GetFieldIndex(field->name()) >= 0;
      if (wanted && !keys.Find(field->name())) add_key(field->name(), nullptr);
    }
  }
  out.partition_schema = arrow::schema(key_fields);

  // A value that does not fit its key's type is better said now than in the middle of a scan.
  auto path_of = [&](int64_t i) { return files.path(i); };
  for (const auto& field : key_fields) {
    if (const KeyColumn* column = keys.Find(field->name())) {
      const arrow::Status fits = partition::TypedKeys(*column, field->type(), path_of).status();
      if (fits.IsInvalid() && !options.schema && columns->GetFieldByName(field->name())) {
        return fits.WithMessage(
            fits.message().substr(0, fits.message().find("; declare the key")),
            ", the type of the column of that name in the files. Rename the column or the "
            "directories, read the files without a partitioning, or declare a schema that has '",
            field->name(), "' as string");
      }
      ARROW_RETURN_NOT_OK(fits);
    }
  }

  arrow::FieldVector fields = columns->fields();
  for (const auto& field : key_fields) {
    const int column = columns->GetFieldIndex(field->name());
    if (column < 0) {
      fields.push_back(field);
    } else if (!options.schema) {
      // Whatever the files promise, a path may say null.
      fields[column] = fields[column]->WithType(field->type())->WithNullable(true);
    }
  }
  out.table_schema = arrow::schema(std::move(fields), columns->metadata());
  if (options.rules.case_insensitive) {
    auto spelling = std::make_shared<schema::Spelling>();
    spelling->Learn(*out.table_schema);
    out.spelling = std::move(spelling);
  }
  out.report = looked.sample.report;
  if (looked.sample.complete) ARROW_RETURN_NOT_OK(ReportMissingKeys(files, out, &out.report));
  if (looked.sample.complete) {
    out.all_files = std::make_shared<const FileTable>(std::move(looked.sample.files));
  } else {
    out.cost.store_requests += out.report.store_requests;
  }
  return out;
}

}  // namespace shoal::plan
