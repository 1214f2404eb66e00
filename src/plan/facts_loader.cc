#include "plan/facts_loader.h"

#include "plan/inspection.h"
#include "plan/named_facts.h"
#include "plan/virtual_columns.h"
#include "storage/open_file.h"
#include "storage/read_ranges.h"
#include "storage/why_failed.h"

namespace shoal::plan {

namespace {

std::string Names(const arrow::Schema& schema) {
  std::string names;
  for (const auto& field : schema.fields()) names += (names.empty() ? "" : ", ") + field->name();
  return names;
}

arrow::Result<LoadedFacts> Load(const FileFormat& format, const TableTypes* table,
                                const std::shared_ptr<const SourceFile>& file, FactsCache* cache,
                                const std::shared_ptr<runtime::Counters>& counters,
                                const arrow::StopToken& stop) {
  if (cache && cache->summary()) {
    ARROW_ASSIGN_OR_RAISE(auto told, cache->summary()->FactsOf(file->path));
    if (told) {
      ++counters->footers_cached;
      return LoadedFacts{std::move(told), file->version, true};
    }
  }
  if (cache && cache->MayHave(file->path)) {
    ARROW_ASSIGN_OR_RAISE(auto found, storage::Identify(*file));
    if (found) {
      LoadedFacts out{nullptr, *found, true};
      out.facts = cache->Get(file->path, out.version);
      if (out.facts) {
        ++counters->footers_cached;
        return out;
      }
    }
  }
  ARROW_ASSIGN_OR_RAISE(
      auto open, storage::OpenFile::Open(file, counters, arrow::default_memory_pool(), stop));
  LoadedFacts out{nullptr, open->version(), false};
  if (out.version.size == 0) {
    if (cache && cache->HasRead(file->path)) {
      return storage::FileChanged(file->path, "it is empty now");
    }
    return out;
  }
  const TextTyping* typing = table ? format.FormatOf(file->path).text_typing() : nullptr;
  auto reader = typing ? typing->ReadFacts(file, *table) : format.ReadFacts(file);
  Resident got;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto step, reader->Next(std::move(got)));
    if (auto* facts = std::get_if<std::shared_ptr<const FileFacts>>(&step)) {
      out.facts = std::move(*facts);
      break;
    }
    got = Resident{{}, out.version};
    ARROW_ASSIGN_OR_RAISE(got.buffers,
                          storage::ReadRanges(*open, std::get<NeedBytes>(step).ranges, stop));
  }
  if (cache && !typing) cache->Put(file->path, out.version, out.facts);
  return out;
}

}  // namespace

arrow::Result<LoadedFacts> LoadFacts(const FileFormat& format,
                                     const std::shared_ptr<const SourceFile>& file,
                                     FactsCache* cache,
                                     const std::shared_ptr<runtime::Counters>& counters,
                                     const arrow::StopToken& stop) {
  auto loaded = Load(format, nullptr, file, cache, counters, stop);
  if (!loaded.ok()) return storage::WhyFailed(loaded.status(), *file, stop);
  return loaded;
}

arrow::Result<LoadedFacts> LoadFacts(const TableFiles& table,
                                     const std::shared_ptr<const SourceFile>& file,
                                     FactsCache* cache,
                                     const std::shared_ptr<runtime::Counters>& counters,
                                     const arrow::StopToken& stop) {
  auto loaded = Load(*table.format, &table.types, file, cache, counters, stop);
  if (!loaded.ok()) return storage::WhyFailed(loaded.status(), *file, stop);
  if (loaded->facts) {
    ARROW_ASSIGN_OR_RAISE(loaded->facts, table.Typed(file->path, std::move(loaded->facts)));
  }
  return loaded;
}

TableFiles::TableFiles(const ScanPlan& plan)
    : format(plan.format),
      types{WithoutVirtualColumns(plan.table_schema, plan.virtual_columns), plan.schema_declared},
      partition_schema(plan.partition_schema),
      rules(plan.schema_rules) {
  if (!rules.case_insensitive) return;
  auto as_written = std::make_shared<schema::Spelling>();
  as_written->Learn(*types.schema);
  spelling = std::move(as_written);
}

std::unique_ptr<FactsReader> TableFiles::ReadFacts(
    const std::shared_ptr<const SourceFile>& file) const {
  const TextTyping* typing = format->FormatOf(file->path).text_typing();
  return typing ? typing->ReadFacts(file, types) : format->ReadFacts(file);
}

arrow::Result<std::shared_ptr<arrow::Schema>> TableFiles::Named(
    const std::string& path, const std::shared_ptr<arrow::Schema>& in_file) const {
  ARROW_ASSIGN_OR_RAISE(auto names, schema::DistinctNames(in_file, rules, "file " + path));
  return spelling ? spelling->Respell(names) : names;
}

arrow::Result<std::shared_ptr<const FileFacts>> TableFiles::Typed(
    const std::string& path, std::shared_ptr<const FileFacts> facts) const {
  ARROW_ASSIGN_OR_RAISE(auto names, Named(path, facts->schema()));
  const FileFormat& own = format->FormatOf(path);
  ARROW_RETURN_NOT_OK(CheckRules(rules, own));
  const TextTyping* typing = own.text_typing();
  if (!typing) return WithNames(std::move(facts), std::move(names));
  if (types.declared) ARROW_RETURN_NOT_OK(CheckNames(path, *names));
  if (!rules.may_rename()) names = nullptr;
  return typing->Retype({path, std::move(facts), std::move(names)}, types);
}

/// A file that has none of the columns that were declared was most likely not understood: its
/// delimiter is another, or it has no header.
arrow::Status TableFiles::CheckNames(const std::string& path,
                                     const arrow::Schema& file_schema) const {
  bool any = false;
  for (const auto& field : types.schema->fields()) {
    if (partition_schema->GetFieldIndex(field->name()) >= 0) continue;
    if (file_schema.GetFieldIndex(field->name()) >= 0) return arrow::Status::OK();
    any = true;
  }
  if (!any || file_schema.num_fields() == 0) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "'", path, "' has the columns ", Names(file_schema), ", and the declared schema has ",
      Names(*types.schema),
      ": no name is in both. Declare the file's own names, or say that it has no header and name "
      "its columns");
}

}  // namespace shoal::plan
