// Stub for builds without libclang: they read descriptions, not sources.
#include <macareu/error.hpp>

#include "parse.hpp"

namespace macareu::converter {

bool can_parse() { return false; }

description parse(const source&, const std::string& file) {
  throw usage_error(
      file +
      ": this build has no C parser; install libclang-dev and build again, or give a description made "
      "elsewhere by `macareu convert filter.c -o filter.json`");
}

}  // namespace macareu::converter
