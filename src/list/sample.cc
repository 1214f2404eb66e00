#include "list/sample.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace shoal::list {

namespace {

using Directories = std::vector<std::shared_ptr<Directory>>;
struct Found {
  Directory* directory;
  size_t entry;
};

// All that is known below `directory`, which has been read, in order.
void Collect(Directory* directory, std::vector<Found>* unread, std::vector<Found>* files) {
  for (size_t i = 0; i < directory->entries.size(); ++i) {
    const Directory::Entry& entry = directory->entries[i];
    if (!entry.is_directory) {
      files->push_back({directory, i});
    } else if (entry.child != nullptr && entry.child->read) {
      Collect(entry.child.get(), unread, files);
    } else {
      unread->push_back({directory, i});
    }
  }
}

arrow::Result<Directories> PickEvenly(const Tree& tree, const std::vector<Found>& directories,
                                      int64_t n) {
  Directories picked;
  for (const size_t i : EvenlySpaced(directories.size(), n)) {
    Directory& parent = *directories[i].directory;
    ARROW_ASSIGN_OR_RAISE(auto child, tree.Child(parent, &parent.entries[directories[i].entry]));
    picked.push_back(std::move(child));
  }
  return picked;
}

/// Level by level, which spreads what is read over the tree, and of each level at most `width`
/// directories.
arrow::Status ReadLevels(Tree* tree, const std::shared_ptr<Directory>& root, int64_t width) {
  Directories level = {root};
  while (!level.empty()) {
    ARROW_RETURN_NOT_OK(tree->options().stop.Poll());
    Directories unread;
    std::copy_if(level.begin(), level.end(), std::back_inserter(unread),
                 [](const auto& directory) { return !directory->read; });
    ARROW_RETURN_NOT_OK(tree->Read(unread, tree->reader().requires_recursive()));
    std::vector<Found> below;
    for (const auto& directory : level) {
      for (size_t i = 0; i < directory->entries.size(); ++i) {
        if (directory->entries[i].is_directory) below.push_back({directory.get(), i});
      }
    }
    ARROW_ASSIGN_OR_RAISE(level, PickEvenly(*tree, below, width));
  }
  return arrow::Status::OK();
}

/// How many directories a level it probably takes for more than `n` files, when `width` had
/// `files`. Where nothing was found yet there may be nothing: twice as many.
int64_t Wider(int64_t width, size_t files, int64_t n) {
  if (files == 0) return 2 * width;
  const double more = static_cast<double>(n + 1) / static_cast<double>(files);
  return std::max(width + 1, static_cast<int64_t>(std::ceil(std::min(more, 8.0) * width)));
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
  // Numbers below count up to twice as many; "all" is a number without end.
  n = std::clamp<int64_t>(n, 1, std::numeric_limits<int64_t>::max() / 4);
  std::vector<Found> unread, files;
  // A directory of files mostly has several: a quarter as many directories a level, each of them a
  // request, are enough. Where they hold fewer, more; until there are more files than asked for, so
  // that not all of them are in the sample, or no directories left.
  for (int64_t width = std::max<int64_t>(n / 4, 1);; width = Wider(width, files.size(), n)) {
    ARROW_RETURN_NOT_OK(ReadLevels(tree, root, width));
    unread.clear();
    files.clear();
    Collect(root.get(), &unread, &files);
    if (unread.empty() || static_cast<int64_t>(files.size()) > n) break;
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
