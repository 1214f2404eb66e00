// One table schema from what files of one format, or of several, tell.
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/file_format.h>
#include <shoal/schema_rules.h>

namespace shoal::plan {

/// The columns of a table of these files, at least one, that `format` reads: the union that their
/// format of text makes of them (TextTyping::Union), or the lossless union of their schemas
/// (schema::MergeSchemas). Where files of text stand beside others, a column has of the types that
/// its texts can be read as the first that has a common one with the rest. Errors name the column
/// and two files.
arrow::Result<std::shared_ptr<arrow::Schema>> MergeFacts(const FileFormat& format,
                                                         const std::vector<FactsOf>& files,
                                                         Promote promote = Promote::kLossless);

}  // namespace shoal::plan
