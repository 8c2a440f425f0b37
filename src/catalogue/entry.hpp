// Joins one operator with one engine: what the generated files instantiate, and what run_operator looks up.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "core/pixel_types.hpp"

namespace macareu {

struct entry {
  const operator_description* about;
  std::string_view engine;
  std::vector<std::string_view> (*strategies)(std::string_view pattern);
  void (*run)(const call& call);
};

/// Generated: one per operator and engine of this build.
std::span<const entry> entries();

template <class Operator, class Engine>
entry make_entry() {
  return {&Operator::about, Engine::name, &Engine::strategies, [](const call& call) {
            Engine engine(call.work);
            with_pixel_type(call.inputs[0].type(),
                            [&]<class T>(std::type_identity<T>) { Operator::template run<T>(engine, call); });
            engine.finish();
          }};
}

}  // namespace macareu
