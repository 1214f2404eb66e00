#include <shoal/dataset.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "base/fork_mutex.h"
#include "base/location.h"
#include "base/path.h"
#include "formats/registry.h"
#include "list/strictness.h"
#include "plan/facts_cache.h"
#include "plan/facts_loader.h"
#include "plan/file_scan.h"
#include "plan/filter_support.h"
#include "plan/inspection.h"
#include "plan/named_facts.h"
#include "plan/planner.h"
#include "plan/summary_source.h"
#include "plan/virtual_columns.h"
#include "read/batch_stream.h"
#include "read/count.h"
#include "read/reading.h"
#include "schema/names.h"
#include "statistics/merge.h"
#include "store/open.h"

namespace shoal {

namespace {

/// Footers kept in memory between the queries of one dataset.
constexpr int64_t kFactsCacheBytes = int64_t{24} << 20;

/// A hundred years.
constexpr std::chrono::milliseconds kLongestTtl = std::chrono::hours(24 * 36525);

/// For questions that do not read.
ScanOptions StoppedBy(const arrow::StopToken& stop) {
  ScanOptions options;
  options.stop = stop;
  return options;
}

/// What tells a dataset's files from those of others, wherever it is opened from.
std::string DatasetName(const std::vector<std::string>& sources, const OpenOptions& options) {
  const bool local = !options.filesystem || base::IsLocal(*options.filesystem);
  std::string name;
  for (const std::string& source : sources) {
    std::error_code error;
    const auto path = local && !base::IsUri(source) ? std::filesystem::absolute(source, error)
                                                    : std::filesystem::path(source);
    name += (name.empty() ? "" : "\n") + base::NormalizePath(path.string());
  }
  return name;
}

bool Skips(const ScanOptions& reading) {
  return reading.on_missing == OnBadFile::kSkip || reading.on_corrupt == OnBadFile::kSkip;
}

/// What the inspection skipped is not met again.
void DropSkipped(const plan::Inspection& inspection, ScanPlan* plan) {
  std::set<std::string_view> skipped;
  for (const auto& file : inspection.skipped) skipped.insert(file.path);
  std::erase_if(plan->fragments,
                [&](const Fragment& fragment) { return skipped.contains(fragment.path); });
}

/// The source, or what it is a summary of, if the path is of one: then the format is known.
arrow::Result<std::shared_ptr<const ListingSource>> SummaryOr(
    std::shared_ptr<const ListingSource> source, const std::vector<std::string>& sources,
    OpenOptions* options) {
  const bool any = std::any_of(sources.begin(), sources.end(), [](const std::string& each) {
    return plan::SummarySource::IsSummary(each);
  });
  const bool parquet = options->file_format
                           ? options->file_format->name() == "parquet"
                           : options->format.empty() || options->format == "parquet";
  if (!any || !parquet) return source;
  if (sources.size() > 1) {
    return arrow::Status::Invalid(
        "A _metadata or _common_metadata file tells of a whole table: it cannot be one source of "
        "several");
  }
  ARROW_ASSIGN_OR_RAISE(auto found, base::ResolveLocations(sources, options->filesystem));
  ARROW_ASSIGN_OR_RAISE(auto walk, MakeListingSource({std::string(base::ParentOf(found.paths[0]))},
                                                     source->filesystem()));
  options->format = "parquet";
  std::shared_ptr<const FileFormat> format = options->file_format;
  if (!format) {
    ARROW_ASSIGN_OR_RAISE(format, GetFileFormat(options->format));
  }
  return plan::SummarySource::Of(found.paths[0], source->filesystem(), std::move(format),
                                 std::move(walk));
}

/// Opens the store that the sources are URIs of, if they are, into `options->filesystem`.
arrow::Status OpenStoreOf(const std::vector<std::string>& sources, OpenOptions* options) {
  const bool has_options = !options->storage_options.empty();
  if (options->filesystem) {
    if (!has_options) return arrow::Status::OK();
    return arrow::Status::Invalid(
        "storage_options are given and a filesystem too, which has options of its own; give one "
        "of them");
  }
  const auto of_store = std::find_if(sources.begin(), sources.end(), store::IsStoreUri);
  if (of_store == sources.end()) {
    if (!has_options) return arrow::Status::OK();
    return arrow::Status::Invalid("storage_options are given, but '", sources.front(),
                                  "' is no URI of a store (s3://, gs://, abfs://)");
  }
  ARROW_ASSIGN_OR_RAISE(options->filesystem, store::OpenStore(*of_store, options->storage_options));
  options->storage_options.clear();  // the filesystem has them
  return arrow::Status::OK();
}

}  // namespace

class Dataset::Impl {
 public:
  Impl(std::vector<std::string> sources, OpenOptions options,
       std::shared_ptr<const ListingSource> source, bool has_own_source)
      : sources_(std::move(sources)),
        options_(std::move(options)),
        source_(std::move(source)),
        has_own_source_(has_own_source),
        summary_(std::dynamic_pointer_cast<const plan::SummarySource>(source_)) {
    cache_->UseSummary(summary_);
  }
  /// The files of `base`, with that schema.
  Impl(const std::shared_ptr<const Dataset>& base, std::shared_ptr<arrow::Schema> schema,
       const SchemaRules& rules)
      : sources_(base->impl_->sources_),
        options_(base->impl_->options_),
        source_(base->impl_->source_),
        has_own_source_(base->impl_->has_own_source_),
        cache_(base->impl_->cache_),
        base_(base),
        schema_(std::move(schema)),
        rules_(rules) {}

  const std::vector<std::string>& sources() const { return sources_; }
  const std::shared_ptr<const Dataset>& base() const { return base_; }
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  SchemaRules rules() const {
    if (base_) return rules_;
    return {options_.duplicate_names, options_.case_insensitive, options_.promote};
  }
  /// The source was given, and not made of `sources`.
  bool has_own_source() const { return has_own_source_; }
  const OpenOptions& options() const { return options_; }
  const std::shared_ptr<plan::FactsCache>& cache() const { return cache_; }
  const std::shared_ptr<const ListingSource>& source() const { return source_; }

  /// Made on first need, once. A failure is not kept: the next call tries again. A reading that may
  /// skip files gets one that has skipped them, unless there was nothing to skip.
  arrow::Result<std::shared_ptr<const plan::Inspection>> inspection(
      const ScanOptions& reading = {}) {
    if (base_) {
      ARROW_ASSIGN_OR_RAISE(auto inspected, base_->impl_->inspection(reading));
      return WithSchema(*inspected);
    }
    std::lock_guard lock(inspection_mutex_);
    const std::pair skips(reading.on_missing, reading.on_corrupt);
    auto& made = inspection_ ? inspection_ : lenient_[skips];
    if (!made) {
      plan::InspectionOptions inspect;
      inspect.list = ListingAsAsked();
      inspect.list.stop = reading.stop;
      inspect.format = options_.format;
      inspect.file_format = options_.file_format;
      inspect.infer = options_.infer;
      inspect.schema = options_.schema;
      inspect.sample = options_.inspect;
      inspect.rules = rules();
      inspect.store = {options_.cache, options_.cache_limit, DatasetName(sources_, options_)};
      {
        // That of listing_alone(), which knows the format.
        std::lock_guard listing_lock(listing_mutex_);
        inspect.listed = listing_.files;
        inspect.listed_report = listing_.report;
      }
      if (summary_ && !options_.schema) {
        ARROW_ASSIGN_OR_RAISE(inspect.columns, summary_->Columns(reading.stop));
      }
      if (Skips(reading)) {
        inspect.may_skip = [&](const arrow::Status& error) {
          return read::MaySkip(reading, error);
        };
      }
      ARROW_ASSIGN_OR_RAISE(auto found, plan::Inspect(*source_, inspect, cache_));
      found.list.stop = arrow::StopToken::Unstoppable();  // was this question's
      made = std::make_shared<const plan::Inspection>(std::move(found));
      if (made->skipped.empty()) inspection_ = made;
    }
    return made;
  }

  /// Binds the request; `inspection` gets the columns about files that it names.
  arrow::Result<plan::BoundRequest> Bind(
      const ScanRequest& request, std::shared_ptr<const plan::Inspection>* inspection) const {
    *inspection =
        plan::WithVirtualColumns(std::move(*inspection), request, options_.virtual_columns);
    return plan::BindRequest(request, **inspection);
  }

  ListOptions ListingAsAsked() const {
    ListOptions list;
    list.partitioning = options_.partitioning;
    list.partition_base_dir = options_.partition_base_dir;
    if (!options_.extension.empty()) list.extensions = {options_.extension};
    list.ignore_prefixes = options_.ignore_prefixes;
    list.ignore_subdirectory = options_.ignore_subdirectory;
    list.strict = options_.strict;
    // Listing tells empty files from others only where it looks at sizes.
    list.need_size = options_.strict.contains(ListingIssue::kZeroByte);
    list.list_concurrency = options_.list_concurrency;
    return list;
  }

  struct Listing {
    std::shared_ptr<const FileTable> files;
    ListingReport report;
    bool keys_compared = false;  // with those that the inspection found
  };

  /// The full listing, made once.
  arrow::Result<Listing> listing(const plan::Inspection& inspected,
                                 const arrow::StopToken& stop = arrow::StopToken::Unstoppable()) {
    if (base_) {
      // Made by what the base itself has found: others read it, too.
      ARROW_ASSIGN_OR_RAISE(const auto own, base_->impl_->inspection());
      ARROW_ASSIGN_OR_RAISE(Listing out, base_->impl_->listing(*own, stop));
      std::lock_guard lock(listing_mutex_);
      ListingReport told_by_the_base;
      ARROW_RETURN_NOT_OK(CompareKeys(*out.files, inspected, &told_by_the_base));
      return out;
    }
    std::lock_guard lock(listing_mutex_);
    if (!listing_.files) {
      if (inspected.all_files) {
        listing_ = {inspected.all_files, inspected.report, true};
      } else {
        ListOptions list = inspected.list;
        list.stop = stop;
        ARROW_ASSIGN_OR_RAISE(Listing listed, List(list));
        ARROW_ASSIGN_OR_RAISE(auto spelled, plan::SpellKeys(*listed.files, inspected));
        if (spelled) listed.files = std::make_shared<const FileTable>(*std::move(spelled));
        ARROW_RETURN_NOT_OK(plan::ReportMissingKeys(*listed.files, inspected, &listed.report));
        listing_ = std::move(listed);
      }
    }
    ARROW_RETURN_NOT_OK(CompareKeys(*listing_.files, inspected, &listing_.report));
    return listing_;
  }

  bool is_listed() {
    if (base_) return base_->impl_->is_listed();
    std::lock_guard lock(listing_mutex_);
    return listing_.files != nullptr;
  }

  /// The full listing for those who ask for nothing else. On a store whose format is given, no
  /// inspection is needed to know which files are meant. Where there are none, it has the words.
  arrow::Result<Listing> listing_alone() {
    if (base_) return base_->impl_->listing_alone();
    // Of several formats, the names of files tell which are meant; of names that differ in case,
    // the files' columns may tell how the table writes them.
    const bool known = !options_.case_insensitive && !options_.format.empty() &&
                       options_.format != formats::kByExtension &&
                       !base::IsLocal(*source_->filesystem());
    if (known) {
      std::lock_guard inspecting(inspection_mutex_);
      std::lock_guard lock(listing_mutex_);
      if (!inspection_ && !listing_.files) {
        ARROW_ASSIGN_OR_RAISE(Listing listed, List(ListingAsAsked()));
        std::vector<std::string> keys;
        for (const auto& column : listed.files->keys().columns) keys.push_back(column.name);
        ARROW_RETURN_NOT_OK(
            list::ReportMissingKeys(*listed.files, keys, options_.strict, &listed.report));
        if (listed.files->num_files() > 0) listing_ = std::move(listed);
      }
      if (listing_.files) return listing_;
    }
    ARROW_ASSIGN_OR_RAISE(auto inspected, inspection());
    return listing(*inspected);
  }

  /// What planning starts from. Without a filter over keys every file is wanted, so the full
  /// listing is made and kept; with one, only what it leaves is listed, unless the listing is there
  /// already. A limit may need few of the files.
  arrow::Result<plan::PlannerInput> input(const plan::BoundRequest& bound,
                                          const std::shared_ptr<const plan::Inspection>& inspected,
                                          const arrow::StopToken& stop) {
    plan::PlannerInput out{source_, inspected, nullptr, {}, cache_};
    const bool all =
        (!bound.filters_keys && !bound.request.limit) || plan::NeedsAllFiles(*inspected);
    const bool known = inspected->all_files != nullptr || is_listed();
    if (all || known) {
      ARROW_ASSIGN_OR_RAISE(auto listed, listing(*inspected, stop));
      out.files = std::move(listed.files);
      out.files_report = std::move(listed.report);
    }
    return out;
  }

  /// What was read for it is in the cache on disk then, too.
  arrow::Result<ScanPlan> PlanWithFooters(const plan::PlannerInput& input,
                                          const plan::BoundRequest& bound,
                                          const PlanOptions& options) {
    auto plan = plan::MakePlan(input, bound, options, plan::FooterUse::kAll);
    cache_->Persist();
    return plan;
  }

 private:
  /// The keys of all files with those that the inspection found, once. Holds listing_mutex_.
  arrow::Status CompareKeys(const FileTable& files, const plan::Inspection& inspected,
                            ListingReport* report) {
    if (listing_.keys_compared) return arrow::Status::OK();
    const std::vector<bool> all(files.num_files(), true);
    ARROW_ASSIGN_OR_RAISE(const auto spelled, plan::SpellKeys(files, inspected));
    ARROW_RETURN_NOT_OK(plan::ReportUnseenKeys(spelled ? *spelled : files, all, inspected, report));
    listing_.keys_compared = true;
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<const plan::Inspection>> WithSchema(
      const plan::Inspection& of_base) const {
    ARROW_RETURN_NOT_OK(plan::CheckRules(rules_, *of_base.format));
    auto out = std::make_shared<plan::Inspection>(of_base);
    arrow::FieldVector keys;
    std::shared_ptr<schema::Spelling> spelling;
    if (rules_.case_insensitive) {
      ARROW_RETURN_NOT_OK(
          schema::DistinctNames(schema_, {.case_insensitive = true}, "The schema").status());
      spelling = std::make_shared<schema::Spelling>();
      spelling->Learn(*schema_);
    }
    const auto written = [&](const std::string& name) {
      return spelling ? spelling->Respell(name) : name;
    };
    for (const auto& key : of_base.partition_schema->fields()) {
      const std::string name = written(key->name());
      if (auto field = schema_->GetFieldByName(name))
        keys.push_back(key->WithName(name)->WithType(field->type()));
    }
    out->keys_in_files.clear();
    for (const auto& name : of_base.keys_in_files) out->keys_in_files.insert(written(name));
    out->keys_missing.clear();
    for (const auto& name : of_base.keys_missing) out->keys_missing.insert(written(name));
    out->table_schema = schema_;
    out->partition_schema = arrow::schema(std::move(keys));
    out->keys_inferred.clear();  // their types are declared now
    out->rules = rules_;
    out->spelling = std::move(spelling);
    return out;
  }

  arrow::Result<Listing> List(const ListOptions& options) const {
    auto files = std::make_shared<FileTable>();
    auto sink = [&](FileTable page) -> arrow::Result<bool> {
      files->Append(page);
      return true;
    };
    ARROW_ASSIGN_OR_RAISE(auto report, source_->List(options, sink));
    return Listing{std::move(files), std::move(report)};
  }

  const std::vector<std::string> sources_;
  const OpenOptions options_;
  const std::shared_ptr<const ListingSource> source_;
  const bool has_own_source_;
  const std::shared_ptr<const plan::SummarySource> summary_;  // the source, if it is one
  const std::shared_ptr<plan::FactsCache> cache_ =
      std::make_shared<plan::FactsCache>(kFactsCacheBytes);
  const std::shared_ptr<const Dataset> base_;    // whose files these are; null: its own
  const std::shared_ptr<arrow::Schema> schema_;  // in place of the base's
  const SchemaRules rules_;                      // with schema_
  using Mutex = base::ForkMutex;
  Mutex inspection_mutex_{Mutex::Over::kBreaks}, listing_mutex_{Mutex::Over::kBreaks};
  std::shared_ptr<const plan::Inspection> inspection_;  // that skipped nothing
  std::map<std::pair<OnBadFile, OnBadFile>, std::shared_ptr<const plan::Inspection>> lenient_;
  Listing listing_;
};

arrow::Result<std::shared_ptr<Dataset>> Dataset::Open(std::vector<std::string> sources,
                                                      OpenOptions options) {
  return OpenSince(std::move(sources), std::move(options), {});
}

namespace {

arrow::Status CheckInfer(const OpenOptions& options) {
  if (options.infer == InferFrom::kSample) return arrow::Status::OK();
  if (options.file_format) {
    return arrow::Status::Invalid(
        "infer is all, but the format is given as an object (", options.file_format->name(),
        "), which has its own options: say there what types are found from");
  }
  if (options.format.empty() || options.format == formats::kByExtension) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto format, GetFileFormat(options.format));
  if (format->text_typing()) return arrow::Status::OK();
  return arrow::Status::Invalid("infer is about files of text, but format is ", options.format,
                                ", whose files tell their types");
}

/// Checks the options, and fills in what is by default.
arrow::Status Complete(OpenOptions* given) {
  OpenOptions& options = *given;
  if (options.inspect == 0 || options.inspect < OpenOptions::kAll) {
    return arrow::Status::Invalid("inspect is ", options.inspect,
                                  ", but must be at least 1, or all");
  }
  for (int i = 0; i < kNumVirtualColumns; ++i) {
    const std::string& name = options.virtual_columns.Of(static_cast<VirtualColumn>(i));
    for (int j = 0; j < i && !name.empty(); ++j) {
      const auto other = static_cast<VirtualColumn>(j);
      if (options.virtual_columns.Of(other) != name) continue;
      return arrow::Status::Invalid("virtual_columns: ", ToString(other), " and ",
                                    ToString(static_cast<VirtualColumn>(i)), " are both called '",
                                    name, "'");
    }
  }
  if (options.list_concurrency < 1) {
    return arrow::Status::Invalid("list_concurrency is ", options.list_concurrency,
                                  ", but must be at least 1");
  }
  if (options.cache_limit < 1) {
    return arrow::Status::Invalid("cache_limit is ", options.cache_limit,
                                  ", but must be at least 1 byte");
  }
  if (options.listing_cache_ttl.count() < 0 || options.listing_cache_ttl > kLongestTtl) {
    return arrow::Status::Invalid("listing_cache_ttl is ", options.listing_cache_ttl.count(),
                                  " ms, but must be from 0 to ", kLongestTtl.count());
  }
  if (!options.cache.empty()) {
    std::error_code error;
    const auto folder = std::filesystem::absolute(options.cache, error);
    if (!error) options.cache = folder.string();
  }
  if (options.file_format && !options.format.empty() &&
      options.format != options.file_format->name()) {
    return arrow::Status::Invalid("format is ", options.format, ", but file_format is ",
                                  options.file_format->name());
  }
  if (options.schema && options.case_insensitive) {
    ARROW_RETURN_NOT_OK(
        schema::DistinctNames(options.schema, {.case_insensitive = true}, "The declared schema")
            .status());
  }
  if (!options.file_format && !options.format.empty())
    ARROW_RETURN_NOT_OK(GetFileFormat(options.format).status());
  ARROW_RETURN_NOT_OK(CheckInfer(options));
  if (!options.partitioning) options.partitioning = MakeHivePartitioning();
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::shared_ptr<Dataset>> Dataset::OpenSource(
    std::shared_ptr<const ListingSource> source, OpenOptions options) {
  if (!source) return arrow::Status::Invalid("No listing source is given");
  if (options.filesystem || options.listing_cache_ttl.count() != 0 ||
      !options.storage_options.empty()) {
    return arrow::Status::Invalid(
        "filesystem, storage_options and listing_cache_ttl are not for a listing source of one's "
        "own");
  }
  ARROW_RETURN_NOT_OK(Complete(&options));
  auto impl = std::make_unique<Impl>(std::vector<std::string>{source->Describe()},
                                     std::move(options), source, /*has_own_source=*/true);
  return std::shared_ptr<Dataset>(new Dataset(std::move(impl)));
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::OpenSince(
    std::vector<std::string> sources, OpenOptions options,
    std::chrono::steady_clock::time_point since) {
  if (sources.empty())
    return arrow::Status::Invalid("No source is given: name a file, a folder or a pattern");
  ARROW_RETURN_NOT_OK(Complete(&options));
  ARROW_RETURN_NOT_OK(OpenStoreOf(sources, &options));
  ARROW_ASSIGN_OR_RAISE(auto source, MakeListingSource(sources, options.filesystem,
                                                       {options.listing_cache_ttl, since}));
  ARROW_ASSIGN_OR_RAISE(source, SummaryOr(std::move(source), sources, &options));
  auto impl = std::make_unique<Impl>(std::move(sources), std::move(options), std::move(source),
                                     /*has_own_source=*/false);
  return std::shared_ptr<Dataset>(new Dataset(std::move(impl)));
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::Dataset() = default;
Dataset::~Dataset() = default;

arrow::Result<std::shared_ptr<arrow::Schema>> Dataset::schema() const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection());
  impl_->cache()->Persist();
  return inspection->table_schema;
}

arrow::Result<std::shared_ptr<arrow::Schema>> Dataset::partition_schema() const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection());
  return inspection->partition_schema;
}

arrow::Result<std::shared_ptr<const FileFormat>> Dataset::format() const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection());
  return inspection->format;
}

arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> Dataset::filesystem() const {
  return impl_->source()->filesystem();
}

arrow::Result<std::shared_ptr<const FileTable>> Dataset::files() const {
  ARROW_ASSIGN_OR_RAISE(auto listing, impl_->listing_alone());
  return listing.files;
}

arrow::Result<ListingReport> Dataset::listing_report() const {
  ARROW_ASSIGN_OR_RAISE(auto listing, impl_->listing_alone());
  return listing.report;
}

CacheReport Dataset::cache_report() const {
  CacheReport out;
  if (auto store = impl_->cache()->store()) {
    const auto report = store->report();
    out = {report.path, report.known, report.used, report.added, report.problem};
  }
  return out;
}

SchemaRules Dataset::schema_rules() const { return impl_->rules(); }

arrow::Result<std::shared_ptr<arrow::Schema>> Dataset::OutputSchema(
    const ScanRequest& request) const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection());
  ARROW_ASSIGN_OR_RAISE(auto bound, impl_->Bind(request, &inspection));
  return bound.output_schema;
}

arrow::Result<ScanPlan> Dataset::Plan(const ScanRequest& request,
                                      const PlanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection(StoppedBy(options.stop)));
  ARROW_ASSIGN_OR_RAISE(auto bound, impl_->Bind(request, &inspection));
  ARROW_ASSIGN_OR_RAISE(auto input, impl_->input(bound, inspection, options.stop));
  if (options.collect_statistics) {
    ARROW_ASSIGN_OR_RAISE(auto plan, impl_->PlanWithFooters(input, bound, options));
    // A summary does not tell what the files are that it tells of.
    if (impl_->cache()->summary()) ARROW_RETURN_NOT_OK(plan::IdentifyFiles(options.stop, &plan));
    return plan;
  }
  ARROW_ASSIGN_OR_RAISE(auto plan, plan::MakePlan(input, bound, options, plan::FooterUse::kNone));
  ARROW_RETURN_NOT_OK(plan::IdentifyFiles(options.stop, &plan));
  return plan;
}

arrow::Result<std::unique_ptr<BatchStream>> Dataset::Scan(const ScanRequest& request,
                                                          const ScanOptions& options) const {
  ARROW_RETURN_NOT_OK(read::ValidateOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection(options));
  ARROW_ASSIGN_OR_RAISE(auto bound, impl_->Bind(request, &inspection));
  ARROW_ASSIGN_OR_RAISE(auto input, impl_->input(bound, inspection, options.stop));
  PlanOptions planning;
  planning.stop = options.stop;
  // Footers are read while the files are read; planning needs them only to know how many files a
  // limit takes.
  // Files that may turn out to be skipped cannot be counted on.
  ARROW_ASSIGN_OR_RAISE(auto plan, plan::MakePlan(input, bound, planning,
                                                  Skips(options) ? plan::FooterUse::kNone
                                                                 : plan::FooterUse::kForLimit));
  DropSkipped(*inspection, &plan);
  return read::MakeStream(plan, options, impl_->cache(), inspection->skipped);
}

arrow::Result<std::vector<FilterSupport>> Dataset::SupportsFilters(
    const std::vector<arrow::compute::Expression>& filters, ReadMode mode) const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection());
  std::vector<FilterSupport> out;
  for (const auto& filter : filters) {
    ARROW_ASSIGN_OR_RAISE(auto classified, plan::ClassifyFilter(filter, *inspection, mode));
    out.push_back(std::move(classified.support));
  }
  return out;
}

arrow::Result<FileScanConfig> Dataset::FileScan(const ScanArguments& arguments,
                                                const FileScanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection(StoppedBy(options.stop)));
  ARROW_ASSIGN_OR_RAISE(auto bound, plan::BindFileScan(arguments, options, *inspection));
  PlanOptions planning;
  planning.collect_statistics = planning.column_statistics = options.collect_statistics;
  planning.meta_fetch_concurrency = options.meta_fetch_concurrency;
  planning.stop = options.stop;
  ARROW_ASSIGN_OR_RAISE(auto plan, Plan(bound.request, planning));
  return plan::FinishFileScan(std::move(bound), std::move(plan), options, *inspection,
                              impl_->cache().get());
}

arrow::Result<TableStatistics> Dataset::Statistics(const arrow::compute::Expression& filter,
                                                   const PlanOptions& options) const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection(StoppedBy(options.stop)));
  ScanRequest request;
  request.columns.emplace();
  request.filter = filter;
  ARROW_ASSIGN_OR_RAISE(auto bound, impl_->Bind(request, &inspection));
  ARROW_ASSIGN_OR_RAISE(auto input, impl_->input(bound, inspection, options.stop));
  PlanOptions planning = options;
  planning.collect_statistics = planning.column_statistics = true;
  ARROW_ASSIGN_OR_RAISE(auto plan, impl_->PlanWithFooters(input, bound, planning));
  auto statistics = plan::RowsDecide(plan, *inspection) ? statistics::ToInexact(plan.statistics)
                                                        : plan.statistics;
  statistics.columns.resize(statistics.columns.size() - plan.virtual_columns.size());
  return statistics;
}

arrow::Result<int64_t> Dataset::Count(const arrow::compute::Expression& filter,
                                      const ScanOptions& options, ScanMetrics* metrics) const {
  ARROW_RETURN_NOT_OK(read::ValidateOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection(options));
  ScanRequest request;
  request.filter = filter;
  // Rows that cannot be read are left out only where all columns are read.
  if (options.on_corrupt != OnBadFile::kSkip) request.columns.emplace();
  ARROW_ASSIGN_OR_RAISE(auto bound, impl_->Bind(request, &inspection));
  ARROW_ASSIGN_OR_RAISE(auto input, impl_->input(bound, inspection, options.stop));
  PlanOptions planning;
  planning.stop = options.stop;
  ARROW_ASSIGN_OR_RAISE(auto plan, plan::MakePlan(input, bound, planning, plan::FooterUse::kNone));
  DropSkipped(*inspection, &plan);
  auto rows = read::CountRows(plan, options, impl_->cache(), metrics);
  if (rows.ok() && metrics != nullptr) {
    for (const auto& file : inspection->skipped)
      metrics->skipped.push_back(read::DescribeSkipped(file.path, file.error));
  }
  impl_->cache()->Persist();
  return rows;
}

arrow::Result<ScanPlan> Dataset::PlanFragments(const ScanRequest& request,
                                               std::vector<Fragment> fragments,
                                               const arrow::Schema& keys) const {
  ARROW_ASSIGN_OR_RAISE(auto inspection, impl_->inspection());
  ARROW_ASSIGN_OR_RAISE(auto bound, impl_->Bind(request, &inspection));
  return plan::PlanFragments(impl_->source()->filesystem(), *inspection, bound,
                             std::move(fragments), keys);
}

arrow::Result<std::shared_ptr<const FileFacts>> Dataset::Facts(const Fragment& fragment,
                                                               const arrow::StopToken& stop) const {
  ARROW_ASSIGN_OR_RAISE(auto plan, PlanFragments({}, {}, arrow::Schema(arrow::FieldVector{})));
  auto file = std::make_shared<const SourceFile>(
      SourceFile{plan.filesystem, fragment.path, fragment.version});
  ARROW_ASSIGN_OR_RAISE(auto loaded,
                        plan::LoadFacts(plan::TableFiles(plan), file, impl_->cache().get(),
                                        std::make_shared<runtime::Counters>(), stop));
  return plan::WithoutNames(std::move(loaded.facts));
}

arrow::Result<std::unique_ptr<BatchStream>> Dataset::ScanPlanned(const ScanPlan& plan,
                                                                 const ScanOptions& options) const {
  ARROW_RETURN_NOT_OK(read::ValidateOptions(options));
  return read::MakeStream(plan, options, impl_->cache());
}

arrow::Result<int64_t> Dataset::CountPlanned(const ScanPlan& plan,
                                             const ScanOptions& options) const {
  ARROW_RETURN_NOT_OK(read::ValidateOptions(options));
  return read::CountRows(plan, options, impl_->cache(), nullptr);
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::Refresh() const {
  if (impl_->base()) {
    ARROW_ASSIGN_OR_RAISE(auto fresh, impl_->base()->Refresh());
    return fresh->WithSchema(impl_->schema(), impl_->rules());
  }
  if (impl_->has_own_source()) return OpenSource(impl_->source(), impl_->options());
  return OpenSince(impl_->sources(), impl_->options(), std::chrono::steady_clock::now());
}

arrow::Result<std::shared_ptr<Dataset>> Dataset::WithSchema(
    std::shared_ptr<arrow::Schema> schema, std::optional<SchemaRules> rules) const {
  if (!schema) return arrow::Status::Invalid("No schema is given");
  return std::shared_ptr<Dataset>(new Dataset(std::make_unique<Impl>(
      shared_from_this(), std::move(schema), rules.value_or(schema_rules()))));
}

arrow::Result<std::string> UserCacheDirectory() {
  // The XDG Base Directory Specification takes no relative path.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
    return std::string(cache) + "/shoal";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.cache/shoal";
  return arrow::Status::Invalid(
      "There is no customary cache folder, since HOME and XDG_CACHE_HOME are not set: name one");
}

}  // namespace shoal
