#include "formats/orc/stripe_unit.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/adapters/orc/adapter.h>

#include "formats/orc/facts.h"
#include "formats/orc/guard.h"
#include "formats/projection.h"

namespace shoal::formats::orc {

namespace {

namespace adapter = arrow::adapters::orc;
using arrow::Status;

/// What compressed columns are expected to grow to while they are decoded.
constexpr int64_t kInflation = 4;
/// liborc makes room for a whole batch before it sees that there are fewer rows.
constexpr int64_t kMaxBatchRows = 64 << 10;

class StripeUnit final : public Unit {
 public:
  explicit StripeUnit(UnitRequest request)
      : Unit(request.file),
        request_(std::move(request)),
        schema_(ProjectLeaves(*request_.facts->schema(), request_.leaves)),
        columns_(ColumnsOf(*request_.facts->schema(), request_.leaves)) {}

  arrow::Result<Step> Next(Resident got) override {
    return Guard(file()->path, [&]() -> arrow::Result<Step> {
      auto step = Advance(std::move(got));
      if (step.ok() || next_ >= request_.row_groups.size()) return step;
      return step.status().WithMessage("stripe ", request_.row_groups[next_], ": ",
                                       step.status().message());
    });
  }

 private:
  const OrcFacts& facts() const { return static_cast<const OrcFacts&>(*request_.facts); }

  const Stripe& stripe(size_t i) const { return facts().tail().stripes[request_.row_groups[i]]; }

  arrow::Result<Step> Advance(Resident got) {
    if (columns_.empty()) return NextWithoutData();
    if (!reader_) {
      if (ranges_.empty()) return AskFooters();
      if (!has_footers_) return AskStreams(std::move(got));
      ARROW_RETURN_NOT_OK(Open(std::move(got)));
    }
    while (next_ < request_.row_groups.size()) {
      const Stripe& stripe = this->stripe(next_);
      if (!batches_ && stripe.rows > 0) {
        ARROW_RETURN_NOT_OK(reader_->Seek(stripe.first_row));
        const int64_t rows = std::min({request_.batch_rows, stripe.rows, kMaxBatchRows});
        ARROW_ASSIGN_OR_RAISE(batches_, reader_->NextStripeReader(rows, columns_));
        if (!batches_) return Status::IOError("has no rows where the footer says it has");
      }
      std::shared_ptr<arrow::RecordBatch> batch;
      if (batches_) ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch));
      if (batch) {
        rows_ += batch->num_rows();
        ARROW_ASSIGN_OR_RAISE(
            batch, KeepLeaves(*batch, *request_.facts->schema(), request_.leaves, schema_));
        if (batch->num_rows() > 0) return Step(std::move(batch));
        continue;
      }
      if (rows_ != stripe.rows) {
        return Status::IOError("holds ", rows_, " rows where the footer says ", stripe.rows,
                               ": the file is corrupt");
      }
      batches_.reset();
      rows_ = 0;
      ++next_;
    }
    reader_.reset();
    return Done{};
  }

  arrow::Result<Step> NextWithoutData() {
    while (next_ < request_.row_groups.size()) {
      const int64_t left = stripe(next_).rows - rows_;
      if (left > 0) {
        const int64_t rows = std::min(left, request_.batch_rows);
        rows_ += rows;
        return Step(arrow::RecordBatch::Make(schema_, rows, arrow::ArrayVector{}));
      }
      rows_ = 0;
      ++next_;
    }
    return Done{};
  }

  /// Stripes without rows are not looked at.
  arrow::Result<Step> AskFooters() {
    for (size_t i = 0; i < request_.row_groups.size(); ++i) {
      if (stripe(i).rows > 0) ranges_.push_back({stripe(i).footer(), stripe(i).footer_length});
    }
    if (ranges_.empty()) {
      next_ = request_.row_groups.size();
      return Done{};
    }
    return NeedBytes{ranges_};
  }

  arrow::Result<Step> AskStreams(Resident got) {
    has_footers_ = true;
    buffers_ = std::move(got.buffers);
    NeedBytes need;
    size_t footer = 0;
    for (next_ = 0; next_ < request_.row_groups.size(); ++next_) {
      if (stripe(next_).rows == 0) continue;
      ARROW_ASSIGN_OR_RAISE(auto streams,
                            StreamsOf(facts().tail(), stripe(next_),
                                      std::string_view(*buffers_[footer++]), columns_));
      for (const auto& stream : streams) {
        // Columns that are next to each other are read as one.
        if (!need.ranges.empty() && need.ranges.back().end() == stream.offset) {
          need.ranges.back().length += stream.length;
        } else {
          need.ranges.push_back({stream.offset, stream.length});
        }
        need.decode_bytes += kInflation * stream.length;
      }
    }
    next_ = 0;
    ranges_.insert(ranges_.end(), need.ranges.begin(), need.ranges.end());
    return need;
  }

  Status Open(Resident got) {
    buffers_.insert(buffers_.end(), got.buffers.begin(), got.buffers.end());
    const auto input = FileOf(*file(), facts().tail(), std::move(ranges_), std::move(buffers_));
    return adapter::ORCFileReader::Open(input, request_.pool).Value(&reader_);
  }

  const UnitRequest request_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::vector<int> columns_;  // top-level, of the file's schema
  // Footers of stripes, then streams.
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
  bool has_footers_ = false;
  std::unique_ptr<adapter::ORCFileReader> reader_;
  std::shared_ptr<arrow::RecordBatchReader> batches_;  // of the stripe next_
  size_t next_ = 0;                                    // of the row groups asked for
  int64_t rows_ = 0;                                   // of it that were handed out
};

}  // namespace

std::unique_ptr<Unit> MakeStripeUnit(UnitRequest request) {
  return std::make_unique<StripeUnit>(std::move(request));
}

}  // namespace shoal::formats::orc
