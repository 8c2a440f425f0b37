#include "server.hpp"

#include <httplib.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <macareu/error.hpp>

namespace macareu::tool {
namespace {

constexpr const char* host = "127.0.0.1";

/// 128 random bits as text: other users and pages cannot guess it.
std::string random_token() {
  std::array<std::uint8_t, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw io_error("the system gives no random numbers for the address of the page");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) (text += digits[byte >> 4]) += digits[byte & 15];
  return text;
}

/// Not SO_REUSEPORT, with which two servers would share a port.
void share_nothing(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

/// Why a port cannot be listened on; the library does not tell.
std::string refusal_of(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  share_nothing(probe);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int reason =
      bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  if (probe >= 0) close(probe);
  if (reason == EADDRINUSE) return "is in use";
  if (reason == EACCES) return "needs permission of the system, as ports below 1024 usually do";
  return reason == 0 ? "could not be opened" : std::strerror(reason);
}

/// The hash is that of the one style that OpenSeadragon adds.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self' "
    "'sha256-9xTiqzfwFaL2SGb1rmr8gysEwVVjIvqWAgmZgqFqpEE='; img-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

void add_headers(httplib::Response& response) {
  response.set_header("Content-Security-Policy", content_policy);
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("X-Content-Type-Options", "nosniff");
}

void refuse(httplib::Response& response, int status, const std::string& reason) {
  response.status = status;
  response.set_header("Cache-Control", "no-store");
  response.set_content(reason + "\n", "text/plain; charset=utf-8");
}

void answer(const page_files& page, const std::string& name, httplib::Response& response) {
  const auto file = page.find(name.empty() ? "index.html" : name);
  if (!file) {
    refuse(response, 404, "no such file");
    return;
  }
  response.set_header("Cache-Control", file->lasting ? "private, max-age=3600" : "no-store");
  // Another name of JavaScript, which the library does not compress: that takes longer than the way.
  const bool script = file->type.starts_with("text/javascript");
  response.set_content(file->content, script ? "application/x-javascript; charset=utf-8" : file->type);
}

}  // namespace

bool has_server() { return true; }

void serve(const page_files& page, int port, const std::stop_token& stop,
           const std::function<void(const std::string& address)>& ready) {
  httplib::Server server;
  server.set_socket_options(share_nothing);
  server.set_payload_max_length(0);
  server.set_tcp_nodelay(true);  // else answers wait for the receipt of their headers
  if (port > 0 && !server.bind_to_port(host, port))
    throw io_error("--port " + std::to_string(port) + ": " + refusal_of(port) +
                   "; leave it out for any free one");
  if (port == 0 && (port = server.bind_to_any_port(host)) <= 0)
    throw io_error("the system gives no port to listen on: " + refusal_of(0));
  const auto authority = ":" + std::to_string(port);
  const auto of_page = [&](const std::string& asked) {
    for (const std::string name : {host, "localhost"})
      if (asked == name + authority || (port == 80 && asked == name)) return true;  // 80 is left out
    return false;
  };
  const auto path = "/" + random_token() + "/";
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    add_headers(response);
    // Another name is that of a page elsewhere which was made to point here.
    if (!of_page(request.get_header_value("Host"))) {
      refuse(response, 403, "this is not the address of the page");
    } else if (request.method != "GET" && request.method != "HEAD") {
      refuse(response, 405, "only GET and HEAD");
    } else if (!request.path.starts_with(path)) {
      refuse(response, 404, "no such page");
    } else {
      try {
        answer(page, request.path.substr(path.size()), response);
      } catch (const std::exception& failure) {
        refuse(response, 500, failure.what());
      }
    }
    return httplib::Server::HandlerResponse::Handled;
  });
  // The library ignores a stop before it listens, and must be stopped once only.
  std::atomic_flag stopped;
  const auto end = [&] {
    if (server.is_running() && !stopped.test_and_set()) server.stop();
  };
  server.new_task_queue = [&]() -> httplib::TaskQueue* {  // called when the server runs
    if (stop.stop_requested()) end();
    return new httplib::ThreadPool(CPPHTTPLIB_THREAD_POOL_COUNT);
  };
  const std::stop_callback stopper(stop, end);
  ready("http://" + std::string(host) + authority + path);
  if (!server.listen_after_bind() && !stop.stop_requested())
    throw io_error("the server on port " + std::to_string(port) + " ended early");
}

}  // namespace macareu::tool
