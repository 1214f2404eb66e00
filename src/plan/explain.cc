// A plan as text for people.
#include <algorithm>
#include <sstream>

#include <shoal/plan.h>

#include "base/text.h"
#include "expression/conjuncts.h"

namespace shoal {

namespace {

using base::Bytes;
using base::Count;

constexpr size_t kShownPieces = 20;
constexpr size_t kShownFragments = 20;

std::string Footers(int64_t read, int64_t bytes, int64_t cached) {
  return Count(read, "footer", "footers") + " read (" + Bytes(bytes) + "), " +
         std::to_string(cached) + " known before";
}

std::string Figure(const Precision<int64_t>& p) {
  if (p.is_absent()) return "unknown";
  return (p.is_exact() ? "" : "about ") + std::to_string(p.value());
}

/// `0-3,7`: numbers in ascending order, runs drawn together.
std::string Ranges(const std::vector<int>& numbers) {
  std::string out;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    out += (out.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (end > i) out += "-" + std::to_string(numbers[end]);
    i = end + 1;
  }
  return out;
}

/// What the listing left out or found odd, by kind.
void PrintIssues(const ListingReport& report, std::ostream& out) {
  for (int i = 0; i < kNumListingIssues; ++i) {
    const auto& entry = report.issues[i];
    if (entry.count == 0) continue;
    out << "note      " << ToString(static_cast<ListingIssue>(i)) << ": " << entry.count;
    for (size_t e = 0; e < entry.examples.size(); ++e)
      out << (e ? ", " : ", such as ") << entry.examples[e];
    out << "\n";
  }
}

void PrintFilter(const ScanPlan& plan, std::ostream& out) {
  const PruneReport& prune = plan.prune;
  if (prune.conjuncts.empty()) return;
  out << "filter    " << prune.filter << "\n";
  for (const auto& c : prune.conjuncts) {
    out << "          " << c.conjunct << ": ";
    std::string did;
    auto add = [&](int64_t n, std::string_view one, std::string_view many) {
      if (n > 0) did += (did.empty() ? "pruned " : ", ") + Count(n, one, many);
    };
    add(c.directories_pruned, "directory", "directories");
    add(c.files_pruned, "file", "files");
    add(c.row_groups_pruned, "row group", "row groups");
    if (did.empty()) did = "pruned nothing";
    out << did;
    if (!c.limitation.empty()) out << ": " << c.limitation;
    out << "\n";
  }
}

void PrintRequests(const ScanPlan& plan, std::ostream& out) {
  const StoreRequests planning = plan.store_requests();
  const StoreRequests& inspecting = plan.inspection.store_requests;
  if (planning.total() + inspecting.total() == 0) return;
  out << "requests  " << planning.ToString();
  if (inspecting.total() > 0) out << "; to inspect, once: " << inspecting.ToString();
  out << "\n";
}

void PrintColumns(const ScanPlan& plan, std::ostream& out) {
  out << "columns   ";
  if (!plan.request.columns || plan.request.columns->empty()) {
    out << "none, rows are counted\n";
    return;
  }
  out << plan.request.columns->size() << " of " << plan.table_schema->num_fields() << ":";
  size_t shown = 0;
  for (const auto& column : *plan.request.columns) {
    if (shown++ == 12) {
      out << ", ...";
      break;
    }
    out << (shown == 1 ? " " : ", ") << column.name;
  }
  out << "\n";
}

}  // namespace

std::string_view ToString(PruneLevel level) {
  switch (level) {
    case PruneLevel::kDirectory:
      return "directory keys";
    case PruneLevel::kFileKeys:
      return "file keys";
    case PruneLevel::kFileStatistics:
      return "file statistics";
    case PruneLevel::kRowGroup:
      return "row group statistics";
  }
  return "";
}

StoreRequests ScanPlan::store_requests() const {
  StoreRequests all = listing.store_requests;
  return all += prune.store_requests;
}

std::string ScanPlan::ToString() const {
  std::ostringstream out;
  out << "scan of " << format->name() << " files on " << filesystem->type_name() << "\n";
  PrintColumns(*this, out);
  PrintFilter(*this, out);
  if (request.limit) out << "limit     " << *request.limit << ", offset " << request.offset << "\n";
  if (schema_declared) {
    out << "schema    declared\n";
  } else {
    // The plan finds these footers in memory, which must not look as if they had cost nothing.
    out << "schema    from " << Count(inspection.files, "inspected file", "inspected files") << ": "
        << Footers(inspection.footers_read, inspection.metadata_bytes, inspection.footers_cached)
        << ", once for the dataset\n";
  }
  out << "listed    " << Count(prune.files_listed, "file", "files") << " in "
      << Count(listing.directories_listed, "directory", "directories");
  if (listing.directories_cached > 0) out << ", " << listing.directories_cached << " remembered";
  if (prune.directories_pruned > 0) {
    out << ", " << Count(prune.directories_pruned, "directory", "directories")
        << " pruned before listing";
  }
  out << (listing.complete ? "" : "; ended early by the limit") << "\n";
  for (const LevelReport& level : prune.levels) {
    out << "          " << level.key << ": " << level.directories_kept << " of "
        << Count(level.directories, "directory", "directories") << " kept\n";
  }
  PrintIssues(listing, out);
  out << "files     " << fragments.size() << " of " << prune.files_listed << " kept\n";
  if (prune.footers_read + prune.footers_cached > 0) {
    out << "groups    " << prune.row_groups_kept << " of " << prune.row_groups_seen
        << (prune.row_groups_seen == 1 ? " row group kept; " : " row groups kept; ")
        << Footers(prune.footers_read, prune.metadata_bytes, prune.footers_cached) << "\n";
  }
  PrintRequests(*this, out);
  out << "rows      " << Figure(statistics.num_rows) << " before filtering";
  if (!statistics.total_bytes.is_absent())
    out << ", " << Bytes(statistics.total_bytes.value()) << " in the files";
  out << "\n";

  if (!prune.pruned.empty()) out << "pruned\n";
  for (size_t i = 0; i < std::min(prune.pruned.size(), kShownPieces); ++i) {
    const PrunedPiece& piece = prune.pruned[i];
    out << "  - " << piece.path;
    if (piece.row_group >= 0) out << " row group " << piece.row_group;
    out << ": " << shoal::ToString(piece.level);
    if (piece.conjunct >= 0) out << ", by " << prune.conjuncts[piece.conjunct].conjunct;
    out << "\n";
  }
  if (prune.pruned.size() > kShownPieces)
    out << "  - and " << prune.pruned.size() - kShownPieces << " more\n";
  if (!fragments.empty()) out << "kept\n";
  for (size_t i = 0; i < std::min(fragments.size(), kShownFragments); ++i) {
    const Fragment& f = fragments[i];
    out << "  + " << f.path;
    if (f.row_groups) {
      out << (f.row_groups->size() == 1 ? ": row group " : ": row groups ") << Ranges(*f.row_groups)
          << " (" << Figure(f.num_rows) << (f.num_rows.exact_value() == 1 ? " row)" : " rows)");
    }
    out << "\n";
  }
  if (fragments.size() > kShownFragments)
    out << "  + and " << fragments.size() - kShownFragments << " more\n";
  return out.str();
}

}  // namespace shoal
