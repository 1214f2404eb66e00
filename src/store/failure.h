// What a store's error means: whether to ask again, and what a person can do about it.
#pragma once

#include <string>
#include <string_view>

#include <arrow/status.h>

namespace shoal::store {

enum class Failure {
  kNoAnswer,     // nobody listens, the name does not resolve, the connection broke: ask again
  kBusy,         // the store asks for patience, or failed inside: ask again
  kDenied,       // credentials are missing, wrong or not enough
  kNoBucket,     // the bucket or container does not exist
  kWrongRegion,  // the bucket lies elsewhere
  kOther,        // asking again would not help
};

/// Arrow's filesystems give what they heard as text: this knows the words of the three stores.
Failure Classify(const arrow::Status& status);

/// What to do about it, as a sentence; empty for kOther. `kind`: the filesystem's type_name().
std::string Advice(Failure failure, std::string_view kind);

}  // namespace shoal::store
