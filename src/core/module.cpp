#include "core/module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/modules.hpp>

namespace macareu {
namespace {

namespace fs = std::filesystem;

constinit std::atomic<const char*> told_directory = nullptr;

/// The program or shared object that this code was linked into. The kernel knows its absolute path; the
/// dynamic linker may know a relative one.
fs::path this_object() {
  const auto here = reinterpret_cast<std::uintptr_t>(&has_module);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    char* end = nullptr;
    const auto first = std::strtoull(line.c_str(), &end, 16), last = std::strtoull(end + 1, nullptr, 16);
    if (first <= here && here < last) return line.substr(std::min(line.find('/'), line.size()));
  }
  return {};
}

std::vector<fs::path> directories() {
  std::vector<fs::path> found;
  if (const auto object = this_object(); object.is_absolute()) {
    const auto beside = object.parent_path();
    found.push_back((beside / MACAREU_MODULES_FROM_PROGRAM).lexically_normal());
    found.push_back(beside / "macareu");  // the library itself, if it is shared
    found.push_back(beside);              // a Python package has all its parts in one directory
  }
  if (const char* told = told_directory) found.emplace_back(told);
  return found;
}

std::string file_name(const std::string& name) { return "macareu_" + name + ".so"; }

/// "a or b"
std::string places() {
  std::string text;
  for (const auto& directory : directories()) text += (text.empty() ? "" : " or ") + directory.string();
  return text;
}

}  // namespace

bool set_module_directory(const char* directory) {
  told_directory = directory;
  return true;
}

namespace {

std::vector<fs::path> files_of(const std::string& name) {
  std::vector<fs::path> found;
  for (const auto& directory : directories()) {
    std::error_code error;
    if (auto file = directory / file_name(name); fs::exists(file, error)) found.push_back(std::move(file));
  }
  return found;
}

const void* load_file(const fs::path& file, const char* symbol, int version, const module_remedy& remedy) {
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw io_error(file.string() + " cannot be loaded (" + dlerror() + "); " + remedy.to_load);
  const auto* found = static_cast<const int*>(dlsym(module, symbol));
  if (found && *found == version) return found;
  const auto has = found ? "version " + std::to_string(*found) : std::string("no version");
  dlclose(module);
  throw io_error(file.string() + " has " + has + " of its interface, and version " + std::to_string(version) +
                 " is needed; install module and program from one build");
}

}  // namespace

bool has_module(const std::string& name) { return !files_of(name).empty(); }

const void* load_module(const std::string& name, const char* symbol, int version,
                        const module_remedy& remedy) {
  std::optional<io_error> failure;
  for (const auto& file : files_of(name)) {
    try {
      return load_file(file, symbol, version, remedy);
    } catch (const io_error& reason) {
      if (!failure) failure = reason;
    }
  }
  if (failure) throw *failure;
  throw io_error("the module " + file_name(name) + " is not in " + places() + "; " + remedy.to_build);
}

}  // namespace macareu
