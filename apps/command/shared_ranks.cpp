#include "shared_ranks.hpp"

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include <macareu/error.hpp>

#include "forked_ranks.hpp"

namespace macareu::tool {
namespace {

std::unique_ptr<ranks> opened;
int wanted = 1;

}  // namespace

void want_ranks(int size) { wanted = size; }

void open_ranks(const std::string& verb) {
  opened = launched_ranks();
  const bool launched = opened != nullptr;
  if (!launched && wanted > 1) opened = fork_ranks(wanted, verb);
  if (opened && !opened->is_first() && !std::freopen("/dev/null", "w", stdout))
    throw io_error("/dev/null: cannot be opened");
  if (!launched || wanted == 1) return;
  const usage_error error("--ranks: mpirun or srun has started the ranks already");
  opened->fail(std::make_exception_ptr(error));
  throw error;
}

void end_command() {
  // The first rank answers before any other one can end.
  opened->exchange({}, {[](const rank_range&, std::string, std::string) { return std::string(); },
                        [](std::string none) {
                          expect_end_of_ranks();
                          return none;
                        }});
}

void close_ranks() { opened.reset(); }

ranks* shared_ranks() { return opened.get(); }

bool is_first_rank() { return !opened || opened->is_first(); }

void on_first_rank(const std::function<void()>& work) {
  if (opened) return opened->on_first(work);
  work();
}

}  // namespace macareu::tool
