#include "list/walk.h"

#include <algorithm>

namespace shoal::list {

namespace {

constexpr size_t kGrowth = 4;
constexpr size_t kMaxDirectoriesPerRound = 4096;
// With this many directories side by side, reading each with all that is below it is parallel
// enough.
constexpr size_t kRecursiveFanOut = 16;

// A directory not read yet, or a run of files of one that has been.
struct Item {
  std::shared_ptr<Directory> directory;
  size_t begin = 0, end = 0;
  bool is_run = false;
};

arrow::Status PutInPlace(const Tree& tree, const std::shared_ptr<Directory>& directory,
                         std::vector<Item>* out) {
  if (!directory->read) {
    out->push_back({directory});
    return arrow::Status::OK();
  }
  auto& entries = directory->entries;
  for (size_t i = 0; i < entries.size();) {
    if (entries[i].is_directory) {
      ARROW_ASSIGN_OR_RAISE(auto child, tree.Child(*directory, &entries[i]));
      ARROW_RETURN_NOT_OK(PutInPlace(tree, child, out));
      // The items hold what is still to come; what was passed on is let go.
      entries[i].child = nullptr;
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < entries.size() && !entries[i].is_directory) ++i;
    out->push_back({directory, begin, i, true});
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<bool> Walk(Tree* tree, std::shared_ptr<Directory> root, const PageSink& sink) {
  const ListOptions& options = tree->options();
  const DirectoryReader& reader = tree->reader();
  const bool may_recurse = reader.prefers_recursive() && options.directory_filter == nullptr &&
                           tree->root().glob == nullptr && !options.ignore_subdirectory;
  bool fanned_out = false, may_jump = true;
  std::vector<Item> pending;
  ARROW_RETURN_NOT_OK(PutInPlace(*tree, root, &pending));
  for (size_t wanted = 1; !pending.empty();
       wanted = std::min(wanted * kGrowth, kMaxDirectoriesPerRound)) {
    ARROW_RETURN_NOT_OK(options.stop.Poll());
    std::vector<std::shared_ptr<Directory>> unread;
    size_t waiting = 0;
    for (const Item& item : pending) {
      if (item.is_run) continue;
      ++waiting;
      if (unread.size() < wanted) unread.push_back(item.directory);
    }
    if (!unread.empty()) {
      if (may_jump && waiting == 1) {
        may_jump = unread[0]->read_ahead != nullptr;
        ARROW_RETURN_NOT_OK(tree->GoToKnownKeys(unread[0]));
      }
      // Stays so to the end: the last few directories are no deeper than the others.
      fanned_out = fanned_out || waiting >= kRecursiveFanOut;
      const bool recursive = reader.requires_recursive() || (may_recurse && fanned_out);
      if (!unread[0]->read) ARROW_RETURN_NOT_OK(tree->Read(unread, recursive));
    }

    FileTable page;
    std::vector<Item> rest;
    for (Item& item : pending) {
      std::vector<Item> now;
      if (item.is_run) {
        now.push_back(std::move(item));
      } else {
        ARROW_RETURN_NOT_OK(PutInPlace(*tree, item.directory, &now));
      }
      for (Item& each : now) {
        if (!rest.empty() || !each.is_run) {
          rest.push_back(std::move(each));
          continue;
        }
        ARROW_RETURN_NOT_OK(tree->AddFiles(*each.directory, each.begin, each.end, &page));
      }
    }
    pending = std::move(rest);
    ARROW_ASSIGN_OR_RAISE(page, FilterPage(options, std::move(page), &tree->report()));
    if (page.num_files() == 0) continue;
    ARROW_ASSIGN_OR_RAISE(const bool more, sink(std::move(page)));
    if (!more) {
      if (!pending.empty()) tree->report().complete = false;
      return false;
    }
  }
  return true;
}

}  // namespace shoal::list
