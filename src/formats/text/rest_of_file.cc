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
constexpr int64_t kRemotePiece = int64_t{8} << 20;
constexpr int64_t kSmallestPiece = int64_t{16} << 10;
constexpr int64_t kGuessedRecord = 256;

/// How far the file has been read; it goes from each unit of the chain to the next.
struct Progress {
  TextFile file;
  std::shared_ptr<Cutter> cutter;
  int64_t piece = kLocalPiece;  // bytes of text cut at once
  int64_t largest = kLocalPiece;
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
    if (!got.buffers.empty()) {
      p.fed += got.buffers[0]->size();
      p.decoder->Feed(std::move(got.buffers[0]), p.fed == p.file.size);
    }
    while (true) {
      bool more = true;
      while (more && static_cast<int64_t>(p.decoded.size()) < want_) {
        ARROW_ASSIGN_OR_RAISE(more, p.decoder->Decode(want_ - static_cast<int64_t>(p.decoded.size()),
                                                      &p.decoded));
        if (p.skip > 0) {
          const int64_t skipped = std::min<int64_t>(p.skip, static_cast<int64_t>(p.decoded.size()));
          p.decoded.erase(0, skipped);
          p.skip -= skipped;
        }
      }
      const bool all = p.decoder->finished();
      if (!all && static_cast<int64_t>(p.decoded.size()) < want_) {
        return Need(p.fed, std::min(p.largest, p.file.size - p.fed));
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
};

}  // namespace

arrow::Result<std::unique_ptr<Unit>> MakeRestOfFile(TextFile file, Place begin,
                                                    std::shared_ptr<Cutter> cutter,
                                                    int64_t rows_wanted) {
  auto progress = std::make_unique<Progress>();
  ARROW_ASSIGN_OR_RAISE(progress->decoder, Decoder::Make(file.file->path, file.encoding));
  progress->largest = file.local ? kLocalPiece : kRemotePiece;
  const int64_t rows = std::min(rows_wanted, progress->largest / kGuessedRecord);
  progress->piece = std::clamp(rows * kGuessedRecord, kSmallestPiece, progress->largest);
  progress->file = std::move(file);
  progress->cutter = std::move(cutter);
  progress->next = begin;
  if (progress->decoder) progress->skip = begin.offset;
  return std::make_unique<RestOfFile>(std::move(progress));
}

}  // namespace shoal::formats::text
