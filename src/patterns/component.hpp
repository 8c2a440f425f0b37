// component: neighbours of one class belong to one object; objects are numbered 1..n in the raster order of
// their first pixels.
//
// A rule says which pixels belong to objects at all, `inside`, and which class such a pixel is of. The engine
// gives every pixel the number of its object, 0 where it is not inside, and returns n.
//
// Laws. Both are pure functions of the pixel's value. "Inside and of one class" is symmetric and transitive,
// so objects are the classes of its closure over neighbours, whatever the order of visits: every engine gives
// the same numbers. A rule with one class alone says so (`one_class`): engines then need one bit a pixel.
//
// In pieces: blocks are runs of slices (of rows in images), so that the raster order of blocks is that of
// their pixels.
// Three functions (component_rims.hpp):
//
//   piece    block -> residue: how many objects it has by itself, numbered 1.., and the numbers on its rims
//
//   merge    residues -> answer: which objects of blocks are one, and what each is called
//
//   finish   block and answer -> numbers of the whole
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

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

template <class Label>
concept label_number = std::same_as<Label, std::uint32_t> || std::same_as<Label, std::uint64_t>;

}  // namespace macareu
