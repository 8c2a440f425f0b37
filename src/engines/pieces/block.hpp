// Pixels of one box in memory. Blocks share memory that is reused from piece to piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/framed.hpp"
#include "engines/pieces/box.hpp"

namespace macareu::pieces {

/// Memory of finished blocks is kept for the next ones: fresh pages cost more than the pixels on them.
class block_memory : public std::enable_shared_from_this<block_memory> {
 public:
  std::shared_ptr<std::byte> take(std::size_t bytes);
  /// Returns what is not in use to the system.
  void release();

 private:
  struct spare {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  void give_back(spare memory);

  std::mutex guard_;
  std::vector<spare> spares_;
};

/// Rows are contiguous; slices and rows may have gaps.
struct block {
  box where;
  std::size_t pixel_bytes = 1;
  std::shared_ptr<std::byte> memory;
  std::byte* first = nullptr;
  std::int64_t step_z = 0, step_y = 0;  // in pixels

  block() = default;
  block(block_memory& from, const box& place, std::size_t bytes)
      : where(place),
        pixel_bytes(bytes),
        memory(from.take(static_cast<std::size_t>(place.pixels()) * bytes)),
        first(memory.get()),
        step_z(place.size.y * place.size.x),
        step_y(place.size.x) {}

  std::byte* row(std::int64_t z, std::int64_t y) const {  // of the whole image
    return first + ((z - where.first.z) * step_z + (y - where.first.y) * step_y) *
                       static_cast<std::int64_t>(pixel_bytes);
  }
  bool is_packed() const {
    return (step_y == where.size.x || where.size.y == 1) &&
           (step_z == where.size.y * where.size.x || where.size.z == 1);
  }
  /// A part of it, in the same memory.
  block part(const box& inner) const {
    block cropped = *this;
    cropped.where = inner;
    cropped.first =
        row(inner.first.z, inner.first.y) + (inner.first.x - where.first.x) * static_cast<int>(pixel_bytes);
    return cropped;
  }
  /// The same pixels with other coordinates.
  block moved(const box& to, std::int64_t new_step_z, std::int64_t new_step_y) const {
    block other = *this;
    other.where = to;
    other.step_z = new_step_z;
    other.step_y = new_step_y;
    return other;
  }

  template <class T>
  framed<T> image(const frame& whole) const {
    frame here = whole;
    here.origin = where.first;
    return {view<T>{reinterpret_cast<T*>(first), where.size.z, where.size.y, where.size.x, step_z, step_y, 1},
            here};
  }
};

}  // namespace macareu::pieces
