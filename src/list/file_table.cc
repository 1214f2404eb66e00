#include <shoal/listing.h>

#include <algorithm>
#include <bit>
#include <functional>

namespace shoal {

const KeyColumn* KeyTable::Find(std::string_view name) const {
  for (const KeyColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

int32_t KeyTableBuilder::ColumnOf(const std::string& name) {
  for (size_t i = 0; i < table_.columns.size(); ++i) {
    if (table_.columns[i].name == name) return static_cast<int32_t>(i);
  }
  KeyColumn column;
  column.name = name;
  column.index.assign(table_.num_rows, KeyColumn::kAbsent);
  table_.columns.push_back(std::move(column));
  lookup_.emplace_back();
  return static_cast<int32_t>(table_.columns.size() - 1);
}

int32_t KeyTableBuilder::ValueOf(int32_t column, const std::optional<std::string>& value) {
  auto& distinct = table_.columns[column].distinct;
  Lookup& lookup = lookup_[column];
  const auto next = static_cast<int32_t>(distinct.size());
  if (!value) {
    if (lookup.null == KeyColumn::kAbsent) {
      lookup.null = next;
      distinct.emplace_back(std::nullopt);
    }
    return lookup.null;
  }
  const auto slot_of = [&](std::string_view text) {
    const size_t mask = lookup.slots.size() - 1;
    size_t at = std::hash<std::string_view>{}(text)&mask;
    while (lookup.slots[at] != KeyColumn::kAbsent && distinct[lookup.slots[at]] != text)
      at = (at + 1) & mask;
    return &lookup.slots[at];
  };
  // At most half full.
  if (2 * distinct.size() >= lookup.slots.size()) {
    lookup.slots.assign(std::bit_ceil(std::max<size_t>(8, 4 * distinct.size())),
                        KeyColumn::kAbsent);
    for (int32_t i = 0; i < next; ++i) {
      if (distinct[i]) *slot_of(*distinct[i]) = i;
    }
  }
  int32_t* slot = slot_of(*value);
  if (*slot == KeyColumn::kAbsent) {
    *slot = next;
    distinct.emplace_back(*value);
  }
  return *slot;
}

KeyTableBuilder::Row KeyTableBuilder::Resolve(Row row, const std::vector<PartitionKey>& more) {
  for (const PartitionKey& key : more) {
    const int32_t column = ColumnOf(key.name);
    if (row.size() <= static_cast<size_t>(column)) row.resize(column + 1, KeyColumn::kAbsent);
    row[column] = ValueOf(column, key.value);
  }
  return row;
}

void KeyTableBuilder::Append(const Row& row) {
  for (size_t i = 0; i < table_.columns.size(); ++i) {
    table_.columns[i].index.push_back(i < row.size() ? row[i] : KeyColumn::kAbsent);
  }
  ++table_.num_rows;
}

void KeyTableBuilder::Append(const KeyTable& later) {
  const int64_t rows = table_.num_rows + later.num_rows;
  for (const KeyColumn& from : later.columns) {
    const int32_t column = ColumnOf(from.name);
    std::vector<int32_t> value_of;
    value_of.reserve(from.distinct.size());
    for (const auto& value : from.distinct) value_of.push_back(ValueOf(column, value));
    std::vector<int32_t>& index = table_.columns[column].index;
    for (const int32_t value : from.index) {
      index.push_back(value == KeyColumn::kAbsent ? KeyColumn::kAbsent : value_of[value]);
    }
  }
  for (KeyColumn& column : table_.columns) column.index.resize(rows, KeyColumn::kAbsent);
  table_.num_rows = rows;
}

void KeyTableBuilder::Reserve(int64_t rows) {
  for (KeyColumn& column : table_.columns) column.index.reserve(rows);
}

std::string FileTable::path(int64_t i) const {
  std::string path;
  path.reserve(directory(i).size() + name(i).size());
  path += directory(i);
  path += name(i);
  return path;
}

std::vector<PartitionKey> FileTable::KeysOf(int64_t i) const {
  std::vector<PartitionKey> keys;
  for (const KeyColumn& column : this->keys().columns) {
    if (column.index[i] != KeyColumn::kAbsent)
      keys.push_back({column.name, column.distinct[column.index[i]]});
  }
  return keys;
}

int32_t FileTable::AddDirectory(std::string path, std::vector<PartitionKey> keys) {
  directories_.push_back({std::move(path), std::move(keys), false, {}});
  return static_cast<int32_t>(directories_.size() - 1);
}

void FileTable::AddFile(int32_t directory, std::string_view name, const FileVersion& version,
                        const std::vector<PartitionKey>& keys) {
  Directory& parent = directories_[directory];
  if (!parent.resolved) {
    parent.row = keys_.Resolve(parent.keys);
    parent.resolved = true;
  }
  directory_.push_back(directory);
  names_ += name;
  name_end_.push_back(static_cast<int64_t>(names_.size()));
  AddVersion(version);
  if (keys.empty()) {
    keys_.Append(parent.row);
  } else {
    keys_.Append(keys_.Resolve(parent.row, keys));
  }
}

void FileTable::AddVersion(const FileVersion& version) {
  if (versions_.empty()) {
    if (version == FileVersion()) return;
    versions_.resize(directory_.size() - 1);
  }
  versions_.push_back(version);
}

void FileTable::Append(const FileTable& page) {
  const auto first_directory = static_cast<int32_t>(directories_.size());
  for (const Directory& directory : page.directories_) AddDirectory(directory.path, directory.keys);
  const auto first_name = static_cast<int64_t>(names_.size());
  for (const int32_t directory : page.directory_) directory_.push_back(first_directory + directory);
  names_ += page.names_;
  for (size_t i = 1; i < page.name_end_.size(); ++i)
    name_end_.push_back(first_name + page.name_end_[i]);
  if (!versions_.empty() || !page.versions_.empty()) {
    versions_.resize(num_files() - page.num_files());
    versions_.insert(versions_.end(), page.versions_.begin(), page.versions_.end());
    versions_.resize(num_files());
  }
  keys_.Append(page.keys());
}

FileTable FileTable::Select(const std::vector<bool>& keep) const {
  FileTable out;
  std::vector<int32_t> directory_in_out(directories_.size(), -1);
  // Looked up anew, so that values which only dropped files had leave no trace; once for each run
  // of equal keys.
  KeyTableBuilder::Row here, previous, row;
  for (int64_t i = 0; i < num_files(); ++i) {
    if (!keep[i]) continue;
    int32_t& directory = directory_in_out[directory_[i]];
    if (directory < 0)
      directory =
          out.AddDirectory(directories_[directory_[i]].path, directories_[directory_[i]].keys);
    out.directory_.push_back(directory);
    out.names_ += name(i);
    out.name_end_.push_back(static_cast<int64_t>(out.names_.size()));
    out.AddVersion(version(i));
    here.clear();
    for (const KeyColumn& column : keys().columns) here.push_back(column.index[i]);
    if (out.num_files() == 1 || here != previous) row = out.keys_.Resolve(KeysOf(i));
    out.keys_.Append(row);
    previous.swap(here);
  }
  return out;
}

void FileTable::Reserve(int64_t files, int64_t name_bytes) {
  directory_.reserve(files);
  names_.reserve(name_bytes);
  name_end_.reserve(files + 1);
  keys_.Reserve(files);
}

}  // namespace shoal
