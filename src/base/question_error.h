// Errors of the question (a filter that divides by zero, a value that does not fit the declared
// type), which are never taken for those of a corrupt file. The mark is for the reading half alone
// and is taken off before an error is handed out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/status.h>

namespace shoal::base {

class QuestionErrorDetail final : public arrow::StatusDetail {
 public:
  static constexpr std::string_view kTypeId = "shoal::QuestionError";
  const char* type_id() const override { return kTypeId.data(); }
  std::string ToString() const override { return "error of the question"; }
};

/// An error that has a detail keeps it (a function made in Python puts its exception there), which
/// serves as well.
inline arrow::Status MarkQuestionError(const arrow::Status& error) {
  if (error.ok() || error.detail()) return error;
  return error.WithDetail(std::make_shared<QuestionErrorDetail>());
}

inline arrow::Status WithoutQuestionMark(const arrow::Status& error) {
  const bool marked = error.detail() && error.detail()->type_id() == QuestionErrorDetail::kTypeId;
  return marked ? error.WithDetail(nullptr) : error;
}

}  // namespace shoal::base
