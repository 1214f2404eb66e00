// ls: the files of a table.
#include <iostream>
#include <optional>

#include <arrow/filesystem/filesystem.h>
#include <arrow/scalar.h>
#include <shoal/dataset.h>
#include <nlohmann/json.hpp>

#include "exit_status.h"
#include "interrupt.h"
#include "json_text.h"
#include "left_out.h"
#include "output_target.h"
#include "report_json.h"
#include "text_table.h"
#include "verb.h"

namespace shoal::cli {

namespace {

struct ListedFile {
  std::string path;
  int64_t size = FileVersion::kUnknown;
  std::vector<PartitionKey> keys;
};

struct Listing {
  std::vector<ListedFile> files;
  ListingReport report;
};

/// All files. The table's columns do not matter here: an empty schema stands for them, so that no
/// file is opened, and one that can't be read is still listed.
arrow::Result<Listing> ListAll(const Arguments& arguments) {
  OpenOptions open = arguments.open;
  open.schema = arrow::schema({});
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, open));
  ARROW_ASSIGN_OR_RAISE(auto files, dataset->files());
  Listing listing;
  ARROW_ASSIGN_OR_RAISE(listing.report, dataset->listing_report());
  for (int64_t i = 0; i < files->num_files(); ++i) {
    listing.files.push_back({files->path(i), files->version(i).size, files->KeysOf(i)});
  }
  return listing;
}

/// The files whose keys the filter does not rule out.
arrow::Result<Listing> ListKept(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  PlanOptions planning;
  planning.collect_statistics = false;
  planning.stop = StopOnSignal();
  ARROW_ASSIGN_OR_RAISE(const ScanPlan plan, dataset->Plan(arguments.request, planning));
  Listing listing;
  listing.report = plan.listing;
  for (const Fragment& fragment : plan.fragments) {
    ListedFile file{fragment.path, fragment.version.size, {}};
    for (int k = 0; k < plan.partition_schema->num_fields() && fragment.partition_values; ++k) {
      const auto& value = (*fragment.partition_values)[k];
      file.keys.push_back(
          {plan.partition_schema->field(k)->name(),
           value && value->is_valid ? std::optional(value->ToString()) : std::nullopt});
    }
    listing.files.push_back(std::move(file));
  }
  return listing;
}

/// Local directories do not tell sizes: these files are looked at one by one.
arrow::Status AddSizes(const Arguments& arguments, std::vector<ListedFile>* files) {
  std::vector<std::string> paths;
  for (const ListedFile& file : *files) {
    if (file.size == FileVersion::kUnknown) paths.push_back(file.path);
  }
  if (paths.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto dataset, Dataset::Open(arguments.sources, arguments.open));
  ARROW_ASSIGN_OR_RAISE(auto filesystem, dataset->filesystem());
  ARROW_ASSIGN_OR_RAISE(const auto infos, filesystem->GetFileInfo(paths));
  size_t next = 0;
  for (ListedFile& file : *files) {
    if (file.size != FileVersion::kUnknown) continue;
    const arrow::fs::FileInfo& info = infos[next++];
    if (info.type() == arrow::fs::FileType::NotFound) {
      return arrow::Status::IOError("'", file.path,
                                    "' was there when its folder was listed, and is gone");
    }
    file.size = info.size();
  }
  return arrow::Status::OK();
}

/// Whoever reads the table does not read these either.
void LeaveOutEmpty(Listing* listing) {
  std::erase_if(listing->files, [&](const ListedFile& file) {
    if (file.size != 0) return false;
    listing->report.Add(ListingIssue::kZeroByte, file.path);
    return true;
  });
}

std::string AsJson(const Listing& listing) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const ListedFile& file : listing.files) {
    nlohmann::ordered_json keys = nlohmann::ordered_json::object();
    for (const PartitionKey& key : file.keys) {
      keys[key.name] = key.value ? nlohmann::ordered_json(*key.value) : nlohmann::ordered_json();
    }
    files.push_back({{"path", file.path}, {"size", file.size}, {"keys", std::move(keys)}});
  }
  return JsonText({{"files", std::move(files)}, {"listing", ToJson(listing.report)}});
}

/// A line for each file: path, tab, size in bytes. A name with control characters is escaped, or it
/// could pass for two lines.
std::string AsLines(const Listing& listing) {
  std::string text;
  for (const ListedFile& file : listing.files) {
    AppendVisible(file.path, &text);
    text += "\t" + std::to_string(file.size) + "\n";
  }
  return text;
}

/// What was found and what was left out, for people.
std::string Summary(const Listing& listing) {
  int64_t bytes = 0;
  for (const ListedFile& file : listing.files) bytes += file.size;
  std::string text = Count(static_cast<int64_t>(listing.files.size()), "file", "files") + ", " +
                     Count(bytes, "byte", "bytes") + "\n";
  text += DescribeIssues(listing.report);
  const int64_t pruned = listing.report.directories_pruned + listing.report.files_pruned;
  if (pruned > 0) {
    text += "ruled out by keys: " + Count(listing.report.directories_pruned, "folder", "folders") +
            ", " + Count(listing.report.files_pruned, "file", "files") + "\n";
  }
  return text;
}

}  // namespace

arrow::Status RunLs(const Arguments& arguments) {
  const bool filtered = !arguments.request.filter.Equals(arrow::compute::literal(true));
  ARROW_ASSIGN_OR_RAISE(Listing listing, filtered ? ListKept(arguments) : ListAll(arguments));
  ARROW_RETURN_NOT_OK(AddSizes(arguments, &listing.files));
  LeaveOutEmpty(&listing);
  if (arguments.json) return Print(AsJson(listing));
  ARROW_RETURN_NOT_OK(Print(AsLines(listing)));
  std::cerr << Summary(listing);
  return arrow::Status::OK();
}

}  // namespace shoal::cli
