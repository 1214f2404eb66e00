#include "formats/json/records_unit.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/json/chunked_builder.h>
#include <arrow/json/options.h>
#include <arrow/json/parser.h>
#include <arrow/util/task_group.h>

#include "base/location.h"
#include "base/question_error.h"
#include "base/text.h"
#include "formats/json/facts.h"
#include "formats/text/numbers.h"
#include "formats/text/rest_of_file.h"

namespace shoal::formats::json {

namespace {

using arrow::Status;
using text::Place;

struct Reading {
  UnitRequest request;
  std::shared_ptr<arrow::Schema> schema;  // of batches

  const JsonFacts& facts() const { return static_cast<const JsonFacts&>(*request.facts); }
  const std::string& path() const { return request.file->path; }
};

/// An integer that a double would alter is an error, as in all formats. `parsed`: values of that
/// type before they are converted, scalars as text.
Status CheckDoubles(const arrow::Array& parsed, const arrow::DataType& type) {
  if (type.id() == arrow::Type::STRUCT && parsed.type_id() == arrow::Type::STRUCT) {
    const auto& values = static_cast<const arrow::StructArray&>(parsed);
    for (const auto& field : type.fields()) {
      const auto child = values.GetFieldByName(field->name());
      if (child) ARROW_RETURN_NOT_OK(CheckDoubles(*child, *field->type()));
    }
  } else if (type.id() == arrow::Type::LIST && parsed.type_id() == arrow::Type::LIST) {
    const auto& values = static_cast<const arrow::ListArray&>(parsed);
    ARROW_RETURN_NOT_OK(CheckDoubles(*values.values(), *type.field(0)->type()));
  } else if (type.id() == arrow::Type::DOUBLE && parsed.type_id() == arrow::Type::DICTIONARY) {
    const auto& values = static_cast<const arrow::DictionaryArray&>(parsed);
    const auto& texts = static_cast<const arrow::StringArray&>(*values.dictionary());
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i)) continue;
      const auto text = texts.GetView(values.GetValueIndex(i));
      if (!text::IsExactDouble(text)) return Status::Invalid("no double is the integer ", text);
    }
  }
  return Status::OK();
}

/// Some whole lines, without keys that nobody asks for.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> Parse(
    const Reading& reading, const std::shared_ptr<arrow::Buffer>& text) {
  auto* pool = reading.request.pool;
  auto options = arrow::json::ParseOptions::Defaults();
  options.explicit_schema = reading.schema;
  options.unexpected_field_behavior = arrow::json::UnexpectedFieldBehavior::Ignore;
  std::unique_ptr<arrow::json::BlockParser> parser;
  ARROW_RETURN_NOT_OK(arrow::json::BlockParser::Make(pool, options, &parser));
  ARROW_RETURN_NOT_OK(parser->ReserveScalarStorage(text->size()));
  ARROW_RETURN_NOT_OK(parser->Parse(text));
  std::shared_ptr<arrow::Array> parsed;
  ARROW_RETURN_NOT_OK(parser->Finish(&parsed));
  const auto type = arrow::struct_(reading.schema->fields());
  ARROW_RETURN_NOT_OK(CheckDoubles(*parsed, *type));
  std::shared_ptr<arrow::json::ChunkedArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::json::MakeChunkedArrayBuilder(
      arrow::internal::TaskGroup::MakeSerial(), pool, /*promotion_graph=*/nullptr, type, &builder));
  builder->Insert(0, arrow::field("", parsed->type()), parsed);
  std::shared_ptr<arrow::ChunkedArray> converted;
  ARROW_RETURN_NOT_OK(builder->Finish(&converted));
  if (converted->num_chunks() != 1) return Status::Invalid("it gives no rows");
  const auto& rows = static_cast<const arrow::StructArray&>(*converted->chunk(0));
  return arrow::RecordBatch::Make(reading.schema, rows.length(), rows.fields());
}

/// Converts some lines, to one batch.
class RecordsUnit final : public Unit {
 public:
  RecordsUnit(std::shared_ptr<const Reading> reading, std::shared_ptr<arrow::Buffer> text,
              int64_t rows, int64_t line)
      : Unit(reading->request.file),
        reading_(std::move(reading)),
        text_(std::move(text)),
        rows_(rows),
        line_(line) {}

  arrow::Result<Step> Next(Resident) override {
    if (done_) return Done{};
    if (!text_) {
      done_ = true;
      return Step(arrow::RecordBatch::Make(reading_->schema, rows_, arrow::ArrayVector{}));
    }
    if (!std::exchange(charged_, true)) return NeedBytes{{}, {}, 4 * text_->size()};
    done_ = true;
    auto batch = Parse(*reading_, text_);
    if (!batch.ok()) return Explain(batch.status());
    if ((*batch)->num_rows() != rows_)
      return Explain(Status::Invalid("a line has several objects"));
    return Step(*std::move(batch));
  }

 private:
  /// The same error for the line that causes it, which is found by reading each alone.
  Status Explain(const Status& error) const {
    if (error.IsOutOfMemory()) return error;
    std::string_view rest(*text_);
    for (int64_t line = line_; !rest.empty(); ++line) {
      const char* const begin = rest.data();
      const std::string_view text = TakeLine(&rest);
      if (IsBlank(text)) continue;
      auto alone = arrow::SliceBuffer(text_, begin - reinterpret_cast<const char*>(text_->data()),
                                      static_cast<int64_t>(text.size()));
      auto batch = Parse(*reading_, alone);
      if (batch.ok() && (*batch)->num_rows() == 1) continue;
      Shape shape;
      if (auto status = ReadShape(text, &shape); !status.ok()) {
        return ErrorAt(reading_->path(), line, status.message());
      }
      const std::string message = batch.ok() ? error.message() : batch.status().message();
      return base::MarkQuestionError(ErrorAt(
          reading_->path(), line,
          message +
              (reading_->facts().declared()
                   ? ". Declare a type that holds it"
                   : ". The types of columns were found from a sample of their values: declare "
                     "a schema, or infer types from all of them (infer=\"all\")")));
    }
    return ErrorAt(reading_->path(), line_, "among the lines from here on: " + error.message());
  }

  std::shared_ptr<const Reading> reading_;
  std::shared_ptr<arrow::Buffer> text_;
  int64_t rows_, line_;
  bool charged_ = false, done_ = false;
};

class LineCutter final : public text::Cutter {
 public:
  explicit LineCutter(std::shared_ptr<const Reading> reading) : reading_(std::move(reading)) {}

  arrow::Result<int64_t> Cut(std::shared_ptr<arrow::Buffer> text, Place place, bool final,
                             std::vector<std::unique_ptr<Unit>>* units) override {
    const std::string_view whole(*text);
    std::string_view rest = place.offset == 0 ? WithoutByteOrderMark(whole) : whole;
    if (const size_t end = rest.rfind('\n'); !final) {
      if (end == rest.npos) return 0;
      rest = rest.substr(0, end + 1);
    }
    if (!base::IsUtf8(rest)) return NotUtf8(rest, place.line);
    const char* const text_end = rest.data() + rest.size();
    const bool counts = reading_->request.leaves.empty();
    const char* piece = rest.data();
    int64_t rows = 0, line = place.line, piece_line = place.line;
    const auto flush = [&] {
      if (rows > 0) {
        auto records =
            counts ? nullptr : arrow::SliceBuffer(text, piece - whole.data(), rest.data() - piece);
        units->push_back(
            std::make_unique<RecordsUnit>(reading_, std::move(records), rows, piece_line));
      }
      rows = 0;
      piece = rest.data();
      piece_line = line;
    };
    while (!rest.empty()) {
      const std::string_view record = TakeLine(&rest);
      ++line;
      const size_t first = record.find_first_not_of(" \t\r");
      if (first == record.npos) continue;
      // So that lines and objects are the same, wherever the text is cut.
      if (record[first] != '{' || record[record.find_last_not_of(" \t\r")] != '}') {
        Shape shape;
        auto status = ReadShape(record, &shape);
        return ErrorAt(reading_->path(), line - 1,
                       status.ok() ? "it is no JSON object" : status.message());
      }
      if (++rows == reading_->request.batch_rows && !counts) flush();
    }
    rest = {text_end, 0};
    flush();
    return text_end - whole.data();
  }

 private:
  Status NotUtf8(std::string_view text, int64_t line) const {
    for (; !text.empty(); ++line) {
      if (!base::IsUtf8(TakeLine(&text))) break;
    }
    return ErrorAt(reading_->path(), line, "invalid UTF8");
  }

  std::shared_ptr<const Reading> reading_;
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request, int64_t piece) {
  auto reading = std::make_shared<Reading>();
  reading->schema = ProjectLeaves(*request.facts->schema(), request.leaves);
  reading->request = std::move(request);
  const auto& file = reading->request.file;
  text::TextFile text{file, "", reading->facts().file_size()};
  text.piece = piece;
  text.local = !file->filesystem || base::IsLocal(*file->filesystem);
  const int64_t rows_wanted = reading->request.rows_wanted;
  return text::MakeRestOfFile(std::move(text), {}, std::make_shared<LineCutter>(std::move(reading)),
                              rows_wanted);
}

}  // namespace shoal::formats::json
