// What the buffers of a record batch are buffers of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

namespace shoal::formats::ipc {

/// A field as its type lays it out. `children` are those of the type's storage; of a dictionary
/// type, those of its value type.
struct FieldLayout {
  std::shared_ptr<arrow::DataType> type;
  int64_t dictionary_id = -1;  // of dictionary types
  std::vector<FieldLayout> children = {};
};

/// Extension types are stored as others.
const std::shared_ptr<arrow::DataType>& StorageOf(const std::shared_ptr<arrow::DataType>& type);

struct SchemaLayout {
  std::vector<FieldLayout> fields;
  /// The layouts of dictionaries' values.
  std::map<int64_t, FieldLayout> dictionaries;
  bool swap_endian = false;
};

/// `bytes` hold the table Schema at field `schema_field` of their root table, which Arrow has read
/// as `schema`: a Footer has it at 1, a Message (with the union's type before it) at 2.
arrow::Result<SchemaLayout> LayoutOf(const arrow::Schema& schema, std::string_view bytes,
                                     int schema_field);

/// The dictionaries that columns with those leaves (ascending, counted depth first) refer to, and
/// those that these refer to.
std::vector<int64_t> DictionariesOf(const SchemaLayout& layout, const std::vector<int>& leaves);

}  // namespace shoal::formats::ipc
