// The command line program.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/compute/initialize.h>
#include <shoal/version.h>

#include "arguments.h"
#include "exit_status.h"
#include "help.h"
#include "interrupt.h"
#include "output_target.h"
#include "verb.h"

namespace shoal::cli {

namespace {

arrow::Status Run(const std::vector<std::string_view>& words) {
  if (words.empty()) return UsageError("Which verb? `shoal --help` lists them");
  if (words[0] == "--help" || words[0] == "-h") return Print(Help());
  if (words[0] == "--version") return Print("shoal " + std::string(Version()) + "\n");
  std::vector<std::string_view> names;
  for (const VerbInfo& verb : kVerbs) {
    names.push_back(verb.name);
    if (words[0] != verb.name) continue;
    ARROW_ASSIGN_OR_RAISE(const Arguments arguments,
                          ParseArguments(verb.verb, {words.begin() + 1, words.end()}));
    if (arguments.help) return Print(Help(verb));
    ARROW_RETURN_NOT_OK(arrow::compute::Initialize());
    return verb.run(arguments);
  }
  return UsageError("There is no verb '", words[0], "'", DidYouMean(words[0], "", names),
                    "; `shoal --help` lists them");
}

int Main(int count, char** values) {
  HandleSignals();
  arrow::Status status;
  try {
    status = Run({values + 1, values + count});
  } catch (const std::exception& error) {
    status = arrow::Status::UnknownError(error.what());
  }
  if (status.ok()) return kSuccess;
  if (const int exit_status = SignalExitStatus(); exit_status != 0) {
    std::cerr << "shoal: interrupted\n";
    return exit_status;
  }
  const int exit_status = ExitStatusOf(status);
  if (exit_status != kClosedPipe) std::cerr << "shoal: " + OneLine(status) + "\n";
  return exit_status;
}

}  // namespace

}  // namespace shoal::cli

int main(int count, char** values) {
  const int status = shoal::cli::Main(count, values);
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  // Static objects are not destroyed: a request that was left behind in a store would meet them.
  _exit(status);
}
