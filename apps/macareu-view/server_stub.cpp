// Builds without cpp-httplib.
#include <macareu/error.hpp>

#include "server.hpp"

namespace macareu::tool {

bool has_server() { return false; }

void serve(const page_files&, int, const std::stop_token&, const std::function<void(const std::string&)>&) {
  throw io_error(
      "this build has no server: install libcpp-httplib-dev and build again, or write a page by --page FOLDER");
}

}  // namespace macareu::tool
