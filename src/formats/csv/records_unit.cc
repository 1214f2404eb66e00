#include "formats/csv/records_unit.h"

#include <algorithm>
#include <utility>

#include <arrow/csv/converter.h>

#include "base/location.h"
#include "base/question_error.h"
#include "formats/csv/head.h"
#include "formats/csv/row_error.h"
#include "formats/text/bytes.h"

namespace shoal::formats::csv {

namespace {

using arrow::Status;
using text::Place;

/// What all pieces of a file are read by.
struct Reading {
  std::shared_ptr<const Settings> settings;
  UnitRequest request;
  std::shared_ptr<arrow::Schema> schema;  // of batches

  const CsvFacts& facts() const { return static_cast<const CsvFacts&>(*request.facts); }
  const std::vector<int>& columns() const { return request.leaves; }
  const std::string& path() const { return request.file->path; }
};

/// Some records, cut out.
struct Piece {
  /// The columns that are read, as they stand in the file, as records of their own.
  std::shared_ptr<arrow::Buffer> records;
  bool copied = false;
  int64_t rows = 0;
  /// Where they are from: `source` begins at the line `line`, they begin at its byte `begin`.
  std::shared_ptr<arrow::Buffer> source;
  int64_t line = 1, begin = 0;
};

/// Converts a piece, to one batch.
class RecordsUnit final : public Unit {
 public:
  RecordsUnit(std::shared_ptr<const Reading> reading, Piece piece)
      : Unit(reading->request.file), reading_(std::move(reading)), piece_(std::move(piece)) {}

  arrow::Result<Step> Next(Resident) override {
    if (done_) {
      ARROW_RETURN_NOT_OK(refused_);
      return Done{};
    }
    const auto& columns = reading_->columns();
    if (!charged_ && !columns.empty()) {
      charged_ = true;
      return NeedBytes{{}, {}, piece_.source->size() + 3 * piece_.records->size()};
    }
    done_ = true;
    if (columns.empty()) {
      return Step(arrow::RecordBatch::Make(reading_->schema, piece_.rows, arrow::ArrayVector{}));
    }
    while (true) {
      int64_t refused = 0;
      auto batch = Decode(&refused);
      if (batch.ok()) return Step(*std::move(batch));
      // The rows before a value that does not fit are given all the same: whether a limit is met
      // before it must not depend on where the text is cut.
      refused_ = batch.status();
      if (refused == 0) return refused_;
      piece_.rows = refused;
    }
  }

 private:
  /// The first rows of the piece. `refused`: the row with a value that does not fit, if that is
  /// what is wrong.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Decode(int64_t* refused) const {
    const auto& columns = reading_->columns();
    Layout layout = reading_->facts().layout();
    layout.columns = static_cast<int>(columns.size());
    if (piece_.copied) layout.blank_is_row = layout.columns == 1;  // only rows were copied
    arrow::csv::BlockParser parser(reading_->request.pool, ParseOptionsOf(layout), layout.columns,
                                   /*first_row=*/0, static_cast<int32_t>(piece_.rows));
    uint32_t parsed = 0;
    const Status status = parser.ParseFinal(std::string_view(*piece_.records), &parsed);
    if (!status.ok() || parser.num_rows() != piece_.rows) {
      return ErrorAt(reading_->path(), LineOf(0),
                     "among the records from here on: " +
                         (status.ok() ? "they can't be told apart" : status.message()));
    }
    arrow::ArrayVector arrays(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      auto converted = Convert(parser, static_cast<int>(i));
      if (!converted.ok()) return Explain(converted.status(), static_cast<int>(i), refused);
      arrays[i] = *std::move(converted);
    }
    return arrow::RecordBatch::Make(reading_->schema, piece_.rows, std::move(arrays));
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Convert(const arrow::csv::BlockParser& parser,
                                                       int column) const {
    const auto& type = reading_->schema->field(column)->type();
    const ValueOptions& options = reading_->settings->values;
    ARROW_ASSIGN_OR_RAISE(auto converter, arrow::csv::Converter::Make(type, *options.convert,
                                                                      reading_->request.pool));
    ARROW_ASSIGN_OR_RAISE(auto array, converter->Convert(parser, column));
    ARROW_RETURN_NOT_OK(CheckKept(parser, column, *type, reading_->facts().declared(), options));
    return array;
  }

  /// The line of a row of the piece.
  int64_t LineOf(int64_t row) const {
    const std::string_view source(*piece_.source);
    const auto record = RecordOfRow(reading_->facts().layout(), source.substr(piece_.begin), row);
    const auto offset = static_cast<size_t>(record.data() - source.data());
    return piece_.line + text::CountLines(source.substr(0, offset));
  }

  Status Explain(const Status& status, int column, int64_t* refused) const {
    if (status.IsOutOfMemory()) return status;
    const RowError error(status);
    std::string text = error.InColumn(reading_->schema->field(column)->name());
    const int64_t line = LineOf(error.row);
    if (error.IsNoText()) return ErrorAt(reading_->path(), line, text);
    *refused = error.row;
    text += reading_->facts().declared()
                ? ". Declare a type that holds it"
                : ". The column's type was found from a sample of its values: declare a schema, or "
                  "infer types from all values (infer=\"all\") of all files (inspect=\"all\")";
    return base::MarkQuestionError(ErrorAt(reading_->path(), line, text));
  }

  std::shared_ptr<const Reading> reading_;
  Piece piece_;
  bool charged_ = false, done_ = false;
  Status refused_;  // what comes after the rows
};

/// Finds the records, and copies of them the columns that are wanted: what is left for Arrow to
/// parse is small where few are.
class RecordCutter final : public text::Cutter {
 public:
  explicit RecordCutter(std::shared_ptr<const Reading> reading) : reading_(std::move(reading)) {}

  arrow::Result<int64_t> Cut(std::shared_ptr<arrow::Buffer> text, Place place, bool final,
                             std::vector<std::unique_ptr<Unit>>* units) override {
    const Layout& layout = reading_->facts().layout();
    const int64_t size = text->size();
    if (final && !EndsLine(std::string_view(*text))) {
      text = arrow::Buffer::FromString(text->ToString() + '\n');
    }
    const std::string_view whole(*text);
    RecordReader reader(layout.dialect, whole, final);
    const auto line_of = [&](const char* at) {
      return place.line + text::CountLines(whole.substr(0, static_cast<size_t>(at - whole.data())));
    };
    Copy copy;
    if (copies()) {
      ARROW_ASSIGN_OR_RAISE(
          copy.buffer, arrow::AllocateBuffer(text->size() + Copy::kSlack, reading_->request.pool));
      copy.out = reinterpret_cast<char*>(copy.buffer->mutable_data());
      copy.source_end = whole.data() + whole.size();
    }
    const char* piece_begin = whole.data();
    char* piece_out = copy.out;
    int64_t rows = 0;
    const auto flush = [&] {
      if (rows == 0) return;
      Piece piece;
      piece.rows = std::exchange(rows, 0);
      if (!counts()) {
        piece.copied = copies();
        piece.source = text;
        piece.line = place.line;
        piece.begin = piece_begin - whole.data();
        piece.records =
            copies()
                ? arrow::SliceBuffer(copy.buffer, piece_out - copy.begin(), copy.out - piece_out)
                : arrow::SliceBuffer(text, piece.begin, reader.next() - piece_begin);
      }
      units->push_back(std::make_unique<RecordsUnit>(reading_, std::move(piece)));
      piece_begin = reader.next();
      piece_out = copy.out;
    };
    while (true) {
      const auto outcome =
          copies() ? Next(&reader, &copy) : reader.Next([](int, const char*, const char*) {});
      if (outcome == RecordReader::kEnd) break;
      if (outcome == RecordReader::kUnfinished) {
        if (!final) break;
        return Unfinished(reading_->path(), line_of(reader.unfinished()));
      }
      if (outcome == RecordReader::kComment) continue;
      if (outcome == RecordReader::kBlank) {
        if (!layout.blank_is_row) continue;
        if (copies()) *copy.out++ = '\n';
      } else if (reader.fields() != layout.columns) {
        return RaggedRecord(reading_->path(), line_of(reader.begin()), reader, layout.columns);
      }
      if (++rows == reading_->request.batch_rows && !counts()) flush();
    }
    flush();
    return std::min<int64_t>(reader.next() - whole.data(), size);
  }

 private:
  /// Where columns are copied to.
  struct Copy {
    static constexpr int64_t kSlack = 16;  // short values are copied with what comes after them
    std::shared_ptr<arrow::Buffer> buffer;
    char* out = nullptr;
    const char* source_end = nullptr;

    const char* begin() const { return reinterpret_cast<const char*>(buffer->data()); }
    void Append(const char* from, const char* to) {
      const auto length = static_cast<size_t>(to - from);
      if (length <= kSlack && source_end - from >= kSlack) {
        std::memcpy(out, from, kSlack);
      } else {
        std::memcpy(out, from, length);
      }
      out += length;
    }
  };

  bool counts() const { return reading_->columns().empty(); }
  /// Where all columns are wanted, Arrow parses the text itself.
  bool copies() const {
    const Layout& layout = reading_->facts().layout();
    return !counts() && (layout.dialect.comments ||
                         static_cast<int>(reading_->columns().size()) != layout.columns);
  }

  RecordReader::Outcome Next(RecordReader* reader, Copy* copy) const {
    const auto& columns = reading_->columns();
    const char delimiter = reading_->facts().layout().dialect.delimiter;
    auto wanted = columns.begin();
    char* const record = copy->out;
    const auto outcome = reader->Next([&](int field, const char* begin, const char* end) {
      if (wanted == columns.end() || *wanted != field) return;
      ++wanted;
      copy->Append(begin, end);
      *copy->out++ = delimiter;
    });
    if (outcome == RecordReader::kRecord && copy->out > record) {
      copy->out[-1] = '\n';
    } else {
      copy->out = record;
    }
    return outcome;
  }

  std::shared_ptr<const Reading> reading_;
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeUnit(std::shared_ptr<const Settings> settings,
                                              UnitRequest request) {
  auto reading = std::make_shared<Reading>();
  reading->settings = std::move(settings);
  reading->schema = ProjectLeaves(*request.facts->schema(), request.leaves);
  reading->request = std::move(request);
  const CsvFacts& facts = reading->facts();
  text::TextFile file{reading->request.file, reading->settings->options.encoding,
                      facts.file_size()};
  file.piece = reading->settings->piece;
  const auto& filesystem = reading->request.file->filesystem;
  file.local = !filesystem || base::IsLocal(*filesystem);
  const int64_t rows_wanted = reading->request.rows_wanted;
  const Place begin = facts.head().data;
  return text::MakeRestOfFile(std::move(file), begin,
                              std::make_shared<RecordCutter>(std::move(reading)), rows_wanted);
}

}  // namespace shoal::formats::csv
