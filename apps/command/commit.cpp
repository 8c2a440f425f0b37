#include "commit.hpp"

namespace macareu::tool {

const char* const commit = MACAREU_COMMIT;

}  // namespace macareu::tool
