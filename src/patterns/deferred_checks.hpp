// refuse_nan_while_reading, an optional ability of engines: checks an input for NaN when the call's passes
// read it. For engines whose results are not visible before the end of a call; others read the input once
// more, before the call.
#pragma once

#include <cstddef>
#include <functional>

#include "core/call.hpp"
#include "core/site.hpp"

namespace macareu {

template <class Engine>
concept checks_while_reading = requires(Engine& engine, const call& call, std::function<void(site)> refuse) {
  engine.refuse_nan_while_reading(call, std::size_t{0}, refuse);
};

}  // namespace macareu
