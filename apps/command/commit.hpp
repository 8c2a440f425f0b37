// The commit of the sources, from git describe at configuration time.
#pragma once

namespace macareu::tool {

extern const char* const commit;

}  // namespace macareu::tool
