// Sorting columns as an order of Arrow's.
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <parquet/schema.h>

#include "formats/parquet/facts.h"
#include "formats/parquet/guard.h"

namespace shoal::formats::parquet {

namespace {

/// Types that Arrow sorts as Parquet does wherever that defines an order: numbers by value, bytes
/// as unsigned ones, dictionaries by their values. Not floats: Parquet does not say where NaN is
/// sorted to, and no footer tells that there is none.
bool SortsAlike(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DICTIONARY:
      return SortsAlike(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::BOOL:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
    case arrow::Type::DURATION:
      return true;
    default:
      return arrow::is_integer(type.id()) || arrow::is_decimal(type.id()) ||
             arrow::is_date(type.id()) || arrow::is_time(type.id()) ||
             type.id() == arrow::Type::TIMESTAMP;
  }
}

/// Whether the file defines an order of the column's rows. Files without column orders are of
/// writers that may have compared bytes as signed ones; INT96 and intervals have no order.
bool HasOrder(const ::parquet::ColumnDescriptor& column) {
  return column.max_repetition_level() == 0 && column.can_use_min_max() &&
         column.column_order().get_order() == ::parquet::ColumnOrder::TYPE_DEFINED_ORDER;
}

}  // namespace

arrow::Result<std::vector<SortedLeaf>> ParquetFacts::DeclaredOrder() const {
  const auto sorting = footer_.sorting_columns();
  std::vector<SortedLeaf> order;
  if (sorting.empty()) return order;
  return Guard(path_, [&]() -> arrow::Result<std::vector<SortedLeaf>> {
    const auto metadata = footer_.Narrow({}, {});
    for (const auto& sorted : sorting) {
      const auto type = LeafType(*schema(), sorted.column);
      if (!SortsAlike(*type) || !HasOrder(*metadata->schema()->Column(sorted.column))) break;
      order.push_back({sorted.column, sorted.descending, sorted.nulls_first});
    }
    return order;
  });
}

}  // namespace shoal::formats::parquet
