#ifdef MACAREU_WITH_VIPS

#include "vips_support.hpp"

#include <string>
#include <string_view>

#include <macareu/error.hpp>

#include "text.hpp"

namespace macareu::files {

void start_vips() {
  // What libvips would print as a warning it also reports, where it matters, as the error that becomes our
  // message.
  static const bool started = [] {
    g_log_set_handler(
        "VIPS", static_cast<GLogLevelFlags>(G_LOG_LEVEL_MASK), [](auto...) {}, nullptr);
    return VIPS_INIT("macareu") == 0;
  }();
  if (!started) throw io_error("libvips does not start");
  vips_error_clear();
}

void fail_with_vips(const std::filesystem::path& path, const std::filesystem::path& name) {
  const std::unique_ptr<char, decltype(&g_free)> buffer(vips_error_buffer_copy(), g_free);
  std::string text;
  for (auto rest = trimmed(buffer.get()); !rest.empty(); rest = trimmed(rest)) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (text.find(line) == std::string::npos) {
      if (!text.empty()) text += "; ";
      text += trimmed(line);
    }
    rest.remove_prefix(line.size());
  }
  if (path != name)
    for (auto at = text.find(path.string()); at != std::string::npos; at = text.find(path.string()))
      text.replace(at, path.string().size(), name.string());
  throw io_error(name.string() + ": " +
                 (text.empty() ? "libvips cannot handle it, and gives no reason" : text));
}

}  // namespace macareu::files

#endif
