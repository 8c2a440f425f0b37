// Nuclei of whole slides.
#include <memory>

#include "nuclei/batch.hpp"
#include "nuclei/settings.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {

verb nuclei_verb() {
  return {
      .name = "nuclei",
      .group = "Slides",
      .brief = "Finds, outlines and measures the nuclei of stained slides.",
      .notes =
          "DIRECTORY gets nuclei.geojson.gz (outlines and measurements, which QuPath takes by drag and "
          "drop), nuclei.csv.gz, labels.ome.tif, tissue.geojson, summary.json and pictures. Lengths are in "
          "micrometres, with the file's pixel size; coordinates are pixels of level 0. The result does not "
          "depend on pieces, threads or the device.",
      .example = "macareu nuclei slide.svs -o out/",
      .on_ranks = true,
      .prepare = [](parser& options) {
        const auto given = std::make_shared<nuclei_settings>();
        given->add_to(options);
        return [given](interruption& signals) { return run_slides(*given, signals); };
      }};
}

}  // namespace macareu::tool
