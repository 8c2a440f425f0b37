// Pages for a browser on this machine.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include <macareu/page.hpp>

namespace macareu::tool {

/// Serves the page on 127.0.0.1 under a random path until the token is set. Port 0: any free one. Calls
/// ready(address) when a browser can open it. Throws io_error if the port cannot be used.
void serve(const page_files& page, int port, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& ready);

/// Whether this build has a server.
bool has_server();

}  // namespace macareu::tool
