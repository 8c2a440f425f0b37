#include "nuclei/region_file.hpp"

#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include <macareu/error.hpp>
#include <macareu/text_file.hpp>

namespace macareu::tool {
namespace {

using geojson = nlohmann::json;

class region_reader {
 public:
  explicit region_reader(const std::string& file) : file_(file) {}

  std::vector<slides::region> read(const geojson& document) {
    add(document, "");
    if (regions_.empty()) fail("it has no polygons");
    return std::move(regions_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw io_error(file_, "is no GeoJSON with polygons: " + why);
  }

  const geojson& list(const geojson& of, const char* what) const {
    if (!of.is_array()) fail(std::string(what) + " are not a list");
    return of;
  }

  static std::string name_of(const geojson& feature) {
    const auto properties = feature.find("properties");
    if (properties == feature.end() || !properties->is_object()) return "";
    const auto name = properties->find("name");
    return name != properties->end() && name->is_string() ? name->get<std::string>() : "";
  }

  void add(const geojson& item, const std::string& name) {
    if (item.is_array()) {
      for (const auto& each : item) add(each, name);
      return;
    }
    if (!item.is_object()) fail("an item is no object");
    const auto type = item.value("type", geojson());
    const auto part = [&](const char* key) -> const geojson& {
      const auto found = item.find(key);
      if (found == item.end()) fail(std::string("'") + key + "' is missing");
      return *found;
    };
    if (type == "FeatureCollection") {
      add(list(part("features"), "features"), name);
    } else if (type == "Feature") {
      add(part("geometry"), name_of(item));
    } else if (type == "GeometryCollection") {
      add(list(part("geometries"), "geometries"), name);
    } else if (type == "Polygon" || type == "MultiPolygon") {
      slides::region region{.name = name, .rings = {}};
      const auto& coordinates = list(part("coordinates"), "coordinates");
      if (type == "Polygon")
        add_rings(coordinates, region);
      else
        for (const auto& polygon : coordinates) add_rings(list(polygon, "polygons"), region);
      if (!region.rings.empty()) regions_.push_back(std::move(region));
    } else if (!type.is_string()) {
      fail("'type' is missing");
    }  // points and lines have no inside
  }

  void add_rings(const geojson& rings, slides::region& to) const {
    for (const auto& ring : rings) {
      auto& points = to.rings.emplace_back();
      for (const auto& at : list(ring, "rings")) {
        if (!at.is_array() || at.size() < 2 || !at[0].is_number() || !at[1].is_number())
          fail("a coordinate is not two numbers");
        points.push_back({at[0].get<double>(), at[1].get<double>()});
        if (!std::isfinite(points.back().x) || !std::isfinite(points.back().y))
          fail("a coordinate is not finite");
      }
      if (points.size() < 4) fail("a ring has fewer than four points");
    }
  }

  std::string file_;
  std::vector<slides::region> regions_;
};

}  // namespace

std::vector<slides::region> read_regions(const std::string& file) {
  std::string text;
  read_text(file, [&](std::string_view part) { text += part; });
  const auto document = geojson::parse(text, nullptr, false);
  if (document.is_discarded()) throw io_error(file, "is no JSON");
  return region_reader(file).read(document);
}

}  // namespace macareu::tool
