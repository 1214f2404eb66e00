// A file whose columns have other names in the table.
#pragma once

#include <memory>

#include <arrow/result.h>

#include <shoal/file_format.h>

namespace shoal::plan {

/// The same facts under the names of `names`, which has the shape of facts->schema(). For a file of
/// a format whose facts do not take names themselves (TextTyping::takes_names).
std::shared_ptr<const FileFacts> WithNames(std::shared_ptr<const FileFacts> facts,
                                           std::shared_ptr<arrow::Schema> names);
/// The facts as the format made them.
std::shared_ptr<const FileFacts> WithoutNames(std::shared_ptr<const FileFacts> facts);
/// FileFormat::MakeUnit, for facts with names or without: batches have those of the facts.
arrow::Result<std::unique_ptr<Unit>> MakeUnit(const FileFormat& format, UnitRequest request);

}  // namespace shoal::plan
