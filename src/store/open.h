// From a URI and storage options to a filesystem.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <arrow/filesystem/type_fwd.h>
#include <arrow/result.h>

namespace shoal::store {

/// Whether the source is a URI of one of the three stores.
bool IsStoreUri(const std::string& source);

/// The store of a URI (`s3://`, `gs://`, `abfs://`). What the options leave open comes from the
/// URI's query, then from the usual places: the environment, profiles. No request is made but
/// where an S3 bucket's region has to be found out. Errors name the URI, without its secrets.
///
/// REQUIRES: IsStoreUri(uri).
arrow::Result<std::shared_ptr<arrow::fs::FileSystem>> OpenStore(
    const std::string& uri, const std::map<std::string, std::string>& options);

}  // namespace shoal::store
