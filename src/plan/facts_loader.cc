#include "plan/facts_loader.h"

#include "storage/open_file.h"
#include "storage/why_failed.h"

namespace shoal::plan {

namespace {

arrow::Result<LoadedFacts> Load(const FileFormat& format,
                                const std::shared_ptr<const SourceFile>& file, FactsCache* cache,
                                const std::shared_ptr<runtime::Counters>& counters,
                                const arrow::StopToken& stop) {
  if (cache && cache->MayHave(file->path)) {
    ARROW_ASSIGN_OR_RAISE(auto found, storage::Identify(*file));
    if (found) {
      LoadedFacts out{nullptr, found->size, found->mtime_ns, true};
      out.facts = cache->Get(file->path, out.size, out.mtime_ns);
      if (out.facts) {
        ++counters->footers_cached;
        return out;
      }
    }
  }
  ARROW_ASSIGN_OR_RAISE(
      auto open, storage::OpenFile::Open(file, counters, arrow::default_memory_pool(), stop));
  LoadedFacts out{nullptr, open->size(), open->mtime_ns(), false};
  if (out.size == 0) {
    if (cache && cache->HasRead(file->path)) {
      return storage::FileChanged(file->path, "it is empty now");
    }
    return out;
  }
  auto reader = format.ReadFacts(file);
  Resident got;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto step, reader->Next(std::move(got)));
    if (auto* facts = std::get_if<std::shared_ptr<const FileFacts>>(&step)) {
      out.facts = std::move(*facts);
      break;
    }
    got = Resident{{}, out.size, out.mtime_ns};
    for (const ByteRange& range : std::get<NeedBytes>(step).ranges) {
      ARROW_ASSIGN_OR_RAISE(auto buffer, open->Read(range));
      got.buffers.push_back(std::move(buffer));
    }
  }
  if (cache) cache->Put(file->path, out.size, out.mtime_ns, out.facts);
  return out;
}

}  // namespace

arrow::Result<LoadedFacts> LoadFacts(const FileFormat& format,
                                     const std::shared_ptr<const SourceFile>& file,
                                     FactsCache* cache,
                                     const std::shared_ptr<runtime::Counters>& counters,
                                     const arrow::StopToken& stop) {
  auto loaded = Load(format, file, cache, counters, stop);
  if (!loaded.ok()) return storage::WhyFailed(loaded.status(), *file, stop);
  return loaded;
}

}  // namespace shoal::plan
