// Joins one operator with one engine. Generated files instantiate entries, and run_operator looks them up.
#pragma once

#include <algorithm>
#include <array>
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
  using function = void (*)(const call& call);
  struct code {
    function run = nullptr;
    function run_in_pieces = nullptr;  // null: the engine does not
  };

  const operator_description* about;
  std::string_view engine;
  std::vector<std::string_view> (*strategies)(std::string_view pattern);
  bool works_in_pieces = false;
  std::array<code, 11> by_type{};  // of the first input, by dtype; null: not in this build
  std::array<code, 11> usual{};    // the same for calls that is_usual accepts, preferred where it is there
  bool (*is_usual)(const call& call) = nullptr;

  /// Throws usage_error where this build has none, or the engine does not work in pieces.
  function code_for(const call& call, bool in_pieces = false) const;
};

/// The code of an operator that a generated file has. The first part is what finding nuclei runs: some types
/// of the first input, in pieces too or not, and usual calls alone where the operator has code for them.
struct code_part {
  enum which { all, first, rest } which = all;
  unsigned types = 0;  // of the first part, a bit for each dtype
  bool in_pieces = false;
};

constexpr unsigned set_of(auto... types) { return ((1U << static_cast<unsigned>(types)) | ...); }

/// Generated: one per operator and engine of the library, serial and cpu.
std::span<const entry> entries();

/// One entry for each operator and engine, of several for different pixel types. Where the chosen instruction
/// set of the cpu engine has its own code, that runs.
std::vector<entry> joined_entries(const std::vector<entry>& parts);

/// visit(call) for every channel; once for an operator that takes all of them.
void for_each_channel(const call& whole, const std::function<void(const call&)>& visit);

/// An operator's separate pixel check runs for all channels before any output is written.
template <class T, class Operator, bool Usual = false, class Engine>
void run_channels(Engine& engine, const call& whole) {
  if constexpr (requires { Operator::template check<T>(engine, whole); })
    for_each_channel(whole, [&](const call& channel) { Operator::template check<T>(engine, channel); });
  for_each_channel(whole, [&](const call& channel) {
    if constexpr (Usual)
      Operator::template run_usual<T>(engine, channel);
    else
      Operator::template run<T>(engine, channel);
  });
}

/// Whether the description allows pixels of T. Bytes stand for bool too.
template <class Operator, class T>
constexpr bool takes_pixels() {
  const auto types = Operator::about.types;
  return types.empty() || std::ranges::any_of(types, [](dtype type) {
           return type == dtype_of<T> || (type == dtype::boolean && std::is_same_v<T, std::uint8_t>);
         });
}

/// The pixel type whose code runs for pixels of T. An operator names another one where the code would be
/// equal.
template <class Operator, class T>
constexpr auto code_type_of() {
  if constexpr (requires { typename Operator::template code_type<T>; })
    return std::type_identity<typename Operator::template code_type<T>>{};
  else
    return std::type_identity<T>{};
}

/// Whether an operator has code of its own for usual calls.
template <class Operator>
constexpr bool has_usual_code = requires(const call& call) {
  Operator::is_usual(call);
};

template <class T, class Operator, class Engine, bool Usual>
void run_on(const call& call) {
  Engine engine(call.work);
  run_channels<T, Operator, Usual>(engine, call);
  engine.finish();
}

template <class Operator, class Engine>
constexpr bool runs_in_pieces() {
  return Operator::about.in_pieces && requires { requires Engine::in_pieces; };
}

template <class Operator, class Engine, code_part Part>
entry make_entry() {
  constexpr bool in_pieces = runs_in_pieces<Operator, Engine>(), first = Part.which == code_part::first,
                 usual = has_usual_code<Operator>;
  entry made{&Operator::about, Engine::name, &Engine::strategies, in_pieces};
  for (std::size_t type = 0; type < made.by_type.size(); ++type)
    with_pixel_type(static_cast<dtype>(type), [&]<class T>(std::type_identity<T>) {
      if constexpr (takes_pixels<Operator, T>()) {
        using code_type = typename decltype(code_type_of<Operator, T>())::type;
        constexpr bool in_first = (Part.types & set_of(dtype_of<code_type>)) != 0;
        if constexpr (first && usual) {
          if constexpr (in_first) made.usual[type].run = &run_on<code_type, Operator, Engine, true>;
          if constexpr (in_first && Part.in_pieces)
            made.usual[type].run_in_pieces = &run_on<code_type, Operator, pieces::engine<Engine>, true>;
        } else {
          // Calls that are not usual are part of the rest, whatever their type.
          constexpr bool divided = Part.which != code_part::all && !usual;
          if constexpr (!divided || in_first == first)
            made.by_type[type].run = &run_on<code_type, Operator, Engine, false>;
          if constexpr (in_pieces && (!divided || (in_first && Part.in_pieces) == first))
            made.by_type[type].run_in_pieces = &run_on<code_type, Operator, pieces::engine<Engine>, false>;
        }
      }
    });
  if constexpr (first && usual) made.is_usual = &Operator::is_usual;
  return made;
}

}  // namespace macareu
