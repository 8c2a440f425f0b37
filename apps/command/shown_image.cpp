#include "view/opened_image.hpp"

namespace macareu::tool {

std::optional<std::array<double, 2>> micrometres(const source_form& form) {
  if (!form.info.spacing) return std::nullopt;
  const auto row = static_cast<std::size_t>(form.shape.rank() - 2);
  return std::array{(*form.info.spacing)[row] * 1000, (*form.info.spacing)[row + 1] * 1000};
}

}  // namespace macareu::tool
