#include "formats/csv/facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <arrow/csv/converter.h>

#include "formats/csv/head.h"
#include "formats/text/beginning_reader.h"
#include "formats/text/substitute.h"

namespace shoal::formats::csv {

namespace {

constexpr int64_t kHeadBytes = 64 << 10;

/// The type itself if Arrow reads text as it, else TextTyping's substitute.
std::shared_ptr<arrow::DataType> ReadableType(const std::shared_ptr<arrow::DataType>& type,
                                              const Settings& settings, bool declared) {
  if (arrow::csv::Converter::Make(type, *settings.values.convert).ok()) return type;
  return text::SubstituteOf(*type, declared);
}

std::shared_ptr<arrow::Schema> TypedSchema(const std::vector<std::string>& names,
                                           const Settings& settings, const TableTypes& table) {
  arrow::FieldVector fields;
  for (const std::string& name : names) {
    const auto column = table.schema->GetFieldByName(name);
    // What the table lacks is not read.
    fields.push_back(arrow::field(
        name, column ? ReadableType(column->type(), settings, table.declared) : arrow::utf8()));
  }
  return arrow::schema(std::move(fields));
}

/// The columns' names in the table.
std::vector<std::string> AllNamesOf(const FactsOf& file) {
  if (file.names) return file.names->field_names();
  return static_cast<const CsvFacts&>(*file.facts).head().names;
}

/// The same. Invalid: two are the same.
arrow::Result<std::vector<std::string>> NamesOf(const FactsOf& file) {
  const Head& head = static_cast<const CsvFacts&>(*file.facts).head();
  auto names = AllNamesOf(file);
  auto sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return ErrorAt(file.path, head.names_line,
                   "two columns are named '" + *twice +
                       "'; rename one of them, give other names (column_names), or open it with "
                       "duplicate_names = rename");
  }
  return names;
}

class HeadReader final : public text::BeginningReader {
 public:
  HeadReader(std::shared_ptr<const Settings> settings, std::shared_ptr<const SourceFile> file,
             TableTypes table)
      : BeginningReader(std::move(file), settings->options.encoding, kHeadBytes),
        settings_(std::move(settings)),
        table_(std::move(table)) {}

 private:
  arrow::Result<std::optional<Step>> TakeText() override {
    ARROW_ASSIGN_OR_RAISE(auto head, ParseHead(*settings_, file_->path, text_, all()));
    if (head) return Finish(*std::move(head));
    if (text_.size() >= static_cast<size_t>(text::kMaxRecord)) return TooLong(file_->path, 1);
    limit_ *= 4;
    return std::nullopt;
  }
  NeedBytes Need() const override { return NeedBytes{{Following(limit_)}}; }

  Step Finish(Head head) const {
    auto schema = TypedSchema(head.names, *settings_, table_);
    const auto layout = LayoutOf(*settings_, file_->path, head);
    const auto rows =
        head.names.empty() ? Precision<int64_t>::Exact(0) : Precision<int64_t>::Absent();
    return Step(std::make_shared<const CsvFacts>(std::move(schema), std::move(head), layout, size_,
                                                 CsvFacts::Seen{}, rows, table_.declared));
  }

  const std::shared_ptr<const Settings> settings_;
  const TableTypes table_;
};

}  // namespace

CsvFacts::CsvFacts(std::shared_ptr<arrow::Schema> schema, Head head, Layout layout,
                   int64_t file_size, Seen seen, Precision<int64_t> rows, bool declared)
    : FileFacts(std::move(schema)),
      head_(std::move(head)),
      layout_(layout),
      file_size_(file_size),
      seen_(std::move(seen)),
      rows_(rows),
      declared_(declared) {}

int64_t CsvFacts::memory_size() const {
  int64_t bytes = sizeof(*this);
  for (const std::string& name : head_.names) {
    // A field, and what is seen of it.
    bytes += 200 + 3 * static_cast<int64_t>(name.size());
  }
  return bytes;
}

std::unique_ptr<FactsReader> MakeHeadReader(std::shared_ptr<const Settings> settings,
                                            std::shared_ptr<const SourceFile> file,
                                            TableTypes table) {
  return std::make_unique<HeadReader>(std::move(settings), std::move(file), std::move(table));
}

arrow::Result<std::shared_ptr<const FileFacts>> Retype(const Settings& settings,
                                                       const FactsOf& file,
                                                       const TableTypes& table) {
  const auto& facts = static_cast<const CsvFacts&>(*file.facts);
  ARROW_ASSIGN_OR_RAISE(const auto names, NamesOf(file));
  return std::make_shared<const CsvFacts>(TypedSchema(names, settings, table), facts.head(),
                                          facts.layout(), facts.file_size(), facts.seen(),
                                          facts.rows(), table.declared);
}

arrow::Result<std::shared_ptr<arrow::Schema>> Union(const std::vector<FactsOf>& files) {
  std::vector<std::string> names;
  std::map<std::string, TypeSet> types;
  bool all = true;
  for (const FactsOf& file : files) {
    const auto& facts = static_cast<const CsvFacts&>(*file.facts);
    all &= facts.seen().all;
    ARROW_ASSIGN_OR_RAISE(const auto names_here, NamesOf(file));
    for (size_t i = 0; i < names_here.size(); ++i) {
      const std::string& name = names_here[i];
      const auto [known, is_new] = types.emplace(name, facts.seen().types[i]);
      if (is_new) {
        names.push_back(name);
      } else {
        known->second = known->second.Both(facts.seen().types[i]);
      }
    }
  }
  arrow::FieldVector fields;
  for (const std::string& name : names) {
    fields.push_back(arrow::field(name, types.at(name).First(all)));
  }
  return arrow::schema(std::move(fields));
}

std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(const std::vector<FactsOf>& files,
                                                         const std::string& column) {
  TypeSet types = TypeSet::All();
  bool all = true;
  for (const FactsOf& file : files) {
    const auto& facts = static_cast<const CsvFacts&>(*file.facts);
    all &= facts.seen().all;
    const auto names = AllNamesOf(file);
    const auto found = std::find(names.begin(), names.end(), column);
    if (found != names.end()) types = types.Both(facts.seen().types[found - names.begin()]);
  }
  return types.Others(all);
}

}  // namespace shoal::formats::csv
