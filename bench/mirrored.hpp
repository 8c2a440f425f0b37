// Large images from small ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include <macareu/image.hpp>

namespace macareu::bench {

/// An image repeated `copies` times along both axes, with every other copy mirrored to avoid seams. Rows are
/// computed on demand, so the base must outlive this object. Volumes have one copy.
class mirrored {
 public:
  mirrored(const image& base, int copies);

  dtype type() const { return base_.type(); }
  const extents& shape() const { return shape_; }
  /// Counted across the slices of a volume.
  std::int64_t rows() const { return shape_.depth() * shape_.height(); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(shape_.width()) * size_of(type()); }

  /// Rows first to last - 1, in C order.
  void write_rows(std::int64_t first, std::int64_t last, std::byte* to) const;
  image whole() const;

 private:
  const image& base_;
  int copies_;
  extents shape_;
};

}  // namespace macareu::bench
