// Steps on whole objects of a mask, in boxes that are computed in memory.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <macareu/error.hpp>

#include "catalogue/lend_threads.hpp"
#include "core/host_memory.hpp"
#include "slides/steps/step_runner.hpp"

namespace macareu::slides {
namespace {

/// By the sides of a region: above, left, below, right.
using sides = std::array<std::int64_t, 4>;

image_region grown(const image_region& region, const sides& by, const extents& shape) {
  image_region larger = region;
  for (const std::size_t axis : {1, 2}) {
    const auto end = std::min(end_of(region, axis) + by[axis + 1], shape[static_cast<int>(axis) - 1]);
    larger.first[axis] = std::max<std::int64_t>(region.first[axis] - by[axis - 1], 0);
    larger.size[axis] = end - larger.first[axis];
  }
  return larger;
}

/// Pixels of labels in a box of the image.
struct label_box {
  image_region where;
  const std::uint32_t* pixels;
  std::int64_t pitch;

  label_box(const image_region& region, const const_image_view& view)
      : where(region),
        pixels(static_cast<const std::uint32_t*>(view.data())),
        pitch(static_cast<std::int64_t>(view.steps()[0])) {}
  const std::uint32_t* row(std::int64_t y) const { return pixels + (y - where.first[1]) * pitch; }

  /// visit(label, y, x) for the pixels of objects in a part of the box.
  template <class Visit>
  void over(const image_region& part, const Visit& visit) const {
    for (auto y = part.first[1]; y < end_of(part, 1); ++y) {
      const auto* const labels = row(y) - where.first[2];
      for (auto x = part.first[2]; x < end_of(part, 2); ++x)
        if (labels[x] != 0) visit(labels[x], y, x);
    }
  }
};

/// Which labels reach into a part of a box.
std::vector<bool> labels_in(const image_region& part, const label_box& box) {
  std::vector<bool> found;
  box.over(part, [&](std::uint32_t label, std::int64_t, std::int64_t) {
    if (label > box.where.pixels())
      throw usage_error("steps", "labels of objects in a box are numbers from 1 on, got " +
                                     std::to_string(label) + " among " + std::to_string(box.where.pixels()) +
                                     " pixels");
    if (label >= found.size()) found.resize(label + 1);
    found[label] = true;
  });
  return found;
}

/// By how much a box must grow for the wanted objects; no side: it has all of them whole.
sides missing(const label_box& objects, const std::vector<bool>& wanted, const extents& shape,
              std::int64_t step) {
  const auto& box = objects.where;
  sides by{};
  for (std::size_t side = 0; side < by.size(); ++side) {
    const auto axis = side % 2 + 1;
    const bool last = side >= 2;
    if (last ? end_of(box, axis) == shape[static_cast<int>(axis) - 1] : box.first[axis] == 0) continue;
    auto rim = box;
    rim.first[axis] = last ? end_of(box, axis) - 1 : box.first[axis];
    rim.size[axis] = 1;
    objects.over(rim, [&](std::uint32_t label, std::int64_t, std::int64_t) {
      if (label < wanted.size() && wanted[label]) by[side] = step;
    });
  }
  return by;
}

/// Numbers of objects that boxes find, some of them in several boxes: an object is known by its first pixel.
class object_numbers {
 public:
  explicit object_numbers(const extents& shape) : width_(shape.width()) {}

  /// Of the labels in a box, by its own numbers; 0 for those that do not reach into the core.
  std::vector<std::uint32_t> of(const label_box& labels, const image_region& core) {
    const auto wanted = labels_in(core, labels);
    std::vector<found> objects(wanted.size());
    labels.over(labels.where, [&](std::uint32_t label, std::int64_t y, std::int64_t x) {
      if (label >= wanted.size()) return;
      auto& one = objects[label];
      if (one.first < 0) one.first = y * width_ + x;
      one.beyond |= y < core.first[1] || y >= end_of(core, 1) || x < core.first[2] || x >= end_of(core, 2);
    });
    std::vector<std::uint32_t> numbers(objects.size());
    const std::lock_guard lock(guard_);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (!wanted[i]) continue;
      auto& number = objects[i].beyond ? shared_[objects[i].first] : numbers[i];
      if (number == 0) number = ++last_;
      numbers[i] = number;
    }
    return numbers;
  }
  std::uint32_t count() const { return last_; }

 private:
  struct found {
    bool beyond = false;  // also has pixels outside of the core
    std::int64_t first = -1;
  };

  std::int64_t width_;
  std::mutex guard_;
  std::uint32_t last_ = 0;
  std::map<std::int64_t, std::uint32_t> shared_;  // by their first pixels
};

/// Tells how far the boxes are, on the thread that made it alone.
class progress_of_boxes {
 public:
  progress_of_boxes(const piece_options& to, std::int64_t boxes) : to_(to) {
    now_.pass = 1;
    now_.pieces = boxes;
  }
  /// On any thread.
  void add(std::int64_t pixels) {
    if (!to_.progress) return;
    pixels_ += pixels;
    ++done_;
    if (std::this_thread::get_id() == teller_) tell();
  }
  /// Boxes that others computed since the last report.
  void finish() {
    if (to_.progress && now_.done < done_) tell();
  }

 private:
  void tell() {
    now_.done = done_;
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    now_.pixels_per_second = static_cast<double>(pixels_) / std::max(seconds, 1e-9);
    now_.seconds_left =
        seconds * static_cast<double>(now_.pieces - now_.done) / static_cast<double>(now_.done);
    to_.progress(now_);
  }

  const piece_options& to_;
  piece_progress now_;
  std::atomic<std::int64_t> done_ = 0, pixels_ = 0;
  std::thread::id teller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void check_found(const picture& found, const extents& shape) {
  const auto& form = found.form();
  if (form.type != dtype::u32 || form.shape != shape || form.channels != 1)
    throw usage_error("steps", "expected labels of u32 and " + to_string(shape) +
                                   " of an object's box, got " + std::string(name_of(form.type)) + " of " +
                                   to_string(form.shape));
}

/// Bytes for a pixel of a box, beside its inputs: the images of whole steps in memory.
constexpr std::int64_t bytes_of_whole_steps = 28;
/// Most objects that reach into a core end within this many pixels of it.
constexpr std::int64_t usual_margin = 96;
/// Along an axis a box has room for a core, and for so many pixels beside it.
constexpr std::int64_t room_around = 4 * usual_margin;
/// Side of the smallest core that is worth its margins, and of the largest: images of more pixels are far
/// beyond the cache.
constexpr std::int64_t least_side = 512, most_side = 2048;

}  // namespace

std::vector<image_region> step_runner::cores_of(const extents& shape, std::int64_t room) const {
  // Square, unless pieces are given.
  const auto side =
      std::min(static_cast<std::int64_t>(std::sqrt(static_cast<double>(room))) - room_around, most_side);
  const auto height = pieces_.size[1] > 0 ? pieces_.size[1] : side,
             width = pieces_.size[2] > 0 ? pieces_.size[2] : side;
  std::vector<image_region> cores;
  for (std::int64_t y = 0; y < shape.height(); y += height)
    for (std::int64_t x = 0; x < shape.width(); x += width)
      cores.push_back(
          {{0, y, x}, {1, std::min(height, shape.height() - y), std::min(width, shape.width() - x)}});
  return cores;
}

std::optional<image_region> step_runner::box_of_objects(const picture& mask, const image_region& core,
                                                        std::int64_t room) const {
  const auto& shape = mask.form().shape;
  const auto how = one_thread();
  sides by{usual_margin, usual_margin, usual_margin, usual_margin};
  auto step = usual_margin;
  for (auto box = grown(core, by, shape); box.pixels() <= room; box = grown(box, by, shape)) {
    const auto pixels = read_box({&mask, 1}, box, how, {})[0];
    const auto labels = fresh({dtype::u32, pixels.pixels.shape()}, box);
    const image_view to(const_cast<void*>(labels.pixels.data()), dtype::u32, labels.pixels.shape(),
                        labels.pixels.steps());
    run_operator(*find_operator("label"), {&pixels.pixels, 1}, {&to, 1}, {{"connectivity", connectivity(8)}},
                 how);
    const label_box objects(box, labels.pixels);
    const auto wanted = labels_in(core, objects);
    if (wanted.empty()) return image_region{};
    step *= 2;  // few rounds for large objects
    by = missing(objects, wanted, shape, step);
    if (by == sides{}) return box;
  }
  return std::nullopt;
}

picture step_runner::by_objects(const picture& mask, const std::vector<picture>& inputs,
                                const steps::find_labels& find) {
  const auto& shape = mask.form().shape;
  // Ranks would have to agree on the numbers of objects between them.
  if (!in_pieces_ || pieces_.shared_by || !uses_cpu(shape.pixels())) return {};
  const auto memory = pieces_.memory > 0 ? pieces_.memory : default_memory();
  const auto pixels_at_once = memory / (bytes_computing(inputs) + bytes_of_whole_steps);
  constexpr std::int64_t least_room = (least_side + room_around) * (least_side + room_around);
  if (pixels_at_once < least_room || shape.pixels() == 0) return {};
  auto threads = lend_threads(shape.pixels(), how_.threads);
  threads.count = static_cast<int>(std::min<std::int64_t>(threads.count, pixels_at_once / least_room));
  auto room = pixels_at_once / threads.count;
  const auto cores = cores_of(shape, room);
  // Each core that a clump reaches into computes the whole clump, so large clumps are left to the exact
  // forms.
  const auto& largest = cores[0].size;
  room = std::min(room, 2 * (largest[1] + room_around) * (largest[2] + room_around));
  const no_free_list within_limit;  // as for pieces
  std::vector<image_region> boxes(cores.size());
  std::atomic<bool> fits = true;
  threads.for_each(cores.size(), [&](std::size_t i) {
    if (!fits) return;
    const auto box = box_of_objects(mask, cores[i], room);
    if (box)
      boxes[i] = *box;
    else
      fits = false;
  });
  if (!fits) return {};
  const source_form form{dtype::u32, shape};
  auto file = std::make_shared<coded_image>(form, pieces_.scratch);
  object_numbers numbers(shape);
  progress_of_boxes progress(pieces_, static_cast<std::int64_t>(cores.size()));
  threads.for_each(cores.size(), [&](std::size_t i) {
    const auto& core = cores[i];
    const auto result = fresh(form, core);
    auto* const out = static_cast<std::uint32_t*>(const_cast<void*>(result.pixels.data()));
    std::fill_n(out, core.pixels(), std::uint32_t{0});
    if (boxes[i].pixels() > 0) {
      const std::shared_ptr<step_runner> inside(new step_runner(one_thread(), buffers_));
      const auto blocks = read_box(inputs, boxes[i], one_thread(), {});
      std::vector<picture> views;
      for (const auto& each : blocks) views.push_back(inside->picture_of(each.pixels));
      steps to_find(inside);
      const auto found = find(to_find, views);
      check_found(found, blocks[0].pixels.shape());
      const auto pixels = inside->read({&found, 1}, whole_of(found.form().shape))[0];
      const label_box labels(boxes[i], pixels.pixels);
      const auto number = numbers.of(labels, core);
      labels.over(core, [&](std::uint32_t label, std::int64_t y, std::int64_t x) {
        out[(y - core.first[1]) * core.size[2] + x - core.first[2]] = number[label];
      });
    }
    file->write(core, out);
    progress.add(core.pixels());
  });
  progress.finish();
  count_ = numbers.count();
  boxes_ += static_cast<std::int64_t>(cores.size());
  return picture_of(std::move(file));
}

}  // namespace macareu::slides
