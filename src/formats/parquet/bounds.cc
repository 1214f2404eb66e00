// Column chunk statistics as bounds.
#include <cstring>
#include <numeric>
#include <optional>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/extension_type.h>
#include <arrow/util/decimal.h>
#include <parquet/schema.h>
#include <parquet/size_statistics.h>
#include <parquet/statistics.h>

#include "formats/parquet/facts.h"
#include "formats/parquet/guard.h"

namespace shoal::formats::parquet {

namespace {

using ::parquet::ColumnDescriptor;
using ::parquet::LogicalType;
using PhysicalType = ::parquet::Type;

/// The Arrow type that the statistics of a column are natively of; null where they have no defined
/// order that Arrow shares (INT96, intervals, half floats).
std::shared_ptr<arrow::DataType> NativeType(const ColumnDescriptor& column) {
  const auto& logical = column.logical_type();
  auto kind = logical ? logical->type() : LogicalType::Type::NONE;
  auto unit = [](LogicalType::TimeUnit::unit u) {
    return u == LogicalType::TimeUnit::MILLIS   ? arrow::TimeUnit::MILLI
           : u == LogicalType::TimeUnit::MICROS ? arrow::TimeUnit::MICRO
                                                : arrow::TimeUnit::NANO;
  };
  if (kind == LogicalType::Type::DECIMAL) {
    const auto& decimal = static_cast<const ::parquet::DecimalLogicalType&>(*logical);
    int p = decimal.precision(), s = decimal.scale();
    auto type = p <= arrow::Decimal128Type::kMaxPrecision ? arrow::Decimal128Type::Make(p, s)
                                                          : arrow::Decimal256Type::Make(p, s);
    return type.ok() ? *type : nullptr;
  }
  switch (column.physical_type()) {
    case PhysicalType::BOOLEAN:
      return arrow::boolean();
    case PhysicalType::INT32:
    case PhysicalType::INT64:
      switch (kind) {
        case LogicalType::Type::INT: {
          const auto& integer = static_cast<const ::parquet::IntLogicalType&>(*logical);
          switch (integer.bit_width()) {
            case 8:
              return integer.is_signed() ? arrow::int8() : arrow::uint8();
            case 16:
              return integer.is_signed() ? arrow::int16() : arrow::uint16();
            case 32:
              return integer.is_signed() ? arrow::int32() : arrow::uint32();
            default:
              return integer.is_signed() ? arrow::int64() : arrow::uint64();
          }
        }
        case LogicalType::Type::DATE:
          return arrow::date32();
        case LogicalType::Type::TIME: {
          auto u = unit(static_cast<const ::parquet::TimeLogicalType&>(*logical).time_unit());
          return u == arrow::TimeUnit::MILLI ? arrow::time32(u) : arrow::time64(u);
        }
        case LogicalType::Type::TIMESTAMP:
          return arrow::timestamp(
              unit(static_cast<const ::parquet::TimestampLogicalType&>(*logical).time_unit()));
        case LogicalType::Type::NONE:
        case LogicalType::Type::NIL:
        case LogicalType::Type::UNDEFINED:
          return column.physical_type() == PhysicalType::INT32 ? arrow::int32() : arrow::int64();
        default:
          return nullptr;
      }
    case PhysicalType::FLOAT:
      return arrow::float32();
    case PhysicalType::DOUBLE:
      return arrow::float64();
    case PhysicalType::BYTE_ARRAY:
      return arrow::binary();
    case PhysicalType::FIXED_LEN_BYTE_ARRAY:
      if (kind == LogicalType::Type::NONE || kind == LogicalType::Type::UUID ||
          kind == LogicalType::Type::UNDEFINED) {
        return arrow::fixed_size_binary(column.type_length());
      }
      return nullptr;
    default:
      return nullptr;
  }
}

/// Appends plain-encoded statistics values of one physical type as values of one Arrow type. A
/// value of the wrong length is no bound.
class ValueAppender {
 public:
  ValueAppender(const ColumnDescriptor& column, std::shared_ptr<arrow::DataType> type)
      : physical_(column.physical_type()), type_(std::move(type)) {}

  arrow::Status Init() {
    return arrow::MakeBuilder(arrow::default_memory_pool(), type_, &builder_);
  }
  arrow::Status AppendNull() { return builder_->AppendNull(); }
  arrow::Result<std::shared_ptr<arrow::Array>> Finish() { return builder_->Finish(); }

  arrow::Status Append(const std::string& bytes) {
    switch (type_->id()) {
      case arrow::Type::BOOL: {
        if (bytes.size() != 1) return AppendNull();
        return As<arrow::BooleanBuilder>().Append(bytes[0] != 0);
      }
      case arrow::Type::INT8:
        return AppendInteger<arrow::Int8Builder, int32_t>(bytes);
      case arrow::Type::UINT8:
        return AppendInteger<arrow::UInt8Builder, int32_t>(bytes);
      case arrow::Type::INT16:
        return AppendInteger<arrow::Int16Builder, int32_t>(bytes);
      case arrow::Type::UINT16:
        return AppendInteger<arrow::UInt16Builder, int32_t>(bytes);
      case arrow::Type::INT32:
        return AppendInteger<arrow::Int32Builder, int32_t>(bytes);
      case arrow::Type::UINT32:
        return AppendInteger<arrow::UInt32Builder, uint32_t>(bytes);
      case arrow::Type::DATE32:
        return AppendInteger<arrow::Date32Builder, int32_t>(bytes);
      case arrow::Type::TIME32:
        return AppendInteger<arrow::Time32Builder, int32_t>(bytes);
      case arrow::Type::INT64:
        return AppendInteger<arrow::Int64Builder, int64_t>(bytes);
      case arrow::Type::UINT64:
        return AppendInteger<arrow::UInt64Builder, uint64_t>(bytes);
      case arrow::Type::TIME64:
        return AppendInteger<arrow::Time64Builder, int64_t>(bytes);
      case arrow::Type::TIMESTAMP:
        return AppendInteger<arrow::TimestampBuilder, int64_t>(bytes);
      case arrow::Type::FLOAT:
        return AppendInteger<arrow::FloatBuilder, float>(bytes);
      case arrow::Type::DOUBLE:
        return AppendInteger<arrow::DoubleBuilder, double>(bytes);
      case arrow::Type::BINARY:
        return As<arrow::BinaryBuilder>().Append(bytes);
      case arrow::Type::FIXED_SIZE_BINARY: {
        auto& builder = As<arrow::FixedSizeBinaryBuilder>();
        if (static_cast<int>(bytes.size()) != builder.byte_width()) return AppendNull();
        return builder.Append(bytes);
      }
      case arrow::Type::DECIMAL128:
        return AppendDecimal<arrow::Decimal128Builder, arrow::Decimal128>(bytes);
      case arrow::Type::DECIMAL256:
        return AppendDecimal<arrow::Decimal256Builder, arrow::Decimal256>(bytes);
      default:
        return AppendNull();
    }
  }

 private:
  template <typename Builder>
  Builder& As() {
    return static_cast<Builder&>(*builder_);
  }
  template <typename T>
  static std::optional<T> Plain(const std::string& bytes) {
    if (bytes.size() != sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  template <typename Builder, typename Stored>
  arrow::Status AppendInteger(const std::string& bytes) {
    auto value = Plain<Stored>(bytes);
    if (!value) return AppendNull();
    auto narrow = static_cast<typename Builder::value_type>(*value);
    // NaN is no bound, and a value outside of the declared width is no value.
    if (!(static_cast<Stored>(narrow) == *value)) return AppendNull();
    return As<Builder>().Append(narrow);
  }
  template <typename Builder, typename Decimal>
  arrow::Status AppendDecimal(const std::string& bytes) {
    auto& builder = As<Builder>();
    if (physical_ == PhysicalType::INT32) {
      auto value = Plain<int32_t>(bytes);
      return value ? builder.Append(Decimal(*value)) : AppendNull();
    }
    if (physical_ == PhysicalType::INT64) {
      auto value = Plain<int64_t>(bytes);
      return value ? builder.Append(Decimal(*value)) : AppendNull();
    }
    auto value = Decimal::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                        static_cast<int32_t>(bytes.size()));
    return value.ok() ? builder.Append(*value) : AppendNull();
  }

  PhysicalType::type physical_;
  std::shared_ptr<arrow::DataType> type_;
  std::unique_ptr<arrow::ArrayBuilder> builder_;
};

/// The values in the type the column is read as; null if they cannot be said in it.
std::shared_ptr<arrow::Array> InReadType(const std::shared_ptr<arrow::Array>& native,
                                         std::shared_ptr<arrow::DataType> type) {
  if (type->id() == arrow::Type::EXTENSION) {
    type = static_cast<const arrow::ExtensionType&>(*type).storage_type();
  }
  if (type->id() == arrow::Type::DICTIONARY) {
    type = static_cast<const arrow::DictionaryType&>(*type).value_type();
  }
  if (native->type()->Equals(*type)) return native;
  // The zone is a label: the stored instants are the same.
  bool relabelled = native->type_id() == arrow::Type::TIMESTAMP &&
                    type->id() == arrow::Type::TIMESTAMP &&
                    static_cast<const arrow::TimestampType&>(*native->type()).unit() ==
                        static_cast<const arrow::TimestampType&>(*type).unit();
  bool duration = native->type_id() == arrow::Type::INT64 && type->id() == arrow::Type::DURATION;
  if (relabelled || duration) {
    auto view = native->View(type);
    return view.ok() ? *view : nullptr;
  }
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_invalid_utf8 =
      true;  // truncated bounds may end inside a character; they are compared by bytes
  auto cast = arrow::compute::Cast(*native, type, options);
  return cast.ok() ? *cast : nullptr;
}

/// Whether a struct or list that the leaf is in may be null or repeated.
bool HasNullableParent(const ColumnDescriptor& column) {
  return column.max_definition_level() > (column.schema_node()->is_optional() ? 1 : 0);
}

/// The nulls that the histogram of definition levels tells, if the writer made one that adds up.
std::optional<int64_t> NullsByLevels(const ColumnDescriptor& column,
                                     const ::parquet::ColumnChunkMetaData& chunk) {
  const auto sizes = chunk.size_statistics();
  const auto levels = static_cast<size_t>(column.max_definition_level()) + 1;
  if (!sizes || sizes->definition_level_histogram.size() != levels) return {};
  int64_t rows = 0;
  for (int64_t count : sizes->definition_level_histogram) {
    if (count < 0 || count > chunk.num_values() - rows) return {};
    rows += count;
  }
  if (rows != chunk.num_values()) return {};
  return rows - sizes->definition_level_histogram.back();
}

/// How many rows have a null there. Below a struct that may be null itself, writers disagree on
/// which nulls to count (Arrow's leaves out those of the struct where the leaf is a dictionary):
/// there the histogram of definition levels has to tell. Two claims that differ are no claim.
std::optional<int64_t> NullCount(const ColumnDescriptor& column,
                                 const ::parquet::ColumnChunkMetaData& chunk,
                                 const ::parquet::EncodedStatistics* stats) {
  if (column.max_repetition_level() > 0) return {};  // counts items, not rows
  if (column.max_definition_level() == 0) return 0;
  const auto by_levels = NullsByLevels(column, chunk);
  if (HasNullableParent(column)) return by_levels;
  if (!stats || !stats->has_null_count) return by_levels;
  if (stats->null_count < 0 || stats->null_count > chunk.num_values()) return {};
  if (by_levels && *by_levels != stats->null_count) return {};
  // Where all are null there is no least value.
  const bool has_bound = stats->has_min || stats->has_max;
  if (has_bound && stats->null_count == chunk.num_values() && chunk.num_values() > 0) return {};
  return stats->null_count;
}

/// Whether the bounds may speak of values that no row has, wherever there are nulls. Arrow's writer
/// counts null among the values that dictionary indices take, compares that with the dictionary's
/// length, and then takes the bounds of all of the dictionary. A column whose type it did not store
/// may have been a dictionary.
bool MayBeBoundsOfDictionary(const ::parquet::FileMetaData& metadata,
                             const ColumnDescriptor& column, const arrow::DataType& type) {
  if (column.physical_type() != PhysicalType::BYTE_ARRAY) return false;
  if (type.id() == arrow::Type::DICTIONARY) return true;
  const auto& stored = metadata.key_value_metadata();
  return metadata.created_by().starts_with("parquet-cpp") &&
         !(stored && stored->Contains("ARROW:schema"));
}

/// `type`: of the leaf, as it is read.
arrow::Result<ColumnBounds> BoundsOf(const ::parquet::FileMetaData& metadata, int leaf,
                                     const std::shared_ptr<arrow::DataType>& type) {
  const ColumnDescriptor& column = *metadata.schema()->Column(leaf);
  const int n = metadata.num_row_groups();
  std::shared_ptr<arrow::DataType> native = NativeType(column);
  // Null stands for "no order known": the null counts still count.
  ValueAppender min(column, native ? native : arrow::binary()),
      max(column, native ? native : arrow::binary());
  ARROW_RETURN_NOT_OK(min.Init());
  ARROW_RETURN_NOT_OK(max.Init());
  arrow::Int64Builder null_count;
  ColumnBounds bounds;
  bounds.min_exact.resize(n, false);
  bounds.max_exact.resize(n, false);
  const bool may_truncate = column.physical_type() == PhysicalType::BYTE_ARRAY ||
                            column.physical_type() == PhysicalType::FIXED_LEN_BYTE_ARRAY;
  const bool truncates = may_truncate && native && native->id() != arrow::Type::DECIMAL128 &&
                         native->id() != arrow::Type::DECIMAL256;
  // Arrow's writer lets bounds of a dictionary speak of values below a null struct, which no row
  // has.
  const bool may_be_attained = !HasNullableParent(column);
  const bool only_without_nulls = MayBeBoundsOfDictionary(metadata, column, *type);
  for (int i = 0; i < n; ++i) {
    auto chunk = metadata.RowGroup(i)->ColumnChunk(leaf);
    std::shared_ptr<::parquet::EncodedStatistics> stats;
    if (chunk->is_stats_set()) stats = chunk->encoded_statistics();
    auto nulls = NullCount(column, *chunk, stats.get());
    ARROW_RETURN_NOT_OK(nulls ? null_count.Append(*nulls) : null_count.AppendNull());
    const bool has_min = native && stats && stats->has_min,
               has_max = native && stats && stats->has_max;
    ARROW_RETURN_NOT_OK(has_min ? min.Append(stats->min()) : min.AppendNull());
    ARROW_RETURN_NOT_OK(has_max ? max.Append(stats->max()) : max.AppendNull());
    const bool attained = may_be_attained && !(only_without_nulls && nulls != 0);
    // Writers that do not say may have truncated strings, never numbers.
    if (has_min) bounds.min_exact[i] = attained && stats->is_min_value_exact.value_or(!truncates);
    if (has_max) bounds.max_exact[i] = attained && stats->is_max_value_exact.value_or(!truncates);
  }
  ARROW_ASSIGN_OR_RAISE(auto nulls, null_count.Finish());
  bounds.null_count = std::static_pointer_cast<arrow::Int64Array>(nulls);
  if (native) {
    ARROW_ASSIGN_OR_RAISE(auto min_values, min.Finish());
    ARROW_ASSIGN_OR_RAISE(auto max_values, max.Finish());
    bounds.min = InReadType(min_values, type);
    bounds.max = InReadType(max_values, type);
  }
  return bounds;
}

}  // namespace

std::shared_ptr<arrow::DataType> LeafType(const arrow::Schema& schema, int leaf) {
  // A schema of one leaf is a chain of single children.
  auto type = ProjectLeaves(schema, {leaf})->field(0)->type();
  while (type->num_fields() > 0 && type->id() != arrow::Type::EXTENSION)
    type = type->field(type->num_fields() - 1)->type();
  return type;
}

arrow::Result<std::vector<ColumnBounds>> ParquetFacts::Bounds(
    const std::vector<int>& leaves) const {
  std::vector<int> groups(num_row_groups());
  std::iota(groups.begin(), groups.end(), 0);
  return Guard(path_, [&]() -> arrow::Result<std::vector<ColumnBounds>> {
    const auto metadata = footer_.Narrow(groups, leaves);
    std::vector<ColumnBounds> bounds;
    bounds.reserve(leaves.size());
    for (int leaf : leaves) {
      ARROW_ASSIGN_OR_RAISE(auto one, BoundsOf(*metadata, leaf, LeafType(*schema(), leaf)));
      bounds.push_back(std::move(one));
    }
    return bounds;
  });
}

}  // namespace shoal::formats::parquet
