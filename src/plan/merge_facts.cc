#include "plan/merge_facts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "schema/merge.h"

namespace shoal::plan {

namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

/// The files of one format of text.
struct TextFiles {
  const TextTyping* typing;
  std::vector<FactsOf> files;
  std::shared_ptr<arrow::Schema> schema;  // their union
};

class Merger {
 public:
  static arrow::Result<Merger> Make(const FileFormat& format, const std::vector<FactsOf>& files,
                                    Promote promote) {
    Merger out(files, promote);
    for (const FactsOf& file : files) {
      const TextTyping* typing = format.FormatOf(file.path).text_typing();
      auto of = std::find_if(out.texts_.begin(), out.texts_.end(),
                             [&](const TextFiles& texts) { return texts.typing == typing; });
      out.text_of_.push_back(typing ? of - out.texts_.begin() : kNoText);
      if (!typing) continue;
      if (of == out.texts_.end()) of = out.texts_.insert(of, {typing, {}, nullptr});
      of->files.push_back(file);
    }
    for (TextFiles& texts : out.texts_) {
      ARROW_ASSIGN_OR_RAISE(texts.schema, texts.typing->Union(texts.files));
    }
    return out;
  }

  arrow::Result<std::shared_ptr<arrow::Schema>> Merge() {
    if (texts_.size() == 1 && texts_[0].files.size() == files_.size()) return texts_[0].schema;
    auto merged = MergeTyped();
    if (merged.ok() || texts_.empty()) return merged;
    for (const std::string& column : TextColumns()) Choose(column);
    return MergeTyped();
  }

 private:
  static constexpr ptrdiff_t kNoText = -1;
  Merger(const std::vector<FactsOf>& files, Promote promote) : files_(files), promote_(promote) {}

  /// With the table's names.
  const std::shared_ptr<arrow::Schema>& SchemaOf(size_t file) const {
    const auto& names = files_[file].names;
    return names ? names : files_[file].facts->schema();
  }

  std::vector<std::string> TextColumns() const {
    std::vector<std::string> names;
    for (const TextFiles& texts : texts_) {
      for (const auto& field : texts.schema->fields()) {
        if (std::find(names.begin(), names.end(), field->name()) == names.end())
          names.push_back(field->name());
      }
    }
    return names;
  }

  /// Files in their order, those of text with the types of their union.
  arrow::Result<std::shared_ptr<arrow::Schema>> MergeTyped() const {
    std::vector<schema::FileSchema> found;
    for (size_t i = 0; i < files_.size(); ++i) {
      auto schema = SchemaOf(i);
      if (text_of_[i] != kNoText) {
        auto fields = schema->fields();
        for (auto& field : fields) {
          const auto typed = texts_[text_of_[i]].schema->GetFieldByName(field->name());
          field = field->WithType(typed->type());
        }
        schema = arrow::schema(std::move(fields), schema->metadata());
      }
      // Files of one writer share one schema object: merging it again changes nothing.
      if (!found.empty() && found.back().schema == schema) continue;
      found.push_back({files_[i].path, std::move(schema)});
    }
    return schema::MergeSchemas(found, promote_);
  }

  /// Gives the column in files of text, if they have no common type with the rest, other types that
  /// have: of all that do, those least far down their formats' lists. Otherwise it stays as it is,
  /// and merging says what is wrong.
  void Choose(const std::string& column) {
    TypePtr rest = arrow::null();
    for (size_t i = 0; i < files_.size(); ++i) {
      const auto field = text_of_[i] == kNoText ? SchemaOf(i)->GetFieldByName(column) : nullptr;
      if (!field) continue;
      auto both = schema::MergeTypes(rest, field->type(), promote_);
      if (!both.ok()) return;
      rest = *std::move(both);
    }
    std::vector<TextFiles*> having;
    std::vector<std::vector<TypePtr>> types;
    for (TextFiles& texts : texts_) {
      const auto field = texts.schema->GetFieldByName(column);
      if (!field) continue;
      having.push_back(&texts);
      types.push_back(texts.typing->OtherTypes(texts.files, column));
      types.back().insert(types.back().begin(), field->type());
    }
    std::vector<size_t> at(having.size(), 0);
    std::optional<std::vector<size_t>> best;
    const auto distance = [](const std::vector<size_t>& places) {
      return std::accumulate(places.begin(), places.end(), size_t{0});
    };
    while (true) {
      if ((!best || distance(at) < distance(*best)) && HaveCommonType(rest, types, at)) best = at;
      size_t digit = 0;
      while (digit < at.size() && ++at[digit] == types[digit].size()) at[digit++] = 0;
      if (digit == at.size()) break;
    }
    if (!best) return;
    for (size_t i = 0; i < having.size(); ++i) {
      const int field = having[i]->schema->GetFieldIndex(column);
      auto typed = having[i]->schema->field(field)->WithType(types[i][(*best)[i]]);
      having[i]->schema = having[i]->schema->SetField(field, std::move(typed)).ValueOrDie();
    }
  }

  bool HaveCommonType(TypePtr type, const std::vector<std::vector<TypePtr>>& types,
                      const std::vector<size_t>& at) const {
    for (size_t i = 0; i < at.size(); ++i) {
      auto both = schema::MergeTypes(type, types[i][at[i]], promote_);
      if (!both.ok()) return false;
      type = *std::move(both);
    }
    return true;
  }

  const std::vector<FactsOf>& files_;
  const Promote promote_;
  std::vector<ptrdiff_t> text_of_;  // index of texts_, by file
  std::vector<TextFiles> texts_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> MergeFacts(const FileFormat& format,
                                                         const std::vector<FactsOf>& files,
                                                         Promote promote) {
  ARROW_ASSIGN_OR_RAISE(auto merger, Merger::Make(format, files, promote));
  return merger.Merge();
}

}  // namespace shoal::plan
