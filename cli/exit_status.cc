#include "exit_status.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <regex>
#include <string_view>

#include <arrow/util/io_util.h>

#include "json_text.h"

namespace shoal::cli {

namespace {

constexpr char kExitDetail[] = "shoal::cli::ExitDetail";

class ExitDetail : public arrow::StatusDetail {
 public:
  explicit ExitDetail(int exit_status) : exit_status_(exit_status) {}
  const char* type_id() const override { return kExitDetail; }
  std::string ToString() const override { return "exit status " + std::to_string(exit_status_); }
  int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

const ExitDetail* ExitDetailOf(const arrow::Status& status) {
  const auto& detail = status.detail();
  if (!detail || std::string_view(detail->type_id()) != kExitDetail) return nullptr;
  return static_cast<const ExitDetail*>(detail.get());
}

/// What the operating system said, unless the message tells it already.
std::string SystemReason(const arrow::Status& status, const std::string& message) {
  if (!status.detail()) return "";
  const std::optional<int> error = arrow::internal::ErrnoFromStatusDetail(*status.detail());
  if (!error || *error == 0) return "";
  // Said in other words.
  const auto says = [&](std::string_view words) {
    const auto same = [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    };
    return std::search(message.begin(), message.end(), words.begin(), words.end(), same) !=
           message.end();
  };
  if (*error == ENOENT && (says("does not exist") || says("leads to nothing"))) return "";
  std::string reason = std::strerror(*error);
  return says(reason) ? "" : reason;
}

}  // namespace

arrow::Status WithExitStatus(const arrow::Status& status, int exit_status) {
  return status.WithDetail(std::make_shared<ExitDetail>(exit_status));
}

int ExitStatusOf(const arrow::Status& status) {
  if (status.ok()) return kSuccess;
  const ExitDetail* detail = ExitDetailOf(status);
  return detail ? detail->exit_status() : kFailed;
}

std::string OneLine(const arrow::Status& status) {
  std::string message = status.message();
  const std::string reason = SystemReason(status, message);
  // Where errors are wrapped, those within may still carry the name of their code, or a place in
  // the sources of the library that raised them.
  static const std::regex place(R"(\n?[^\s:]*\.(?:cc|h|cpp|hpp):\d+:? ?[^\n]*)");
  message = std::regex_replace(message, place, "");
  static const std::regex code(
      R"((^|: |\n)(?:Invalid|IOError|NotImplemented|Type error|Key error|Index error|Out of memory|Serialization error|Unknown error|Capacity error): )");
  message = std::regex_replace(message, code, "$1");

  std::string out;
  bool space = false;
  for (const char c : message) {
    if (c == '\n' || c == '\r' || c == ' ') {
      space = true;
      continue;
    }
    if (space && !out.empty()) out += ' ';
    space = false;
    AppendVisible(std::string_view(&c, 1), &out);
  }
  if (!reason.empty()) {
    while (!out.empty() && (out.back() == '.' || out.back() == ' ')) out.pop_back();
    out += (out.empty() ? "" : ": ") + reason;
  }
  return out;
}

}  // namespace shoal::cli
