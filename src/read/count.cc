#include "read/count.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/location.h"
#include "plan/facts_loader.h"
#include "plan/footer_pruner.h"
#include "plan/unseen_columns.h"
#include "read/batch_stream.h"
#include "read/row_groups.h"
#include "runtime/parallel.h"
#include "storage/open_file.h"

namespace shoal::read {

namespace {

constexpr int kRemoteFooters = 32;

}  // namespace

arrow::Result<int64_t> CountRows(const ScanPlan& plan, const ScanOptions& options,
                                 std::shared_ptr<plan::FactsCache> cache, ScanMetrics* metrics) {
  ARROW_ASSIGN_OR_RAISE(auto pruner, plan::FooterPruner::Make(plan));
  const plan::TableFiles files(plan);
  const bool local = base::IsLocal(*plan.filesystem);
  const int cpus = options.workers > 0 ? options.workers : runtime::DefaultWorkers();
  const int concurrency = options.workers == 0         ? 1
                          : options.io_concurrency > 0 ? options.io_concurrency
                          : local                      ? cpus
                                                       : kRemoteFooters;
  auto counters = std::make_shared<runtime::Counters>();
  plan::UnseenColumns unseen(plan);
  const int64_t retries = storage::RetriesOn(plan.filesystem);
  std::atomic<int64_t> counted{0};
  std::mutex mutex;
  std::vector<std::pair<int64_t, Fragment>> undecided;  // by the fragment's place

  auto count_one = [&](int64_t i) -> arrow::Status {
    const Fragment& fragment = plan.fragments[i];
    auto file = std::make_shared<const SourceFile>(
        SourceFile{plan.filesystem, fragment.path, fragment.version});
    ARROW_ASSIGN_OR_RAISE(auto loaded,
                          plan::LoadFacts(files, file, cache.get(), counters, options.stop));
    if (!loaded.facts) return arrow::Status::OK();
    const FileFacts& facts = *loaded.facts;
    ARROW_ASSIGN_OR_RAISE(const std::string column, unseen.Of(facts, fragment.path));
    ARROW_RETURN_NOT_OK(unseen.CheckTypes(facts, fragment.path));
    ARROW_ASSIGN_OR_RAISE(auto groups, RowGroupsOf(fragment.row_groups, fragment.row_group_sizes,
                                                   facts, fragment.path));
    ARROW_ASSIGN_OR_RAISE(auto judged,
                          pruner.Judge(facts, *fragment.partition_values, fragment.path));
    std::vector<int> to_read;
    int64_t rows = 0;
    for (int group : groups) {
      if (!judged.kept(group)) continue;
      const auto known = facts.row_group_rows(group).exact_value();
      if (judged.all_true(group) && known) {
        rows += *known;
      } else {
        to_read.push_back(group);
      }
    }
    counted += rows;
    if (to_read.empty()) {
      if (!column.empty()) counters->AddUnseen(column, fragment.path);
      return arrow::Status::OK();
    }
    Fragment rest = fragment;
    rest.version = loaded.version;
    rest.row_groups = std::move(to_read);
    rest.row_group_sizes.clear();  // of other row groups; they were compared above
    std::lock_guard lock(mutex);
    undecided.emplace_back(i, std::move(rest));
    return arrow::Status::OK();
  };
  if (options.on_missing == OnBadFile::kSkip || options.on_corrupt == OnBadFile::kSkip) {
    // Which files are skipped is the scan's to say.
    for (size_t i = 0; i < plan.fragments.size(); ++i) undecided.emplace_back(i, plan.fragments[i]);
  } else {
    ARROW_RETURN_NOT_OK(runtime::ParallelFor(static_cast<int64_t>(plan.fragments.size()),
                                             concurrency, options.stop, count_one));
  }
  ScanMetrics footers;
  footers.files_opened = counters->files_opened;
  footers.footers_cached = counters->footers_cached;
  footers.requests = counters->requests;
  footers.bytes_read = counters->bytes_read;
  footers.store_requests = counters->store_requests();
  footers.store_requests.retries = storage::RetriesOn(plan.filesystem) - retries;
  footers.planning_requests = plan.store_requests();
  footers.planning_requests += plan.inspection.store_requests;
  footers.listing = plan.listing;
  footers.unseen_columns = counters->Unseen();
  if (undecided.empty()) {
    if (metrics != nullptr) *metrics = std::move(footers);
    return counted.load();
  }

  std::sort(undecided.begin(), undecided.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  ScanPlan rest = plan;
  rest.fragments.clear();
  for (auto& [place, fragment] : undecided) rest.fragments.push_back(std::move(fragment));
  rest.request.limit.reset();
  rest.request.offset = 0;
  ScanOptions reading = options;
  // Damage is found by reading, and what came before it counts: then the rows are read as by a
  // scan.
  if (options.on_corrupt != OnBadFile::kSkip) {
    rest.request.columns.emplace();
    rest.output_schema = arrow::schema({});
    reading.ordered = false;
  }
  ARROW_ASSIGN_OR_RAISE(auto stream, MakeStream(rest, reading, cache));
  int64_t total = counted;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) break;
    total += batch->num_rows();
  }
  if (metrics != nullptr) {
    *metrics = stream->metrics();
    metrics->files_opened += footers.files_opened;
    metrics->footers_cached += footers.footers_cached;
    metrics->requests += footers.requests;
    metrics->bytes_read += footers.bytes_read;
    metrics->store_requests += footers.store_requests;
    metrics->unseen_columns.insert(metrics->unseen_columns.end(), footers.unseen_columns.begin(),
                                   footers.unseen_columns.end());
  }
  return total;
}

}  // namespace shoal::read
