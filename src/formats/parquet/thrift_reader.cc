#include "formats/parquet/thrift_reader.h"

namespace shoal::formats::parquet {

ThriftReader::Field ThriftReader::RareField(uint8_t header) {
  const auto type = static_cast<Type>(header & 0x0f);
  if (failed_ || type == kStop) return {};
  const int64_t id = header <= 0x0f ? Integer() : INT64_MAX;
  if (failed_ || type > kUuid || id < INT16_MIN || id > INT16_MAX) {
    Fail();
    return {};
  }
  return {static_cast<int16_t>(id), type};
}

ThriftReader::List ThriftReader::ListHeader() {
  const uint8_t header = Byte();
  uint64_t size = header >> 4;
  if (size == 15) size = Varint();
  const auto type = static_cast<Type>(header & 0x0f);
  // Each element takes a byte at least.
  if (failed_ || size > static_cast<uint64_t>(end_ - at_) || type > kUuid ||
      (type == kStop && size > 0)) {
    Fail();
    return {};
  }
  return {static_cast<uint32_t>(size), type};
}

uint64_t ThriftReader::LongVarint(uint64_t value) {
  value &= 0x7f;
  for (int shift = 7; shift < 64; shift += 7) {
    const uint64_t byte = Byte();
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return failed_ ? 0 : value;
  }
  return Fail();
}

void ThriftReader::SkipElement(Type type) { SkipElementValue(type, kMaxDepth); }

void ThriftReader::SkipElementValue(Type type, int depth) {
  // Outside of field headers a boolean takes a byte.
  if (type == kTrue || type == kFalse) {
    Pass(1);
  } else {
    SkipValue(type, depth);
  }
}

void ThriftReader::SkipOther(Type type, int depth) {
  if (depth == 0) {
    Fail();
    return;
  }
  switch (type) {
    case kTrue:
    case kFalse:
      return;
    case kByte:
      return Pass(1);
    case kDouble:
      return Pass(8);
    case kUuid:
      return Pass(16);
    case kList:
    case kSet: {
      const List list = ListHeader();
      for (uint32_t i = 0; i < list.size && !failed_; ++i) SkipElementValue(list.type, depth - 1);
      return;
    }
    case kMap: {
      const uint64_t size = Varint();
      if (size == 0) return;
      const uint8_t types = Byte();
      const auto key = static_cast<Type>(types >> 4), value = static_cast<Type>(types & 0x0f);
      if (size > static_cast<uint64_t>(end_ - at_)) {
        Fail();
        return;
      }
      for (uint64_t i = 0; i < size && !failed_; ++i) {
        SkipElementValue(key, depth - 1);
        SkipElementValue(value, depth - 1);
      }
      return;
    }
    case kStruct:
      for (Field field = NextField(0); field.type != kStop; field = NextField(field.id))
        SkipValue(field.type, depth - 1);
      return;
    default:
      Fail();
  }
}

}  // namespace shoal::formats::parquet
