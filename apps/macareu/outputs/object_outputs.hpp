// Outputs about objects besides their labels: a table and an overlay picture.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/context.hpp>
#include <macareu/files.hpp>
#include <macareu/number.hpp>
#include <macareu/pieces.hpp>
#include <macareu/table.hpp>

#include "command/inputs.hpp"
#include "command/parser.hpp"
#include "running/piece_steps.hpp"

namespace macareu::tool {

class object_outputs {
 public:
  /// The parser keeps references to this object. For the help: `drawn_on` is the image that --overlay draws
  /// on, `columns_in` says where the table's columns are described. The verb's operator may have an intensity
  /// image and parameters of the table itself; use_of() then gives them to the table.
  void add_to(parser& options, const std::string& drawn_on, const std::string& columns_in = "",
              const operator_description* own = nullptr);
  /// What the verb's operator was given, for the table too, if there is one.
  void use_of(const operator_description& own, const std::vector<std::optional<std::string>>& inputs,
              const arguments& values);

  /// Adds the options of relabel, for a verb that gives labels: they select the objects to keep. Not --keep
  /// if the verb has another.
  void add_selection_to(parser& options, bool offers_ranges);
  bool drops_objects() const { return !selection_.empty(); }
  /// The labels of the kept objects. Their number goes to the context's report.
  image selected(const image& labels, const std::optional<image>& intensity, const context& how) const;

  bool wanted() const { return !table_file.empty() || !overlay_file.empty(); }
  /// Parameters for the report, besides those of the verb: of the selection and of the table.
  arguments parameters() const;
  arguments measure_parameters() const;
  /// The files that will be written. Throws if one of them cannot be written, or if options of the table are
  /// given but no table is written or printed.
  std::vector<std::string> check_before_reading(bool table_is_printed) const;

  /// Checks shapes, and arguments that depend on them, once inputs are read and before labels are computed.
  /// `under`: the shape of the image that --overlay draws on.
  void check_inputs(const extents& labels, const std::optional<image_form>& intensity,
                    const extents& under) const;

  std::optional<image> read_intensity(const input_options& reading) const;
  table measure(const image& labels, const std::optional<image>& intensity, const context& how) const;
  void add(output_files& all, const table& objects, const image& labels, const image& under) const;

  /// The same for labels that are larger than memory; `intensity` may be null.
  void select_in_pieces(image_source& labels, image_source* intensity, image_sink& kept, const context& how,
                        const piece_options& options) const;
  table measure_in_pieces(image_source& labels, const context& how, const piece_options& options) const;
  /// Makes the table and the overlay on `under`. The table may be larger than memory; where neither is asked
  /// for it is printed.
  void describe_in_pieces(output_files& all, image_source& labels, image_source* intensity,
                          image_source& under, const context& how, const piece_steps& steps) const;

  std::string table_file, overlay_file, intensity_file;

 private:
  /// Of the selection: its own, and those that the table has too.
  arguments selection() const;
  /// The table's text from all rows, or from those that follow others.
  void write_table(const table& rows, bool with_names,
                   const std::function<void(std::string_view)>& write) const;
  /// Whether each rank writes rows of its own.
  bool ranks_share_table() const;

  arguments measured_with_, selection_;
  bool offers_selection_ = false, offers_ranges_ = false;
};

/// One JSON object per line. NaN and infinities are null.
std::string to_json_lines(const table& data);

}  // namespace macareu::tool
