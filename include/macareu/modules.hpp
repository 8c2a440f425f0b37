// Modules: optional parts (libvips formats, CUDA, Open MPI and MPICH) as shared objects in lib/macareu,
// loaded when a call needs them.
#pragma once

namespace macareu {

/// A second directory for modules; the first one is found relative to the program or shared object that the
/// library is linked into. CMake's targets pass it, through the definition below, to programs built with
/// them.
bool set_module_directory(const char* directory);
#ifdef MACAREU_MODULE_DIRECTORY
inline const bool module_directory_is_set = set_module_directory(MACAREU_MODULE_DIRECTORY);
#endif

}  // namespace macareu
