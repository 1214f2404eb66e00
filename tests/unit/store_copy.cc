#include "store_copy.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <gtest/gtest.h>

#include "must.h"
#include "store/open.h"

namespace shoal::oracle {

namespace {

/// One for all rounds: each client has connections of its own.
const std::shared_ptr<arrow::fs::FileSystem>& OpenedStore(const std::string& uri) {
  static auto* opened = [&] {
    std::map<std::string, std::string> options;
    const char* given = std::getenv("SHOAL_ORACLE_STORE_OPTIONS");
    std::istringstream items(given == nullptr ? "" : given);
    for (std::string item; std::getline(items, item, ';');) {
      const size_t equals = item.find('=');
      options[item.substr(0, equals)] = item.substr(equals + 1);
    }
    return new std::shared_ptr<arrow::fs::FileSystem>(Must(store::OpenStore(uri, options)));
  }();
  return *opened;
}

}  // namespace

StoreCopy::StoreCopy(std::filesystem::path folder, uint64_t seed) : folder_(std::move(folder)) {
  const char* uri = std::getenv("SHOAL_ORACLE_STORE");
  if (uri == nullptr) return;
  filesystem_ = OpenedStore(uri);
  const std::string text = uri;
  root_ = text.substr(text.find("://") + 3) + "/" + std::to_string(seed);
}

StoreCopy::~StoreCopy() {
  // Only to save room, as far as the store lets it: it is thrown away.
  if (filesystem_) (void)filesystem_->DeleteDir(root_).ok();
}

void StoreCopy::Upload() {
  if (!filesystem_) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    auto out = Must(filesystem_->OpenOutputStream(At(entry.path().string())));
    auto written = out->Write(content);
    ASSERT_TRUE(written.ok()) << written;
    written = out->Close();
    ASSERT_TRUE(written.ok()) << written;
  }
}

std::string StoreCopy::At(const std::string& local) const {
  if (!filesystem_) return local;
  return root_ + local.substr(folder_.string().size());
}

std::string StoreCopy::Local(const std::string& path) const {
  if (!filesystem_) return path;
  return folder_.string() + path.substr(root_.size());
}

}  // namespace shoal::oracle
