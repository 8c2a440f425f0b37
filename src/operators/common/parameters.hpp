// Parameters shared by several operators.
#pragma once

#include <limits>
#include <string_view>

#include <macareu/catalogue.hpp>

namespace macareu::operators {

constexpr parameter_description connectivity_parameter(
    std::string_view default_text,
    std::string_view help = "neighbours: 4, 8 (images), 6, 18, 26 (volumes), face, edge or full") {
  return {"connectivity", parameter_kind::connectivity, default_text, help};
}

inline constexpr parameter_description height_parameter{"h", parameter_kind::number, "",
                                                        "height, in grey values"};

inline constexpr parameter_description metric_parameter{"metric", parameter_kind::choice, "euclidean",
                                                        "how distance is measured",
                                                        "euclidean|city_block|chessboard"};

inline constexpr parameter_description spacing_parameter{
    "spacing", parameter_kind::numbers, "1",
    "distance between neighbours: one number for each axis of the array, or one for all"};

inline constexpr parameter_description invert_parameter{"invert", parameter_kind::flag, "false",
                                                        "to the nearest pixel that is not zero"};

inline constexpr parameter_description max_distance_parameter{
    "max_distance", parameter_kind::number, "inf",
    "pixels further away count as if there were no zero pixel"};

inline constexpr double any_number = -std::numeric_limits<double>::infinity();

inline constexpr parameter_description border_parameter{
    "border", parameter_kind::choice, "reflect",
    "what lies outside the image, in SciPy's words: reflect repeats the edge pixel, mirror does not",
    "constant|nearest|reflect|mirror|wrap"};

inline constexpr parameter_description outside_parameter{
    "outside", parameter_kind::number, "0", "the value outside, where border is constant", {}, any_number};

inline constexpr parameter_description filtered_type_parameter{
    "type", parameter_kind::choice, "standard",
    "pixel type of the result: standard is f64 for images of f64, else f32; same rounds to the image's type",
    "standard|f32|f64|same"};

constexpr parameter_description type_parameter(std::string_view default_text) {
  return {"type", parameter_kind::choice, default_text, "pixel type of the result",
          "bool|i8|u8|i16|u16|i32|u32|i64|u64|f32|f64"};
}
/// For the parameter `type`, where its choices are pixel types.
inline dtype chosen_type(const arguments& all, dtype, const extents&) {
  return dtype_named(std::get<std::string>(all.at("type"))).value();
}

inline constexpr parameter_description min_size_parameter{
    "min_size", parameter_kind::number, "0", "objects with fewer pixels are dropped", "", 0, true};
inline constexpr parameter_description max_size_parameter{"max_size", parameter_kind::number, "inf",
                                                          "objects with more pixels are dropped"};
inline constexpr parameter_description largest_parameter{
    "largest", parameter_kind::number, "inf", "number of objects that are kept: those with most pixels"};
inline constexpr parameter_description clear_border_parameter{
    "clear_border", parameter_kind::flag, "false", "objects that touch the border of the image are dropped"};

}  // namespace macareu::operators
