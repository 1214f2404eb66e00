#include <string>
#include <vector>

#include <arrow/compute/initialize.h>
#include <gtest/gtest.h>

#include "formats/memory_driver.h"
#include "formats/parquet/format.h"
#include "formats/parquet/test_files.h"

namespace shoal::formats::parquet {
namespace {

const bool kInitialized = arrow::compute::Initialize().ok();

TEST(Facts, AFileWithoutRowGroupsHasASchemaAndNoRows) {
  auto table = OneColumn(Numbers(0, 0));
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer =
      ::parquet::arrow::FileWriter::Open(*table->schema(), arrow::default_memory_pool(), sink)
          .ValueOrDie();
  ASSERT_TRUE(writer->Close().ok());
  MemoryDriver driver(MakeFormat(), sink->Finish().ValueOrDie()->ToString());
  auto facts = driver.Facts().ValueOrDie();
  EXPECT_EQ(facts->num_row_groups(), 0);
  EXPECT_EQ(facts->num_rows().exact_value(), 0);
  EXPECT_EQ(facts->schema()->field(0)->name(), "x");
  EXPECT_EQ(facts->Bounds(0).ValueOrDie().null_count->length(), 0);
}

TEST(Facts, TakeOneReadOrTwoWhereTheFooterIsLong) {
  MemoryDriver small(MakeFormat(), WriteFile(*OneColumn(Numbers(0, 10)), 5, Default()));
  ASSERT_TRUE(small.Facts().ok());
  EXPECT_EQ(small.requests(), 1);

  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  auto column = Numbers(0, 4);
  for (int i = 0; i < 1500; ++i) {
    fields.push_back(
        arrow::field("a_rather_long_name_of_a_column_" + std::to_string(i), arrow::int64()));
    columns.push_back(column);
  }
  MemoryDriver wide(MakeFormat(),
                    WriteFile(*arrow::Table::Make(arrow::schema(fields), columns), 4, Default()));
  auto facts = wide.Facts().ValueOrDie();
  EXPECT_EQ(wide.requests(), 2);
  EXPECT_EQ(facts->schema()->num_fields(), 1500);
  EXPECT_EQ(wide.All().ValueOrDie()[0]->num_rows(), 4);
}

TEST(Facts, SayWhyAFileIsNotParquet) {
  auto message = [](std::string bytes) {
    MemoryDriver driver(MakeFormat(), std::move(bytes));
    return driver.Facts().status().ToString();
  };
  const std::string sound = WriteFile(*OneColumn(Numbers(0, 10)), 5, Default());
  for (const std::string& bytes :
       {std::string("short"), std::string(1000, 'x'), sound.substr(0, sound.size() / 2),
        "PAR1" + std::string(100, '\0') + "PAR1", "PAR1" + std::string(100, '\xff') + "PAR1"}) {
    const std::string said = message(bytes);
    EXPECT_NE(said.find(MemoryDriver::kPath), std::string::npos) << said;
    EXPECT_EQ(said.find("OK"), std::string::npos) << said;
  }
  EXPECT_NE(message(std::string(1000, 'x')).find("PAR1"), std::string::npos);
}

TEST(Facts, ANameThatIsNotUtf8IsAnErrorNamingFileAndColumn) {
  auto nested = arrow::StructArray::Make({Numbers(1, 3)->chunk(0)}, {"quota"}).ValueOrDie();
  for (const auto& column : {Numbers(1, 3)->chunk(0), std::shared_ptr<arrow::Array>(nested)}) {
    auto table = arrow::Table::Make(arrow::schema({arrow::field("quota", column->type())}),
                                    {std::make_shared<arrow::ChunkedArray>(column)});
    std::string bytes = WriteFile(*table, 3, Default(), /*store_schema=*/false);
    for (size_t at = 0; (at = bytes.find("quota", at)) != std::string::npos; ++at)
      bytes[at + 1] = '\xff';
    MemoryDriver driver(MakeFormat(), bytes);
    const auto status = driver.Facts().status();
    EXPECT_TRUE(status.IsInvalid()) << status;
    EXPECT_NE(status.message().find("'q%FFota' is not UTF-8"), std::string::npos) << status;
    EXPECT_EQ(status.message().front(), '\'') << status;
  }
}

}  // namespace
}  // namespace shoal::formats::parquet
