#include "dataset_maker.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include <arrow/table.h>

#include "ipc_maker.h"
#include "must.h"
#include "parquet_maker.h"
#include "table_maker.h"

namespace shoal::oracle {
namespace {

using Value = std::optional<std::string>;

enum class Layout { kFlat, kHive, kDirectory, kFilename };

// The texts a key may have, and the type they can be declared as; null: inferred.
struct KeyKind {
  std::vector<Value> values;
  std::vector<std::shared_ptr<arrow::DataType>> declarable;
};

const std::vector<KeyKind>& KeyKinds() {
  const auto dictionary = arrow::dictionary(arrow::int32(), arrow::utf8());
  static const std::vector<KeyKind> kinds = {
      {{"0", "1", "2", "-3", "12"},
       {nullptr, nullptr, arrow::int8(), arrow::int64(), arrow::utf8(), arrow::float64(),
        arrow::decimal128(9, 2), dictionary}},
      {{"0", "7", "2147483648", "-9223372036854775808"}, {nullptr, arrow::int64(), arrow::utf8()}},
      {{"01", "1", "007", "10"},
       {nullptr, nullptr, arrow::int32(), arrow::utf8(), arrow::large_utf8(), arrow::utf8_view()}},
      {{"a", "b", "a b", "x=y", "50%", "a/b", "\xC3\xBC\xE2\x82\xAC", ".dot", "_low", "null", "%41",
        "it's", "\"q\"", "a_b", "new\nline", "trail ", "NaN"},
       {nullptr, nullptr, arrow::utf8(), arrow::large_utf8(), arrow::utf8_view(), arrow::binary(),
        dictionary, arrow::dictionary(arrow::int8(), arrow::large_utf8())}},
      {{"2024-01-31", "2024-02-29", "1969-12-31"},
       {nullptr, arrow::date32(), arrow::timestamp(arrow::TimeUnit::MILLI), arrow::utf8()}},
      {{"true", "false"}, {nullptr, arrow::boolean()}},
      {{"1.50", "0.25", "-2.00"}, {nullptr, arrow::decimal128(9, 2), arrow::float32()}},
      {{"2024-01-31T10:00:00Z", "2024-01-31T12:30:15Z"},
       {nullptr, arrow::timestamp(arrow::TimeUnit::SECOND, "UTC")}},
  };
  return kinds;
}

struct Key {
  std::string name;
  std::vector<Value> values;
  std::shared_ptr<arrow::DataType> declared;  // may be null
};

class Maker {
 public:
  Maker(std::filesystem::path root, Random& random, MadeFormat format)
      : root_(std::move(root)), random_(random), format_(format) {}

  MadeDataset Make() {
    schema_ = RandomSchema(random_);
    layout_ = random_.Pick<Layout>({Layout::kFlat, Layout::kHive, Layout::kHive, Layout::kHive,
                                    Layout::kDirectory, Layout::kFilename});
    if (layout_ == Layout::kFlat) {
      made_.keys_declared = true;
    } else {
      ChooseKeys();
    }
    made_.root = root_;
    made_.partitioning = MakePartitioning();
    types_ = RandomParquetTypes(random_);
    Describe();
    const int64_t files = random_.Pick<int64_t>({1, 2, 3, 5, 9, 14});
    for (int64_t i = 0; i < files; ++i) WriteFile(i);
    if (random_.Chance(0.2)) WriteNoise();
    std::sort(made_.files.begin(), made_.files.end(),
              [](const MadeFile& a, const MadeFile& b) { return a.path < b.path; });
    made_.description = described_.str();
    return std::move(made_);
  }

 private:
  void ChooseKeys() {
    const int64_t count = random_.Between(1, 3);
    made_.keys_declared = random_.Chance(0.3);
    for (int64_t i = 0; i < count; ++i) {
      const KeyKind kind = random_.Pick(KeyKinds());
      Key key{i == 0 && random_.Chance(0.2) ? "key one" : "k" + std::to_string(i), kind.values,
              nullptr};
      do {
        key.declared = random_.Pick(kind.declarable);
      } while (made_.keys_declared && !key.declared);
      random_.Shuffle(&key.values);
      key.values.resize(std::min<size_t>(key.values.size(), random_.Between(1, 4)));
      const bool text = !key.declared || key.declared->id() == arrow::Type::STRING;
      if (layout_ == Layout::kHive && random_.Chance(0.35)) key.values.push_back(std::nullopt);
      if (layout_ == Layout::kHive && text && random_.Chance(0.2)) key.values.push_back("");
      made_.key_names.push_back(key.name);
      keys_.push_back(std::move(key));
    }
    if (layout_ != Layout::kHive) return;
    // A key that is a column of the files as well takes their type.
    if (random_.Chance(0.3)) ShareKeyWithFiles(&keys_[random_.Below(count)]);
    uneven_ = random_.Chance(0.25);
    any_order_ = random_.Chance(0.2);
  }

  void ShareKeyWithFiles(Key* key) {
    struct Shared {
      std::shared_ptr<arrow::DataType> type;
      std::vector<Value> values;
    };
    const Shared shared = random_.Pick<Shared>(
        {{arrow::int32(), {"0", "5", "70"}},
         {arrow::int64(), {"0", "150", "-30"}},
         {arrow::float64(), {"0.5", "2", "-1.5"}},
         {arrow::date32(), {"2022-01-08", "2022-02-01"}},
         {arrow::utf8(), {"aash", "b", "cfir"}},
         {arrow::utf8_view(), {"aash", "b", "cfir"}},
         {arrow::dictionary(arrow::int32(), arrow::utf8()), {"aash", "b", "cfir"}}});
    key->declared = made_.keys_declared ? shared.type : nullptr;
    const bool null = std::count(key->values.begin(), key->values.end(), std::nullopt) > 0;
    key->values = shared.values;
    if (null) key->values.push_back(std::nullopt);
    const int at = static_cast<int>(random_.Below(schema_->num_fields() + 1));
    auto field = arrow::field(key->name, shared.type, random_.Chance(0.7));
    schema_ = Must(schema_->AddField(at, std::move(field)));
    shared_ = key->name;
  }

  std::shared_ptr<const Partitioning> MakePartitioning() const {
    arrow::FieldVector declared;
    for (const Key& key : keys_) {
      if (key.declared) declared.push_back(arrow::field(key.name, key.declared));
    }
    auto schema = declared.empty() ? nullptr : arrow::schema(declared);
    switch (layout_) {
      case Layout::kHive: {
        HiveOptions options;
        options.declared = schema;
        return MakeHivePartitioning(std::move(options));
      }
      case Layout::kDirectory:
      case Layout::kFilename: {
        PositionalOptions options;
        options.field_names = made_.key_names;
        options.declared = schema;
        return layout_ == Layout::kDirectory ? MakeDirectoryPartitioning(std::move(options))
                                             : MakeFilenamePartitioning(std::move(options));
      }
      default:
        return MakeNoPartitioning();
    }
  }

  std::vector<PartitionKey> KeysOfFile() {
    std::vector<PartitionKey> keys;
    for (const Key& key : keys_) {
      if (uneven_ && random_.Chance(0.3)) continue;
      keys.push_back({key.name, random_.Pick(key.values)});
    }
    if (any_order_) random_.Shuffle(&keys);
    return keys;
  }

  void WriteFile(int64_t number) {
    const bool ipc = format_ == MadeFormat::kIpc;
    MadeFile file;
    file.keys = KeysOfFile();
    Partitioning::FormattedPath formatted = Must(made_.partitioning->Format(file.keys));
    std::filesystem::path directory = root_ / formatted.directory;
    if (random_.Chance(0.1)) directory /= "deeper";
    std::filesystem::create_directories(directory);
    // Short names in any order: the order of paths is not that of writing.
    const std::string name =
        formatted.file_prefix + std::string(1, static_cast<char>('a' + random_.Below(26))) +
        std::to_string(number) + (ipc ? RandomIpcExtension(random_) : ".parquet");
    file.path = directory / name;
    const int64_t rows = random_.Pick<int64_t>({0, 1, 5, 40, 130, 130, 400});
    const auto schema = SchemaOfFile();
    std::optional<std::string> chosen;
    if (ipc) chosen = WriteRandomIpc(*RandomTable(schema, rows, random_), file.path, random_);
    while (!chosen) {
      chosen = WriteRandomParquet(*RandomTable(schema, rows, random_), file.path, types_, random_);
    }
    described_ << "  " << file.path << ": " << *chosen << "\n";
    made_.files.push_back(std::move(file));
  }

  // Some files lack some columns, and columns stand in any order.
  std::shared_ptr<arrow::Schema> SchemaOfFile() {
    arrow::FieldVector fields = schema_->fields();
    if (random_.Chance(0.25)) random_.Shuffle(&fields);
    const double lacking = random_.Pick<double>({0, 0, 0, 0.2});
    arrow::FieldVector kept;
    for (const auto& field : fields) {
      const double chance = field->name() == shared_ ? std::max(lacking, 0.3) : lacking;
      if (!random_.Chance(chance)) kept.push_back(field);
    }
    if (kept.empty()) kept.push_back(fields[0]);
    return arrow::schema(std::move(kept));
  }

  // Files that are no data.
  void WriteNoise() {
    std::ofstream(root_ / "_SUCCESS");
    std::ofstream(root_ / ".hidden.parquet") << "no Parquet";
    std::ofstream(root_ / "notes.txt") << "no Parquet";
    described_ << "  and files that are no data\n";
  }

  void Describe() {
    described_ << made_.partitioning->name() << " partitioning";
    for (const Key& key : keys_) {
      described_ << ", " << key.name << " ("
                 << (key.name == shared_ ? "of the files' type"
                     : key.declared      ? key.declared->ToString()
                                         : "inferred")
                 << ")";
    }
    described_ << "; ARROW:schema " << (types_.store_schema ? "" : "not ")
               << "stored; columns of files:\n"
               << schema_->ToString() << "\n";
  }

  const std::filesystem::path root_;
  Random& random_;
  const MadeFormat format_;
  MadeDataset made_;
  std::ostringstream described_;
  std::shared_ptr<arrow::Schema> schema_;
  Layout layout_ = Layout::kFlat;
  std::vector<Key> keys_;
  std::string shared_;  // the key that is a column of files too
  ParquetTypes types_;
  bool uneven_ = false;
  bool any_order_ = false;
};

}  // namespace

MadeDataset MakeDataset(const std::filesystem::path& root, Random& random, MadeFormat format) {
  return Maker(root, random, format).Make();
}

}  // namespace shoal::oracle
