// What a measurement was made on, and with.
#pragma once

#include <string>

namespace macareu::bench {

/// The model's name, as the kernel gives it.
std::string processor();
std::string compiler();
/// Of the sources, as git described it when the build was configured.
std::string commit();

}  // namespace macareu::bench
