#include <shoal/version.h>

namespace shoal {

std::string_view Version() { return SHOAL_VERSION; }

}  // namespace shoal
