#include "formats/ipc/batch_loader.h"

#include <algorithm>
#include <utility>

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>

#include <shoal/file_format.h>

#include "base/status_context.h"
#include "formats/ipc/compression.h"
#include "formats/ipc/soundness.h"

namespace shoal::formats::ipc {

namespace {

using arrow::ArrayData;
using arrow::DataType;
using arrow::Status;
using arrow::Type;
using DataPtr = std::shared_ptr<ArrayData>;
using TypePtr = std::shared_ptr<DataType>;

Status DoesNotFit() {
  return Status::IOError("its metadata does not fit the schema: the file is corrupt");
}

bool IsUnion(Type::type id) { return id == Type::SPARSE_UNION || id == Type::DENSE_UNION; }

/// Walks over the nodes and buffers of a message in the order of the schema.
class Loader {
 public:
  Loader(const Message& message, const Dictionaries* dictionaries, const BufferSource& source)
      : message_(message), dictionaries_(dictionaries), source_(source) {}

  /// The field as `target`, which has those of its leaves that are among `leaves`; `first` is the
  /// number of its first one. Null `leaves`: it has all.
  arrow::Result<DataPtr> Load(const FieldLayout& field, const TypePtr& target, int first,
                              const std::vector<int>* leaves) {
    const BatchHeader& batch = message_.batch;
    if (node_ >= batch.nodes.size()) return DoesNotFit();
    auto out = std::make_shared<ArrayData>();
    out->type = target;
    out->length = batch.nodes[node_].length;
    out->null_count = batch.nodes[node_].null_count;
    ++node_;
    const DataType& type = *StorageOf(target);
    ARROW_RETURN_NOT_OK(LoadBuffers(type, out.get()));
    if (type.id() == Type::DICTIONARY) {
      ARROW_ASSIGN_OR_RAISE(out->dictionary, DictionaryOf(field));
    } else {
      ARROW_RETURN_NOT_OK(LoadChildren(field, type, first, leaves, out.get()));
    }
    return out;
  }

  Status Skip(const FieldLayout& field) {
    ++skipping_;
    const Status status = Load(field, field.type, 0, nullptr).status();
    --skipping_;
    return status;
  }

  bool at_end() const {
    return node_ == message_.batch.nodes.size() && buffer_ == message_.batch.buffers.size();
  }

 private:
  Status LoadBuffers(const DataType& type, ArrayData* out) {
    const auto layout = type.layout();
    out->buffers.assign(layout.buffers.size(), nullptr);
    if (type.id() == Type::NA) {
      out->null_count = out->length;
      return Status::OK();
    }
    if (IsUnion(type.id()) || type.id() == Type::RUN_END_ENCODED) {
      out->null_count = 0;
      if (IsUnion(type.id()) && message_.has_union_validity) ++buffer_;
    } else {
      ARROW_ASSIGN_OR_RAISE(out->buffers[0], TakeBuffer(out->null_count == 0));
    }
    for (size_t i = 1; i < out->buffers.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(out->buffers[i], TakeBuffer(false));
    }
    if (layout.variadic_spec) {
      if (variadic_ >= message_.batch.variadic_counts.size()) return DoesNotFit();
      const int64_t count = message_.batch.variadic_counts[variadic_++];
      if (count < 0 || count > static_cast<int64_t>(message_.batch.buffers.size()))
        return DoesNotFit();
      for (int64_t i = 0; i < count; ++i) {
        ARROW_ASSIGN_OR_RAISE(auto buffer, TakeBuffer(false));
        out->buffers.push_back(std::move(buffer));
      }
    }
    return Status::OK();
  }

  Status LoadChildren(const FieldLayout& field, const DataType& type, int first,
                      const std::vector<int>* leaves, ArrayData* out) {
    // Types without columns inside are one leaf, and whole or not there at all.
    if (leaves && NumLeaves(*field.type) == 1) leaves = nullptr;
    const bool is_map_entry = in_map_;
    in_map_ = type.id() == Type::MAP;
    int next = 0;  // of the target's children
    for (const FieldLayout& child : field.children) {
      const int end = first + NumLeaves(*child.type);
      bool wanted = true;
      if (leaves && type.id() == Type::STRUCT) {
        const auto kept = std::lower_bound(leaves->begin(), leaves->end(), first);
        wanted = (kept != leaves->end() && *kept < end) || is_map_entry;
      }
      if (!wanted) {
        ARROW_RETURN_NOT_OK(Skip(child));
      } else if (next >= type.num_fields()) {
        return DoesNotFit();
      } else {
        const TypePtr& target = type.field(next++)->type();
        // A map's keys, and what has all its leaves, are read whole.
        const auto* within = leaves && !target->Equals(*child.type) ? leaves : nullptr;
        ARROW_ASSIGN_OR_RAISE(auto data, Load(child, target, first, within));
        out->child_data.push_back(std::move(data));
      }
      first = end;
    }
    in_map_ = is_map_entry;
    return Status::OK();
  }

  arrow::Result<DataPtr> DictionaryOf(const FieldLayout& field) const {
    if (!dictionaries_ || skipping_ > 0) return nullptr;
    const auto found = dictionaries_->find(field.dictionary_id);
    if (found == dictionaries_->end()) {
      return Status::IOError("there is no dictionary ", field.dictionary_id,
                             " before it: the file is corrupt");
    }
    return found->second;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> TakeBuffer(bool pass_over) {
    if (buffer_ >= message_.batch.buffers.size()) return DoesNotFit();
    const BatchHeader::Extent& extent = message_.batch.buffers[buffer_++];
    if (pass_over || skipping_ > 0) return nullptr;
    // Arrow wants to see a place, even of no bytes.
    alignas(64) static constexpr uint8_t kNothing[8] = {};
    if (extent.length == 0) return std::make_shared<arrow::Buffer>(kNothing, 0);
    return source_(extent);
  }

  const Message& message_;
  const Dictionaries* dictionaries_;  // null: only buffers are asked for
  const BufferSource& source_;
  size_t node_ = 0, buffer_ = 0, variadic_ = 0;
  int skipping_ = 0;
  bool in_map_ = false;  // what is loaded are the entries of a map
};

/// Buffers as Arrow wants them in memory.
class Decoder {
 public:
  Decoder(const Message& message, const BufferSource& source, arrow::MemoryPool* pool)
      : source_([&message, &source, pool](const BatchHeader::Extent& extent)
                    -> arrow::Result<std::shared_ptr<arrow::Buffer>> {
          ARROW_ASSIGN_OR_RAISE(auto buffer, source(extent));
          ARROW_ASSIGN_OR_RAISE(buffer, Inflate(buffer, message.batch.compression, pool));
          constexpr uintptr_t kAlignment = 8;
          if (reinterpret_cast<uintptr_t>(buffer->data()) % kAlignment != 0)
            return buffer->CopySlice(0, buffer->size(), pool);
          return buffer;
        }) {}
  const BufferSource& source() const { return source_; }

 private:
  BufferSource source_;
};

arrow::Result<DataPtr> Finish(DataPtr data, bool swap_endian, arrow::MemoryPool* pool) {
  if (swap_endian) {
    ARROW_ASSIGN_OR_RAISE(data, arrow::internal::SwapEndianArrayData(data, pool));
  }
  ARROW_RETURN_NOT_OK(base::WithContext(CheckSound(*data), "its data is corrupt"));
  return data;
}

/// Calls `use(field, target, first)` with each column that has a wanted leaf, and skips the others.
template <typename Use>
Status ForColumns(const SchemaLayout& layout, const std::vector<int>& leaves, Loader* loader,
                  Use&& use) {
  int first = 0;
  for (const FieldLayout& field : layout.fields) {
    const int end = first + NumLeaves(*field.type);
    const auto kept = std::lower_bound(leaves.begin(), leaves.end(), first);
    if (kept != leaves.end() && *kept < end) {
      ARROW_RETURN_NOT_OK(use(field, first));
    } else {
      ARROW_RETURN_NOT_OK(loader->Skip(field));
    }
    first = end;
  }
  return loader->at_end() ? Status::OK() : DoesNotFit();
}

}  // namespace

arrow::Result<std::vector<BatchHeader::Extent>> WantedBuffers(
    const SchemaLayout& layout, const Message& message,
    const std::shared_ptr<arrow::Schema>& schema, const std::vector<int>& leaves) {
  std::vector<BatchHeader::Extent> out;
  const BufferSource note =
      [&](const BatchHeader::Extent& extent) -> arrow::Result<std::shared_ptr<arrow::Buffer>> {
    out.push_back(extent);
    return nullptr;
  };
  Loader loader(message, nullptr, note);
  int column = 0;
  ARROW_RETURN_NOT_OK(
      ForColumns(layout, leaves, &loader, [&](const FieldLayout& field, int first) -> Status {
        if (column >= schema->num_fields()) return DoesNotFit();
        return loader.Load(field, schema->field(column++)->type(), first, &leaves).status();
      }));
  return out;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> LoadBatch(
    const SchemaLayout& layout, const Message& message,
    const std::shared_ptr<arrow::Schema>& schema, const std::vector<int>& leaves,
    const Dictionaries& dictionaries, const BufferSource& source, arrow::MemoryPool* pool) {
  const Decoder decoder(message, source, pool);
  Loader loader(message, &dictionaries, decoder.source());
  std::vector<DataPtr> columns;
  ARROW_RETURN_NOT_OK(
      ForColumns(layout, leaves, &loader, [&](const FieldLayout& field, int first) -> Status {
        const size_t i = columns.size();
        if (i >= static_cast<size_t>(schema->num_fields())) return DoesNotFit();
        const auto& wanted = schema->field(static_cast<int>(i));
        auto load = [&]() -> arrow::Result<DataPtr> {
          ARROW_ASSIGN_OR_RAISE(auto data, loader.Load(field, wanted->type(), first, &leaves));
          ARROW_ASSIGN_OR_RAISE(data, Finish(std::move(data), layout.swap_endian, pool));
          if (data->length != message.batch.rows) return DoesNotFit();
          return data;
        };
        auto data = load();
        ARROW_RETURN_NOT_OK(base::WithContext(data.status(), "column '" + wanted->name() + "'"));
        columns.push_back(*std::move(data));
        return Status::OK();
      }));
  return arrow::RecordBatch::Make(schema, message.batch.rows, std::move(columns));
}

Status LoadDictionary(const SchemaLayout& layout, const Message& message, bool may_replace,
                      const BufferSource& source, arrow::MemoryPool* pool,
                      Dictionaries* dictionaries) {
  const auto field = layout.dictionaries.find(message.dictionary_id);
  if (field == layout.dictionaries.end()) {
    return Status::IOError("it has a dictionary ", message.dictionary_id,
                           " that no column refers to: the file is corrupt");
  }
  const Decoder decoder(message, source, pool);
  Loader loader(message, dictionaries, decoder.source());
  ARROW_ASSIGN_OR_RAISE(auto data, loader.Load(field->second, field->second.type, 0, nullptr));
  if (!loader.at_end()) return DoesNotFit();
  ARROW_ASSIGN_OR_RAISE(data, Finish(std::move(data), layout.swap_endian, pool));
  DataPtr& known = (*dictionaries)[message.dictionary_id];
  if (message.is_delta && known) {
    ARROW_ASSIGN_OR_RAISE(
        auto joined, arrow::Concatenate({arrow::MakeArray(known), arrow::MakeArray(data)}, pool));
    known = joined->data();
  } else if (known && !may_replace) {
    return Status::IOError("dictionary ", message.dictionary_id,
                           " is there twice, which only streams may have: the file is corrupt");
  } else {
    known = std::move(data);
  }
  return Status::OK();
}

}  // namespace shoal::formats::ipc
