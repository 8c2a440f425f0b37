// Modules: optional parts of Macareu, as shared objects that are loaded when something needs them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace macareu {

/// The shared object of a module. It is looked for beside the library, and where the program's build said
/// (set_module_directory); never through the environment or the working directory.
std::optional<std::filesystem::path> find_module(const std::string& name);

/// How a user gets a module: what its loading needs, and what its build needs.
struct module_remedy {
  const char* to_load;
  const char* to_build;
};

/// What the module exports as `symbol`: a struct that begins with its version, an int. Throws io_error, with
/// the remedy, where the module is missing, does not load, or has another version. Modules stay loaded.
const void* load_module(const std::string& name, const char* symbol, int version,
                        const module_remedy& remedy);

}  // namespace macareu
