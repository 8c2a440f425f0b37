#pragma once

#include "command/verb.hpp"

namespace macareu::tool {

verb convert_verb();
verb run_verb();

}  // namespace macareu::tool
