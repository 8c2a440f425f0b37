#include "shared_ranks.hpp"

#include <cstdio>
#include <memory>

#include <macareu/error.hpp>

namespace macareu::tool {
namespace {

std::unique_ptr<ranks> opened;

}  // namespace

void open_ranks() {
  opened = launched_ranks();
  if (opened && !opened->is_first() && !std::freopen("/dev/null", "w", stdout))
    throw io_error("/dev/null: cannot be opened");
}

void close_ranks() { opened.reset(); }

ranks* shared_ranks() { return opened.get(); }

bool is_first_rank() { return !opened || opened->is_first(); }

void on_first_rank(const std::function<void()>& work) {
  if (opened) return opened->on_first(work);
  work();
}

}  // namespace macareu::tool
