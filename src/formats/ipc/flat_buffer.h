// Reading FlatBuffers without generated code.
//
// See "FlatBuffer Internals" of the FlatBuffers documentation. Whatever the bytes are, nothing
// outside of them is read and nothing is allocated: the first impossibility makes the reader fail,
// and what it then reads is zero or empty.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include <arrow/util/endian.h>

namespace shoal::formats::ipc {

/// Not thread-safe. Fields are named by their number in the schema, the first being 0; a union
/// takes two, of which the first is its type.
class FlatBuffer {
 public:
  /// A table, by its place; 0: none.
  struct Table {
    uint32_t at = 0;
    explicit operator bool() const { return at != 0; }
  };
  /// A vector, by the place of its first element.
  struct Vector {
    uint32_t at = 0;
    uint32_t size = 0;
  };

  explicit FlatBuffer(std::string_view bytes) : bytes_(bytes) {}
  bool failed() const { return failed_; }

  Table Root() { return Follow(0); }
  template <typename T>
  T Scalar(Table table, int field, T otherwise = {}) {
    const uint32_t at = FieldAt(table, field);
    return at == 0 ? otherwise : Load<T>(at);
  }
  Table TableField(Table table, int field) {
    const uint32_t at = FieldAt(table, field);
    return at == 0 ? Table{} : Follow(at);
  }
  /// A missing vector is empty.
  Vector VectorField(Table table, int field, uint32_t element_size) {
    const uint32_t at = FieldAt(table, field);
    if (at == 0) return {};
    const uint32_t begin = Follow(at).at;
    const Vector vector{begin + 4, Load<uint32_t>(begin)};
    if (!Has(vector.at, uint64_t{vector.size} * element_size)) return {};
    return vector;
  }
  std::string_view StringField(Table table, int field) {
    const Vector vector = VectorField(table, field, 1);
    return bytes_.substr(vector.size == 0 ? 0 : vector.at, vector.size);
  }
  /// The i-th table of a vector of tables (whose elements take 4 bytes).
  Table TableAt(Vector vector, uint32_t i) { return Follow(vector.at + 4 * i); }
  template <typename T>
  T Load(uint64_t at) {
    T value{};
    if (Has(at, sizeof(T))) std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return arrow::bit_util::FromLittleEndian(value);
  }

 private:
  bool Has(uint64_t at, uint64_t length) {
    if (length <= bytes_.size() && at <= bytes_.size() - length) return true;
    failed_ = true;
    return false;
  }
  /// What the offset at that place leads to.
  Table Follow(uint64_t at) {
    const uint64_t target = at + Load<uint32_t>(at);
    if (target == at || !Has(target, 4)) {
      failed_ = true;
      return {};
    }
    return {static_cast<uint32_t>(target)};
  }
  /// Where the field's value lies; 0: the table leaves it out.
  uint32_t FieldAt(Table table, int field) {
    if (!table) return 0;
    const int64_t vtable = int64_t{table.at} - Load<int32_t>(table.at);
    if (vtable < 0) {
      failed_ = true;
      return 0;
    }
    const int64_t slot = 4 + 2 * field;
    if (slot + 2 > Load<uint16_t>(vtable)) return 0;
    const uint16_t offset = Load<uint16_t>(vtable + slot);
    return offset == 0 ? 0 : table.at + offset;
  }

  const std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace shoal::formats::ipc
