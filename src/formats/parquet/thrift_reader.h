// Reading Thrift's compact protocol without making objects of it.
//
// See "Thrift Compact protocol encoding" of the Thrift specification. Whatever the bytes are,
// nothing outside of them is read and nothing is allocated: the first impossibility makes the
// reader fail, and it then reads zeros.
#pragma once

#include <cstdint>
#include <string_view>

namespace shoal::formats::parquet {

/// Not thread-safe.
class ThriftReader {
 public:
  enum Type : uint8_t {
    kStop = 0,
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kI16 = 4,
    kI32 = 5,
    kI64 = 6,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStruct = 12,
    kUuid = 13,
  };
  struct Field {
    int16_t id = 0;
    Type type = kStop;
    bool is_integer() const { return type == kI16 || type == kI32 || type == kI64; }
  };
  struct List {
    uint32_t size = 0;
    Type type = kStop;
  };

  explicit ThriftReader(std::string_view bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  bool failed() const { return failed_; }
  uint32_t position() const { return static_cast<uint32_t>(at_ - begin_); }

  /// The next field of a struct; kStop at its end. `previous` is the id of the field before it, 0
  /// at the beginning.
  Field NextField(int16_t previous) {
    const uint8_t header = Byte();
    const auto type = static_cast<Type>(header & 0x0f);
    const int id = previous + (header >> 4);
    if (header <= 0x0f || type > kUuid || id > INT16_MAX) return RareField(header);
    return {static_cast<int16_t>(id), type};
  }
  List ListHeader();
  /// An i16, i32 or i64.
  int64_t Integer() {
    const uint64_t zigzag = Varint();
    return static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
  }
  /// Passes over a value that follows a field header.
  void Skip(Type type) { SkipValue(type, kMaxDepth); }
  /// Passes over an element of a list, set or map.
  void SkipElement(Type type);

 private:
  static constexpr int kMaxDepth = 32;

  uint8_t Byte() {
    if (at_ == end_) return Fail();
    return static_cast<uint8_t>(*at_++);
  }
  uint64_t Varint() {
    uint64_t value = Byte();
    if (value < 0x80) return value;
    return LongVarint(value);
  }
  uint64_t LongVarint(uint64_t value);
  void Pass(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(end_ - at_)) {
      Fail();
    } else {
      at_ += bytes;
    }
  }
  uint8_t Fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }
  /// The end of a struct, a field whose id is written in full, or nonsense.
  Field RareField(uint8_t header);
  void SkipValue(Type type, int depth) {
    // These three make up nearly all of a footer.
    if (type >= kI16 && type <= kI64) {
      while (Byte() >= 0x80) {
      }
    } else if (type == kBinary) {
      Pass(Varint());
    } else {
      SkipOther(type, depth);
    }
  }
  void SkipOther(Type type, int depth);
  void SkipElementValue(Type type, int depth);

  const char* const begin_;
  const char* at_;
  const char* const end_;
  bool failed_ = false;
};

}  // namespace shoal::formats::parquet
