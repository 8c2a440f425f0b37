// macareu-view view FILE...: images in a browser.
#include "command/program.hpp"
#include "view_verb.hpp"

int main(int count, char** values) {
  return macareu::tool::run_program([] { return std::vector{macareu::tool::view_verb()}; }, count, values);
}
