// What a call of `macareu nuclei` asks for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <macareu/nuclei.hpp>

#include "command/parser.hpp"
#include "running/run_options.hpp"

namespace macareu::tool {

struct nuclei_settings {
  std::vector<std::string> slides;
  std::string output;
  std::optional<double> mpp;  ///< instead of the file's
  std::string region_file;
  std::optional<std::array<std::int64_t, 4>> rectangle;  ///< x, y, width, height in level 0
  std::optional<double> positive;                        ///< least mean density of DAB; h-dab only
  double cells = 0;                                      ///< expansion in um; 0: no cells
  bool force = false;
  bool resume = false;
  bool zarr_labels = false;       ///< labels as Zarr instead of TIFF
  std::vector<std::string> skip;  ///< outputs that are not written
  nuclei_options recipe;
  run_options running;

  /// The parser keeps references to this object.
  void add_to(parser& options);
  /// Throws usage_error for options that exclude each other.
  void check();
  bool writes(std::string_view name) const;
  /// Threads for work of the tool itself.
  int threads() const;
  /// Parameters that decide the result, for summary.json and for --resume.
  nlohmann::ordered_json parameters() const;
};

}  // namespace macareu::tool
