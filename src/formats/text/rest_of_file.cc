#include "formats/text/rest_of_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/text/bytes.h"
#include "formats/text/decoder.h"

namespace shoal::formats::text {

namespace {

/// Larger pieces gain nothing, and do not stay in a processor's cache.
constexpr int64_t kLocalPiece = int64_t{1} << 20;
/// A request to a store costs as much as some megabytes.
constexpr int64_t kRemoteRead = int64_t{4} << 20;
constexpr int64_t kSmallestPiece = int64_t{16} << 10;
constexpr int64_t kGuessedRecord = 256;

/// How far the file has been read; it goes from each unit of the chain to the next.
struct Progress {
  TextFile file;
  std::shared_ptr<Cutter> cutter;
  int64_t piece = kLocalPiece;  // bytes of text cut at once
  int64_t largest = kLocalPiece;
  int64_t read = kLocalPiece;  // bytes of the file fetched at once
  bool ahead = false;          // whether the next ones are fetched meanwhile
  Place next;
  // For text that must be decoded:
  std::unique_ptr<Decoder> decoder;
  int64_t fed = 0;      // bytes of the file
  std::string decoded;  // from `next` on
  int64_t skip = 0;     // bytes of text that come before the first record
};

class RestOfFile final : public Unit {
 public:
  explicit RestOfFile(std::unique_ptr<Progress> progress)
      : Unit(progress->file.file), progress_(std::move(progress)), want_(progress_->piece) {}

  arrow::Result<Step> Next(Resident got) override {
    return progress_->decoder ? Decode(std::move(got)) : Read(std::move(got));
  }

 private:
  /// What is cut out of a text takes as much again.
  NeedBytes Need(int64_t offset, int64_t length) const {
    return NeedBytes{{{offset, length}}, {}, 2 * want_};
  }

  /// The text is the file's bytes: what is left over is read again.
  arrow::Result<Step> Read(Resident got) {
    const int64_t left = progress_->file.size - progress_->next.offset;
    if (left <= 0) return Done{};
    if (got.buffers.empty()) return Need(progress_->next.offset, std::min(want_, left));
    const bool final = got.buffers[0]->size() == left;
    ARROW_ASSIGN_OR_RAISE(auto step, Cut(std::move(got.buffers[0]), final));
    if (step) return *std::move(step);
    return Need(progress_->next.offset, std::min(want_, left));
  }

  arrow::Result<Step> Decode(Resident got) {
    Progress& p = *progress_;
    // What was fetched before may unpack to any size: each piece waits for its room.
    if (!std::exchange(admitted_, true) && p.fed > 0) return NeedBytes{{}, {}, 2 * want_};
    if (!got.buffers.empty()) {
      p.fed += got.buffers[0]->size();
      p.decoder->Feed(std::move(got.buffers[0]), p.fed == p.file.size);
    }
    while (true) {
      bool more = true;
      while (more && static_cast<int64_t>(p.decoded.size()) < want_) {
        ARROW_ASSIGN_OR_RAISE(
            more, p.decoder->Decode(want_ - static_cast<int64_t>(p.decoded.size()), &p.decoded));
        if (p.skip > 0) {
          const int64_t skipped = std::min<int64_t>(p.skip, static_cast<int64_t>(p.decoded.size()));
          p.decoded.erase(0, skipped);
          p.skip -= skipped;
        }
      }
      const bool all = p.decoder->finished();
      if (!all && static_cast<int64_t>(p.decoded.size()) < want_) {
        auto need = Need(p.fed, std::min(p.read, p.file.size - p.fed));
        const int64_t next = need.ranges[0].end();
        if (p.ahead && next < p.file.size) {
          need.ahead.push_back({next, std::min(p.read, p.file.size - next)});
        }
        return need;
      }
      if (p.decoded.empty()) return Done{};
      auto text = arrow::Buffer::FromString(std::exchange(p.decoded, {}));
      ARROW_ASSIGN_OR_RAISE(auto step, Cut(text, all));
      if (step) return *std::move(step);
      p.decoded = text->ToString();
    }
  }

  /// Nothing if no record ends in the text; then more is wanted.
  arrow::Result<std::optional<Step>> Cut(std::shared_ptr<arrow::Buffer> text, bool final) {
    Progress& p = *progress_;
    Split split;
    ARROW_ASSIGN_OR_RAISE(const int64_t taken, p.cutter->Cut(text, p.next, final, &split.units));
    if (taken == 0 && !final) {
      if (text->size() >= kMaxRecord) {
        return arrow::Status::Invalid("'", file()->path, "', line ", p.next.line,
                                      ": the record that begins here is longer than ", kMaxRecord,
                                      " bytes. Is a quote not closed?");
      }
      want_ = std::max(want_, text->size()) * 2;
      return std::nullopt;
    }
    const std::string_view whole(*text);
    p.next.line += CountLines(whole.substr(0, taken));
    p.next.offset += taken;
    if (!final) {
      if (p.decoder) p.decoded = whole.substr(taken);
      p.piece = std::min(p.piece * 2, p.largest);
      split.units.push_back(std::make_unique<RestOfFile>(std::move(progress_)));
    }
    return Step(std::move(split));
  }

  std::unique_ptr<Progress> progress_;
  int64_t want_;  // bytes of text to cut now
  bool admitted_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeRestOfFile(TextFile file, Place begin,
                                                    std::shared_ptr<Cutter> cutter,
                                                    int64_t rows_wanted) {
  auto progress = std::make_unique<Progress>();
  ARROW_ASSIGN_OR_RAISE(progress->decoder, Decoder::Make(file.file->path, file.encoding));
  if (!file.local) {
    // What is left over of a piece is kept, so that what comes next can be foretold.
    if (!progress->decoder) progress->decoder = Decoder::MakePlain();
    progress->read =
        std::clamp(rows_wanted, int64_t{1}, kRemoteRead / kGuessedRecord) * kGuessedRecord;
    progress->read = std::max(progress->read, kLocalPiece / 4);
    progress->ahead = progress->read == kRemoteRead;
  }
  const int64_t rows = std::min(rows_wanted, progress->largest / kGuessedRecord);
  progress->piece = std::clamp(rows * kGuessedRecord, kSmallestPiece, progress->largest);
  if (file.piece > 0) progress->piece = progress->largest = file.piece;
  progress->file = std::move(file);
  progress->cutter = std::move(cutter);
  progress->next = begin;
  if (progress->decoder) progress->skip = begin.offset;
  if (progress->file.piece > 0) progress->read = progress->file.piece;
  return std::make_unique<RestOfFile>(std::move(progress));
}

}  // namespace shoal::formats::text
