#pragma once

#include "command/verb.hpp"

namespace macareu::tool {

verb view_verb();

}  // namespace macareu::tool
