// Where a literal lies among the values of a column's type.
//
// A comparison of a column with a literal of another type is rewritten to one within the column's
// type, so that it needs no cast of the column and statistics can be used. That is possible for
// every literal, exact or not: it is enough to know the greatest value of the type that is not
// above it.
#pragma once

#include <memory>
#include <string_view>

#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

namespace shoal::expression {

enum class Position {
  kExact,      // `value` equals the literal
  kBetween,    // nothing in the type equals it; `value` is the greatest value below it
  kBelow,      // below all values
  kAbove,      // above all values
  kUnordered,  // NaN, and the type has none
};

struct PlacedLiteral {
  Position position;
  std::shared_ptr<arrow::Scalar> value;
};

/// Places a valid literal in `type`. Both are plain: no dictionary, extension, run-end-encoded or
/// nested type, no float16 as `type`.
///
/// Rules: integers and decimals are placed by their exact value. A double is its exact value among
/// integers and floats, and its shortest decimal text among decimals (0.1 is 0.1). A decimal among
/// floats is read as a double first, as `0.1` in a program would be. A date is its midnight, in UTC
/// for a zoned type. Text is parsed for dates and times only. Errors: TypeError when the two can't
/// be compared, Invalid for text that doesn't parse. Their messages are reasons: what can't be
/// compared with what is the caller's to say.
arrow::Result<PlacedLiteral> PlaceLiteral(const arrow::Scalar& literal,
                                          const std::shared_ptr<arrow::DataType>& type);

/// The greatest value of an integer, decimal, date, time, timestamp or duration type; +infinity for
/// floats.
std::shared_ptr<arrow::Scalar> GreatestValue(const std::shared_ptr<arrow::DataType>& type);

/// Reads an ISO 8601 date (gives date32), or date and time with up to nine digits of fraction, with
/// or without an offset (gives a timestamp of the coarsest unit that holds it; zone UTC where there
/// is an offset).
arrow::Result<std::shared_ptr<arrow::Scalar>> ParseDateOrTimestamp(std::string_view text);

/// Reads `hh:mm[:ss[.fff]]`: time32 or time64 of the coarsest unit that holds it.
arrow::Result<std::shared_ptr<arrow::Scalar>> ParseTime(std::string_view text);

}  // namespace shoal::expression
