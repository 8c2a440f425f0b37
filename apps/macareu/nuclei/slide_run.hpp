// The nuclei of one slide: from its file to all outputs.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/nuclei.hpp>

#include "command/interruption.hpp"
#include "nuclei/settings.hpp"
#include "slides/outputs/label_store.hpp"
#include "slides/outputs/nuclei_table.hpp"
#include "slides/tissue/overview.hpp"
#include "slides/tissue/regions.hpp"
#include "slides/tissue/slide_part.hpp"

namespace macareu::tool {

/// Names of the files of a slide.
namespace slide_file {
constexpr const char* outlines = "nuclei.geojson.gz";
constexpr const char* table = "nuclei.csv.gz";
constexpr const char* labels_tiff = "labels.ome.tif";
constexpr const char* labels_zarr = "labels.zarr";
constexpr const char* tissue = "tissue.geojson";
constexpr const char* summary = "summary.json";
constexpr const char* overview = "overview.png";
/// These as .png and .svg.
constexpr const char* area_histogram = "histogram_area";
constexpr const char* stain_histogram = "histogram_hematoxylin";
constexpr const char* density = "density";

/// The page and the folder of its tiles, where the build can make pages.
constexpr const char* page = "index.html";
constexpr const char* page_folder = "page";

struct entry {
  std::string name;
  bool wanted;  ///< by the settings
};
/// All that any settings give. The summary, which says that a slide is finished, is the last.
std::vector<entry> all(const nuclei_settings& settings);
/// Refuses a directory with folders of these names that were not written by this command.
void check_folders(const std::filesystem::path& directory, const nuclei_settings& settings);
/// Whether a file is the summary of a slide.
bool is_summary(const std::filesystem::path& file);
}  // namespace slide_file

class slide_run {
 public:
  /// Files are written to `work`, an empty directory.
  slide_run(const nuclei_settings& settings, std::string file, std::filesystem::path work,
            interruption& signals);

  /// Names the slide's content, for --resume.
  std::string identity() const { return rgb_->identity(); }
  /// Whether a directory has all files of a run with the same slide, parameters and version.
  bool is_finished(const std::filesystem::path& directory) const;
  /// Finds nuclei and writes all files. All ranks that share the slide call it.
  void run();
  std::uint64_t count() const { return report_.count; }

 private:
  void open();
  image_region wanted_part(const extents& slide) const;
  /// Whether less than the whole slide is wanted.
  bool is_restricted() const { return settings_.rectangle || !regions_.empty(); }
  void search_around(const tissue_mask& slide, std::int64_t factor);
  void set_pixel_size(const source_form& form);
  double own_pixel_size(const source_form& form) const;
  void look();
  /// Whether this process writes the files: of ranks that share the slide, the first one.
  bool has_outputs() const;
  bool has_tissue() const;
  void find();
  std::unique_ptr<slides::label_store> new_labels(const metadata& info);
  void grow_cells();
  void keep_wanted(const table& shapes);
  void measure();
  void write_table();
  void write_outlines();
  void write_labels();
  void write_tissue();
  void write_pictures();
  void write_page(const std::string& summary);
  void write_summary();

  context computing();
  piece_options pieces();
  void timed(const char* stage, const std::function<void()>& work);

  const nuclei_settings& settings_;
  std::string file_;
  std::filesystem::path work_;
  interruption& signals_;
  std::function<void(const piece_progress&)> progress_;

  std::unique_ptr<slides::slide_part> rgb_;
  double mpp_ = 0;
  source_form whole_;  // of level 0
  std::vector<slides::region> regions_;
  slides::overview picture_;
  image_region wanted_;    // of level 0; the analysed part is larger by a margin
  tissue_mask tissue_;     // that is wanted, in the analysed part
  tissue_mask searched_;   // the same with the margin; empty where all is wanted
  nuclei_options recipe_;  // with the slide's white, where only a part is wanted
  std::unique_ptr<slides::label_store> labels_, cells_;
  std::optional<slides::nuclei_table> rows_;
  nuclei_report report_;
  std::string device_;
  std::vector<std::pair<std::string, double>> seconds_;
  std::future<double> labels_written_;  // seconds; the last member, as it uses the others
};

}  // namespace macareu::tool
