// One run of an operator: check, read, compute, write.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>
#include <macareu/sources.hpp>

#include "command/inputs.hpp"
#include "command/interruption.hpp"
#include "outputs/json_report.hpp"
#include "outputs/object_outputs.hpp"
#include "outputs/shape_outputs.hpp"
#include "outputs/table_outputs.hpp"
#include "running/piece_steps.hpp"
#include "running/run_options.hpp"

namespace macareu::tool {

class operator_run {
 public:
  explicit operator_run(const operator_description& about)
      : given(about.inputs.size()),
        outputs(about.outputs.size()),
        kept(about.outputs.size()),
        about_(about) {}

  std::vector<std::optional<std::string>> given;    ///< files, in the order of the description's inputs
  std::vector<std::optional<std::string>> outputs;  ///< likewise; optional ones may be left out
  std::vector<bool> kept;                           ///< optional outputs that get a name beside the first
  table_outputs tables;                             ///< of an operator that gives a table
  shape_outputs shapes;                             ///< of an operator that gives polygons
  arguments values;
  bool pyramid = false;     ///< outputs have smaller levels too
  std::string page_folder;  ///< gets a page of the first input and output
  input_options reading;
  run_options running;
  object_outputs objects;  ///< of operators that give labels

  int operator()(interruption& signals);
  /// Writes the page, if one is wanted, from the files of a run that ended.
  void write_page(const interruption& signals) const;

 private:
  /// Inputs that are read in pieces; those that are not given are null.
  struct piece_inputs {
    std::vector<std::unique_ptr<image_source>> images;
    std::unique_ptr<image_source> intensity;
  };
  struct results {
    std::vector<image> images;
    table measured;
  };

  bool gives_table() const { return !about_.table.empty(); }
  bool gives_shapes() const { return !about_.shapes.empty(); }
  /// The files of the inputs that are given.
  std::vector<std::string> input_files() const;
  bool may_have_colour(std::size_t input) const;
  void check_before_reading() const;
  /// Blocks of labels are pieces of whole rows, of whole slices in volumes.
  void cut_into_blocks();
  void check_call(const std::vector<image_form>& forms) const;
  void check_output_fits(const std::filesystem::path& file, std::size_t output,
                         const const_image_view& first) const;
  /// Called once types are known, because the format must hold them.
  void name_kept_outputs(const const_image_view& first);
  std::vector<image_file> read_inputs();
  void record_inputs(const extents& shape, dtype type);
  /// One image per output; empty if the output is left out.
  results compute(const std::vector<image_file>& files, interruption& signals);
  /// Selects and measures objects, if requested.
  void describe_objects(std::vector<image>& labels, const interruption& signals);
  void write_outputs(const results& computed, const image_file& first, const interruption& signals);

  /// The input, if it is a file whose rows can be read while polygons are computed. Otherwise null.
  std::unique_ptr<image_source> open_for_shapes() const;
  void compute_shapes_of(image_source& source, interruption& signals);

  std::filesystem::path scratch_directory() const;
  /// The files that the run will write; those of images first.
  std::vector<std::string> written_files() const;
  /// `work`: the folder of a run that can be resumed, with the file in it; empty for a destination.
  std::unique_ptr<image_sink> sink_for(const std::filesystem::path& file, const source_form& form,
                                       const std::filesystem::path& work) const;
  /// The inputs, if the run exceeds the memory that it may use, or pieces are asked for. Otherwise none.
  std::optional<piece_inputs> open_for_pieces() const;
  static std::vector<image_form> forms_of(const std::vector<std::unique_ptr<image_source>>& sources);
  int run_in_pieces(const piece_inputs& opened, interruption& signals);
  /// What --resume compares.
  work_folder::description description(const std::vector<std::unique_ptr<image_source>>& sources,
                                       const image_source* intensity) const;
  /// All steps of a run in pieces, and its commit.
  void finish_in_pieces(const std::vector<std::unique_ptr<image_source>>& sources, image_source* intensity,
                        const context& how, const piece_steps& steps);
  void compute_in_pieces(const std::vector<image_source*>& from, const std::vector<image_sink*>& to,
                         const context& how, const piece_options& options, table& measured);
  /// Step 2 of a run that drops objects.
  void select_objects(image_source& labels, image_source* intensity, image_sink& selected, const context& how,
                      const piece_steps& steps);

  const operator_description& about_;
  run_record record_;
  std::optional<image> intensity_;  ///< measured in each object
  table measured_;                  ///< of objects
};

}  // namespace macareu::tool
