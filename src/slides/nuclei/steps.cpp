#include "slides/nuclei/steps.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <macareu/computed_source.hpp>
#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "core/coded_image.hpp"
#include "core/rank_shares.hpp"

namespace macareu::slides {
namespace {

const operator_description& operator_named(std::string_view name) {
  const auto* const found = find_operator(name);
  if (!found) throw std::logic_error("no operator " + std::string(name));
  return *found;
}

image_region rows_of(const extents& shape, std::int64_t first, std::int64_t count) {
  return {{0, first, 0}, {1, std::min(count, shape.height() - first), shape.width()}};
}

}  // namespace

picture steps::view_of(const const_image_view& pixels) const {
  step one;
  one.forms = {{pixels.type(), pixels.shape(), pixels.channels()}};
  one.held = {nullptr, whole_of(pixels.shape()), pixels};
  return {std::make_shared<const step>(std::move(one))};
}

picture steps::source_of(std::shared_ptr<image_source> source) const {
  step one;
  one.forms = {source->form()};
  one.file = std::dynamic_pointer_cast<coded_image>(source);
  one.source = std::move(source);
  return {std::make_shared<const step>(std::move(one))};
}

std::vector<picture> steps::local(std::string_view name, arguments given, std::vector<picture> inputs,
                                  reach how_far, std::vector<std::size_t> outputs,
                                  std::vector<image> tables) const {
  step one;
  one.about = &operator_named(name);
  one.outputs = std::move(outputs);
  const auto& first = inputs[0].form();
  for (const auto o : one.outputs)
    one.forms.push_back(
        {how_far.grow > 1 ? first.type : output_type(*one.about, o, first.type, first.shape, given),
         how_far.grow > 1 ? how_far.shape : output_shape(*one.about, o, first.shape, given),
         how_far.grow > 1 ? first.channels : output_channels(*one.about, o, first.channels, given)});
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
  picture_source(const steps& on, picture what)
      : on_(on), what_(std::move(what)), bytes_(on.bytes_per_pixel({&what_, 1})) {}

  const source_form& form() const override { return what_.form(); }
  std::int64_t bytes_per_pixel() const override { return bytes_; }
  void read(const image_region& from, void* to) override { on_.read(what_, from, to); }

 private:
  const steps& on_;
  picture what_;
  std::int64_t bytes_;
};

}  // namespace

std::vector<std::shared_ptr<image_source>> steps::as_sources(const std::vector<picture>& inputs) const {
  std::vector<std::shared_ptr<image_source>> sources;
  for (const auto& one : inputs) sources.push_back(std::make_shared<picture_source>(*this, one));
  return sources;
}

picture steps::whole(std::string_view name, const arguments& given, const std::vector<picture>& inputs) {
  const auto& about = operator_named(name);
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

table steps::measured(std::string_view name, const arguments& given, const std::vector<picture>& inputs) {
  const auto& about = operator_named(name);
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

std::vector<picture> steps::reuse(std::vector<picture> results) {
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

std::vector<picture> steps::keep(std::vector<picture> results) {
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
    if (one.from->about) one = source_of(*next++);
  return results;
}

picture steps::labels_in_u32(picture labels) {
  if (labels.form().type == dtype::u32) return labels;
  return keep(local("cast", {{"type", "u32"}}, {std::move(labels)}, {})[0]);
}

picture steps::stored(const picture& result) {
  if (result.from->file) return result;
  auto kept = work_file(result.form());
  write(result, *kept);
  kept->share();
  return source_of(std::move(kept));
}

std::shared_ptr<coded_image> steps::work_file(const source_form& form) const {
  return std::make_shared<coded_image>(form, pieces_.scratch, pieces_.shared_by);
}

void steps::over_bands(std::span<const picture> of, std::int64_t rows_at_least,
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

void steps::write(const picture& result, image_sink& to) {
  auto* const file = dynamic_cast<coded_image*>(&to);
  over_bands({&result, 1}, std::max<std::int64_t>(to.chunk()[1], 1), [&](std::span<const block> bands) {
    const auto& band = bands[0];
    if (file)
      file->write(band.where, band.pixels.data(), threads_for(band));
    else
      to.write(band.where, band.pixels.data());
  });
}

std::vector<value_counts> steps::counts(const picture& of, std::size_t values) const {
  const auto& shape = of.form().shape;
  const auto channels = static_cast<std::size_t>(of.form().channels);
  std::vector<value_counts> all(channels, value_counts(values));
  const auto alone = one_thread();
  // While one thread reads a strip, others count theirs.
  constexpr std::int64_t rows = 256;
  const auto strips = share_of(pieces_.shared_by, ceil_div(shape.height(), rows));
  const auto threads = lend_threads(shape.pixels(), how_.threads);
  const auto shares = static_cast<std::int64_t>(threads.count);
  std::mutex joining;
  threads.for_each(static_cast<std::size_t>(shares), [&](std::size_t share) {
    std::vector<value_counts> own(channels, value_counts(values));
    for (auto i = strips.first + static_cast<std::int64_t>(share); i < strips.end; i += shares) {
      const auto strip = rows_of(shape, i * rows, rows);
      const auto memory = fresh(of.form(), strip);
      read_box({&of, 1}, strip, alone, {&memory, 1});
      if (of.form().type == dtype::u8)
        count_values<std::uint8_t>(memory.pixels, own);
      else
        count_values<std::uint16_t>(memory.pixels, own);
    }
    const std::lock_guard lock(joining);
    for (std::size_t channel = 0; channel < channels; ++channel)
      for (std::size_t value = 0; value < values; ++value) all[channel][value] += own[channel][value];
  });
  for (auto& channel : all) join_numbers(pieces_.shared_by, channel, std::plus());
  return all;
}

host_threads steps::threads_for(const block& of) const {
  return lend_threads(of.where.pixels(), how_.threads);
}

}  // namespace macareu::slides
