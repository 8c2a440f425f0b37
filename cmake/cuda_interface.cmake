# Writes OUTPUT with a hash of HEADERS and COMPILER, the version of the interface to the cuda module.
set(hashes ${COMPILER})
foreach(header IN LISTS HEADERS)
  file(MD5 ${header} hash)
  string(APPEND hashes ${hash})
endforeach()
string(MD5 hash "${hashes}")
string(SUBSTRING ${hash} 0 7 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Generated.\n#pragma once\n#define MACAREU_CUDA_INTERFACE 0x${hash}\n")
