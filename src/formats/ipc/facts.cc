#include "formats/ipc/facts.h"

#include <utility>

namespace shoal::formats::ipc {

bool SharedDictionaries::Get(const std::vector<int64_t>& ids, Dictionaries* out) const {
  std::lock_guard lock(mutex_);
  for (int64_t id : ids) {
    const auto found = known_.find(id);
    if (found == known_.end()) return false;
    (*out)[id] = found->second;
  }
  return true;
}

void SharedDictionaries::Put(const Dictionaries& dictionaries) {
  std::lock_guard lock(mutex_);
  known_.insert(dictionaries.begin(), dictionaries.end());
}

IpcFacts::IpcFacts(std::shared_ptr<arrow::Schema> schema, SchemaLayout layout, int64_t file_size,
                   Footer footer, std::vector<int64_t> dictionary_ids, std::vector<int64_t> rows,
                   std::vector<std::shared_ptr<arrow::Buffer>> metadata)
    : FileFacts(std::move(schema)),
      layout_(std::move(layout)),
      file_size_(file_size),
      is_stream_(false),
      footer_(std::move(footer)),
      dictionary_ids_(std::move(dictionary_ids)),
      rows_(std::move(rows)),
      metadata_(std::move(metadata)) {}

IpcFacts::IpcFacts(std::shared_ptr<arrow::Schema> schema, SchemaLayout layout, int64_t file_size,
                   int64_t messages, Precision<int64_t> rows)
    : FileFacts(std::move(schema)),
      layout_(std::move(layout)),
      file_size_(file_size),
      is_stream_(true),
      messages_(messages),
      stream_rows_(rows) {}

int64_t IpcFacts::row_group_bytes(int row_group) const {
  if (is_stream_) return file_size_ - messages_;
  const Block& block = footer_.batches[row_group];
  return block.metadata_length + block.body_length;
}

int64_t IpcFacts::memory_size() const {
  constexpr int64_t kField = 400;  // of a schema and its layout
  int64_t bytes = static_cast<int64_t>(sizeof(*this)) + kField * (1 + NumLeaves(*schema()));
  bytes += static_cast<int64_t>((footer_.batches.size() + footer_.dictionaries.size()) *
                                (sizeof(Block) + sizeof(int64_t)));
  for (const auto& buffer : metadata_) bytes += buffer->size() + 64;
  return bytes;
}

std::shared_ptr<SharedDictionaries> IpcFacts::dictionaries() const {
  std::lock_guard lock(mutex_);
  auto shared = dictionaries_.lock();
  if (!shared) dictionaries_ = shared = std::make_shared<SharedDictionaries>();
  return shared;
}

}  // namespace shoal::formats::ipc
