// Whether arrays made of bytes that nobody has checked can be used.
#pragma once

#include <arrow/array/data.h>
#include <arrow/status.h>

namespace shoal::formats::ipc {

/// OK if no use of the array leads outside of its buffers, and its count of nulls is right. What
/// values mean (whether text is UTF-8, a date64 a whole day, a decimal within its precision) is not
/// asked: nothing crashes on that, and other readers take it too. Dictionaries are not looked into.
arrow::Status CheckSound(const arrow::ArrayData& data);

}  // namespace shoal::formats::ipc
