// Pixels of steps: which boxes of their inputs a box needs, and its computation in blocks on all threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include <macareu/device_memory.hpp>

#include "catalogue/device_choice.hpp"
#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/shared_arrays.hpp"
#include "slides/steps/step_runner.hpp"

namespace macareu::slides {
namespace {

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
  const auto margin = ceil_div(far.margin, far.shrink) * far.shrink;  // whole pixels of the result
  std::array<std::int64_t, 2> first{}, end{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    first[axis] = result.first[axis + 1] * far.shrink / far.grow - margin;
    end[axis] = ceil_div(end_of(result, axis + 1) * far.shrink, far.grow) + margin;
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

/// Both have pixels side by side in a row. The second one is in host memory.
void copy_rows(const block& from_block, const block& to_block) {
  const auto &from = from_block.pixels, &to = to_block.pixels;
  const auto bytes = static_cast<std::int64_t>(size_of(from.type()));
  auto width = from.shape().width() * bytes * from.channels();
  auto height = from.shape().height();
  const auto from_step = from.steps()[0] * bytes, to_step = to.steps()[0] * bytes;
  if (from_step == width && to_step == width) width *= std::exchange(height, 1);
  for (std::int64_t y = 0; y < height; ++y) {
    auto* const row = static_cast<std::byte*>(const_cast<void*>(to.data())) + y * to_step;
    const auto* const source = static_cast<const std::byte*>(from.data()) + y * from_step;
    if (from_block.on_gpu)
      device_memory::copy_to_host(row, source, static_cast<std::size_t>(width));
    else
      std::memcpy(row, source, static_cast<std::size_t>(width));
  }
}

/// A box in packed rows.
block packed_in(void* memory, const source_form& form, const image_region& where) {
  const auto shape = shape_of(where);
  return {
      nullptr, where, {memory, form.type, shape, contiguous_strides(shape, form.channels), form.channels}};
}

}  // namespace

void step::read(const image_region& where, void* to, const host_threads& threads) const {
  if (file) return file->read(where, to, threads);
  const std::lock_guard lock(*reading);
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
struct step_runner::plan {
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

step_runner::plan step_runner::plan_of(std::span<const picture> wanted, const image_region& where) const {
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

block step_runner::fresh(const source_form& form, const image_region& where) const {
  const auto bytes = where.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
  const auto memory = buffers_->take(bytes);
  auto made = packed_in(memory.get(), form, where);
  made.memory = memory;
  return made;
}

block step_runner::fresh_on_gpu(const source_form& form, const image_region& where) const {
  const auto bytes = where.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
  const auto memory =
      std::make_shared<cuda::shared_memory>(gpu_, how_.stream, static_cast<std::size_t>(bytes));
  auto made = packed_in(memory->data(), form, where);
  made.memory = {memory, static_cast<const std::byte*>(memory->data())};
  made.on_gpu = true;
  return made;
}

block step_runner::fresh_for(const context& how, const source_form& form, const image_region& where) const {
  return gpu_ >= 0 && how.device != "cpu" ? fresh_on_gpu(form, where) : fresh(form, where);
}

std::vector<block> step_runner::inputs_of(std::span<const picture> wanted, const image_region& where) const {
  return stays_on_gpu() ? read_box(wanted, where, how_, {}) : read(wanted, where);
}

std::vector<block> step_runner::read(std::span<const picture> wanted, const image_region& where,
                                     std::span<const block> into) const {
  const auto side = block_side(wanted, where);
  if (side == 0) {
    auto blocks = read_box(wanted, where, how_, into);
    for (std::size_t w = 0; w < blocks.size(); ++w)
      if (blocks[w].on_gpu) {
        const auto on_gpu = std::exchange(blocks[w], fresh(wanted[w].form(), where));
        copy_rows(on_gpu, blocks[w]);
      }
    return blocks;
  }
  std::vector<block> results(into.begin(), into.end());
  if (results.empty())
    for (const auto& one : wanted) results.push_back(fresh(one.form(), where));
  const auto alone = one_thread();
  const auto down = ceil_div(where.size[1], side), across = ceil_div(where.size[2], side);
  lend_threads(where.pixels(), how_.threads)
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

void step_runner::read(const picture& wanted, const image_region& where, void* to) const {
  const auto memory = packed_in(to, wanted.form(), where);
  read({&wanted, 1}, where, {&memory, 1});
}

std::vector<block> step_runner::read_box(std::span<const picture> wanted, const image_region& where,
                                         const context& how, std::span<const block> into) const {
  auto all = plan_of(wanted, where);
  std::vector<std::vector<block>> results(all.entries.size());
  const auto result_of = [&](const picture& one) -> const block& {
    return results[all.places.at(one.from.get())][one.output];
  };
  const auto place_of = [&](const step& what, std::size_t output, const image_region& box) {
    for (std::size_t w = 0; w < into.size(); ++w)
      if (wanted[w].from.get() == &what && wanted[w].output == output && box == where) return into[w];
    return what.about ? fresh_for(how, what.forms[output], box) : fresh(what.forms[output], box);
  };
  for (std::size_t i = 0; i < all.entries.size(); ++i) {
    how.stop.stop_requested() ? throw interrupted() : void();
    const auto& one = all.entries[i];
    const auto& what = *one.what;
    if (what.source) {
      results[i] = {place_of(what, 0, one.where)};
      what.read(one.where, const_cast<void*>(results[i][0].pixels.data()),
                lend_threads(one.where.pixels(), how.threads));
      continue;
    }
    if (!what.about) {
      // Operators of a GPU read memory of the host, too.
      auto part = what.held.part(one.where);
      if (part.on_gpu && how.device == "cpu") {
        const auto on_gpu = std::exchange(part, place_of(what, 0, one.where));
        copy_rows(on_gpu, part);
      }
      results[i] = {part};
      continue;
    }
    const auto from = needed(what, one.where), to = computed(what, from);
    std::vector<const_image_view> inputs;
    for (const auto& input : what.inputs) inputs.push_back(result_of(input).part(from).pixels);
    for (const auto& each : what.tables) inputs.push_back(each);
    std::vector<image_view> outputs(*std::ranges::max_element(what.outputs) + 1,
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
  for (std::size_t w = 0; w < into.size(); ++w) {
    if (blocks[w].pixels.data() != into[w].pixels.data()) copy_rows(blocks[w], into[w]);
    blocks[w] = into[w];
  }
  return blocks;
}

context step_runner::one_thread() const {
  auto alone = how_;
  alone.device = "cpu";
  alone.threads = 1;
  alone.report = nullptr;  // threads would write and call these at the same time
  alone.progress = nullptr;
  return alone;
}

bool step_runner::uses_cpu(std::int64_t pixels) const {
  return how_.device == "cpu" || (how_.device == "auto" && !auto_tries_gpu(pixels));
}

std::int64_t step_runner::block_side(std::span<const picture> wanted, const image_region& where) const {
  if (!uses_cpu(where.pixels())) return 0;
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
      block_memory_ / (bytes_computing(wanted) * lend_threads(where.pixels(), how_.threads).count);
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

std::int64_t step_runner::bytes_per_pixel(std::span<const picture> wanted) const {
  const auto alone = bytes_computing(wanted);
  const auto& shape = wanted[0].form().shape;
  if (block_side(wanted, whole_of(shape)) == 0) return alone;
  std::int64_t results = 0;
  for (const auto& one : wanted)
    results += one.form().channels * static_cast<std::int64_t>(size_of(one.form().type));
  return std::min(alone, results);
}

std::int64_t step_runner::bytes_computing(std::span<const picture> wanted) const {
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

}  // namespace macareu::slides
