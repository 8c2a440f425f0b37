// An image of a run in pieces: the result of a pattern, computed or read where it is needed. Nodes never
// change. A pattern that writes an image gives it a new node, so later patterns fuse with earlier ones
// instead of writing images between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/frame.hpp"
#include "engines/pieces/block.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

class node {
 public:
  node(const frame& shape, std::size_t bytes) : whole(shape), pixel_bytes(bytes) {}
  virtual ~node() = default;
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  virtual block read(const box& where) = 0;
  /// Starts to read files for a box that is read next.
  virtual void expect(const box&) {}
  /// Bytes per pixel of a box while it is read, result included.
  virtual std::int64_t room() const = 0;
  /// Axes along which boxes are computed as a whole.
  virtual whole_axes axes() const { return {}; }
  /// How far beyond a box files are read for it.
  virtual window_radius halo() const { return {0, 0, 0}; }
  /// The box that is cheapest to read.
  virtual site chunk() const { return {1, 1, 1}; }
  /// Of labels 1..n: n, where it is known.
  virtual std::optional<std::uint64_t> labels() const { return std::nullopt; }

  const frame whole;
  const std::size_t pixel_bytes;
};

using node_ptr = std::shared_ptr<node>;

/// What an operator calls an image. Its node is the last result written to it.
struct slot {
  frame whole;
  std::size_t pixel_bytes;
  node_ptr result;
  int output = -1;  // of the call, if it is one
};

/// A volume with a side of 1 as an image, or the other way round: the order of pixels stays.
class reshaped final : public node {
 public:
  reshaped(node_ptr of, const frame& shape) : node(shape, of->pixel_bytes), of_(std::move(of)) {}
  block read(const box& where) override {
    const auto found = of_->read(there(where));
    return found.moved(where, steps(found).first, steps(found).second);
  }
  void expect(const box& where) override { of_->expect(there(where)); }
  std::int64_t room() const override { return of_->room(); }
  whole_axes axes() const override {
    const auto found = of_->axes();
    return from_sides({found.z, found.y, found.x}, of_->whole, whole);
  }
  window_radius halo() const override {
    const auto found = of_->halo();
    std::array<std::int64_t, 3> mine{};
    pair_sides(of_->whole, whole, mine, std::array{found.z, found.y, found.x});
    return {static_cast<int>(mine[0]), static_cast<int>(mine[1]), static_cast<int>(mine[2])};
  }

 private:
  /// Sides other than 1 correspond, in order.
  template <class Value, class Sides>
  static void pair_sides(const frame& from, const frame& to, Value& out, const Sides& in) {
    const std::int64_t a[3]{from.depth, from.height, from.width}, b[3]{to.depth, to.height, to.width};
    int j = 2;
    for (int i = 2; i >= 0; --i) {
      if (a[i] == 1) continue;
      while (b[j] == 1) --j;
      out[j--] = in[i];
    }
  }
  static whole_axes from_sides(std::array<bool, 3> own, const frame& from, const frame& to) {
    std::array<bool, 3> other{};
    pair_sides(from, to, other, own);
    return {other[0], other[1], other[2]};
  }
  box there(const box& where) const {
    std::array<std::int64_t, 3> first{}, size{1, 1, 1};
    pair_sides(whole, of_->whole, first, std::array{where.first.z, where.first.y, where.first.x});
    pair_sides(whole, of_->whole, size, std::array{where.size.z, where.size.y, where.size.x});
    return {{first[0], first[1], first[2]}, {size[0], size[1], size[2]}};
  }
  std::pair<std::int64_t, std::int64_t> steps(const block& found) const {
    std::array<std::int64_t, 3> mine{};
    pair_sides(of_->whole, whole, mine, std::array{found.step_z, found.step_y, std::int64_t{1}});
    return {mine[0], mine[1]};
  }

  node_ptr of_;
};

}  // namespace macareu::pieces
