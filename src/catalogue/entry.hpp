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
  std::array<code, 11> by_type{};  // of the first input, by dtype; without run: not in this build

  /// Throws usage_error where this build has none.
  const code& code_for(dtype type) const;
};

/// Pixel types of the first input that a generated file has code for. A first build does with the common
/// ones.
enum class pixel_set { common, others, all };

/// Generated: one per operator and engine of the library, serial and cpu.
std::span<const entry> entries();

/// One entry for each operator and engine, of several for different pixel types. Where the chosen instruction
/// set of the cpu engine has its own code, that runs.
std::vector<entry> joined_entries(const std::vector<entry>& parts);

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

/// Pixels of pictures and masks, and of labels for operators on objects.
constexpr bool is_common(const operator_description& about, dtype type) {
  return type == dtype::u8 || type == dtype::u16 || type == dtype::f32 ||
         (type == dtype::u32 && about.group == "objects");
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

template <class Operator, class T, pixel_set Types>
constexpr bool has_code() {
  using code_type = typename decltype(code_type_of<Operator, T>())::type;
  const bool common = is_common(Operator::about, dtype_of<code_type>);
  return takes_pixels<Operator, T>() && (Types == pixel_set::all || common == (Types == pixel_set::common));
}

template <class T, class Operator, class Engine>
void run_on(const call& call) {
  Engine engine(call.work);
  run_channels<T, Operator>(engine, call);
  engine.finish();
}

template <class Operator, class Engine, class T>
entry::code make_code(std::type_identity<T>) {
  // Hidden operators serve front ends whose images are in memory, unless they say otherwise.
  constexpr bool wanted = !Operator::about.hidden || requires { requires Operator::in_pieces; };
  if constexpr (requires { requires Engine::in_pieces; } && wanted)
    return {&run_on<T, Operator, Engine>, &run_on<T, Operator, pieces::engine<Engine>>};
  else
    return {&run_on<T, Operator, Engine>};
}

template <class Operator, class Engine, pixel_set Types>
entry make_entry() {
  entry made{&Operator::about, Engine::name, &Engine::strategies};
  for (std::size_t type = 0; type < made.by_type.size(); ++type)
    with_pixel_type(static_cast<dtype>(type), [&]<class T>(std::type_identity<T>) {
      if constexpr (has_code<Operator, T, Types>())
        made.by_type[type] = make_code<Operator, Engine>(code_type_of<Operator, T>());
    });
  return made;
}

}  // namespace macareu
