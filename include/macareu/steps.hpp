// Recipes: chains of operators on images that are in memory, or larger than it. A recipe is written once for
// both, and gives the same bits.
//
// A local step computes a box of its result from a box of its inputs, where and when the box is read. Chains
// of local steps are one pass, and no image between them is written. A whole step runs at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/context.hpp>
#include <macareu/image.hpp>
#include <macareu/pieces.hpp>
#include <macareu/sources.hpp>
#include <macareu/table.hpp>
#include <macareu/value_counts.hpp>

namespace macareu {

namespace slides {  // internal
struct step;
class step_runner;
}  // namespace slides

/// An image of a recipe: what it is given, or an output of a step. Copies are cheap. Work files and memory of
/// a picture are released with its last copy and the last step that reads it.
struct picture {
  std::shared_ptr<const slides::step> from;  ///< internal
  std::size_t output = 0;                    ///< of the step

  const source_form& form() const;
  explicit operator bool() const { return from != nullptr; }
};

/// How the boxes of a local step's result and inputs relate.
struct reach {
  std::int64_t margin = 0;  ///< pixels of the inputs around a box that its result depends on
  std::int64_t shrink = 1;  ///< inputs are so many times larger
  std::int64_t grow = 1;    ///< or smaller; the result is that of so many times the size, cut to `size`
};

/// Where the steps of a recipe run. Copies stand for the same run. Images have two axes. One thread at a time
/// makes and reads steps. Steps that cannot run throw usage_error when they are made. Errors about pixels,
/// such as NaN, come when they are computed, and name places in a box of the image.
class steps {
 public:
  /// In memory: images between steps have to fit.
  explicit steps(const context& how = {});
  /// In pieces, within `pieces.memory`. Work files lie in `pieces.scratch`. Runs are not resumed, so `name`,
  /// `folder`, `resume` and `report` do not count. Ranks that share the run make the same steps.
  steps(const context& how, const piece_options& pieces);

  /// What a recipe is given. The view's pixels are in host memory and must outlive all steps; one thread at a
  /// time reads the source.
  picture picture_of(const const_image_view& pixels) const;
  picture picture_of(std::shared_ptr<image_source> source) const;

  /// A step that is computed where it is read. Pixels of its operator's result depend on no others than
  /// `how_far` says. Tables are small images that every box has as a whole, such as a kernel; they follow the
  /// inputs, which have one shape.
  picture local(std::string_view name, arguments given, std::vector<picture> inputs, reach how_far = {},
                std::vector<image> tables = {}) const;
  /// The same with several outputs, by their numbers in the operator's description.
  std::vector<picture> local_outputs(std::string_view name, arguments given, std::vector<picture> inputs,
                                     reach how_far, std::vector<std::size_t> outputs) const;
  /// A step that is computed now, as one that is not local must be. In pieces its result has one channel, as
  /// have pictures that are kept.
  picture whole(std::string_view name, const arguments& given, const std::vector<picture>& inputs);
  /// A table that is computed now.
  table measured(std::string_view name, const arguments& given, const std::vector<picture>& inputs);
  /// How many pixels of each channel have each value, of u8 or u16.
  std::vector<value_counts> counts(const picture& of) const;
  /// Computes a picture that several steps read: in memory, or into a work file.
  picture keep(const picture& result);
  /// Several of one shape, in one pass.
  std::vector<picture> keep(std::vector<picture> results);

  /// Labels that `find` gives for whole images of the inputs, computed now: of u32, and 1..n in each box.
  /// Those of an object of the mask, of eight neighbours, depend on its own pixels alone. In pieces they are
  /// found in boxes around whole objects, one for each thread, and numbered 1..n in any order. Several
  /// threads call `find`, each with steps in memory. Returns no picture if these steps are in memory, on a
  /// GPU or on ranks, or if an object is too large for the memory: then the recipe computes the whole images.
  using find_labels = std::function<picture(steps& inside, const std::vector<picture>& inputs)>;
  picture by_objects(const picture& mask, const std::vector<picture>& inputs, const find_labels& find);

  /// The number of objects that the last step found.
  std::uint64_t count() const;

  /// Copies a box to memory, in C order without gaps.
  void read(const picture& result, const image_region& where, void* to) const;
  /// The whole image.
  image read(const picture& result) const;
  /// Writes it in bands of whole rows, from the first to the last. A band has at least the rows of one of the
  /// sink's chunks, however low the limit is. The caller commits the sink. Each rank writes rows of its own.
  void write(const picture& result, image_sink& to) const;

  /// internal
  explicit steps(std::shared_ptr<slides::step_runner> own) : own_(std::move(own)) {}

 private:
  std::shared_ptr<slides::step_runner> own_;
};

}  // namespace macareu
