// Virtual columns of a request: those of whole files are keys that every path carries, so that all
// that keys can do is done with them; the index of rows is made while rows are read.
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/util/cancel.h>

#include <shoal/listing.h>
#include <shoal/plan.h>
#include <shoal/virtual_columns.h>

#include "plan/inspection.h"

namespace shoal::plan {

/// The inspection as it is for that request: with the virtual columns it uses behind the table's
/// columns. The same object if it uses none.
std::shared_ptr<const Inspection> WithVirtualColumns(std::shared_ptr<const Inspection> inspection,
                                                     const ScanRequest& request,
                                                     const VirtualColumnNames& names);

/// Whether a virtual column in use tells of a file among all others: then they have to be listed.
bool NeedsAllFiles(const Inspection& inspection);

/// The page with `fields` among the keys of each file; it is the full listing where NeedsAllFiles.
/// Looks at files whose size is wanted and which the listing does not tell.
arrow::Result<FileTable> AddVirtualKeys(const FileTable& page,
                                        const std::vector<VirtualField>& fields,
                                        const std::shared_ptr<arrow::fs::FileSystem>& filesystem,
                                        const arrow::StopToken& stop);

/// The value of a column of files for the file of a fragment; nullptr: it is none of files.
arrow::Result<std::shared_ptr<arrow::Scalar>> ValueOf(
    const VirtualField& field, const Fragment& fragment,
    const std::shared_ptr<arrow::fs::FileSystem>& filesystem);

/// The inverse of ToString. Invalid: there is none of that name.
arrow::Result<VirtualColumn> VirtualColumnOf(std::string_view name);

/// The name of the virtual column among `fields`; nullptr if it is not used.
const std::string* NameOf(VirtualColumn column, const std::vector<VirtualField>& fields);

/// The columns of the schema that are not virtual.
std::shared_ptr<arrow::Schema> WithoutVirtualColumns(const std::shared_ptr<arrow::Schema>& schema,
                                                     const std::vector<VirtualField>& fields);

}  // namespace shoal::plan
