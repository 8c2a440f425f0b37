#include "operators/objects/labels/label_rows.hpp"

#include "core/pixel_types.hpp"

namespace macareu {
namespace {

template <class Pixel, class To, class Convert>
void convert_row(const std::byte* from, std::int64_t step, std::int64_t width, To* to,
                 const Convert& convert) {
  if (step == std::int64_t{sizeof(Pixel)}) {
    const auto* const pixels = reinterpret_cast<const Pixel*>(from);
    for (std::int64_t x = 0; x < width; ++x) to[x] = convert(pixels[x]);
    return;
  }
  for (std::int64_t x = 0; x < width; ++x) to[x] = convert(*reinterpret_cast<const Pixel*>(from + x * step));
}

}  // namespace

template <class Label>
const Label* label_row_reader<Label>::operator()(const row_band& band, std::size_t image, std::int64_t row) {
  const auto& of = band.images[image];
  const auto* const from = band.row(image, row);
  if (of.type == dtype_of<Label> && of.step_x == std::int64_t{sizeof(Label)})
    return reinterpret_cast<const Label*>(from);
  converted_.resize(static_cast<std::size_t>(band.width));
  with_pixel_type(of.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      convert_row<T>(from, of.step_x, band.width, converted_.data(),
                     [](T label) { return label > T{} ? static_cast<Label>(label) : Label{}; });
  });
  return converted_.data();
}

template class label_row_reader<std::uint32_t>;
template class label_row_reader<std::uint64_t>;

const double* value_row_reader::operator()(const row_band& band, std::size_t image, std::int64_t row) {
  converted_.resize(static_cast<std::size_t>(band.width));
  const auto& of = band.images[image];
  with_pixel_type(of.type, [&]<class T>(std::type_identity<T>) {
    convert_row<T>(band.row(image, row), of.step_x, band.width, converted_.data(),
                   [](T value) { return static_cast<double>(value); });
  });
  return converted_.data();
}

}  // namespace macareu
