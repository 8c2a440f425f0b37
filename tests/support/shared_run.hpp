// Runs in pieces without an operator, shared by ranks that are threads.
#pragma once

#include <exception>
#include <functional>
#include <vector>

#include <macareu/pieces.hpp>

#include "core/call.hpp"
#include "engines/pieces/run.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {

/// work(run) on so many ranks; the error of each, or null.
inline std::vector<std::exception_ptr> in_run(int size, const std::function<void(pieces::run&)>& work) {
  return on_ranks(size, [&](ranks& all) {
    const context how;
    job own{how, {}};
    pieces::run run(own, {.shared_by = &all}, "");
    work(run);
    all.meet();
  });
}

}  // namespace macareu::test
