#include "slides/outputs/outline_text.hpp"

namespace macareu::slides {

void outline_text::begin_feature(std::string& to, const uuid& id, const shape& outline) {
  to += any_ ? ",\n" : "\n";
  any_ = true;
  to += "{\"type\":\"Feature\",\"id\":\"";
  append(to, id);
  to += "\",\"geometry\":";
  geometry(to, outline);
}

void outline_text::add(std::string& to, const nuclei_table& rows, const shape& outline,
                       std::string_view nucleus) {
  const auto row = static_cast<std::size_t>(outline.label - 1);
  begin_feature(to, rows.id(row), outline);
  if (!nucleus.empty()) {
    to += ",\"nucleusGeometry\":";
    to += nucleus;
  }
  to += nucleus.empty() ? ",\"properties\":{\"objectType\":\"detection\","
                        : ",\"properties\":{\"objectType\":\"cell\",";
  // Colours of QuPath's classes.
  if (rows.classified())
    to += rows.positive(row) ? "\"classification\":{\"name\":\"Positive\",\"color\":[250,62,62]},"
                             : "\"classification\":{\"name\":\"Negative\",\"color\":[112,112,225]},";
  to += "\"measurements\":";
  rows.append_measurements(to, row);
  to += "}}";
}

void outline_text::add_tissue(std::string& to, const uuid& id, const shape& outline, double area_um2) {
  begin_feature(to, id, outline);
  to +=
      ",\"properties\":{\"objectType\":\"annotation\",\"name\":\"Tissue\",\"color\":[0,150,0],"
      "\"measurements\":{\"Area µm^2\":";
  append_fixed(to, area_um2, 2, "\"NaN\"");
  to += "},\"isLocked\":true}}";
}

}  // namespace macareu::slides
