// Rows of well-formed lines, straight into columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::formats::json {

/// Keys, in objects at any depth, that are none of a table's columns: what inspection did not see.
class UnseenKeys {
 public:
  struct Key {
    std::string name;  // a path of names: `s.x`; items of lists have none
    int64_t row;       // the first that has it, of the text
  };
  /// Data may stand in place of keys: then there is no end of them. It is more than reports name.
  static constexpr size_t kMost = 128;

  /// `known`: all columns of the table, wanted or not.
  explicit UnseenKeys(std::shared_ptr<arrow::Schema> known) : known_(std::move(known)) {}

  const std::shared_ptr<arrow::Schema>& known() const { return known_; }
  /// In the order of rows; the first kMost.
  const std::vector<Key>& keys() const { return keys_; }
  void Note(std::string_view path, std::string_view key, int64_t row);
  void Clear() { keys_.clear(); }

 private:
  std::shared_ptr<arrow::Schema> known_;
  std::vector<Key> keys_;
};

/// Whether DecodeLines makes all columns of the schema.
bool CanDecodeLines(const arrow::Schema& schema);

/// A row for each line that is not blank; nullptr if a line is not one object as a careful writer
/// writes it: then Arrow's parser either reads it all the same or says what is wrong. What this
/// function takes, it reads as Arrow's parser does, whichever columns are asked for: an answer does
/// not depend on which of the two gave it. Without columns lines are only checked. `unseen` is told
/// of keys that are not among its known ones. Errors are of the memory pool.
///
/// REQUIRES: `text` is UTF-8 and ends with a line end; CanDecodeLines(*schema); the schema is a
/// projection of what `unseen` knows.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> DecodeLines(
    std::string_view text, const std::shared_ptr<arrow::Schema>& schema, arrow::MemoryPool* pool,
    UnseenKeys* unseen = nullptr);

/// Forgets what it was told, and tells `unseen` of lines that Arrow's parser took.
///
/// REQUIRES: as above.
void FindUnseenKeys(std::string_view text, UnseenKeys* unseen);

}  // namespace shoal::formats::json
