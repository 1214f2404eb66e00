// A file format of one's own: measured points, 16 bytes each.
//
//   format FOLDER
//
// writes some files of it to the folder, checks that the format keeps the laws of formats, and
// scans the folder as a table, with a filter.
//
// A file is the text "PNTS", the number of points (8 bytes), and for each point its number (8
// bytes) and its value (a double), all in the byte order of the machine.
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>

#include <arrow/api.h>
#include <shoal/dataset.h>
#include <shoal/simple_format.h>
#include <shoal/testing/format_conformance.h>

namespace {

using arrow::Result;
using arrow::Status;

constexpr std::string_view kMagic = "PNTS";
constexpr int64_t kHeader = 12, kPoint = 16;

std::shared_ptr<arrow::Schema> PointSchema() {
  return arrow::schema(
      {arrow::field("number", arrow::int64()), arrow::field("value", arrow::float64())});
}

class PointFormat final : public shoal::SimpleFormat {
 public:
  std::string_view name() const override { return "points"; }
  std::vector<std::string_view> extensions() const override { return {".pnts"}; }
  bool MatchesMagic(std::string_view head) const override { return head.starts_with(kMagic); }

  /// The header says how many points there are. They can be read in pieces.
  Result<Facts> Inspect(const File& file) const override {
    ARROW_ASSIGN_OR_RAISE(auto header, file->ReadAt(0, kHeader));
    if (header->size() < kHeader || !MatchesMagic(std::string_view(*header)))
      return Status::Invalid("this is no file of points: it does not begin with ", kMagic);
    int64_t points = 0;
    std::memcpy(&points, header->data() + kMagic.size(), sizeof(points));
    ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
    if (points < 0 || points != (size - kHeader) / kPoint || (size - kHeader) % kPoint != 0)
      return Status::Invalid("it has ", size, " bytes, which ", points, " points do not take");
    Facts facts{PointSchema(), {}};
    constexpr int64_t kPiecePoints = 100'000;
    for (int64_t at = 0; at < points; at += kPiecePoints) {
      const int64_t n = std::min(kPiecePoints, points - at);
      facts.pieces.push_back(
          {kHeader + at * kPoint, n * kPoint, shoal::Precision<int64_t>::Exact(n)});
    }
    if (points == 0) facts.pieces.push_back({kHeader, 0, shoal::Precision<int64_t>::Exact(0)});
    return facts;
  }

  /// Columns that are not wanted are not even looked at.
  Result<std::shared_ptr<arrow::RecordBatchReader>> Read(const File& file, const Facts& facts,
                                                         int piece, const std::vector<int>& columns,
                                                         arrow::MemoryPool* pool) const override {
    const auto& where = facts.pieces[piece];
    ARROW_ASSIGN_OR_RAISE(auto bytes, file->ReadAt(where.offset, where.length));
    const int64_t points = bytes->size() / kPoint;
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (int column : columns) {
      const auto& field = facts.schema->field(column);
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> values,
                            arrow::AllocateBuffer(points * 8, pool));
      for (int64_t i = 0; i < points; ++i)
        std::memcpy(values->mutable_data() + i * 8, bytes->data() + i * kPoint + column * 8, 8);
      arrays.push_back(arrow::MakeArray(
          arrow::ArrayData::Make(field->type(), points, {nullptr, std::move(values)}, 0)));
      fields.push_back(field);
    }
    return arrow::RecordBatchReader::Make(
        {arrow::RecordBatch::Make(arrow::schema(fields), points, arrays)});
  }
};

std::string FileOfPoints(int64_t first, int64_t points) {
  std::string out(kMagic);
  const auto append = [&](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(points);
  for (int64_t i = first; i < first + points; ++i) {
    append(i);
    append(static_cast<double>(i) / 2);
  }
  return out;
}

Result<std::shared_ptr<arrow::Table>> TableOfPoints(int64_t first, int64_t points) {
  arrow::Int64Builder numbers;
  arrow::DoubleBuilder values;
  for (int64_t i = first; i < first + points; ++i) {
    ARROW_RETURN_NOT_OK(numbers.Append(i));
    ARROW_RETURN_NOT_OK(values.Append(static_cast<double>(i) / 2));
  }
  ARROW_ASSIGN_OR_RAISE(auto number, numbers.Finish());
  ARROW_ASSIGN_OR_RAISE(auto value, values.Finish());
  return arrow::Table::Make(PointSchema(), {number, value});
}

Status Run(const std::string& folder) {
  const auto format = shoal::MakeFileFormat(std::make_shared<PointFormat>());

  ARROW_ASSIGN_OR_RAISE(auto some, TableOfPoints(5, 30));
  ARROW_ASSIGN_OR_RAISE(auto none, TableOfPoints(0, 0));
  ARROW_RETURN_NOT_OK(shoal::testing::RunFileFormatConformance(
      {.format = format,
       .samples = {{"some points", FileOfPoints(5, 30), some},
                   {"no points", FileOfPoints(0, 0), none}},
       .folder = folder}));
  std::cout << "the format keeps the laws\n";

  for (int64_t i = 0; i < 3; ++i) {
    const std::string bytes = FileOfPoints(i * 1000, 1000);
    std::ofstream(folder + "/" + std::to_string(i) + ".pnts", std::ios::binary) << bytes;
  }
  shoal::OpenOptions options;
  options.file_format = format;
  ARROW_ASSIGN_OR_RAISE(auto dataset, shoal::Dataset::Open({folder}, options));
  ARROW_ASSIGN_OR_RAISE(auto filter, shoal::ParseFilter("number >= 1999 and value < 1001"));
  ARROW_ASSIGN_OR_RAISE(auto stream, dataset->Scan({.filter = filter}));
  ARROW_ASSIGN_OR_RAISE(const int64_t rows, dataset->Count());
  std::cout << rows << " points, of which are wanted:\n";
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) return Status::OK();
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto number, batch->column(0)->GetScalar(i));
      ARROW_ASSIGN_OR_RAISE(auto value, batch->column(1)->GetScalar(i));
      std::cout << number->ToString() << ": " << value->ToString() << "\n";
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = argc == 2 ? Run(argv[1]) : Status::Invalid("usage: format FOLDER");
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
