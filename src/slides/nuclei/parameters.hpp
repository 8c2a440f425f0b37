// The parameters of the recipe for nuclei, for every front end.
#pragma once

#include <span>
#include <string_view>

#include <macareu/nuclei.hpp>

namespace macareu::slides {

struct nuclei_parameter {
  std::string_view name;
  double nuclei_options::*member;
  std::string_view unit;  ///< um, um^2, or nothing
  std::string_view help;

  double default_value() const { return nuclei_options{}.*member; }
};

std::span<const nuclei_parameter> nuclei_parameters();

}  // namespace macareu::slides
