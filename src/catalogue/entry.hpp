// Joins one operator with one engine. Generated files instantiate entries, and run_operator looks them up.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "core/pixel_types.hpp"

namespace macareu {

namespace pieces {
template <class Inner>
class engine;
}

struct entry {
  const operator_description* about;
  std::string_view engine;
  std::vector<std::string_view> (*strategies)(std::string_view pattern);
  void (*run)(const call& call);
  void (*run_in_pieces)(const call& call) = nullptr;  // null: the engine does not
};

/// Generated: one per operator and engine of the library, serial and cpu.
std::span<const entry> entries();

/// Where the chosen instruction set of the cpu engine has its own code for an operator, that runs.
std::vector<entry> with_chosen_instructions(std::vector<entry> all);

/// visit(call) for every channel; once for an operator that takes all of them.
void for_each_channel(const call& whole, const std::function<void(const call&)>& visit);

/// An operator's separate pixel check runs for all channels before any output is written.
template <class T, class Operator, class Engine>
void run_channels(Engine& engine, const call& whole) {
  if constexpr (requires { Operator::template check<T>(engine, whole); })
    for_each_channel(whole, [&](const call& channel) { Operator::template check<T>(engine, channel); });
  for_each_channel(whole, [&](const call& channel) { Operator::template run<T>(engine, channel); });
}

/// Whether the description allows pixels of T. Bytes stand for bool too.
template <class Operator, class T>
constexpr bool takes_pixels() {
  const auto types = Operator::about.types;
  return types.empty() || std::ranges::any_of(types, [](dtype type) {
           return type == dtype_of<T> || (type == dtype::boolean && std::is_same_v<T, std::uint8_t>);
         });
}

template <class Operator, class Engine>
void run_on(const call& call) {
  Engine engine(call.work);
  with_pixel_type(call.inputs[0].type(), [&]<class T>(std::type_identity<T>) {
    if constexpr (takes_pixels<Operator, T>()) run_channels<T, Operator>(engine, call);
  });
  engine.finish();
}

template <class Operator, class Engine>
entry make_entry() {
  entry made{&Operator::about, Engine::name, &Engine::strategies, &run_on<Operator, Engine>};
  // Hidden operators serve front ends whose images are in memory.
  if constexpr (requires { requires Engine::in_pieces; } && !Operator::about.hidden)
    made.run_in_pieces = &run_on<Operator, pieces::engine<Engine>>;
  return made;
}

}  // namespace macareu
