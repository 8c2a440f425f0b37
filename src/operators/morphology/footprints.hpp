// Footprints of morphological operators: shapes by parameters, or an image.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/call.hpp"
#include "core/key.hpp"
#include "core/pixel_types.hpp"
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
    "element", parameter_kind::choice, "disc",
    "shape of the footprint; in volumes a disc is a ball, a diamond an octahedron, and a line lies in its slice",
    "disc|rectangle|diamond|line"};
inline constexpr parameter_description radius_parameter{
    .name = "radius",
    .kind = parameter_kind::number,
    .default_text = "1",
    .help = "of a disc, x^2 + y^2 <= radius^2, or of a diamond, in steps along the axes",
    .or_equal = true,
    .most = 512};
inline constexpr parameter_description size_parameter{
    .name = "size",
    .kind = parameter_kind::numbers,
    .default_text = "3",
    .help = "sides of a rectangle: one whole number for each axis of the array, or one for all",
    .most = 1025,
    .whole = true};
inline constexpr parameter_description length_parameter{.name = "length",
                                                        .kind = parameter_kind::number,
                                                        .default_text = "3",
                                                        .help = "of a line, in whole pixels from end to end",
                                                        .above = 1,
                                                        .or_equal = true,
                                                        .most = 1025,
                                                        .whole = true};
inline constexpr parameter_description angle_parameter{
    "angle",   parameter_kind::number, "0", "of a line, in degrees anticlockwise from the rows", {},
    any_number};

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
    // -0 is zero too.
    const Key counted = static_cast<Key>(std::is_floating_point_v<T> ? ~to_key(T{0}) : ~Key{0});
    for (std::int64_t z = 0; z < size.depth; ++z)
      for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x)
          mask.push_back((engine.read(image, site{z, y, x}) & counted) != 0);
  });
  return footprint_by_mask(call, mask);
}

}  // namespace macareu::operators
