#include "list/sample.h"

#include <algorithm>
#include <limits>

namespace shoal::list {

namespace {

using Directories = std::vector<std::shared_ptr<Directory>>;
struct FoundFile {
  const Directory* directory;
  size_t entry;
};

// All that is known below `directory`, in order.
void Collect(const std::shared_ptr<Directory>& directory, Directories* unread,
             std::vector<FoundFile>* files) {
  if (!directory->read) {
    unread->push_back(directory);
    return;
  }
  for (size_t i = 0; i < directory->entries.size(); ++i) {
    if (directory->entries[i].child == nullptr) {
      files->push_back({directory.get(), i});
    } else {
      Collect(directory->entries[i].child, unread, files);
    }
  }
}

Directories PickEvenly(const Directories& directories, int64_t n) {
  Directories picked;
  for (const size_t i : EvenlySpaced(directories.size(), n)) picked.push_back(directories[i]);
  return picked;
}

}  // namespace

std::vector<size_t> EvenlySpaced(size_t count, int64_t n) {
  std::vector<size_t> out;
  const size_t wanted = n <= 0 ? 0 : std::min<size_t>(count, static_cast<size_t>(n));
  for (size_t i = 0; i < wanted; ++i)
    out.push_back(wanted == 1 ? 0 : i * (count - 1) / (wanted - 1));
  return out;
}

FileTable SelectEvenly(const FileTable& files, int64_t n) {
  std::vector<bool> keep(files.num_files(), false);
  for (const size_t i : EvenlySpaced(keep.size(), n)) keep[i] = true;
  return files.Select(keep);
}

arrow::Result<FileSample> SampleTree(Tree* tree, std::shared_ptr<Directory> root, int64_t n) {
  const bool recursive = tree->reader().requires_recursive();
  // Numbers below count up to twice as many; "all" is a number without end.
  n = std::clamp<int64_t>(n, 1, std::numeric_limits<int64_t>::max() / 4);
  Directories unread;
  std::vector<FoundFile> files;
  // Level by level first, which spreads the sample over the tree.
  Directories level = {root};
  while (!level.empty()) {
    ARROW_RETURN_NOT_OK(tree->options().stop.Poll());
    Directories picked = PickEvenly(level, n);
    level.clear();
    std::erase_if(picked, [](const auto& directory) { return directory->read; });
    ARROW_RETURN_NOT_OK(tree->Read(picked, recursive));
    for (const auto& directory : picked) {
      for (const Directory::Entry& entry : directory->entries) {
        if (entry.child != nullptr) level.push_back(entry.child);
      }
    }
  }
  Collect(root, &unread, &files);
  // Directories that hold few files or none: more of them, until there are more files than asked
  // for, so that not all of them are in the sample, or no directories left. As many directories as
  // files are missing, and twice as many each time that was not enough.
  for (int64_t budget = n + 1 - static_cast<int64_t>(files.size());
       static_cast<int64_t>(files.size()) <= n && !unread.empty(); budget *= 2) {
    ARROW_RETURN_NOT_OK(tree->options().stop.Poll());
    ARROW_RETURN_NOT_OK(tree->Read(PickEvenly(unread, budget), recursive));
    unread.clear();
    files.clear();
    Collect(root, &unread, &files);
  }

  FileSample sample;
  sample.complete = unread.empty() && static_cast<int64_t>(files.size()) <= n;
  FileTable page;
  for (const size_t i : EvenlySpaced(files.size(), n)) {
    ARROW_RETURN_NOT_OK(
        tree->AddFiles(*files[i].directory, files[i].entry, files[i].entry + 1, &page));
  }
  ARROW_ASSIGN_OR_RAISE(sample.files,
                        FilterPage(tree->options(), std::move(page), &tree->report()));
  sample.report = tree->report();
  sample.report.complete = sample.complete;
  return sample;
}

}  // namespace shoal::list
