#include "parquet_maker.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "must.h"

namespace shoal::oracle {
namespace {

using parquet::Encoding;

arrow::Compression::type RandomCompression(Random& random) {
  auto codec = random.Pick<arrow::Compression::type>(
      {arrow::Compression::UNCOMPRESSED, arrow::Compression::SNAPPY, arrow::Compression::ZSTD,
       arrow::Compression::GZIP, arrow::Compression::LZ4, arrow::Compression::BROTLI});
  return arrow::util::Codec::IsAvailable(codec) ? codec : arrow::Compression::UNCOMPRESSED;
}

// An encoding other than a dictionary that the physical type has.
Encoding::type RandomEncoding(parquet::Type::type type, Random& random) {
  switch (type) {
    case parquet::Type::BOOLEAN:
      return random.Pick<Encoding::type>({Encoding::PLAIN, Encoding::RLE});
    case parquet::Type::INT32:
    case parquet::Type::INT64:
      return random.Pick<Encoding::type>(
          {Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT});
    case parquet::Type::FLOAT:
    case parquet::Type::DOUBLE:
      return random.Pick<Encoding::type>({Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT});
    case parquet::Type::BYTE_ARRAY:
      return random.Pick<Encoding::type>(
          {Encoding::PLAIN, Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY});
    default:
      return Encoding::PLAIN;
  }
}

int64_t RandomRowGroupRows(int64_t rows, Random& random) {
  const int64_t wanted = random.Pick<int64_t>({1, 7, 50, 64, 300, 1 << 20});
  constexpr int64_t kMostGroups = 40;
  return std::max<int64_t>(wanted, rows / kMostGroups + 1);
}

}  // namespace

ParquetTypes RandomParquetTypes(Random& random) {
  ParquetTypes types;
  types.store_schema = random.Chance(0.7);
  types.version = random.Pick<parquet::ParquetVersion::type>(
      {parquet::ParquetVersion::PARQUET_1_0, parquet::ParquetVersion::PARQUET_2_4,
       parquet::ParquetVersion::PARQUET_2_6, parquet::ParquetVersion::PARQUET_2_6});
  return types;
}

namespace {

bool IsReadable(const std::string& path) {
  auto input = arrow::io::ReadableFile::Open(path);
  if (!input.ok()) return false;
  auto reader = parquet::arrow::OpenFile(*input, arrow::default_memory_pool());
  if (!reader.ok()) return false;
  auto table = (*reader)->ReadTable();
  return table.ok() && (*table)->ValidateFull().ok();
}

std::string WriteOnce(const arrow::Table& table, const std::string& path, const ParquetTypes& types,
                      Random& random) {
  parquet::WriterProperties::Builder properties;
  std::ostringstream chosen;
  auto choose = [&](const char* what, bool value) {
    if (value) chosen << " " << what;
    return value;
  };
  const int64_t row_group_rows = RandomRowGroupRows(table.num_rows(), random);
  chosen << table.num_rows() << " rows, row groups of " << row_group_rows;

  properties.version(types.version);
  properties.data_page_version(choose("pages-v2", random.Chance(0.4))
                                   ? parquet::ParquetDataPageVersion::V2
                                   : parquet::ParquetDataPageVersion::V1);
  properties.compression(RandomCompression(random));
  if (choose("small-pages", random.Chance(0.5))) properties.data_pagesize(random.Between(20, 400));
  if (random.Chance(0.5)) properties.write_batch_size(random.Between(1, 100));
  if (choose("page-index", random.Chance(0.5))) properties.enable_write_page_index();
  if (choose("checksums", random.Chance(0.3))) properties.enable_page_checksum();
  if (choose("decimals-as-integers", random.Chance(0.5)))
    properties.enable_store_decimal_as_integer();
  if (choose("no-statistics", random.Chance(0.1))) properties.disable_statistics();
  if (choose("no-level-histograms", random.Chance(0.2))) {
    properties.set_size_statistics_level(parquet::SizeStatisticsLevel::None);
  }
  if (choose("short-statistics", random.Chance(0.15))) properties.max_statistics_size(8);
  if (random.Chance(0.3)) properties.dictionary_pagesize_limit(random.Between(1, 100));

  std::shared_ptr<parquet::SchemaDescriptor> schema;
  Must(parquet::arrow::ToParquetSchema(table.schema().get(), *properties.build(), &schema));
  for (int i = 0; i < schema->num_columns(); ++i) {
    const auto& column = *schema->Column(i);
    const auto column_path = column.path();
    const auto field = table.schema()->GetFieldByName(schema->GetColumnRoot(i)->name());
    const bool dictionary = field->type()->ToString().find("dictionary") != std::string::npos;
    if (random.Chance(0.5)) {
      properties.disable_dictionary(column_path);
      // Arrow's reader makes dictionaries from plain and from dictionary pages only.
      if (!dictionary) {
        properties.encoding(column_path, RandomEncoding(column.physical_type(), random));
      }
    }
    if (random.Chance(0.1)) properties.disable_statistics(column_path);
  }

  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (types.store_schema) arrow_properties.store_schema();
  auto sink = Must(arrow::io::FileOutputStream::Open(path));
  Must(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), sink, row_group_rows,
                                  properties.build(), arrow_properties.build()));
  Must(sink->Close());
  return chosen.str();
}

}  // namespace

std::optional<std::string> WriteRandomParquet(const arrow::Table& table, const std::string& path,
                                              const ParquetTypes& types, Random& random) {
  // Arrow can't read all that it writes: lists of some types without any items, in some encodings;
  // lists of fixed size that are null; dictionaries that are not null below structs that are.
  for (int tries = 0; tries < 20; ++tries) {
    std::string chosen = WriteOnce(table, path, types, random);
    if (IsReadable(path)) return chosen;
  }
  return std::nullopt;
}

}  // namespace shoal::oracle
