#include "plan/key_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plan/rekeyed.h"

namespace shoal::plan {

namespace {

bool IsSpelled(const KeyTable& keys, const schema::Spelling& spelling) {
  return std::all_of(keys.columns.begin(), keys.columns.end(), [&](const KeyColumn& column) {
    return spelling.Respell(column.name) == column.name;
  });
}

}  // namespace

arrow::Result<KeyTable> RespellKeys(KeyTable keys, const schema::Spelling& spelling,
                                    const std::function<std::string(int64_t)>& path_of) {
  if (IsSpelled(keys, spelling)) return keys;
  KeyTable out;
  out.num_rows = keys.num_rows;
  for (KeyColumn& column : keys.columns) {
    const std::string before = std::exchange(column.name, spelling.Respell(column.name));
    const auto same =
        std::find_if(out.columns.begin(), out.columns.end(),
                     [&](const KeyColumn& other) { return other.name == column.name; });
    if (same == out.columns.end()) {
      out.columns.push_back(std::move(column));
      continue;
    }
    const auto first = static_cast<int32_t>(same->distinct.size());
    same->distinct.insert(same->distinct.end(), column.distinct.begin(), column.distinct.end());
    for (int64_t i = 0; i < keys.num_rows; ++i) {
      if (column.index[i] == KeyColumn::kAbsent) continue;
      if (same->index[i] != KeyColumn::kAbsent) {
        return arrow::Status::Invalid("The path '", path_of(i), "' carries the key '", before,
                                      "' and another that is the same with case_insensitive: "
                                      "rename one of the directories, or open it with case");
      }
      same->index[i] = first + column.index[i];
    }
  }
  return out;
}

arrow::Result<std::optional<FileTable>> RespellKeys(const FileTable& files,
                                                    const schema::Spelling& spelling) {
  if (IsSpelled(files.keys(), spelling)) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(
      auto keys, RespellKeys(files.keys(), spelling, [&](int64_t i) { return files.path(i); }));
  const auto keys_of = [&](int64_t i) {
    std::vector<PartitionKey> of_file;
    for (const KeyColumn& column : keys.columns) {
      if (column.index[i] != KeyColumn::kAbsent)
        of_file.push_back({column.name, column.distinct[column.index[i]]});
    }
    return of_file;
  };
  return Rekeyed(files, keys_of, [&](int64_t i) { return files.version(i); });
}

}  // namespace shoal::plan
