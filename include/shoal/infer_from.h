// What the types of text files are found from.
#pragma once

namespace shoal {

/// How much of each inspected file is looked at for the types of its columns.
enum class InferFrom {
  kSample,  // of files up to 1 MiB all, of others the beginning and some places after it
  kAll,     // every byte: takes as long as reading it, and no later value can be a surprise
};

}  // namespace shoal
