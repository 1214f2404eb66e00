// A small engine: SELECT KEY, count(*), sum(VALUE) FROM FOLDER WHERE FILTER GROUP BY KEY.
//
//   engine FOLDER KEY VALUE [FILTER]... [--partitions N] [--preserve N] [--limit N]
//
// It answers twice, with shoal reading the files and with a reader of its own, and fails if the
// answers differ. What it does with a scan is what any engine would: ask which filters are left to
// it, plan, run each group on a thread, filter what is left, aggregate.
#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <shoal/dataset.h>
#include <shoal/file_scan.h>

namespace {

using arrow::Result;
using arrow::Status;
using Batch = std::shared_ptr<arrow::RecordBatch>;

struct Query {
  std::string folder, key, value;
  std::vector<std::string> filters;
  int partitions = 4;
  int preserve = 0;
  std::optional<int64_t> limit;  // of the rows that are aggregated
};

// ---- The aggregate: a hash table a partition, merged at the end.

struct Sum {
  int64_t rows = 0;
  double sum = 0;
};
using Sums = std::map<std::string, Sum>;

Status Aggregate(const arrow::RecordBatch& rows, Sums* sums) {
  ARROW_ASSIGN_OR_RAISE(auto numbers, arrow::compute::Cast(*rows.column(1), arrow::float64()));
  const auto& doubles = static_cast<const arrow::DoubleArray&>(*numbers);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto key, rows.column(0)->GetScalar(i));
    Sum& sum = (*sums)[key->ToString()];
    ++sum.rows;
    if (doubles.IsValid(i)) sum.sum += doubles.Value(i);
  }
  return Status::OK();
}

/// The final aggregate. Where the scan has declared that a key is in one partition only, there is
/// nothing to bring together: tables are put beside each other, and a key that is there twice would
/// be a broken promise.
Result<Sums> Join(std::vector<Sums> partial, bool keys_are_apart) {
  Sums out;
  for (Sums& sums : partial) {
    for (const auto& [key, sum] : sums) {
      auto [found, is_new] = out.try_emplace(key, sum);
      if (is_new) continue;
      if (keys_are_apart) return Status::Invalid("the key ", key, " is in two partitions");
      found->second.rows += sum.rows;
      found->second.sum += sum.sum;
    }
  }
  return out;
}

// ---- Scanning: batches of the scan's columns, from shoal or from the engine's own reader.

/// Takes a batch; false: no more are wanted.
using Sink = std::function<Result<bool>(Batch)>;

Status ReadByShoal(const shoal::FileScanConfig& scan, size_t group, const Sink& sink) {
  ARROW_ASSIGN_OR_RAISE(auto stream,
                        shoal::BatchStream::Make(scan.GroupPlan(group), {.workers = 0}));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, stream->Next());
    if (!batch) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(bool more, sink(std::move(batch)));
    if (!more) return Status::OK();
  }
}

Status ReadFile(const shoal::FileScanConfig& scan, const shoal::Fragment& fragment,
                const Sink& sink) {
  ARROW_ASSIGN_OR_RAISE(auto file, scan.filesystem->OpenInputFile(fragment.path));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (fragment.version.size >= 0 && size != fragment.version.size)
    return Status::IOError(fragment.path, " has changed since it was planned");
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  // From what this file has to what the scan gives: missing columns, narrower types, keys.
  ARROW_ASSIGN_OR_RAISE(auto adapter, scan.MakeAdapter(fragment, *schema));

  std::vector<int> row_groups(reader->num_row_groups());
  std::iota(row_groups.begin(), row_groups.end(), 0);
  if (fragment.row_groups) row_groups = *fragment.row_groups;
  if (adapter->leaves().empty()) {  // only keys are asked for
    int64_t rows = 0;
    for (int g : row_groups) rows += reader->parquet_reader()->metadata()->RowGroup(g)->num_rows();
    const auto none = arrow::RecordBatch::Make(arrow::schema({}), rows, arrow::ArrayVector{});
    ARROW_ASSIGN_OR_RAISE(auto adapted, adapter->Adapt(*none));
    return sink(std::move(adapted)).status();
  }
  ARROW_ASSIGN_OR_RAISE(auto batches, reader->GetRecordBatchReader(row_groups, adapter->leaves()));
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, batches->Next());
    if (!batch) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto adapted, adapter->Adapt(*batch));
    ARROW_ASSIGN_OR_RAISE(bool more, sink(std::move(adapted)));
    if (!more) return Status::OK();
  }
}

Status ReadGroup(const shoal::FileScanConfig& scan, size_t group, const Sink& sink) {
  if (scan.mode == shoal::ReadMode::kShoalReads) return ReadByShoal(scan, group, sink);
  for (const auto& fragment : scan.file_groups.groups[group].fragments)
    ARROW_RETURN_NOT_OK(ReadFile(scan, fragment, sink));
  return Status::OK();
}

// ---- Running: a thread a group, then offset and limit over all of them.

Result<Sums> Run(const shoal::FileScanConfig& scan) {
  const size_t n = scan.file_groups.groups.size();
  // A limit speaks of the rows of all groups, so what they give is kept until they are joined.
  const bool limited = scan.limit || scan.offset > 0;
  std::vector<Sums> partial(n);
  std::vector<arrow::RecordBatchVector> kept(n);
  std::vector<Status> done(n);
  std::vector<std::thread> threads;
  for (size_t g = 0; g < n; ++g) {
    threads.emplace_back([&, g] {
      int64_t rows = 0;
      done[g] = ReadGroup(scan, g, [&](Batch batch) -> Result<bool> {
        // What the scan has left of the filters, and the columns that only they use.
        ARROW_ASSIGN_OR_RAISE(batch, scan.Finish(std::move(batch)));
        rows += batch->num_rows();
        if (limited) {
          kept[g].push_back(std::move(batch));
        } else {
          ARROW_RETURN_NOT_OK(Aggregate(*batch, &partial[g]));
        }
        // Enough for the limit, whatever the other groups give.
        return !scan.limit || rows < *scan.limit + scan.offset;
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : done) ARROW_RETURN_NOT_OK(status);
  if (!limited) return Join(std::move(partial), !scan.output_partitioning.empty());

  Sums out;
  int64_t skip = scan.offset, left = scan.limit.value_or(std::numeric_limits<int64_t>::max());
  for (const auto& batches : kept) {
    for (const Batch& batch : batches) {
      const auto rest = batch->Slice(std::min(skip, batch->num_rows()));
      skip -= batch->num_rows() - rest->num_rows();
      const auto wanted = rest->Slice(0, std::min(left, rest->num_rows()));
      left -= wanted->num_rows();
      ARROW_RETURN_NOT_OK(Aggregate(*wanted, &out));
    }
  }
  return out;
}

// ---- The program.

Result<Sums> Answer(const shoal::Dataset& table, const Query& query, shoal::ReadMode mode) {
  std::cout << (mode == shoal::ReadMode::kShoalReads ? "shoal reads\n" : "the engine reads\n");
  shoal::ScanArguments arguments;
  arguments.projection = std::vector<std::string>{query.key, query.value};
  arguments.limit = query.limit;
  for (const std::string& text : query.filters) {
    ARROW_ASSIGN_OR_RAISE(arguments.filters.emplace_back(), shoal::ParseFilter(text));
  }
  ARROW_ASSIGN_OR_RAISE(auto support, table.SupportsFilters(arguments.filters, mode));
  for (size_t i = 0; i < support.size(); ++i) {
    std::cout << "  " << query.filters[i] << ": " << ToString(support[i].use) << " ("
              << support[i].reason << ")\n";
  }
  shoal::FileScanOptions options;
  options.mode = mode;
  options.grouping.target_partitions = query.partitions;
  options.grouping.preserve_file_partitions = query.preserve;
  ARROW_ASSIGN_OR_RAISE(auto scan, table.FileScan(arguments, options));
  std::cout << "  " << scan.plan->fragments.size() << " files in " << scan.file_groups.groups.size()
            << " groups, filters left: " << scan.residual_filters.size() << ", keys "
            << (scan.output_partitioning.empty() ? "anywhere" : "apart")
            << (query.limit ? scan.limit_pushed ? ", limit pushed" : ", limit not pushed" : "")
            << "\n";
  return Run(scan);
}

Status Main(const Query& query) {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
  ARROW_ASSIGN_OR_RAISE(auto table, shoal::Dataset::Open({query.folder}));
  ARROW_ASSIGN_OR_RAISE(auto ours, Answer(*table, query, shoal::ReadMode::kShoalReads));
  ARROW_ASSIGN_OR_RAISE(auto theirs, Answer(*table, query, shoal::ReadMode::kEngineReads));
  for (const auto& [key, sum] : ours)
    std::cout << key << ": " << sum.rows << " rows, sum " << sum.sum << "\n";
  const bool equal = std::equal(
      ours.begin(), ours.end(), theirs.begin(), theirs.end(), [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.rows == b.second.rows && a.second.sum == b.second.sum;
      });
  return equal ? Status::OK() : Status::Invalid("The two readers' answers differ");
}

}  // namespace

int main(int argc, char** argv) {
  Query query;
  std::vector<std::string> words(argv + 1, argv + argc), plain;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--partitions" && has_value)
      query.partitions = std::stoi(words[++i]);
    else if (words[i] == "--preserve" && has_value)
      query.preserve = std::stoi(words[++i]);
    else if (words[i] == "--limit" && has_value)
      query.limit = std::stoll(words[++i]);
    else
      plain.push_back(words[i]);
  }
  if (plain.size() < 3) {
    std::cerr
        << "engine FOLDER KEY VALUE [FILTER]... [--partitions N] [--preserve N] [--limit N]\n";
    return 2;
  }
  query.folder = plain[0], query.key = plain[1], query.value = plain[2];
  query.filters.assign(plain.begin() + 3, plain.end());
  const Status status = Main(query);
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
