// Modules: optional parts of Macareu, as shared objects loaded on demand.
#pragma once

#include <string>

namespace macareu {

/// Whether the shared object of a module is beside the library, or in the directory of set_module_directory.
/// The environment and the working directory are never used.
bool has_module(const std::string& name);

/// How a user gets a module: what its loading needs, and what its build needs.
struct module_remedy {
  const char* to_load;
  const char* to_build;
};

/// The symbol that the module exports: a struct that begins with its version, an int. Takes the first file
/// with this version. Throws io_error, with the remedy, if there is none. Modules stay loaded.
const void* load_module(const std::string& name, const char* symbol, int version,
                        const module_remedy& remedy);

}  // namespace macareu
