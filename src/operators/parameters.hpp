// Parameters that several operators have.
#pragma once

#include <string_view>

#include <macareu/catalogue.hpp>

namespace macareu::operators {

constexpr parameter_description connectivity_parameter(std::string_view default_text) {
  return {"connectivity", parameter_kind::connectivity, default_text,
          "neighbours: 4, 8 (images), 6, 18, 26 (volumes), face, edge or full"};
}

inline constexpr parameter_description height_parameter{"h", parameter_kind::number, "",
                                                        "height, in grey values; greater than 0"};

}  // namespace macareu::operators
