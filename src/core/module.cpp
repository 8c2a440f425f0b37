#include "core/module.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/modules.hpp>

namespace macareu {
namespace {

namespace fs = std::filesystem;

constinit std::atomic<const char*> told_directory = nullptr;

/// The program or shared object that this code was linked into.
fs::path this_object() {
  Dl_info ignored;
  link_map* object = nullptr;
  const auto* here = reinterpret_cast<const void*>(&find_module);
  if (dladdr1(here, &ignored, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) return {};
  // The link map does not name the program itself, and argv[0] is not reliable.
  std::error_code error;
  return *object->l_name == '\0' ? fs::read_symlink("/proc/self/exe", error) : fs::path(object->l_name);
}

std::vector<fs::path> directories() {
  std::vector<fs::path> found;
  // A relative name would depend on the working directory.
  if (const auto object = this_object(); object.is_absolute()) {
    found.push_back((object.parent_path() / MACAREU_MODULES_FROM_PROGRAM).lexically_normal());
    found.push_back(object.parent_path());  // a Python package has all its parts in one directory
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

std::optional<fs::path> find_module(const std::string& name) {
  for (const auto& directory : directories()) {
    std::error_code error;
    if (auto file = directory / file_name(name); fs::exists(file, error)) return file;
  }
  return std::nullopt;
}

const void* load_module(const std::string& name, const char* symbol, int version,
                        const module_remedy& remedy) {
  const auto file = find_module(name);
  if (!file)
    throw io_error("the module " + file_name(name) + " is not in " + places() + "; " + remedy.to_build);
  void* module = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw io_error(file->string() + " cannot be loaded (" + dlerror() + "); " + remedy.to_load);
  const auto* found = static_cast<const int*>(dlsym(module, symbol));
  if (!found || *found != version) {
    const auto has = found ? "version " + std::to_string(*found) : std::string("no version");
    dlclose(module);
    throw io_error(file->string() + " has " + has + " of its interface, and version " +
                   std::to_string(version) + " is needed; install module and program from one build");
  }
  return found;
}

}  // namespace macareu
