#include "files/vips/vips_library.hpp"

#include <atomic>
#include <memory>
#include <string>

#include <macareu/error.hpp>

#include "core/module.hpp"
#include "files/text/text.hpp"

namespace macareu::files {
namespace {

constexpr const char* module_name = "vips";

std::atomic<const vips_module*> loaded_vips = nullptr;

const vips_module& started_module() {
  const auto& module = *static_cast<const vips_module*>(
      load_module(module_name, "macareu_vips_module", vips_interface,
                  {"install libvips42", "install libvips-dev and build Macareu again"}));
  if (!module.start()) throw io_error("libvips cannot be initialised");
  loaded_vips = &module;
  return module;
}

}  // namespace

bool has_vips() { return has_module(module_name); }

const vips_module& vips_for(const std::filesystem::path& file) {
  try {
    static const vips_module& module = started_module();
    return module;
  } catch (const io_error& e) {
    throw io_error(file.string(), std::string("this is no built-in format, and ") + e.what());
  }
}

std::vector<std::pair<std::string, std::string>> versions_of_loaded() {
  const auto* const vips = loaded_vips.load();
  if (!vips) return {};
  std::vector<std::pair<std::string, std::string>> all{{"libvips", vips->version_of_vips()}};
  if (const auto* const openslide = vips->version_of_openslide()) all.emplace_back("OpenSlide", openslide);
  return all;
}

void fail_with_vips(const std::filesystem::path& path, const std::filesystem::path& name) {
  const auto& vips = vips_for(name);
  const std::unique_ptr<char, decltype(vips.free_text)> buffer(vips.errors(), vips.free_text);
  std::string text;
  for (auto rest = trimmed(buffer.get()); !rest.empty(); rest = trimmed(rest)) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (text.find(line) == std::string::npos) {
      if (!text.empty()) text += "; ";
      text += trimmed(line);
    }
    rest.remove_prefix(line.size());
  }
  // What a system call says explains the rest.
  constexpr std::string_view system_call = "unix error: ";
  if (const auto at = text.find(system_call); at != std::string::npos) {
    const auto begin = at + system_call.size();
    text = text.substr(begin, text.find("; ", begin) - begin);
  }
  if (path != name)
    for (auto at = text.find(path.string()); at != std::string::npos; at = text.find(path.string()))
      text.replace(at, path.string().size(), name.string());
  throw io_error(name.string(), (text.empty() ? "libvips failed without a message" : text));
}

}  // namespace macareu::files
