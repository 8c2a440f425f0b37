// macareu VERB INPUT... -o OUTPUT [options]
#include "command/other_programs.hpp"
#include "command/program.hpp"
#include "verbs.hpp"

namespace macareu::tool {
namespace {

std::vector<verb> all_verbs() {
  auto verbs = operator_verbs();
  for (const auto& other : {measure_verb(), convert_outline(), run_outline(), info_verb(), generate_verb(),
                            compare_verb(), bench_outline()})
    verbs.push_back(other);
  return verbs;
}

}  // namespace
}  // namespace macareu::tool

int main(int count, char** values) {
  return macareu::tool::run_program(macareu::tool::all_verbs, count, values);
}
