// Leaves of a schema, counted depth first: the columns that columnar files store. NumLeaves,
// LeafIndex and ProjectLeaves are declared in shoal/file_format.h.
//
// A dictionary or a struct without children is one leaf. An extension type has the leaves of its
// storage but is one unit: whoever keeps some of them keeps all. A map that keeps some of its
// leaves keeps its whole key.
#pragma once

#include <vector>

#include <arrow/result.h>
#include <arrow/type.h>

#include <shoal/file_format.h>

namespace shoal::schema {

/// Whether it is a struct, a list of any kind or a map: its children are fields that have names, or
/// have such inside.
bool HasFields(const arrow::DataType& type);

/// The leaves below a column or a field inside one (indices of children, level by level).
arrow::Result<std::vector<int>> LeavesOf(const arrow::Schema& schema, const arrow::FieldPath& path);

/// The inverse for one leaf: the path down to it. An extension type ends the path.
arrow::Result<arrow::FieldPath> PathOfLeaf(const arrow::Schema& schema, int leaf);

}  // namespace shoal::schema
