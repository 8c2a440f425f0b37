// The processor and the commit of a measurement.
#pragma once

#include <string>

namespace macareu::bench {

/// The model name from the kernel.
std::string processor();
std::string compiler();
/// The commit of the sources, from git describe at configuration time.
std::string commit();

}  // namespace macareu::bench
