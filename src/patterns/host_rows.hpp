// host rows: reads the inputs of a call on the host, band after band of whole rows in raster order, within
// bounded memory. For work that follows the order of rows, or gathers what no fixed number of bins can hold.
//
// Engines with images in host memory (images_in_memory) need nothing for it. Others have one of
//   over_input_bands(call, visit)    visit(row_band): rows are copied to the host
//   over_bands(images, visit)        visit(own, blocks), where images lie in pieces: `own` has the first site
//                                    and the size of a band, blocks[i].part(own) its pixels of image i
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// Rows of one input. `first` is null for an input that is not given.
struct row_image {
  const std::byte* first = nullptr;  // pixel 0 of the band's first row
  dtype type = dtype::u8;
  std::int64_t step_z = 0, step_y = 0, step_x = 0;  // in bytes
};

/// Rows of all inputs. In a volume a band has whole slices, in an image it has whole rows.
struct row_band {
  site first{};  // in the whole image; x is 0
  std::int64_t depth = 0, height = 0, width = 0;
  std::span<const row_image> images = {};

  std::int64_t rows() const { return depth * height; }
  /// The first pixel of one of the band's rows.
  const std::byte* row(std::size_t image, std::int64_t row) const {
    const auto& of = images[image];
    return of.first + row / height * of.step_z + row % height * of.step_y;
  }
};

using band_visit = function_ref<void(const row_band&)>;

/// visit(band) for the views of a call, whose pixels are not read. Checks for a stop and reports progress
/// between bands.
void over_bands_in_memory(const call& call, band_visit visit);

template <class Engine>
concept copies_bands = requires(Engine& engine, const call& call, band_visit visit) {
  engine.over_input_bands(call, visit);
};

namespace detail {

struct no_visit {
  template <class Band, class Blocks>
  void operator()(const Band&, const Blocks&) const {}
};

}  // namespace detail

template <class Engine>
concept visits_bands = requires(Engine& engine, const image_in<Engine, const std::uint8_t>& image) {
  engine.over_bands({&image, &image}, detail::no_visit{});
};

template <class Engine>
concept gives_host_rows =
    std::derived_from<Engine, images_in_memory> || copies_bands<Engine> || visits_bands<Engine>;

namespace detail {

/// Blocks of an image in pieces may reach beyond their band.
template <class Band, class Blocks>
void visit_blocks(const call& call, const Band& own, const Blocks& blocks, band_visit visit) {
  std::vector<row_image> images(call.inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!call.has_input(i)) continue;
    const auto block = blocks[next++].part(own);
    const auto bytes = static_cast<std::int64_t>(block.pixel_bytes);
    images[i] = {block.first, call.inputs[i].type(), block.step_z * bytes, block.step_y * bytes, bytes};
  }
  visit({own.first, own.size.z, own.size.y, own.size.x, images});
}

}  // namespace detail

/// visit(band) for all rows of the inputs, from the first to the last.
template <gives_host_rows Engine>
void over_host_rows(Engine& engine, const call& call, band_visit visit) {
  if constexpr (copies_bands<Engine>) {
    engine.over_input_bands(call, visit);
  } else if constexpr (std::derived_from<Engine, images_in_memory>) {
    over_bands_in_memory(call, visit);
  } else {
    // Pixels of any type: blocks are bytes.
    using any = image_in<Engine, const std::uint8_t>;
    const auto blocks_of = [&](const auto& own, const auto& blocks) {
      detail::visit_blocks(call, own, blocks, visit);
    };
    const any first = input<std::uint8_t>(engine, call, 0);
    if (!call.has_input(1)) return engine.over_bands({&first}, blocks_of);
    const any second = input<std::uint8_t>(engine, call, 1);
    engine.over_bands({&first, &second}, blocks_of);
  }
}

}  // namespace macareu
