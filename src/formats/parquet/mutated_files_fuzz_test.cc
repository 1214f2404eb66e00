// Damaged files: whatever a file says, reading it gives rows or an error that names it. Run under
// the sanitizers as well.
#include <atomic>
#include <random>

#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include "formats/memory_driver.h"
#include "formats/parquet/format.h"
#include "formats/parquet/test_files.h"

namespace shoal::formats::parquet {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

/// Refuses nothing; remembers the largest allocation.
class WatchingPool final : public arrow::MemoryPool {
 public:
  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    Note(size);
    return pool_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** p) override {
    Note(new_size);
    return pool_->Reallocate(old_size, new_size, alignment, p);
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    pool_->Free(buffer, size, alignment);
  }
  int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return pool_->num_allocations(); }
  std::string backend_name() const override { return "watching"; }
  int64_t largest() const { return largest_; }

 private:
  void Note(int64_t size) {
    for (int64_t seen = largest_; size > seen && !largest_.compare_exchange_weak(seen, size);) {
    }
  }
  arrow::MemoryPool* pool_ = arrow::default_memory_pool();
  std::atomic<int64_t> largest_{0};
};

std::shared_ptr<arrow::Table> SomeTable() {
  auto n = arrow::int64();
  return arrow::Table::Make(
      arrow::schema(
          {arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8()),
           arrow::field("v", arrow::utf8_view()), arrow::field("f", arrow::float64()),
           arrow::field("b", arrow::boolean()), arrow::field("d", arrow::decimal128(20, 2)),
           arrow::field("t", arrow::timestamp(arrow::TimeUnit::NANO, "UTC")),
           arrow::field("l", arrow::list(arrow::field("item", n))),
           arrow::field("st",
                        arrow::struct_({arrow::field("x", n), arrow::field("y", arrow::utf8())})),
           arrow::field("c", arrow::dictionary(arrow::int32(), arrow::utf8()))}),
      {Column(arrow::int32(), "[1, 2, null, 4, 5, 6, 7, 8, 9]"),
       Column(arrow::utf8(), R"(["a", "bb", "a", null, "a", "bb", "", "ccc", "a"])"),
       Column(arrow::utf8_view(),
              R"(["short", "a text that is longer", null, "x", "x", "x", "y", "", "x"])"),
       Column(arrow::float64(), "[0.5, null, 1, 2, 3, 4, 5, 6, 7]"),
       Column(arrow::boolean(), "[true, false, null, true, true, false, false, true, true]"),
       Column(arrow::decimal128(20, 2),
              R"(["1.00", "2.50", null, "4.00", "5.00", "6.00", "-7.00", "8.00", "9.00"])"),
       Column(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "[1, 2, 3, 4, null, 6, 7, 8, 9]"),
       Column(arrow::list(arrow::field("item", n)),
              "[[1, 2], [], null, [3], [4, null], [5], [6], [7, 8, 9], []]"),
       Column(
           arrow::struct_({arrow::field("x", n), arrow::field("y", arrow::utf8())}),
           R"([{"x": 1, "y": "p"}, null, {"x": null, "y": "q"}, {"x": 4, "y": null}, {"x": 5, "y": "p"},
                  {"x": 6, "y": "p"}, {"x": 7, "y": "p"}, {"x": 8, "y": "p"}, {"x": 9, "y": "p"}])"),
       Column(arrow::dictionary(arrow::int32(), arrow::utf8()),
              R"(["k", "l", "k", null, "k", "l", "l", "k", "m"])")});
}

std::vector<std::string> SoundFiles() {
  auto table = SomeTable();
  std::vector<std::string> out;
  out.push_back(WriteFile(*table, 4, Properties().build()));
  out.push_back(
      WriteFile(*table, 4, Properties().compression(arrow::Compression::SNAPPY)->build()));
  out.push_back(WriteFile(*table, 9,
                          Properties()
                              .compression(arrow::Compression::ZSTD)
                              ->enable_page_checksum()
                              ->enable_write_page_index()
                              ->build()));
  out.push_back(WriteFile(*table, 5,
                          Properties()
                              .data_page_version(::parquet::ParquetDataPageVersion::V2)
                              ->compression(arrow::Compression::GZIP)
                              ->build()));
  out.push_back(WriteFile(*table, 3,
                          Properties()
                              .disable_dictionary()
                              ->data_pagesize(16)
                              ->encoding("i", ::parquet::Encoding::DELTA_BINARY_PACKED)
                              ->encoding("s", ::parquet::Encoding::DELTA_BYTE_ARRAY)
                              ->encoding("v", ::parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY)
                              ->encoding("f", ::parquet::Encoding::BYTE_STREAM_SPLIT)
                              ->build(),
                          /*store_schema=*/false));
  return out;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string Mutate(std::string file) {
    switch (Below(8)) {
      case 0:
        file.resize(Below(file.size()));
        break;
      case 1:
        Duplicate(&file);
        break;
      case 2:
        Overwrite(&file, '\xff');
        break;
      case 3:
        Overwrite(&file, '\0');
        break;
      case 4:
        file[file.size() - 8 + Below(4)] = static_cast<char>(random_());  // the footer's length
        break;
      default:
        Flip(&file);
    }
    return file;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  /// Half of the time in the footer, where the claims are.
  size_t Place(const std::string& file) {
    uint32_t length;
    std::memcpy(&length, file.data() + file.size() - 8, 4);
    if (Below(2) == 0) return Below(file.size());
    return file.size() - 8 - length + Below(length);
  }
  void Flip(std::string* file) {
    for (size_t n = 1 + Below(4); n > 0; --n) {
      char& c = (*file)[Place(*file)];
      c = static_cast<char>(Below(2) == 0 ? c ^ (1 << Below(8)) : random_());
    }
  }
  void Overwrite(std::string* file, char with) {
    const size_t at = Place(*file), n = std::min<size_t>(1 + Below(6), file->size() - at);
    file->replace(at, n, n, with);
  }
  void Duplicate(std::string* file) {
    const size_t from = Below(file->size()),
                 n = std::min<size_t>(1 + Below(40), file->size() - from);
    file->insert(Below(file->size()), file->substr(from, n));
  }

  std::mt19937 random_;
};

/// Reads everything and touches all of it.
arrow::Status ReadAll(MemoryDriver& driver, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto facts, driver.Facts());
  for (int leaf = 0; leaf < NumLeaves(*facts->schema()); ++leaf)
    ARROW_RETURN_NOT_OK(facts->Bounds(leaf).status());
  for (int g = 0; g < facts->num_row_groups(); ++g) EXPECT_GE(facts->row_group_bytes(g), 0);
  EXPECT_GE(facts->num_rows().value(), 0);
  EXPECT_GT(facts->memory_size(), 0);
  ARROW_ASSIGN_OR_RAISE(auto batches, driver.All(1000, pool));
  for (const auto& batch : batches) {
    // Text need not be UTF-8 any more, but it must all be there, and so must what dictionaries
    // refer to.
    const arrow::Status valid = batch->ValidateFull();
    EXPECT_TRUE(valid.ok() || valid.message().find("UTF8") != std::string::npos) << valid;
  }
  return arrow::Status::OK();
}

TEST(ParquetFuzz, SoundFilesReadInFull) {
  WatchingPool pool;
  for (const auto& file : SoundFiles()) {
    MemoryDriver driver(MakeFormat(), file);
    arrow::Status status = ReadAll(driver, &pool);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(ParquetFuzz, DamagedFilesGiveRowsOrAnErrorThatNamesThem) {
  constexpr int kMutations = 600;
  WatchingPool pool;
  int errors = 0, read = 0;
  const auto files = SoundFiles();
  for (size_t f = 0; f < files.size(); ++f) {
    for (uint32_t seed = 0; seed < kMutations; ++seed) {
      SCOPED_TRACE("file " + std::to_string(f) + ", seed " + std::to_string(seed));
      MemoryDriver driver(MakeFormat(), Mutator(seed * 16 + f).Mutate(files[f]));
      const arrow::Status status = ReadAll(driver, &pool);
      if (status.ok()) {
        ++read;
        continue;
      }
      ++errors;
      ASSERT_NE(status.message().find(MemoryDriver::kPath), std::string::npos) << status;
      ASSERT_LT(status.message().size(), 4000u);
      ASSERT_LE(pool.largest(), 64 << 20) << status;
    }
  }
  // The mutations are harmful enough to mean something, and not so harmful that nothing is read.
  EXPECT_GT(errors, 600);
  EXPECT_GT(read, 300);
  EXPECT_LE(pool.largest(), 64 << 20);
}

}  // namespace
}  // namespace shoal::formats::parquet
