#include "slides/nuclei/steps.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <macareu/computed_source.hpp>
#include <macareu/error.hpp>

#include "catalogue/device_choice.hpp"
#include "core/ceil_div.hpp"
#include "core/coded_image.hpp"
#include "engines/cpu/runtime/threads.hpp"

namespace macareu::slides {
namespace {

const operator_description& operator_named(std::string_view name) {
  const auto* const found = find_operator(name);
  if (!found) throw std::logic_error("no operator " + std::string(name));
  return *found;
}

std::int64_t end_of(const image_region& of, std::size_t axis) { return of.first[axis] + of.size[axis]; }

image_region united(const image_region& a, const image_region& b) {
  image_region both = a;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    both.first[axis] = std::min(a.first[axis], b.first[axis]);
    both.size[axis] = std::max(end_of(a, axis), end_of(b, axis)) - both.first[axis];
  }
  return both;
}

image_region between(std::array<std::int64_t, 2> first, std::array<std::int64_t, 2> end) {
  return {{0, first[0], first[1]}, {1, end[0] - first[0], end[1] - first[1]}};
}

/// The box of a step's inputs that a box of its result needs.
image_region needed(const step& of, const image_region& result) {
  const auto& far = of.how_far;
  const auto& shape = of.inputs[0].form().shape;
  std::array<std::int64_t, 2> first{}, end{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    first[axis] = result.first[axis + 1] * far.shrink / far.grow - far.margin;
    end[axis] = ceil_div(end_of(result, axis + 1) * far.shrink, far.grow) + far.margin;
    first[axis] = std::max<std::int64_t>(first[axis], 0);
    end[axis] = std::min(end[axis], shape[static_cast<int>(axis)]);
  }
  return between(first, end);
}

/// The box that a step computes from one of its inputs: wide enough for what is needed of it.
image_region computed(const step& of, const image_region& from) {
  const auto& far = of.how_far;
  std::array<std::int64_t, 2> first{}, end{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    first[axis] = from.first[axis + 1] * far.grow / far.shrink;
    end[axis] = ceil_div(end_of(from, axis + 1) * far.grow, far.shrink);
  }
  return between(first, end);
}

extents shape_of(const image_region& where) { return {where.size[1], where.size[2]}; }

/// Both have pixels side by side in a row.
void copy_rows(const const_image_view& from, const const_image_view& to) {
  const auto bytes = static_cast<std::int64_t>(size_of(from.type()));
  const auto width = from.shape().width() * bytes * from.channels();
  for (std::int64_t y = 0; y < from.shape().height(); ++y)
    std::memcpy(static_cast<std::byte*>(const_cast<void*>(to.data())) + y * to.steps()[0] * bytes,
                static_cast<const std::byte*>(from.data()) + y * from.steps()[0] * bytes,
                static_cast<std::size_t>(width));
}
/// A box in packed rows.
block packed_in(void* memory, const source_form& form, const image_region& where) {
  const auto shape = shape_of(where);
  return {
      nullptr, where, {memory, form.type, shape, contiguous_strides(shape, form.channels), form.channels}};
}

}  // namespace

const source_form& picture::form() const { return from->forms[output]; }

void step::read(const image_region& where, void* to, const host_threads& threads) const {
  if (file) return file->read(where, to, threads);
  static std::mutex one_reader;
  const std::lock_guard lock(one_reader);
  source->read(where, to);
}

block block::part(const image_region& inner) const {
  if (inner == where) return *this;
  const auto& steps = pixels.steps();
  const auto skipped =
      (inner.first[1] - where.first[1]) * steps[0] + (inner.first[2] - where.first[2]) * steps[1];
  block cropped = *this;
  cropped.where = inner;
  cropped.pixels = {static_cast<const std::byte*>(pixels.data()) +
                        skipped * static_cast<std::int64_t>(size_of(pixels.type())),
                    pixels.type(),
                    shape_of(inner),
                    steps,
                    pixels.channels(),
                    pixels.channel_stride()};
  return cropped;
}

/// Which steps a box needs, in their order, and which box of each.
struct steps::plan {
  struct entry {
    const step* what;
    image_region where;  // of its result
    int readers = 0;
  };
  std::vector<entry> entries;  // a step follows its inputs
  std::map<const step*, std::size_t> places;

  void add(const step* what, const image_region& where) {
    if (!places.contains(what)) {
      if (what->about)
        for (const auto& input : what->inputs) add(input.from.get(), where);
      places[what] = entries.size();
      entries.push_back({what, {}, 0});
    }
  }
  entry& at(const step* what) { return entries[places.at(what)]; }

  void ask(const step* what, const image_region& where) {
    auto& one = at(what);
    one.where = one.readers == 0 ? where : united(one.where, where);
    ++one.readers;
  }
};

steps::plan steps::plan_of(std::span<const picture> wanted, const image_region& where) const {
  plan all;
  for (const auto& one : wanted) all.add(one.from.get(), where);
  for (const auto& one : wanted) all.ask(one.from.get(), where);
  for (std::size_t i = all.entries.size(); i-- > 0;) {
    const auto& one = all.entries[i];
    if (!one.what->about) continue;
    const auto from = needed(*one.what, one.where);
    for (const auto& input : one.what->inputs) all.ask(input.from.get(), from);
  }
  return all;
}

block steps::fresh(const source_form& form, const image_region& where) const {
  const auto bytes = where.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
  const auto memory = buffers_->take(bytes);
  auto made = packed_in(memory.get(), form, where);
  made.memory = memory;
  return made;
}

std::vector<block> steps::read(std::span<const picture> wanted, const image_region& where,
                               std::span<const block> into) const {
  const auto side = block_side(wanted, where);
  if (side == 0) return read_box(wanted, where, how_, into);
  std::vector<block> results(into.begin(), into.end());
  if (results.empty())
    for (const auto& one : wanted) results.push_back(fresh(one.form(), where));
  auto alone = how_;
  alone.device = "cpu";
  alone.threads = 1;
  const auto down = ceil_div(where.size[1], side), across = ceil_div(where.size[2], side);
  cpu::lend_threads(where.pixels(), how_.threads)
      .for_each(static_cast<std::size_t>(down * across), [&](std::size_t unit) {
        const auto i = static_cast<std::int64_t>(unit);
        const auto y = where.first[1] + i / across * side, x = where.first[2] + i % across * side;
        const auto own =
            between({y, x}, {std::min(y + side, end_of(where, 1)), std::min(x + side, end_of(where, 2))});
        std::vector<block> parts;
        for (const auto& each : results) parts.push_back(each.part(own));
        read_box(wanted, own, alone, parts);
      });
  return results;
}

void steps::read(const picture& wanted, const image_region& where, void* to) const {
  const auto memory = packed_in(to, wanted.form(), where);
  read({&wanted, 1}, where, {&memory, 1});
}

std::vector<block> steps::read_box(std::span<const picture> wanted, const image_region& where,
                                   const context& how, std::span<const block> into) const {
  auto all = plan_of(wanted, where);
  std::vector<std::vector<block>> results(all.entries.size());
  const auto result_of = [&](const picture& one) -> const block& {
    return results[all.places.at(one.from.get())][one.output];
  };
  const auto place_of = [&](const step& what, std::size_t output, const image_region& box) {
    for (std::size_t w = 0; w < into.size(); ++w)
      if (wanted[w].from.get() == &what && wanted[w].output == output && box == where) return into[w];
    return fresh(what.forms[output], box);
  };
  for (std::size_t i = 0; i < all.entries.size(); ++i) {
    how.stop.stop_requested() ? throw interrupted() : void();
    const auto& one = all.entries[i];
    const auto& what = *one.what;
    if (what.source) {
      results[i] = {place_of(what, 0, one.where)};
      what.read(one.where, const_cast<void*>(results[i][0].pixels.data()),
                cpu::lend_threads(one.where.pixels(), how.threads));
      continue;
    }
    if (!what.about) {
      results[i] = {what.held.part(one.where)};
      continue;
    }
    const auto from = needed(what, one.where), to = computed(what, from);
    std::vector<const_image_view> inputs;
    for (const auto& input : what.inputs) inputs.push_back(result_of(input).part(from).pixels);
    for (const auto& each : what.tables) inputs.push_back(each);
    std::vector<image_view> outputs(what.outputs.back() + 1,
                                    image_view(nullptr, dtype::u8, extents{}, strides{}));
    for (std::size_t o = 0; o < what.outputs.size(); ++o) {
      results[i].push_back(place_of(what, o, to));
      const auto& pixels = results[i].back().pixels;
      outputs[what.outputs[o]] = {
          const_cast<void*>(pixels.data()), pixels.type(), pixels.shape(), pixels.steps(), pixels.channels(),
          pixels.channel_stride()};
    }
    auto given = what.given;
    if (what.how_far.grow > 1) given["size"] = std::vector<number>{to.size[1], to.size[2]};
    run_operator(*what.about, inputs, outputs, given, how);
    for (const auto& input : what.inputs)
      if (--all.at(input.from.get()).readers == 0) results[all.places.at(input.from.get())].clear();
  }
  std::vector<block> blocks;
  for (const auto& one : wanted) blocks.push_back(result_of(one).part(where));
  for (std::size_t w = 0; w < into.size(); ++w)
    if (blocks[w].pixels.data() != into[w].pixels.data()) copy_rows(blocks[w].pixels, into[w].pixels);
  return blocks;
}

std::int64_t steps::block_side(std::span<const picture> wanted, const image_region& where) const {
  if (how_.device != "cpu" && (how_.device != "auto" || auto_tries_gpu(where.pixels()))) return 0;
  bool computes = false;
  for (const auto& one : plan_of(wanted, where).entries) {
    if (one.what->about && !one.what->in_blocks) return 0;
    computes = computes || one.what->about;
  }
  if (!computes) return 0;
  const auto work_of = [&](const image_region& box) {
    std::int64_t pixels = 0;
    for (const auto& one : plan_of(wanted, box).entries)
      if (one.what->about) pixels += computed(*one.what, needed(*one.what, one.where)).pixels();
    return static_cast<double>(pixels) / static_cast<double>(box.pixels());
  };
  const auto room =
      block_memory_ / (bytes_computing(wanted) * cpu::threads_for(where.pixels(), how_.threads));
  // Margins of blocks are computed several times. Beyond this share, operators on the whole box are faster.
  constexpr double most_work = 1.2;
  const auto alone = most_work * work_of(where);
  std::int64_t largest = 256;
  for (const std::int64_t side : {512, 1024, 2048}) {
    if (in_pieces_ && side * side > room) return largest;
    largest = side;
    if (where.size[1] <= side && where.size[2] <= side) return 0;
    auto middle = where;
    for (const std::size_t axis : {1, 2}) {
      middle.size[axis] = std::min(where.size[axis], side);
      middle.first[axis] += (where.size[axis] - middle.size[axis]) / 2;
    }
    if (side >= 1024 && work_of(middle) <= alone) return side;
  }
  return in_pieces_ ? largest : 0;
}

std::int64_t steps::bytes_per_pixel(std::span<const picture> wanted) const {
  const auto alone = bytes_computing(wanted);
  const auto& shape = wanted[0].form().shape;
  if (block_side(wanted, whole_of(shape)) == 0) return alone;
  std::int64_t results = 0;
  for (const auto& one : wanted)
    results += one.form().channels * static_cast<std::int64_t>(size_of(one.form().type));
  return std::min(alone, results);
}

std::int64_t steps::bytes_computing(std::span<const picture> wanted) const {
  constexpr std::int64_t side = 2048;
  constexpr std::int64_t inside_operators = 8;
  const auto& shape = wanted[0].form().shape;
  image_region where = whole_of(shape);
  for (int axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<std::size_t>(axis) + 1;
    where.size[i] = std::min(shape[axis], side);
    where.first[i] = (shape[axis] - where.size[i]) / 2;
  }
  auto all = plan_of(wanted, where);
  std::int64_t now = 0, peak = 0;
  const auto bytes_of = [&](const plan::entry& one) {
    const auto& what = *one.what;
    if (!what.about && !what.source) return std::int64_t{0};
    const auto box = what.about ? computed(what, needed(what, one.where)) : one.where;
    std::int64_t bytes = 0;
    for (const auto& form : what.forms)
      bytes += box.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
    return bytes;
  };
  for (const auto& one : all.entries) {
    now += bytes_of(one);
    peak = std::max(peak, now);
    if (one.what->about)
      for (const auto& input : one.what->inputs) {
        auto& before = all.at(input.from.get());
        if (--before.readers == 0) now -= bytes_of(before);
      }
  }
  return ceil_div(peak, std::max<std::int64_t>(where.pixels(), 1)) + inside_operators;
}

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
    const auto blocks = read(inputs, whole_of(first.shape));
    std::vector<const_image_view> views;
    for (const auto& each : blocks) views.push_back(each.pixels);
    one.held = fresh(form, whole_of(form.shape));
    const auto& to = one.held.pixels;
    const image_view output(const_cast<void*>(to.data()), to.type(), to.shape(), to.steps(), to.channels());
    run_operator(about, views, {&output, 1}, given, how);
  } else {
    const auto sources = as_sources(inputs);
    std::vector<image_source*> from;
    for (const auto& each : sources) from.push_back(each.get());
    auto result = std::make_shared<coded_image>(form, pieces_.scratch);
    image_sink* const to = result.get();
    run_in_pieces(about, from, {&to, 1}, given, how, pieces_);
    one.file = result;
    one.source = std::move(result);
  }
  count_ = static_cast<std::uint64_t>(std::max<std::int64_t>(report.count, 0));
  return {std::make_shared<const step>(std::move(one))};
}

table steps::measured(std::string_view name, const arguments& given, const std::vector<picture>& inputs) {
  const auto& about = operator_named(name);
  if (!in_pieces_) {
    const auto blocks = read(inputs, whole_of(inputs[0].form().shape));
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
  const auto blocks = read(results, whole_of(results[0].form().shape));
  for (std::size_t i = 0; i < results.size(); ++i) {
    step one;
    one.forms = {results[i].form()};
    one.held = blocks[i];
    results[i] = {std::make_shared<const step>(std::move(one))};
  }
  return results;
}

picture steps::keep(const picture& result) {
  if (!in_pieces_ || !result.from->about) return reuse(result);
  return stored(result);
}

picture steps::stored(const picture& result) {
  if (result.from->file) return result;
  auto kept = std::make_shared<coded_image>(result.form(), pieces_.scratch);
  write(result, *kept);
  return source_of(std::move(kept));
}

void steps::over_bands(const picture& of, std::int64_t rows_at_least,
                       function_ref<void(const block&)> visit) const {
  const auto& form = of.form();
  const auto& shape = form.shape;
  auto rows = shape.height();
  if (in_pieces_) {
    const auto memory = pieces_.memory > 0 ? pieces_.memory : default_memory();
    rows = pieces_.size[1] > 0
               ? pieces_.size[1]
               : memory / (bytes_per_pixel({&of, 1}) * std::max<std::int64_t>(shape.width(), 1));
    rows = std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(shape.height(), 1));
    rows = std::min(shape.height(), std::max(rows_at_least, rows / rows_at_least * rows_at_least));
  }
  for (std::int64_t y = 0; y < shape.height(); y += rows) {
    const auto band = between({y, 0}, {std::min(y + rows, shape.height()), shape.width()});
    const auto packed = fresh(form, band);
    read({&of, 1}, band, {&packed, 1});
    visit(packed);
  }
}

void steps::write(const picture& result, image_sink& to) {
  auto* const file = dynamic_cast<coded_image*>(&to);
  over_bands(result, std::max<std::int64_t>(to.chunk()[1], 1), [&](const block& band) {
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
  auto alone = how_;
  alone.device = "cpu";
  alone.threads = 1;
  // While one thread reads a strip, others count theirs.
  constexpr std::int64_t rows = 256;
  const auto threads = cpu::lend_threads(shape.pixels(), how_.threads);
  const auto shares = static_cast<std::int64_t>(threads.count);
  std::mutex joining;
  threads.for_each(static_cast<std::size_t>(shares), [&](std::size_t share) {
    std::vector<value_counts> own(channels, value_counts(values));
    for (auto y = static_cast<std::int64_t>(share) * rows; y < shape.height(); y += shares * rows) {
      const auto strip = between({y, 0}, {std::min(y + rows, shape.height()), shape.width()});
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
  return all;
}

host_threads steps::threads_for(const block& of) const {
  return cpu::lend_threads(of.where.pixels(), how_.threads);
}

}  // namespace macareu::slides
