// Parameters that several operators have.
#pragma once

#include <string_view>

#include <macareu/catalogue.hpp>

namespace macareu::operators {

constexpr parameter_description connectivity_parameter(
    std::string_view default_text,
    std::string_view help = "neighbours: 4, 8 (images), 6, 18, 26 (volumes), face, edge or full") {
  return {"connectivity", parameter_kind::connectivity, default_text, help};
}

inline constexpr parameter_description height_parameter{"h", parameter_kind::number, "",
                                                        "height, in grey values; greater than 0"};

inline constexpr parameter_description metric_parameter{
    "metric", parameter_kind::choice, "euclidean", "what distance is", "euclidean|city_block|chessboard"};

inline constexpr parameter_description spacing_parameter{
    "spacing", parameter_kind::numbers, "1",
    "distance between neighbours: one number for each axis of the array, or one for all"};

inline constexpr parameter_description invert_parameter{"invert", parameter_kind::flag, "false",
                                                        "to the nearest pixel that is not zero"};

inline constexpr parameter_description max_distance_parameter{
    "max_distance", parameter_kind::number, "inf",
    "pixels further away count as if there were no zero pixel"};

}  // namespace macareu::operators
