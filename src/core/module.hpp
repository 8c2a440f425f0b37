// Modules: optional parts of Macareu, as shared objects loaded on demand.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace macareu {

/// Finds the shared object of a module beside the library, or in the directory of set_module_directory. It
/// never uses the environment or the working directory.
std::optional<std::filesystem::path> find_module(const std::string& name);

/// How a user gets a module: what its loading needs, and what its build needs.
struct module_remedy {
  const char* to_load;
  const char* to_build;
};

/// The symbol that the module exports: a struct that begins with its version, an int. Throws io_error, with
/// the remedy, if the module is missing, does not load, or has another version. Modules stay loaded.
const void* load_module(const std::string& name, const char* symbol, int version,
                        const module_remedy& remedy);

}  // namespace macareu
