// component: connected components. Neighbours of one class belong to one object. Objects are numbered 1..n in
// the raster order of their first pixels.
//
// The rule gives `inside`, whether a pixel belongs to any object, and its class. The engine writes the number
// of every pixel's object, 0 where it is not inside, and returns n.
//
// Laws. Both are pure functions of the pixel's value. "Inside and of one class" is symmetric and transitive.
// Objects are the classes of its closure over neighbours, so every order of visits gives the same numbers. A
// rule with a single class declares it (`one_class`), and engines need one bit per pixel.
//
// Blocks are runs of slices (of rows in images), so the raster order of blocks is that of their pixels.
// Three functions (component_rims.hpp):
//
//   piece    block -> residue: how many objects it has by itself, numbered 1.., and the numbers on its rims
//
//   merge    residues -> answer: which objects of blocks are one, and their final numbers
//
//   finish   block and answer -> numbers of the whole
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/ceil_div.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"

namespace macareu {

template <class Rule, class T>
concept component_rule = std::is_trivially_copyable_v<Rule> && requires(const Rule rule, T value) {
  { rule.inside(value) } -> std::same_as<bool>;
  { rule.class_of(value) } -> std::unsigned_integral;
};

template <class Rule>
inline constexpr bool one_class = requires {
  requires Rule::classes == 1;
};

/// Whether two neighbours with these values are joined.
template <class Rule, class T>
MACAREU_HD bool joined(const Rule& rule, T a, T b) {
  if constexpr (one_class<Rule>)
    return rule.inside(a) && rule.inside(b);
  else
    return rule.inside(a) && rule.inside(b) && rule.class_of(a) == rule.class_of(b);
}

/// Words of 64 pixels of a row. One GPU labels images of up to `most_gpu_words` of them: 32-bit ids suffice
/// for all first pixels.
constexpr std::int64_t words_of_rows(std::int64_t depth, std::int64_t height, std::int64_t width) {
  return depth * height * ceil_div(width, 64);
}
inline constexpr std::int64_t most_gpu_words = std::int64_t{1} << 26;

template <class Label>
concept label_number = std::same_as<Label, std::uint32_t> || std::same_as<Label, std::uint64_t>;

}  // namespace macareu
