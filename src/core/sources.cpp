#include <macareu/sources.hpp>

#include <cstddef>
#include <cstring>

namespace macareu {
namespace {

/// visit(pixels of a view, packed pixels, bytes) for all of a region: whole rows where they have no gaps.
template <class View, class Packed, class Visit>
void over_region(const View& pixels, const image_region& where, Packed* packed, const Visit& visit) {
  const auto bytes = static_cast<std::int64_t>(size_of(pixels.type()));
  const auto& steps = pixels.steps();
  const bool volume = pixels.shape().rank() == 3;
  const std::int64_t step[3]{volume ? steps[0] : 0, steps[volume ? 1 : 0], steps[volume ? 2 : 1]};
  auto* const data = static_cast<Packed*>(pixels.data());
  const bool whole_rows =
      step[2] == pixels.channels() && (pixels.channels() == 1 || pixels.channel_stride() == 1);
  const auto row_bytes = where.size[2] * pixels.channels() * bytes;
  for (std::int64_t z = 0; z < where.size[0]; ++z)
    for (std::int64_t y = 0; y < where.size[1]; ++y) {
      const auto row =
          (where.first[0] + z) * step[0] + (where.first[1] + y) * step[1] + where.first[2] * step[2];
      if (whole_rows) {
        visit(data + row * bytes, packed, static_cast<std::size_t>(row_bytes));
        packed += row_bytes;
        continue;
      }
      for (std::int64_t x = 0; x < where.size[2]; ++x)
        for (int c = 0; c < pixels.channels(); ++c, packed += bytes)
          visit(data + (row + x * step[2] + c * pixels.channel_stride()) * bytes, packed,
                static_cast<std::size_t>(bytes));
    }
}

class memory_source final : public image_source {
 public:
  explicit memory_source(const const_image_view& pixels)
      : pixels_(pixels), form_{pixels.type(), pixels.shape(), pixels.channels()} {}
  const source_form& form() const override { return form_; }
  void read(const image_region& from, void* to) override {
    // The packed side is written here, so the view is cast.
    const image_view pixels(const_cast<void*>(pixels_.data()), pixels_.type(), pixels_.shape(),
                            pixels_.steps(), pixels_.channels(), pixels_.channel_stride());
    over_region(pixels, from, static_cast<std::byte*>(to),
                [](const std::byte* pixel, std::byte* packed, std::size_t bytes) {
                  std::memcpy(packed, pixel, bytes);
                });
  }

 private:
  const_image_view pixels_;
  source_form form_;
};

class memory_sink final : public image_sink {
 public:
  explicit memory_sink(const image_view& pixels) : pixels_(pixels) {}
  void write(const image_region& to, const void* from) override {
    over_region(pixels_, to, static_cast<std::byte*>(const_cast<void*>(from)),
                [](std::byte* pixel, const std::byte* packed, std::size_t bytes) {
                  std::memcpy(pixel, packed, bytes);
                });
  }
  void commit() override {}

 private:
  image_view pixels_;
};

}  // namespace

image_region whole_of(const extents& shape) {
  return {{0, 0, 0}, {shape.depth(), shape.height(), shape.width()}};
}

std::unique_ptr<image_source> source_of(const const_image_view& pixels) {
  return std::make_unique<memory_source>(pixels);
}
std::unique_ptr<image_sink> sink_to(const image_view& pixels) {
  return std::make_unique<memory_sink>(pixels);
}

}  // namespace macareu
