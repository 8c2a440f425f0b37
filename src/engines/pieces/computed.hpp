// Results that are computed where they are read.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engines/pieces/node.hpp"

namespace macareu::pieces {

/// Reads the same box of several images; an image that occurs twice is read once.
std::vector<block> read_all(const std::vector<node_ptr>& images, const box& where);
void expect_all(const std::vector<node_ptr>& images, const box& where);
std::int64_t room_of(const std::vector<node_ptr>& images);
whole_axes axes_of(const std::vector<node_ptr>& images);
/// Halos and chunks of images that are read together.
surroundings around(const std::vector<node_ptr>& images);

class computed final : public node {
 public:
  using function = std::function<void(const block& to, std::span<const block> from)>;

  /// reach: how far beyond a box the inputs are read. along: axes along which the function needs whole lines.
  computed(run& of, const frame& shape, std::size_t bytes, std::vector<node_ptr> inputs, window_radius reach,
           whole_axes along, bool wraps, function compute)
      : node(shape, bytes),
        run_(of),
        inputs_(std::move(inputs)),
        reach_(reach),
        along_(along | axes_of(inputs_)),
        wraps_(wraps),
        compute_(std::move(compute)) {}

  block read(const box& where) override;
  void expect(const box& where) override {
    if (!wraps_) expect_all(inputs_, around(where));
  }
  std::int64_t room() const override { return static_cast<std::int64_t>(pixel_bytes) + room_of(inputs_); }
  whole_axes axes() const override { return along_; }
  window_radius halo() const override;
  site chunk() const override { return pieces::around(inputs_).chunk; }

 private:
  box around(const box& where) const;

  run& run_;
  std::vector<node_ptr> inputs_;
  window_radius reach_;
  whole_axes along_;
  bool wraps_;  // beyond the image its other side follows
  function compute_;
};

/// A result of another shape than its input.
class resampled final : public node {
 public:
  /// source: the box of the input that a box of the result is made of.
  using source = std::function<box(const box& where)>;

  resampled(run& of, const frame& shape, std::size_t bytes, node_ptr input, source from,
            computed::function compute)
      : node(shape, bytes),
        run_(of),
        input_(std::move(input)),
        source_(std::move(from)),
        compute_(std::move(compute)) {}

  block read(const box& where) override;
  void expect(const box& where) override { input_->expect(source_(where)); }
  std::int64_t room() const override;

 private:
  run& run_;
  node_ptr input_;
  source source_;
  computed::function compute_;
};

}  // namespace macareu::pieces
