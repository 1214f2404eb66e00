// Damaged files of text: whatever is in a file, reading it gives rows or an error that names it,
// and the same ones wherever the file is cut. Run under the sanitizers as well.
#include <random>

#include <arrow/compute/initialize.h>
#include <arrow/io/compressed.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include <shoal/csv.h>
#include <shoal/json.h>

#include "formats/csv/records_unit.h"
#include "formats/json/records_unit.h"
#include "formats/memory_driver.h"
#include "must.h"

namespace shoal::formats::text {
namespace {

using oracle::Must;

const bool kInitialized = arrow::compute::Initialize().ok();
constexpr int64_t kMostBytes = int64_t{500} << 20;

const char kCsv[] =
    "i,s,f,d,\"quoted \"\"name\"\"\",t\n"
    "1,one,0.5,2024-01-01,\"a, b\",2024-01-01T10:00:00\n"
    "2,\"two\nlines\",-1.5e3,2024-02-29,\"say \"\"hi\"\"\",\n"
    "\n"
    "3,,,,,2024-03-01 00:00:00\r\n"
    "-4,\xC3\xA9t\xC3\xA9,nan,1999-12-31,\"\",2024-03-01T10:00:00\n"
    "5,\"x\"y,inf,2000-01-01,z,1970-01-01";
const char kJson[] =
    "{\"i\": 1, \"s\": \"one\", \"l\": [1, 2, null], \"o\": {\"x\": 1.5, \"y\": \"q\"}, \"b\": "
    "true}\n"
    "{\"i\": null, \"s\": \"t\\u00e9\\\"\", \"l\": [], \"o\": {\"x\": -2e3}, \"n\": null}\n"
    "\n"
    "{\"s\": \"\xC3\xA9\", \"o\": null, \"l\": null, \"b\": false, \"deep\": [[{\"k\": [1]}]]}\r\n"
    "  {\"i\": -9007199254740993, \"i2\": 12}  \n"
    "{}";

std::string Packed(const std::string& text, arrow::Compression::type type) {
  auto codec = Must(arrow::util::Codec::Create(type));
  auto sink = Must(arrow::io::BufferOutputStream::Create());
  auto stream = Must(arrow::io::CompressedOutputStream::Make(codec.get(), sink));
  Must(stream->Write(text));
  Must(stream->Close());
  return Must(sink->Finish())->ToString();
}

std::string Mutated(std::string bytes, std::mt19937* random) {
  const auto pick = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(*random);
  };
  static constexpr std::string_view kTelling("\",\n\r\\{}[]:#0-+.eE\0\xFF\xC3 nN\t", 24);
  for (size_t n = 1 + pick(4); n > 0 && !bytes.empty(); --n) {
    const size_t at = pick(bytes.size());
    switch (pick(7)) {
      case 0:
        bytes[at] = static_cast<char>(pick(256));
        break;
      case 1:
        bytes[at] = kTelling[pick(kTelling.size())];
        break;
      case 2:
        bytes.insert(at, 1, kTelling[pick(kTelling.size())]);
        break;
      case 3:
        bytes.erase(at, 1 + pick(8));
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5:
        bytes.insert(at, bytes.substr(pick(bytes.size()), pick(40)));
        break;
      default:
        bytes.insert(at, pick(3000), kTelling[pick(kTelling.size())]);
        break;
    }
  }
  return bytes;
}

/// All rows of it; an error names the file.
arrow::Result<std::shared_ptr<arrow::Table>> Read(const std::string& bytes, const std::string& path,
                                                  arrow::MemoryPool* pool, int64_t piece) {
  const bool csv = path.find(".csv") != path.npos;
  MemoryDriver driver(csv ? *MakeCsvFormat() : *MakeJsonFormat(), bytes, path);
  ARROW_ASSIGN_OR_RAISE(auto facts, driver.Facts());
  std::vector<int> leaves(NumLeaves(*facts->schema()));
  for (size_t i = 0; i < leaves.size(); ++i) leaves[i] = static_cast<int>(i);
  UnitRequest request{driver.file(), facts, {0}, leaves, 1000};
  request.pool = pool;
  auto settings = std::make_shared<csv::Settings>(CsvOptions());
  settings->piece = piece;
  ARROW_ASSIGN_OR_RAISE(auto unit,
                        csv ? csv::MakeUnit(settings, request) : json::MakeUnit(request, piece));
  arrow::RecordBatchVector batches;
  ARROW_RETURN_NOT_OK(driver.Run(*unit, &batches));
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(
                                        ProjectLeaves(*facts->schema(), leaves), batches));
  ARROW_RETURN_NOT_OK(table->ValidateFull());
  EXPECT_EQ(facts->num_rows().exact_value().value_or(table->num_rows()), table->num_rows());
  return table->CombineChunks();
}

void MutatedFilesGiveRowsOrErrors(const std::string& text, const std::string& path,
                                  uint32_t seeds) {
  ASSERT_TRUE(kInitialized);
  int with_rows = 0;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    std::string bytes, name = path;
    // Some are damaged as text, some when they are packed.
    static const std::pair<const char*, arrow::Compression::type> kPackings[] = {
        {".gz", arrow::Compression::GZIP},
        {".bz2", arrow::Compression::BZ2},
        {".zst", arrow::Compression::ZSTD},
        {".lz4", arrow::Compression::LZ4_FRAME}};
    if (seed % 4 == 0) {
      const auto& [ending, type] = kPackings[seed / 4 % 4];
      name += ending;
      bytes = seed % 8 == 0 ? Mutated(Packed(text, type), &random)
                            : Packed(Mutated(text, &random), type);
    } else {
      bytes = Mutated(text, &random);
    }
    if (bytes.empty()) continue;
    arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
    const auto whole = Read(bytes, name, &pool, 0);
    const auto cut = Read(bytes, name, &pool, 1 + seed % 50);
    ASSERT_LT(pool.max_memory(), kMostBytes);
    ASSERT_EQ(whole.ok(), cut.ok()) << "seed " << seed << whole.status() << cut.status() << "\n"
                                    << bytes;
    if (!whole.ok()) {
      ASSERT_NE(whole.status().message().find("'" + name + "'"), std::string::npos)
          << "seed " << seed << ": " << whole.status();
      ASSERT_FALSE(whole.status().IsOutOfMemory());
      continue;
    }
    ++with_rows;
    ASSERT_TRUE((*whole)->Equals(**cut, arrow::EqualOptions::Defaults().nans_equal(true)))
        << "seed " << seed << "\n"
        << bytes;
  }
  // The mutations are not all fatal.
  EXPECT_GT(with_rows, static_cast<int>(seeds) / 40);
}

TEST(CsvFuzz, MutatedFilesGiveRowsOrErrorsThatNameThem) {
  MutatedFilesGiveRowsOrErrors(kCsv, "some/where.csv", 2500);
}

TEST(JsonFuzz, MutatedFilesGiveRowsOrErrorsThatNameThem) {
  MutatedFilesGiveRowsOrErrors(kJson, "some/where.jsonl", 2500);
}

}  // namespace
}  // namespace shoal::formats::text
