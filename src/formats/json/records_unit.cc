#include "formats/json/records_unit.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/json/chunked_builder.h>
#include <arrow/json/options.h>
#include <arrow/json/parser.h>
#include <arrow/util/task_group.h>
#include <arrow/util/value_parsing.h>

#include "base/location.h"
#include "base/question_error.h"
#include "base/text.h"
#include "formats/json/facts.h"
#include "formats/json/line_decoder.h"
#include "formats/text/numbers.h"
#include "formats/text/rest_of_file.h"

namespace shoal::formats::json {

namespace {

using arrow::Status;
using text::Place;

struct Reading {
  UnitRequest request;
  std::shared_ptr<arrow::Schema> schema;  // of batches
  bool plain = false;                     // whether CanDecodeLines

  bool counts() const { return request.leaves.empty(); }
  const JsonFacts& facts() const { return static_cast<const JsonFacts&>(*request.facts); }
  const std::string& path() const { return request.file->path; }
};

/// A text without a zone is no instant, and one with a zone is no wall-clock time.
Status CheckZone(std::string_view text, const arrow::TimestampType& type) {
  int64_t value;
  bool has_zone = false;
  const bool is_time = arrow::internal::ParseTimestampISO8601(text.data(), text.size(), type.unit(),
                                                              &value, &has_zone);
  if (!is_time || has_zone != type.timezone().empty()) return Status::OK();
  return Status::Invalid("'", text, "' has ", has_zone ? "a zone" : "no zone", ", which ",
                         type.ToString(), has_zone ? " has not" : " has");
}

/// An integer that a double would alter is an error, as in all formats, and so is a time with a
/// zone where the type has none, or without one where it has. `parsed`: values of that type before
/// they are converted, scalars as text.
Status CheckAltersNothing(const arrow::Array& parsed, const arrow::DataType& type) {
  if (type.id() == arrow::Type::STRUCT && parsed.type_id() == arrow::Type::STRUCT) {
    const auto& values = static_cast<const arrow::StructArray&>(parsed);
    for (const auto& field : type.fields()) {
      const auto child = values.GetFieldByName(field->name());
      if (child) ARROW_RETURN_NOT_OK(CheckAltersNothing(*child, *field->type()));
    }
  } else if (type.id() == arrow::Type::LIST && parsed.type_id() == arrow::Type::LIST) {
    const auto& values = static_cast<const arrow::ListArray&>(parsed);
    ARROW_RETURN_NOT_OK(CheckAltersNothing(*values.values(), *type.field(0)->type()));
  } else if (parsed.type_id() == arrow::Type::DICTIONARY &&
             (type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::TIMESTAMP)) {
    const auto& values = static_cast<const arrow::DictionaryArray&>(parsed);
    const auto& texts = static_cast<const arrow::StringArray&>(*values.dictionary());
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.IsNull(i)) continue;
      const auto text = texts.GetView(values.GetValueIndex(i));
      if (type.id() == arrow::Type::TIMESTAMP) {
        ARROW_RETURN_NOT_OK(CheckZone(text, static_cast<const arrow::TimestampType&>(type)));
      } else if (!text::IsExactDouble(text)) {
        return Status::Invalid("no double is the integer ", text);
      }
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
  ARROW_RETURN_NOT_OK(CheckAltersNothing(*parsed, *type));
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

/// Makes batches of some whole lines. `text` ends with a line end.
class RecordsUnit final : public Unit {
 public:
  RecordsUnit(std::shared_ptr<const Reading> reading, std::shared_ptr<arrow::Buffer> text,
              int64_t line)
      : Unit(reading->request.file),
        reading_(std::move(reading)),
        text_(std::move(text)),
        line_(line) {}

  arrow::Result<Step> Next(Resident) override {
    if (text_) {
      const int64_t size = text_->size();
      if (!std::exchange(charged_, true)) {
        return NeedBytes{{}, {}, reading_->counts() ? size : 4 * size};
      }
      ARROW_RETURN_NOT_OK(ReadRows());
      text_ = nullptr;
    }
    const int64_t left = rows_->num_rows() - given_;
    if (left == 0) {
      ARROW_RETURN_NOT_OK(refused_);
      return Done{};
    }
    const int64_t rows = reading_->counts()
                             ? left
                             : std::min(left, std::max<int64_t>(reading_->request.batch_rows, 1));
    return Step(rows_->Slice(std::exchange(given_, given_ + rows), rows));
  }

 private:
  /// Where a value or a key is refused, the rows before it are given all the same: whether a limit
  /// is met before it must not depend on where the text is cut.
  Status ReadRows() {
    UnseenKeys unseen(reading_->facts().schema());
    while (true) {
      int64_t refused_at = 0;
      auto rows = Decode(reading_->request.unseen_column ? &unseen : nullptr, &refused_at);
      if (rows.ok()) {
        rows_ = *std::move(rows);
        break;
      }
      refused_ = rows.status();
      if (refused_at == 0) return refused_;
      text_ = arrow::SliceBuffer(text_, 0, refused_at);
      unseen.Clear();
    }
    for (const auto& [name, row] : unseen.keys()) {
      const Status told = reading_->request.unseen_column(name);
      if (told.ok()) continue;
      refused_ = told;
      rows_ = rows_->Slice(0, row);
      break;
    }
    return Status::OK();
  }

  /// `unseen`: null if nobody asks. `refused_at`: where the line begins that has a value which does
  /// not fit, if that is what is wrong.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Decode(UnseenKeys* unseen,
                                                            int64_t* refused_at) const {
    const std::string_view text(*text_);
    if (!base::IsUtf8(text)) return NotUtf8();
    if (reading_->plain) {
      ARROW_ASSIGN_OR_RAISE(auto batch,
                            DecodeLines(text, reading_->schema, reading_->request.pool, unseen));
      if (batch) return batch;
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t rows, CheckLines());
    if (rows == 0) return arrow::RecordBatch::MakeEmpty(reading_->schema);
    auto batch = Parse(*reading_, text_);
    if (!batch.ok()) return Explain(batch.status(), refused_at);
    if ((*batch)->num_rows() != rows) {
      return Explain(Status::Invalid("a line has several objects"), refused_at);
    }
    if (unseen) FindUnseenKeys(text, unseen);
    return batch;
  }

  /// The lines that are not blank. Each has to look like one object: what Arrow's parser takes
  /// besides, objects over several lines and several in one, would be other rows where the text is
  /// cut elsewhere.
  arrow::Result<int64_t> CheckLines() const {
    std::string_view rest(*text_);
    int64_t rows = 0;
    for (int64_t line = line_; !rest.empty(); ++line) {
      const std::string_view record = TakeLine(&rest);
      const size_t first = record.find_first_not_of(" \t\r");
      if (first == record.npos) continue;
      if (record[first] != '{' || record[record.find_last_not_of(" \t\r")] != '}') {
        Shape shape;
        auto status = ReadShape(record, &shape);
        return ErrorAt(reading_->path(), line,
                       status.ok() ? "it is no JSON object" : status.message());
      }
      ++rows;
    }
    return rows;
  }

  Status NotUtf8() const {
    std::string_view rest(*text_);
    int64_t line = line_;
    while (!rest.empty() && base::IsUtf8(TakeLine(&rest))) ++line;
    return ErrorAt(reading_->path(), line, "invalid UTF8");
  }

  /// The same error for the line that causes it, which is found by reading each alone.
  Status Explain(const Status& error, int64_t* refused_at) const {
    if (error.IsOutOfMemory()) return error;
    std::string_view rest(*text_);
    for (int64_t line = line_; !rest.empty(); ++line) {
      const char* const begin = rest.data();
      const std::string_view text = TakeLine(&rest);
      if (IsBlank(text)) continue;
      const int64_t offset = begin - reinterpret_cast<const char*>(text_->data());
      auto alone = arrow::SliceBuffer(text_, offset, static_cast<int64_t>(text.size()));
      auto batch = Parse(*reading_, alone);
      if (batch.ok() && (*batch)->num_rows() == 1) continue;
      Shape shape;
      if (auto status = ReadShape(text, &shape); !status.ok()) {
        return ErrorAt(reading_->path(), line, status.message());
      }
      *refused_at = offset;
      const std::string message = batch.ok() ? error.message() : batch.status().message();
      return base::MarkQuestionError(ErrorAt(
          reading_->path(), line,
          message +
              (reading_->facts().declared()
                   ? ". Declare a type that holds it"
                   : ". The types of columns were found from a sample of their values: declare "
                     "a schema, or infer types from all values (infer=\"all\") of all files "
                     "(inspect=\"all\")")));
    }
    return ErrorAt(reading_->path(), line_, "among the lines from here on: " + error.message());
  }

  std::shared_ptr<const Reading> reading_;
  std::shared_ptr<arrow::Buffer> text_;
  const int64_t line_;
  bool charged_ = false;
  std::shared_ptr<arrow::RecordBatch> rows_;
  int64_t given_ = 0;
  Status refused_;  // what comes after rows_
};

/// Cuts after a line; what is in the lines is for those to see who read them.
class LineCutter final : public text::Cutter {
 public:
  explicit LineCutter(std::shared_ptr<const Reading> reading) : reading_(std::move(reading)) {}

  arrow::Result<int64_t> Cut(std::shared_ptr<arrow::Buffer> text, Place place, bool final,
                             std::vector<std::unique_ptr<Unit>>* units) override {
    const std::string_view whole(*text);
    const auto begin = place.offset == 0
                           ? static_cast<int64_t>(whole.size() - WithoutByteOrderMark(whole).size())
                           : 0;
    const auto lines = static_cast<int64_t>(whole.rfind('\n') + 1);  // 0: there is no line end
    if (lines == 0 && !final) return 0;
    const bool ended = lines == text->size();
    std::shared_ptr<arrow::Buffer> records;
    if (final && !ended) {
      records = arrow::Buffer::FromString(std::string(whole.substr(begin)) + '\n');
    } else {
      records = arrow::SliceBuffer(text, begin, lines - begin);
    }
    if (records->size() > 0) {
      units->push_back(std::make_unique<RecordsUnit>(reading_, std::move(records), place.line));
    }
    return final ? text->size() : lines;
  }

 private:
  std::shared_ptr<const Reading> reading_;
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeUnit(UnitRequest request, int64_t piece) {
  auto reading = std::make_shared<Reading>();
  reading->schema = ProjectLeaves(*request.facts->schema(), request.leaves);
  reading->plain = CanDecodeLines(*reading->schema);
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
