// macareu-convert convert|run FUNCTION ...: the verbs for a user's own functions.
#include "command/program.hpp"
#include "verbs.hpp"

namespace macareu::tool {
namespace {

std::vector<verb> all_verbs() { return {convert_verb(), run_verb()}; }

}  // namespace
}  // namespace macareu::tool

int main(int count, char** values) {
  return macareu::tool::run_program(macareu::tool::all_verbs, count, values);
}
