// What is told of objects beside their labels: a table, and a picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/context.hpp>
#include <macareu/files.hpp>
#include <macareu/number.hpp>
#include <macareu/table.hpp>

#include "command/inputs.hpp"
#include "command/parser.hpp"

namespace macareu::tool {

class object_outputs {
 public:
  /// The parser keeps references to this object. `drawn_on`: what --overlay draws on, in words.
  void add_to(parser& options, const std::string& drawn_on);

  /// Options of relabel, for a verb that gives labels: which objects are kept.
  void add_selection_to(parser& options);
  bool drops_objects() const { return !selection_.empty(); }
  /// The labels of those that are kept, and their number in the context's report.
  image selected(const image& labels, const context& how) const;

  bool wanted() const { return !table_file.empty() || !overlay_file.empty(); }
  /// What a report tells beside the parameters of the verb itself: of the selection, and of the table.
  arguments parameters() const;
  arguments measure_parameters() const;
  /// The files that will be written. Throws where one of them cannot be, and where options of the table are
  /// given but no table is written, nor printed.
  std::vector<std::string> check_before_reading(bool table_is_printed) const;

  /// Once inputs are read, and before labels are: what their shapes have wrong, and what arguments have that
  /// depend on them. `under`: the shape of what --overlay draws on.
  void check_inputs(const extents& labels, const std::optional<image>& intensity, const extents& under) const;

  std::optional<image> read_intensity(const input_options& reading) const;
  table measure(const image& labels, const std::optional<image>& intensity, const context& how) const;
  void add(output_files& all, const table& objects, const image& labels, const image& under) const;

  std::string table_file, overlay_file, intensity_file;

 private:
  arguments measured_with_, selection_;
  bool offers_selection_ = false;
};

/// One JSON object a line. What JSON has no number for is null.
std::string to_json_lines(const table& data);

}  // namespace macareu::tool
