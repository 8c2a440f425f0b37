// Footprints of morphological operators: shapes by parameters, or an image.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/call.hpp"
#include "core/key.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/extremes.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

inline constexpr input_description footprint_input{
    .name = "footprint",
    .help = "pixels that are not zero are the footprint, around the middle pixel; in place of an element",
    .own_form = true,
    .optional = true,
    .by_option = true};

inline constexpr parameter_description element_parameter{
    .name = "element",
    .kind = parameter_kind::choice,
    .default_text = "disc",
    .help =
        "shape of the footprint; in volumes a disc is a ball, a diamond an octahedron, and a line lies in its slice",
    .choices = "disc|rectangle|diamond|line",
    .is_alternative = true};
inline constexpr parameter_description radius_parameter{
    .name = "radius",
    .kind = parameter_kind::number,
    .default_text = "1",
    .help = "of a disc, x^2 + y^2 <= radius^2, or of a diamond, in steps along the axes",
    .or_equal = true,
    .most = 512,
    .is_alternative = true};
inline constexpr parameter_description size_parameter{
    .name = "size",
    .kind = parameter_kind::numbers,
    .default_text = "3",
    .help = "sides of a rectangle: one whole number for each axis of the array, or one for all",
    .most = 1025,
    .whole = true,
    .is_alternative = true};
inline constexpr parameter_description length_parameter{.name = "length",
                                                        .kind = parameter_kind::number,
                                                        .default_text = "3",
                                                        .help = "of a line, in whole pixels from end to end",
                                                        .above = 1,
                                                        .or_equal = true,
                                                        .most = 1025,
                                                        .whole = true,
                                                        .is_alternative = true};
inline constexpr parameter_description angle_parameter{
    .name = "angle",
    .kind = parameter_kind::number,
    .default_text = "0",
    .help = "of a line, in degrees anticlockwise from the rows",
    .above = any_number,
    .is_alternative = true};

inline constexpr parameter_description flat_border_parameter{
    "border", parameter_kind::choice, "ignore",
    "what lies outside the image: ignore leaves it out; the others in SciPy's words",
    "ignore|constant|nearest|reflect|mirror|wrap"};

inline constexpr std::array flat_inputs{input_description{"image", "grey, binary or colour"},
                                        footprint_input};
inline constexpr std::array flat_grey_inputs{input_description{"image", "grey or binary"}, footprint_input};
inline constexpr std::array flat_parameters{element_parameter, radius_parameter, size_parameter,
                                            length_parameter,  angle_parameter,  flat_border_parameter,
                                            outside_parameter};

inline constexpr std::array flat_reconstruction_parameters{
    element_parameter, radius_parameter,      size_parameter,    length_parameter,
    angle_parameter,   flat_border_parameter, outside_parameter, connectivity_parameter("full")};

/// Refuses footprints of another rank or too large, and sizes that do not fit the rank.
void check_footprint(const call& call);

/// Of the parameters.
std::vector<chord> footprint_by_shape(const call& call);
/// Of a mask in C order: bytes of 0 and 1. Throws if it has no pixel.
std::vector<chord> footprint_by_mask(const call& call, std::span<const std::uint8_t> mask);

template <class Engine>
std::vector<chord> footprint_of(Engine& engine, const call& call) {
  if (!call.has_input(1)) return footprint_by_shape(call);
  std::vector<std::uint8_t> mask;
  with_pixel_type(call.inputs[1].type(), [&]<class T>(std::type_identity<T>) {
    using Key = key_of<T>;
    const auto image = input<Key>(engine, call, 1);
    const auto& size = image.whole();
    // -0 is zero too, and NaN lies above infinity.
    constexpr bool is_float = std::is_floating_point_v<T>;
    const Key counted = static_cast<Key>(is_float ? ~to_key(T{0}) : ~Key{0});
    const Key most = is_float ? std::bit_cast<Key>(std::numeric_limits<T>::infinity()) : counted;
    for (std::int64_t z = 0; z < size.depth; ++z)
      for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x) {
          const site p{z, y, x};
          const auto pixel = static_cast<Key>(engine.read(image, p) & counted);
          if (pixel > most) refuse_nan_at(call.about, call.rank(), 1, p);
          mask.push_back(pixel != 0);
        }
  });
  return footprint_by_mask(call, mask);
}

}  // namespace macareu::operators
