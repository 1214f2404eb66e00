#include "formats/json/facts.h"

#include <algorithm>
#include <utility>

#include "formats/text/beginning_reader.h"
#include "formats/text/bytes.h"
#include "formats/text/rest_of_file.h"
#include "formats/text/substitute.h"

namespace shoal::formats::json {

namespace {

using arrow::Status;
using arrow::Type;

class Sampler final : public text::SampleReader {
 public:
  Sampler(JsonOptions options, std::shared_ptr<const SourceFile> file)
      : SampleReader(std::move(file), "", options.infer) {}

 private:
  arrow::Result<std::optional<Step>> TakeText() override {
    ARROW_RETURN_NOT_OK(TakeLines());
    if (!all() && (reads_all() || !taken_any_)) {
      if (text_.size() >= static_cast<size_t>(text::kMaxRecord)) {
        return ErrorAt(file_->path, line_,
                       "it is longer than " + std::to_string(text::kMaxRecord) + " bytes");
      }
      RaiseLimit();
      return std::nullopt;
    }
    for (size_t i = 0; i < places_.size(); ++i) TakePlace(*places_[i], i + 1 == places_.size());
    auto type = shape_.Type("");
    if (!type.ok()) {
      return type.status().WithMessage("'", file_->path, "': ", type.status().message());
    }
    const auto rows = all() ? Precision<int64_t>::Exact(rows_) : Precision<int64_t>();
    return Step(std::make_shared<const JsonFacts>(arrow::schema((*type)->fields()),
                                                  std::move(shape_), size_, rows, false));
  }

  /// The lines that are whole.
  Status TakeLines() {
    std::string_view rest = text_;
    if (line_ == 1) rest = WithoutByteOrderMark(rest);
    while (!rest.empty() && (all() || rest.find('\n') != rest.npos)) {
      const std::string_view line = TakeLine(&rest);
      if (!IsBlank(line)) {
        auto status = ReadShape(line, &shape_);
        if (!status.ok()) return ErrorAt(file_->path, line_, status.message());
        ++rows_;
      }
      ++line_;
      taken_any_ = true;
    }
    if (line_ > 1) text_.erase(0, text_.size() - rest.size());
    return Status::OK();
  }

  /// Lines anywhere in the file. What is wrong with them the reading will tell.
  void TakePlace(const arrow::Buffer& bytes, bool final) {
    std::string_view text(bytes);
    TakeLine(&text);
    while (!text.empty() && (final || text.find('\n') != text.npos)) {
      const std::string_view line = TakeLine(&text);
      Shape shape;
      if (!IsBlank(line) && ReadShape(line, &shape).ok()) shape_.Merge(shape);
    }
  }

  bool taken_any_ = false;
  int64_t line_ = 1, rows_ = 0;
  Shape shape_;
};

/// The type itself if Arrow makes it of JSON values, else, for the parts where it does not,
/// TextTyping's substitute.
std::shared_ptr<arrow::DataType> ReadableType(const std::shared_ptr<arrow::DataType>& type,
                                              bool declared) {
  const auto child = [declared](const std::shared_ptr<arrow::Field>& field) {
    return field->WithType(ReadableType(field->type(), declared))->WithNullable(true);
  };
  switch (type->id()) {
    case Type::NA:
    case Type::BOOL:
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::STRING:
    case Type::TIMESTAMP:
      return type;
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return type;
    case Type::LIST:
      return arrow::list(child(type->field(0)));
    case Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type->fields()) fields.push_back(child(field));
      return arrow::struct_(std::move(fields));
    }
    default:
      return text::SubstituteOf(*type, declared);
  }
}

std::shared_ptr<arrow::Schema> TypedSchema(const TableTypes& table) {
  arrow::FieldVector fields;
  for (const auto& field : table.schema->fields()) {
    fields.push_back(arrow::field(field->name(), ReadableType(field->type(), table.declared)));
  }
  return arrow::schema(std::move(fields));
}

class TypedReader final : public FactsReader {
 public:
  explicit TypedReader(TableTypes table) : table_(std::move(table)) {}

  arrow::Result<Step> Next(Resident got) override {
    if (!std::exchange(opened_, true)) return NeedBytes{};  // tells the size
    return Step(std::make_shared<const JsonFacts>(TypedSchema(table_), Shape(), got.version.size,
                                                  Precision<int64_t>::Absent(), table_.declared));
  }

 private:
  const TableTypes table_;
  bool opened_ = false;
};

}  // namespace

std::unique_ptr<FactsReader> MakeSampler(JsonOptions options,
                                         std::shared_ptr<const SourceFile> file) {
  return std::make_unique<Sampler>(options, std::move(file));
}

std::unique_ptr<FactsReader> MakeTypedReader(std::shared_ptr<const SourceFile>, TableTypes table) {
  return std::make_unique<TypedReader>(std::move(table));
}

std::shared_ptr<const FileFacts> Retype(const JsonFacts& facts, const TableTypes& table) {
  return std::make_shared<const JsonFacts>(TypedSchema(table), facts.shape(), facts.file_size(),
                                           facts.rows(), table.declared);
}

arrow::Result<std::shared_ptr<arrow::Schema>> Union(const std::vector<FactsOf>& files) {
  Shape shape;
  const std::string* before = nullptr;
  for (const FactsOf& file : files) {
    shape.Merge(static_cast<const JsonFacts&>(*file.facts).shape());
    auto type = shape.Type("");
    if (!type.ok()) {
      // Each file alone has a type: two do not go together.
      return type.status().WithMessage("'", file.path, "': ", type.status().message(),
                                       ", or leave out this file; the files before it, up to '",
                                       before ? *before : file.path, "', agree");
    }
    before = &file.path;
  }
  ARROW_ASSIGN_OR_RAISE(auto type, shape.Type(""));
  return arrow::schema(type->fields());
}

std::vector<std::shared_ptr<arrow::DataType>> OtherTypes(const std::vector<FactsOf>& files,
                                                         const std::string& column) {
  Shape values;
  for (const FactsOf& file : files) {
    for (const auto& [name, shape] : static_cast<const JsonFacts&>(*file.facts).shape().keys()) {
      if (name == column) values.Merge(shape);
    }
  }
  return values.OtherTypes();
}

Status ErrorAt(const std::string& path, int64_t line, const std::string& message) {
  return Status::Invalid("'", path, "', line ", line, ": ", message);
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == line.npos; }

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == text->npos ? text->size() : end + 1);
  return line;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

}  // namespace shoal::formats::json
