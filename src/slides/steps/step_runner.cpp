#include "slides/steps/step_runner.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <macareu/computed_source.hpp>
#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "core/coding/coded_image.hpp"
#include "core/ranks/rank_shares.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "slides/steps/count_values.hpp"

namespace macareu::slides {
namespace {

const operator_description& operator_named(std::string_view name) {
  if (const auto* const found = find_operator(name)) return *found;
  const auto* const meant = nearest_operator(name);
  throw usage_error("steps", "there is no operator " + std::string(name) +
                                 (meant ? " (did you mean " + std::string(meant->name) + "?)" : ""));
}

/// The operator, if it takes these inputs and arguments.
const operator_description& checked(std::string_view name, const arguments& given,
                                    const std::vector<picture>& inputs, std::span<const image> tables = {}) {
  const auto& about = operator_named(name);
  if (inputs.empty()) throw usage_error(std::string(name), "a step takes pictures, got none");
  std::vector<image_form> forms;
  for (const auto& one : inputs) {
    if (!one) throw usage_error(std::string(name), "a step takes pictures, got an empty one");
    const auto& form = one.form();
    if (form.shape != inputs[0].form().shape)
      throw usage_error(std::string(name), "the inputs of a step have one shape, got " +
                                               to_string(inputs[0].form().shape) + " and " +
                                               to_string(form.shape));
    forms.push_back({form.type, form.shape, form.channels});
  }
  for (const auto& each : tables) forms.push_back({each.type(), each.shape(), each.channels()});
  validate(about, forms, given, {.device = "cpu"});
  return about;
}

/// Of a local step, along both axes: boxes of the result and the inputs correspond by its scales.
void check_scales(std::string_view name, const extents& input, const extents& result, const reach& far) {
  for (int axis = 0; axis < 2; ++axis) {
    const auto most = ceil_div(input[axis] * far.grow, far.shrink);
    if (result.rank() != 2 || result[axis] > most || result[axis] <= most - far.grow)
      throw usage_error(std::string(name), "gives " + to_string(result) + " pixels of " + to_string(input) +
                                               ": the step needs a reach with other scales");
  }
}

/// Those that a local step computes: each once, and all that the operator cannot leave out.
void check_outputs(const operator_description& about, const std::vector<std::size_t>& asked) {
  for (std::size_t o = 0; o < about.outputs.size(); ++o) {
    const auto times = std::ranges::count(asked, o);
    if (times > 1)
      throw usage_error(std::string(about.name), "output " + std::to_string(o) + " is asked for twice");
    if (times == 0 && !about.outputs[o].optional)
      throw usage_error(std::string(about.name),
                        "output " + std::to_string(o) + " is always computed: ask for it too");
  }
  for (const auto o : asked)
    if (o >= about.outputs.size())
      throw usage_error(std::string(about.name), "has no output " + std::to_string(o));
}

void check_image(const source_form& form) {
  if (form.shape.rank() != 2)
    throw usage_error("steps", "expected an image, got a volume of " + to_string(form.shape));
}

void require_images(const operator_description& about) {
  if (about.outputs.empty())
    throw usage_error(std::string(about.name), "gives no image: use measured() for tables");
}

image_region rows_of(const extents& shape, std::int64_t first, std::int64_t count) {
  return {{0, first, 0}, {1, std::min(count, shape.height() - first), shape.width()}};
}

}  // namespace

step_memory memory_of_steps(const piece_options& pieces) {
  auto all = pieces.memory > 0 ? pieces.memory : default_memory();
  if (pieces.shared_by && pieces.memory == 0)
    all = pieces.shared_by->least(all / pieces.shared_by->local_size());
  // Steps have all of a limit that may be too small for them, so that they name the limit that was given.
  constexpr std::int64_t small = 4 << 20;
  return {all, std::max(all / 2, std::min(all, small)), all / 4};
}

piece_options limits_of_steps(const piece_options& pieces) {
  auto limits = pieces;
  limits.name.clear();
  limits.folder.clear();
  limits.resume = false;
  limits.report = nullptr;
  return limits;
}

void require_host_memory(const std::string& about, const const_image_view& pixels) {
  if (cuda::place_of(pixels.data()).kind == cuda::memory_kind::device)
    throw usage_error(about,
                      "the image is in the memory of a GPU, which the host cannot read: copy the image");
}

picture step_runner::picture_of(const const_image_view& pixels) const {
  const bool rows_are_packed = pixels.shape().rank() == 2 && pixels.steps()[1] == pixels.channels() &&
                               (pixels.channels() == 1 || pixels.channel_stride() == 1);
  if (!rows_are_packed) return picture_of(std::shared_ptr(source_of(pixels)));
  step one;
  one.forms = {{pixels.type(), pixels.shape(), pixels.channels()}};
  one.held = {nullptr, whole_of(pixels.shape()), pixels};
  return {std::make_shared<const step>(std::move(one))};
}

picture step_runner::picture_of(std::shared_ptr<image_source> source) const {
  if (!source) throw usage_error("steps", "expected a source, got none");
  check_image(source->form());
  step one;
  one.forms = {source->form()};
  one.reading = std::make_shared<std::mutex>();
  one.file = std::dynamic_pointer_cast<coded_image>(source);
  one.source = std::move(source);
  return {std::make_shared<const step>(std::move(one))};
}

std::vector<picture> step_runner::local(std::string_view name, arguments given, std::vector<picture> inputs,
                                        reach how_far, std::vector<std::size_t> outputs,
                                        std::vector<image> tables) const {
  if (how_far.margin < 0 || how_far.shrink < 1 || how_far.grow < 1)
    throw usage_error(std::string(name), "a step's margin must be at least 0, and its scales at least 1");
  step one;
  one.about = &checked(name, given, inputs, tables);
  require_images(*one.about);
  check_outputs(*one.about, outputs);
  one.outputs = std::move(outputs);
  const auto& first = inputs[0].form();
  for (const auto o : one.outputs) {
    one.forms.push_back({output_type(*one.about, o, first.type, first.shape, given),
                         output_shape(*one.about, o, first.shape, given),
                         output_channels(*one.about, o, first.channels, given)});
    check_scales(name, first.shape, one.forms.back().shape, how_far);
  }
  // A list such as a number for each object takes longer to pass on than a block to compute.
  constexpr std::size_t longest = 1024;
  for (const auto& [key, value] : given)
    if (const auto* list = std::get_if<std::vector<number>>(&value); list && list->size() > longest)
      one.in_blocks = false;
  one.given = std::move(given);
  one.inputs = std::move(inputs);
  one.tables = std::move(tables);
  one.how_far = how_far;
  const auto made = std::make_shared<const step>(std::move(one));
  std::vector<picture> results;
  for (std::size_t o = 0; o < made->outputs.size(); ++o) results.push_back({made, o});
  return results;
}

namespace {

/// A picture as a source of a run in pieces.
class picture_source final : public computed_source {
 public:
  picture_source(const step_runner& on, picture what)
      : on_(on), what_(std::move(what)), bytes_(on.bytes_per_pixel({&what_, 1})) {}

  const source_form& form() const override { return what_.form(); }
  std::int64_t bytes_per_pixel() const override { return bytes_; }
  void read(const image_region& from, void* to) override { on_.read(what_, from, to); }

 private:
  const step_runner& on_;
  picture what_;
  std::int64_t bytes_;
};

}  // namespace

std::vector<std::shared_ptr<image_source>> step_runner::as_sources(const std::vector<picture>& inputs) const {
  std::vector<std::shared_ptr<image_source>> sources;
  for (const auto& one : inputs) sources.push_back(std::make_shared<picture_source>(*this, one));
  return sources;
}

picture step_runner::whole(std::string_view name, const arguments& given,
                           const std::vector<picture>& inputs) {
  const auto& about = checked(name, given, inputs);
  require_images(about);
  const auto& first = inputs[0].form();
  const source_form form{output_type(about, 0, first.type, first.shape, given),
                         output_shape(about, 0, first.shape, given),
                         output_channels(about, 0, first.channels, given)};
  run_report report;
  auto how = how_;
  how.report = &report;
  step one;
  one.forms = {form};
  if (!in_pieces_) {
    const auto blocks = inputs_of(inputs, whole_of(first.shape));
    std::vector<const_image_view> views;
    for (const auto& each : blocks) views.push_back(each.pixels);
    one.held = fresh_for(how_, form, whole_of(form.shape));
    const auto& to = one.held.pixels;
    const image_view output(const_cast<void*>(to.data()), to.type(), to.shape(), to.steps(), to.channels());
    run_operator(about, views, {&output, 1}, given, how);
  } else {
    const auto sources = as_sources(inputs);
    std::vector<image_source*> from;
    for (const auto& each : sources) from.push_back(each.get());
    auto result = work_file(form);
    image_sink* const to = result.get();
    run_in_pieces(about, from, {&to, 1}, given, how, pieces_);
    result->share();
    one.file = result;
    one.source = std::move(result);
  }
  count_ = static_cast<std::uint64_t>(std::max<std::int64_t>(report.count, 0));
  if (how_.report) *how_.report = report;
  return {std::make_shared<const step>(std::move(one))};
}

table step_runner::measured(std::string_view name, const arguments& given,
                            const std::vector<picture>& inputs) {
  const auto& about = checked(name, given, inputs);
  if (!in_pieces_) {
    const auto blocks = inputs_of(inputs, whole_of(inputs[0].form().shape));
    std::vector<const_image_view> views;
    for (const auto& each : blocks) views.push_back(each.pixels);
    return compute_table(about, views, given, how_);
  }
  const auto sources = as_sources(inputs);
  std::vector<image_source*> from;
  for (const auto& each : sources) from.push_back(each.get());
  return compute_table_in_pieces(about, from, given, how_, pieces_);
}

std::vector<picture> step_runner::reuse(std::vector<picture> results) {
  if (in_pieces_) return results;
  const auto blocks = inputs_of(results, whole_of(results[0].form().shape));
  for (std::size_t i = 0; i < results.size(); ++i) {
    step one;
    one.forms = {results[i].form()};
    one.held = blocks[i];
    results[i] = {std::make_shared<const step>(std::move(one))};
  }
  return results;
}

std::vector<picture> step_runner::keep(std::vector<picture> results) {
  if (!in_pieces_) return reuse(std::move(results));
  std::vector<picture> missing;
  std::vector<std::shared_ptr<coded_image>> files;
  for (const auto& one : results) {
    if (!one.from->about) continue;
    missing.push_back(one);
    files.push_back(work_file(one.form()));
  }
  if (missing.empty()) return results;
  over_bands(missing, 1, [&](std::span<const block> bands) {
    for (std::size_t i = 0; i < files.size(); ++i)
      files[i]->write(bands[i].where, bands[i].pixels.data(), threads_for(bands[i]));
  });
  for (const auto& file : files) file->share();
  auto next = files.begin();
  for (auto& one : results)
    if (one.from->about) one = picture_of(*next++);
  return results;
}

picture step_runner::stored(const picture& result) {
  if (result.from->file) return result;
  auto kept = work_file(result.form());
  write(result, *kept);
  kept->share();
  return picture_of(std::move(kept));
}

std::shared_ptr<coded_image> step_runner::work_file(const source_form& form) const {
  if (form.channels != 1)
    throw usage_error("steps", "in pieces, results of whole steps and kept pictures are grey, got " +
                                   std::to_string(form.channels) + " channels");
  return std::make_shared<coded_image>(form, pieces_.scratch, pieces_.shared_by);
}

void step_runner::over_bands(std::span<const picture> of, std::int64_t rows_at_least,
                             function_ref<void(std::span<const block>)> visit) const {
  const auto& shape = of[0].form().shape;
  auto rows = shape.height();
  if (in_pieces_) {
    const auto memory = pieces_.memory > 0 ? pieces_.memory : default_memory();
    // Those of the largest blocks: memory of larger bands would be new for every band.
    constexpr std::int64_t most_rows = 2048;
    rows =
        pieces_.size[1] > 0
            ? pieces_.size[1]
            : std::min(memory / (bytes_per_pixel(of) * std::max<std::int64_t>(shape.width(), 1)), most_rows);
    rows = std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(shape.height(), 1));
    rows = std::min(shape.height(), std::max(rows_at_least, rows / rows_at_least * rows_at_least));
  }
  const auto own = share_of(pieces_.shared_by, ceil_div(shape.height(), rows_at_least));
  const auto end = std::min(own.end * rows_at_least, shape.height());
  for (auto y = own.first * rows_at_least; y < end; y += rows) {
    const auto band = rows_of(shape, y, std::min(rows, end - y));
    std::vector<block> packed;
    for (const auto& one : of) packed.push_back(fresh(one.form(), band));
    read(of, band, packed);
    visit(packed);
  }
}

void step_runner::write(const picture& result, image_sink& to) const {
  auto* const file = dynamic_cast<coded_image*>(&to);
  over_bands({&result, 1}, std::max<std::int64_t>(to.chunk()[1], 1), [&](std::span<const block> bands) {
    const auto& band = bands[0];
    if (file)
      file->write(band.where, band.pixels.data(), threads_for(band));
    else
      to.write(band.where, band.pixels.data());
  });
}

std::vector<value_counts> step_runner::counts(const picture& of) const {
  const auto& form = of.form();
  const auto& shape = form.shape;
  if (form.type != dtype::u8 && form.type != dtype::u16)
    throw usage_error("steps",
                      "values of u8 and u16 can be counted, not of " + std::string(name_of(form.type)));
  const std::size_t values = form.type == dtype::u8 ? 256 : 65536;
  const auto channels = static_cast<std::size_t>(form.channels);
  std::vector<value_counts> all(channels, value_counts(values));
  const auto alone = one_thread();
  // While one thread reads a strip, others count theirs. In pieces all strips fit into the memory of blocks,
  // or are as low as margins allow, and fewer.
  constexpr std::int64_t rows = 256, least_rows = 16;
  const auto strips = share_of(pieces_.shared_by, ceil_div(shape.height(), rows));
  const auto threads = lend_threads(shape.pixels(), how_.threads);
  auto shares = static_cast<std::int64_t>(threads.count), rows_at_once = rows;
  if (in_pieces_ && block_memory_ > 0) {
    const auto rows_of_room =
        block_memory_ / (bytes_computing({&of, 1}) * std::max<std::int64_t>(shape.width(), 1));
    rows_at_once = std::clamp(rows_of_room / shares, least_rows, rows);
    shares = std::clamp<std::int64_t>(rows_of_room / rows_at_once, 1, shares);
  }
  std::mutex joining;
  threads.for_each(static_cast<std::size_t>(shares), [&](std::size_t share) {
    std::vector<value_counts> own(channels, value_counts(values));
    for (auto i = strips.first + static_cast<std::int64_t>(share); i < strips.end; i += shares) {
      const auto end = std::min((i + 1) * rows, shape.height());
      for (auto y = i * rows; y < end; y += rows_at_once) {
        const auto strip = rows_of(shape, y, std::min(rows_at_once, end - y));
        const auto memory = fresh(form, strip);
        read_box({&of, 1}, strip, alone, {&memory, 1});
        if (form.type == dtype::u8)
          count_values<std::uint8_t>(memory.pixels, own);
        else
          count_values<std::uint16_t>(memory.pixels, own);
      }
    }
    const std::lock_guard lock(joining);
    for (std::size_t channel = 0; channel < channels; ++channel)
      for (std::size_t value = 0; value < values; ++value) all[channel][value] += own[channel][value];
  });
  for (auto& channel : all) join_numbers(pieces_.shared_by, channel, std::plus());
  return all;
}

host_threads step_runner::threads_for(const block& of) const {
  return lend_threads(of.where.pixels(), how_.threads);
}

}  // namespace macareu::slides
