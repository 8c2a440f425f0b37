// macareu VERB INPUT... -o OUTPUT [options]
#include <algorithm>
#include <vector>

#include "command/other_programs.hpp"
#include "command/program.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

std::vector<verb> all_verbs() {
  const std::vector<verb> written{measure_verb(), convert_outline(), run_outline(),
                                  info_verb(),    generate_verb(),   compare_verb(),
                                  view_outline(), bench_outline(),   nuclei_verb()};
  auto verbs = operator_verbs();
  std::erase_if(verbs, [&](const verb& made) {
    return std::ranges::find(written, made.name, &verb::name) != written.end();
  });
  verbs.insert(verbs.end(), written.begin(), written.end());
  return verbs;
}

}  // namespace
}  // namespace macareu::tool

int main(int count, char** values) {
  return macareu::tool::run_program(macareu::tool::all_verbs, count, values);
}
