#include "engines/cuda/runtime/input_bands.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/cuda/map/map.cuh"
#include "engines/cuda/runtime/presence.hpp"
#include "engines/cuda/runtime/residence.cuh"

namespace macareu::cuda {
namespace {

/// Packs the band of an image in device memory, of any strides, and downloads it.
template <class Bits>
void copy_band(const gpu& on, const const_image_view& image, const row_band& place,
               std::vector<std::byte>& to) {
  auto from = typed_view<const Bits>(image);
  from.data += place.first.z * from.step_z + place.first.y * from.step_y;
  from.depth = place.depth;
  from.height = place.height;
  const device_image<Bits> packed(on, place.depth, place.height, place.width);
  run_map(on, as_type<Bits>{}, packed.pixels(), from);
  to.resize(static_cast<std::size_t>(place.rows() * place.width) * sizeof(Bits));
  const view<Bits> host{reinterpret_cast<Bits*>(to.data()),
                        place.depth,
                        place.height,
                        place.width,
                        place.height * place.width,
                        place.width,
                        1};
  on.synchronize("cudaStreamSynchronize");
  download(on.work, {reinterpret_cast<std::byte*>(packed.pixels().data), packed.pixels().step_y},
           host_pixels_of(host), on.stream);
}

void copy_any_band(const gpu& on, const const_image_view& image, const row_band& place,
                   std::vector<std::byte>& to) {
  switch (size_of(image.type())) {
    case 1:
      return copy_band<std::uint8_t>(on, image, place, to);
    case 2:
      return copy_band<std::uint16_t>(on, image, place, to);
    case 4:
      return copy_band<std::uint32_t>(on, image, place, to);
    default:
      return copy_band<std::uint64_t>(on, image, place, to);
  }
}

}  // namespace

void over_input_bands(const gpu& on, const call& call, band_visit visit) {
  // Earlier work of the stream may write what the host reads.
  on.synchronize("cudaStreamSynchronize");
  const auto is_on_device = [&](std::size_t i) {
    return call.has_input(i) && place_of(call.inputs[i].data()).kind == memory_kind::device;
  };
  std::vector<bool> copied;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) copied.push_back(is_on_device(i));
  if (std::ranges::find(copied, true) == copied.end()) return over_bands_in_memory(call, visit);
  std::vector<std::vector<std::byte>> memory(copied.size());
  over_bands_in_memory(call, [&](const row_band& band) {
    std::vector<row_image> images(band.images.begin(), band.images.end());
    for (std::size_t i = 0; i < images.size(); ++i) {
      if (!copied[i]) continue;
      copy_any_band(on, call.inputs[i], band, memory[i]);
      const auto bytes = static_cast<std::int64_t>(size_of(images[i].type));
      images[i] = {memory[i].data(), images[i].type, band.height * band.width * bytes, band.width * bytes,
                   bytes};
    }
    auto here = band;
    here.images = images;
    visit(here);
  });
}

}  // namespace macareu::cuda
