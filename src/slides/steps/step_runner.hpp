// What runs the steps of a recipe (<macareu/steps.hpp>), with what only the library's own recipes need:
// ranks' shares, images that stay on a GPU, work files, and limits of blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <macareu/steps.hpp>

#include "core/coding/coded_image.hpp"
#include "core/function_ref.hpp"
#include "core/host_threads.hpp"
#include "slides/steps/buffers.hpp"

namespace macareu::slides {

/// A box of pixels in memory of the host, or of a GPU.
struct block {
  std::shared_ptr<const std::byte> memory;
  image_region where;
  const_image_view pixels{nullptr, dtype::u8, extents{}, strides{}};
  bool on_gpu = false;

  block part(const image_region& inner) const;
};

struct step {
  std::vector<source_form> forms;  // of the outputs
  // One of three: pixels in memory, a source, or an operator.
  block held = {};
  std::shared_ptr<image_source> source = {};
  std::shared_ptr<std::mutex> reading = {};  // one thread at a time reads the source
  std::shared_ptr<coded_image> file = {};    // the source, if it is a work file
  const operator_description* about = nullptr;
  std::vector<std::size_t> outputs = {};  // of the operator
  arguments given = {};
  std::vector<picture> inputs = {};
  std::vector<image> tables = {};  // small inputs that every box has as a whole, such as a kernel
  reach how_far = {};
  bool in_blocks = true;  // may be computed block by block

  /// Pixels of the source.
  void read(const image_region& where, void* to, const host_threads& threads) const;
};

/// How steps in pieces divide a limit of memory. The rest is for buffers that wait to be used again.
struct step_memory {
  std::int64_t all, pieces, blocks;
};
step_memory memory_of_steps(const piece_options& pieces);

/// Blocks of an image are read on the host.
void require_host_memory(const std::string& about, const const_image_view& pixels);

/// Runs of single steps are not resumed.
piece_options limits_of_steps(const piece_options& pieces);

class step_runner {
 public:
  /// In memory.
  explicit step_runner(const context& how) : how_(how) { how_.wait = true; }
  /// In memory or in pieces; boxes and work files as the options say. In pieces, blocks of all threads take
  /// at most `block_memory`, and ranks may share all steps.
  step_runner(const context& how, const piece_options& pieces, bool in_pieces, std::int64_t block_memory)
      : how_(how), pieces_(pieces), in_pieces_(in_pieces), block_memory_(block_memory) {
    how_.wait = true;
    if (in_pieces) buffers_->keep_at_most(block_memory);
  }

  /// In memory: what operators give stays in the memory of this GPU from now on, until it is read. -1: in
  /// that of the host.
  void stay_on(int gpu) { gpu_ = gpu; }
  bool stays_on_gpu() const { return gpu_ >= 0; }

  picture picture_of(const const_image_view& pixels) const;
  picture picture_of(std::shared_ptr<image_source> source) const;

  /// As those of `steps`.
  std::vector<picture> local(std::string_view name, arguments given, std::vector<picture> inputs,
                             reach how_far = {}, std::vector<std::size_t> outputs = {0},
                             std::vector<image> tables = {}) const;
  picture whole(std::string_view name, const arguments& given, const std::vector<picture>& inputs);
  table measured(std::string_view name, const arguments& given, const std::vector<picture>& inputs);
  std::vector<picture> keep(std::vector<picture> results);
  picture by_objects(const picture& mask, const std::vector<picture>& inputs, const steps::find_labels& find);
  /// A picture in a work file.
  picture stored(const picture& result);
  /// The same in memory. In pieces they are computed where they are read, which takes no work file.
  std::vector<picture> reuse(std::vector<picture> results);
  picture reuse(const picture& result) { return reuse(std::vector{result})[0]; }
  void write(const picture& result, image_sink& to) const;
  std::vector<value_counts> counts(const picture& of) const;
  std::uint64_t count() const { return count_; }
  /// How many boxes by_objects() has computed.
  std::int64_t boxes() const { return boxes_; }

  const context& how() const { return how_; }
  bool in_pieces() const { return in_pieces_; }

  /// Boxes of several pictures, in host memory. Large ones are computed in blocks, by threads that take a
  /// block each: what is between two steps stays in the cache.
  std::vector<block> read(std::span<const picture> wanted, const image_region& where) const {
    return read(wanted, where, {});
  }
  /// Copies a box to memory, in C order without gaps.
  void read(const picture& wanted, const image_region& where, void* to) const;
  /// Bytes per pixel while boxes of several pictures are read, beside the memory of blocks.
  std::int64_t bytes_per_pixel(std::span<const picture> wanted) const;

 private:
  /// With the results in `into`, if there are any.
  std::vector<block> read(std::span<const picture> wanted, const image_region& where,
                          std::span<const block> into) const;
  /// The same for operators: on the GPU, if steps stay there.
  std::vector<block> inputs_of(std::span<const picture> wanted, const image_region& where) const;

  /// In memory, with buffers of another.
  step_runner(const context& how, std::shared_ptr<buffers> memory) : how_(how), buffers_(std::move(memory)) {}

  context how_;
  piece_options pieces_ = {};
  bool in_pieces_ = false;
  int gpu_ = -1;
  std::int64_t block_memory_ = 0;
  std::uint64_t count_ = 0;
  std::int64_t boxes_ = 0;
  std::shared_ptr<buffers> buffers_ = std::make_shared<buffers>();

  struct plan;
  plan plan_of(std::span<const picture> wanted, const image_region& where) const;
  /// With the results in `into`, if there are any.
  std::vector<block> read_box(std::span<const picture> wanted, const image_region& where, const context& how,
                              std::span<const block> into) const;
  /// Side of the blocks; 0 where a box is not computed in blocks.
  std::int64_t block_side(std::span<const picture> wanted, const image_region& where) const;
  /// Bytes per pixel of all that is computed at one time.
  std::int64_t bytes_computing(std::span<const picture> wanted) const;
  /// Regions that together are the image, each for a box of so many pixels.
  std::vector<image_region> cores_of(const extents& shape, std::int64_t room) const;
  /// A box with the whole of all objects that reach into its core: empty where there are none, nothing if it
  /// has more pixels.
  std::optional<image_region> box_of_objects(const picture& mask, const image_region& core,
                                             std::int64_t room) const;
  /// For blocks that are computed by one thread each.
  context one_thread() const;
  /// Whether blocks of this many pixels are computed by threads of the processor.
  bool uses_cpu(std::int64_t pixels) const;
  block fresh(const source_form& form, const image_region& where) const;
  block fresh_on_gpu(const source_form& form, const image_region& where) const;
  /// Where operators of this call put their results.
  block fresh_for(const context& how, const source_form& form, const image_region& where) const;
  /// visit(bands) for bands of whole rows of pictures of one shape, packed, as many as fit into memory:
  /// multiples of a number of rows.
  void over_bands(std::span<const picture> of, std::int64_t rows_at_least,
                  function_ref<void(std::span<const block>)> visit) const;
  std::shared_ptr<coded_image> work_file(const source_form& form) const;
  host_threads threads_for(const block& of) const;
  std::vector<std::shared_ptr<image_source>> as_sources(const std::vector<picture>& inputs) const;
};

}  // namespace macareu::slides
