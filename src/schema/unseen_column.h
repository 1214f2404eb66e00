// Columns of a file that its table does not have.
#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace shoal::schema {

/// The first column of the file, or field inside one, that the table has not, as a path of names
/// (`s.x`); empty if there is none. Names tell, as in reading: a field of another type is there.
std::string UnseenColumn(const arrow::Schema& file, const arrow::Schema& table);

}  // namespace shoal::schema
