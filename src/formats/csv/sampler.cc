// Types of columns from a sample of their values.
#include <algorithm>
#include <optional>
#include <utility>

#include "formats/csv/facts.h"
#include "formats/csv/head.h"
#include "formats/csv/row_error.h"
#include "formats/text/beginning_reader.h"
#include "formats/text/bytes.h"

namespace shoal::formats::csv {

namespace {

using arrow::Status;
using text::Place;

/// Line ends after which a record may begin, that are tried.
constexpr int kTries = 8;
/// Narrows down types by records.
class Columns {
 public:
  Columns(const Settings& settings, const std::string& path, const std::vector<std::string>& names,
          Layout layout)
      : path_(path),
        names_(names),
        layout_(layout),
        finder_(settings.values),
        types_(layout.columns, TypeSet::All()) {}

  /// Takes whole records off the front; the bytes it took. `certain`: the text begins where a
  /// record does; otherwise a text that turns out not to is passed over.
  arrow::Result<int64_t> Take(std::string_view text, Place place, bool final, bool certain) {
    RecordReader reader(layout_.dialect, text, final);
    int64_t rows = 0;
    const auto line = [&](const char* at) {
      return place.line + text::CountLines(text.substr(0, static_cast<size_t>(at - text.data())));
    };
    while (true) {
      const auto outcome = reader.Next([](int, const char*, const char*) {});
      if (outcome == RecordReader::kEnd || outcome == RecordReader::kUnfinished) {
        if (!final || outcome == RecordReader::kEnd) break;
        if (!certain) return 0;
        return Unfinished(path_, line(reader.unfinished()));
      }
      if (outcome == RecordReader::kRecord && reader.fields() != layout_.columns) {
        if (!certain) return 0;
        return RaggedRecord(path_, line(reader.begin()), reader, layout_.columns);
      }
      rows += outcome == RecordReader::kRecord ||
              (outcome == RecordReader::kBlank && layout_.blank_is_row);
    }
    const auto taken = reader.next() - text.data();
    rows_ += rows;
    ARROW_RETURN_NOT_OK(Narrow(text.substr(0, taken), place, certain));
    return taken;
  }

  const std::vector<TypeSet>& types() const { return types_; }
  int64_t rows() const { return rows_; }

 private:
  Status Narrow(std::string_view text, Place place, bool certain) {
    const std::string_view whole = text;
    int64_t narrowed_rows = 0;
    std::string plain;
    if (layout_.dialect.comments || !EndsLine(text)) {
      plain = layout_.dialect.comments ? WithoutComments(text) : std::string(text);
      if (!EndsLine(plain)) plain += '\n';
      text = plain;
    }
    while (!text.empty()) {
      arrow::csv::BlockParser parser(ParseOptionsOf(layout_), layout_.columns, 0);
      uint32_t parsed = 0;
      ARROW_RETURN_NOT_OK(parser.ParseFinal(text, &parsed));
      for (int c = 0; c < layout_.columns && parser.num_rows() > 0; ++c) {
        auto narrowed = finder_.Narrow(types_[c], parser, c);
        if (!narrowed.ok()) {
          if (!certain) return Status::OK();
          if (narrowed.status().IsOutOfMemory()) return narrowed.status();
          const RowError error(narrowed.status());
          const auto record = RecordOfRow(layout_, whole, narrowed_rows + error.row);
          const auto offset = static_cast<size_t>(record.data() - whole.data());
          return ErrorAt(path_, place.line + text::CountLines(whole.substr(0, offset)),
                         error.InColumn(names_[c]));
        }
        types_[c] = *narrowed;
      }
      if (parsed == 0) break;
      narrowed_rows += parser.num_rows();
      text.remove_prefix(parsed);
    }
    return Status::OK();
  }

  std::string WithoutComments(std::string_view text) const {
    std::string out;
    RecordReader reader(layout_.dialect, text, true);
    while (true) {
      const auto outcome = reader.Next([](int, const char*, const char*) {});
      if (outcome == RecordReader::kEnd || outcome == RecordReader::kUnfinished) return out;
      if (outcome != RecordReader::kComment) out.append(reader.begin(), reader.next());
    }
  }

  const std::string& path_;
  const std::vector<std::string>& names_;
  const Layout layout_;
  TypeFinder finder_;
  std::vector<TypeSet> types_;
  int64_t rows_ = 0;
};

class Sampler final : public text::SampleReader {
 public:
  Sampler(std::shared_ptr<const Settings> settings, std::shared_ptr<const SourceFile> file)
      : SampleReader(std::move(file), settings->options.encoding, settings->options.infer),
        settings_(std::move(settings)) {}

 private:
  arrow::Result<std::optional<Step>> TakeText() override {
    ARROW_ASSIGN_OR_RAISE(const bool enough, TakeRecords());
    if (!enough) {
      RaiseLimit();
      return std::nullopt;
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      ARROW_RETURN_NOT_OK(TakePlace(*places_[i], i + 1 == places_.size()));
    }
    return Finish();
  }

  /// Whether the beginning of the file, or all of it, has been taken in.
  arrow::Result<bool> TakeRecords() {
    if (!head_) {
      ARROW_ASSIGN_OR_RAISE(head_, ParseHead(*settings_, file_->path, text_, all()));
      if (!head_) {
        if (text_.size() < static_cast<size_t>(text::kMaxRecord)) return false;
        return TooLong(file_->path, 1);
      }
      place_ = head_->data;
      text_.erase(0, static_cast<size_t>(place_.offset));
      columns_.emplace(*settings_, file_->path, head_->names,
                       LayoutOf(*settings_, file_->path, *head_));
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t taken, columns_->Take(text_, place_, all(), true));
    place_.line += text::CountLines(std::string_view(text_).substr(0, taken));
    text_.erase(0, static_cast<size_t>(taken));
    if (text_.size() > static_cast<size_t>(text::kMaxRecord)) {
      return TooLong(file_->path, place_.line);
    }
    return all() || !reads_all();
  }

  /// A place anywhere in the file: records begin after a line's end, unless that is inside quotes,
  /// which the number of columns shows.
  Status TakePlace(const arrow::Buffer& bytes, bool final) {
    std::string_view text(bytes);
    for (int tries = 0; tries < kTries; ++tries) {
      const size_t line_end = text.find_first_of("\r\n");
      if (line_end == text.npos) break;
      text.remove_prefix(line_end + 1);
      if (!text.empty() && text[0] == '\n') text.remove_prefix(1);
      ARROW_ASSIGN_OR_RAISE(const int64_t taken, columns_->Take(text, {}, final, false));
      if (taken > 0) break;
    }
    return Status::OK();
  }

  Step Finish() {
    CsvFacts::Seen seen{columns_->types(), all()};
    arrow::FieldVector fields;
    for (size_t i = 0; i < head_->names.size(); ++i) {
      fields.push_back(arrow::field(head_->names[i], seen.types[i].First(all())));
    }
    const auto layout = LayoutOf(*settings_, file_->path, *head_);
    const auto rows = all() ? Precision<int64_t>::Exact(columns_->rows()) : Precision<int64_t>();
    return Step(std::make_shared<const CsvFacts>(arrow::schema(std::move(fields)),
                                                 *std::move(head_), layout, size_, std::move(seen),
                                                 rows, /*declared=*/false));
  }

  const std::shared_ptr<const Settings> settings_;
  Place place_;
  std::optional<Head> head_;
  std::optional<Columns> columns_;
};

}  // namespace

std::unique_ptr<FactsReader> MakeSampler(std::shared_ptr<const Settings> settings,
                                         std::shared_ptr<const SourceFile> file) {
  return std::make_unique<Sampler>(std::move(settings), std::move(file));
}

}  // namespace shoal::formats::csv
