// An engine that cuts images in two, runs each half by itself, and puts the halves together: right only if
// rules get sites of the whole image, and sizes from its frame. Patterns whose halves depend on each other
// are left whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"

namespace macareu::test {

template <class Inner>
class halving_engine : public Inner {
 public:
  static constexpr std::string_view name = "halves";

  explicit halving_engine(job& work) : Inner(work) {}

  template <class Rule, class Out, class... In>
  void map(const Rule& rule, const framed<Out>& out, const framed<const In>&... in) const {
    in_halves(out, [&](const auto& half_of) { this->Inner::map(rule, half_of(out), half_of(in)...); });
  }

  template <class Rule, class Out, class In>
  void window(const Rule& rule, const border<In>& edge, const framed<Out>& out,
              const framed<const In>& in) const {
    in_padded_halves(rule.radius(), edge, out, in, [&](const framed<Out>& to, const framed<const In>& from) {
      this->Inner::window(rule, edge, to, from);
    });
  }

  template <class Key>
  void extremes(const key_map<Key>& order, std::span<const chord> footprint, const border<Key>& edge,
                const framed<Key>& out, const framed<const Key>& in) const {
    in_padded_halves(radius_of(footprint), edge, out, in,
                     [&](const framed<Key>& to, const framed<const Key>& from) {
                       this->Inner::extremes(order, footprint, edge, to, from);
                     });
  }

  /// With no more of the input than a half needs.
  template <class Rule, class Out, class In>
  void gather(const Rule& rule, const framed<Out>& out, const framed<const In>& in) const {
    in_halves(out, [&](const auto& half_of) {
      const auto half = half_of(out);
      if (half.pixels().pixels() == 0) return;
      const auto& size = half.pixels();
      const site first = rule.first(half.origin()),
                 last = rule.last(half.origin() + site{size.depth - 1, size.height - 1, size.width - 1});
      this->Inner::gather(
          rule, half,
          in.part(first - in.origin(), last.z - first.z + 1, last.y - first.y + 1, last.x - first.x + 1));
    });
  }

  template <class F, class In>
  void separable(const separable_weights<F>& weights, const border<F>& edge, const framed<F>& out,
                 const framed<const In>& in) const {
    separable_by_windows(*this, weights, edge, out, in);
  }
  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, const border<F>& edge, const framed<F>& out,
                const framed<const In>& in) const {
    weighted_by_window(*this, taps, edge, out, in);
  }

  template <class Rule, class First, class... In>
  typename Rule::value reduce(const Rule& rule, const framed<const First>& first,
                              const framed<const In>&... in) const {
    auto total = rule.identity();
    in_halves(first, [&](const auto& half_of) {
      total = rule.join(total, this->Inner::reduce(rule, half_of(first), half_of(in)...));
    });
    return total;
  }

  template <class Rule, class First, class... In>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, const framed<const First>& first,
                 const framed<const In>&... in) const {
    in_halves(first, [&](const auto& half_of) {
      this->Inner::histogram(rule, bins, half_of(first), half_of(in)...);
    });
  }

  using Inner::tally;
  /// An object on the cut has a row from each half. A rule that looks beside its pixels would see the cut.
  template <class Rule, class Label>
  requires(!has_part_rows<Rule, Label>) std::vector<typename Rule::row> tally(
      const Rule& rule, std::uint64_t count, const framed<const Label>& labels)
  const {
    std::vector<typename Rule::row> rows(static_cast<std::size_t>(count) + 1);
    in_halves(labels, [&](const auto& half_of) {
      const auto half = this->Inner::tally(rule, count, half_of(labels));
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].join(half[i]);
    });
    return rows;
  }

 private:
  /// Memory for an image and what lies around it.
  template <class T>
  class padded {
   public:
    template <class Like>
    padded(const framed<Like>& like, window_radius radius)
        : size_{like.pixels().depth, like.pixels().height, like.pixels().width},
          first_{radius.z, radius.y, radius.x},
          pixels_(size_.z + 2 * first_.z, size_.y + 2 * first_.y, size_.x + 2 * first_.x),
          whole_(like.whole()) {
      whole_.origin = whole_.origin - first_;
    }
    /// Filled from the whole image, and what the border says is outside.
    template <class Like>
    padded(const framed<Like>& like, window_radius radius, const border<T>& edge,
           const framed<const T>& whole)
        : padded(like, radius) {
      const view<T> all = pixels_.pixels();
      serial::for_each_site(all.depth, all.height, all.width, [&](site p) {
        all[p] = near_pixels<T>{whole.pixels(), edge, p + whole_.origin - whole.origin()}(0, 0, 0);
      });
    }

    framed<T> image() const { return {pixels_.pixels(), whole_}; }
    framed<T> inner() const { return image().part(first_, size_.z, size_.y, size_.x); }

   private:
    site size_, first_;
    buffer<T> pixels_;
    frame whole_;
  };

  /// how(to, from) for both halves, each with what lies around it.
  template <class Out, class In, class How>
  void in_padded_halves(window_radius radius, const border<In>& edge, const framed<Out>& out,
                        const framed<const In>& in, const How& how) const {
    in_halves(out, [&](const auto& half_of) {
      const auto half = half_of(out);
      const padded<In> around(half, radius, edge, in);
      const padded<Out> results(half, radius);
      how(results.image(), around.image().reading());
      this->Inner::map(as_type<Out>{}, half, results.inner().reading());
    });
  }

  /// visit(half_of) for both halves of images of one size, on both sides of a cut along some axis.
  template <class T, class Visit>
  static void in_halves(const framed<T>& like, const Visit& visit) {
    const auto& all = like.pixels();
    const std::array sizes{all.depth, all.height, all.width};
    auto axis = static_cast<std::size_t>(31 * all.depth + 7 * all.height + all.width) % 3;
    for (int looks = 0; looks < 3 && sizes[axis] < 2; ++looks) axis = (axis + 1) % 3;
    const auto cut = sizes[axis] / 3;
    for (const auto& [begin, end] : {std::pair{std::int64_t{0}, cut}, std::pair{cut, sizes[axis]}}) {
      std::array first{std::int64_t{0}, std::int64_t{0}, std::int64_t{0}};
      auto half = sizes;
      first[axis] = begin;
      half[axis] = end - begin;
      visit([&](const auto& image) {
        return image.part({first[0], first[1], first[2]}, half[0], half[1], half[2]);
      });
    }
  }
};

static_assert(pattern_engine<halving_engine<serial::engine>>);
static_assert(pattern_engine<halving_engine<cpu::engine>>);

}  // namespace macareu::test
