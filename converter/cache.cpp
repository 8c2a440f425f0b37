#include "cache.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

namespace fs = std::filesystem;

constexpr const char* content_name = "content";

fs::path cache_directory() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  if (const auto own = value("MACAREU_CACHE"); !own.empty()) return own;
  if (const auto all = value("XDG_CACHE_HOME"); !all.empty()) return fs::path(all) / "macareu";
  if (const auto home = value("HOME"); !home.empty()) return fs::path(home) / ".cache" / "macareu";
  throw io_error("there is no directory for compiled functions: set HOME or MACAREU_CACHE");
}

bool holds(const fs::path& directory, const std::string& content, const std::string& name) {
  std::error_code none;
  return fs::exists(directory / name, none) && fs::exists(directory / content_name, none) &&
         text_of_file(directory / content_name) == content;
}

}  // namespace

/// FNV-1a. cached() compares the contents, so a hash collision is harmless.
std::string short_name(const std::string& content) {
  std::uint64_t hash = 14695981039346656037U;
  for (const unsigned char letter : content) hash = (hash ^ letter) * 1099511628211U;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw io_error(file.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw io_error(file.string() + ": cannot be written");
}

fs::path cached(const std::string& content, const std::string& name,
                const std::function<void(const fs::path&)>& make) {
  const auto parent = cache_directory();
  std::error_code failure;
  fs::create_directories(parent, failure);
  if (failure)
    throw io_error(parent.string() + ": cannot be made, and compiled functions are kept there: " +
                   failure.message() + "; name another directory in MACAREU_CACHE");
  auto wanted = parent / short_name(content);
  for (int other = 1; fs::exists(wanted, failure) && !holds(wanted, content, name); ++other)
    wanted = parent / (short_name(content) + "-" + std::to_string(other));
  if (holds(wanted, content, name)) return wanted / name;

  auto pattern = (parent / "making-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw io_error(parent.string() + ": cannot be written");
  const fs::path work = pattern;
  try {
    make(work);
    write_text(work / content_name, content);
    fs::rename(work, wanted, failure);
    // Another process finished first. Its result is equivalent.
    if (failure) fs::remove_all(work);
  } catch (...) {
    fs::remove_all(work, failure);
    throw;
  }
  if (!holds(wanted, content, name)) throw io_error(wanted.string() + ": cannot be written");
  return wanted / name;
}

std::string cached_text(const std::string& content, const std::string& name,
                        const std::function<std::string()>& make,
                        const std::function<bool(const std::string&)>& is_whole) {
  std::optional<std::string> made;
  const auto kept = [&] {
    return cached(content, name, [&](const fs::path& directory) {
      made = make();
      write_text(directory / name, *made);
    });
  };
  try {
    const auto file = kept();
    if (made) return *made;
    if (auto text = text_of_file(file); is_whole(text)) return text;
    std::error_code failure;
    fs::remove_all(file.parent_path(), failure);
    kept();
  } catch (const io_error&) {
    // The cache is not writable: compute without it.
  }
  return made ? *made : make();
}

}  // namespace macareu::converter
