// The argument of an operator: images, parameters and the job of the run.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "core/framed.hpp"
#include "core/host_memory.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"

namespace macareu {

namespace pieces {
class run;
}

/// State of one run: limits from the caller, counters for the report.
struct job {
  const context& how;
  run_report report;
  bool images_on_gpu = false;    // all images of the call; saves a query per image
  bool in_stream_order = false;  // results may arrive after the call returns
  bool results_touched = false;  // set by an engine before it writes to the caller's memory
  mutable double done = 0;       // fraction reported to the caller; never decreases
  const std::function<void(const table&)>* take_rows = nullptr;  // where a table is given in parts
  pieces::run* pieces = nullptr;  // of a run in pieces, whose views hold sources and sinks instead of pixels

  void check_stop() const {
    if (how.stop.stop_requested()) throw interrupted();
  }

  /// Call from one thread at a time.
  void tell(double share) const {
    if (!how.progress || share <= done) return;
    done = share;
    how.progress(share);
  }
};

/// Reports the progress of one pass over an image, in at most 128 steps. The number of passes is unknown, so
/// a pass counts as two thirds of the remaining work unless its share is given.
class pass_over_units {
 public:
  pass_over_units(const job& work, std::int64_t units)
      : pass_over_units(work, units, work.done, work.done + (1 - work.done) * 2 / 3) {}
  pass_over_units(const job& work, std::int64_t units, double from, double to)
      : work_(work), units_(units), from_(from), to_(to) {}

  /// Call from one thread at a time.
  void tell(std::int64_t units_done) {
    if (!work_.how.progress || units_ == 0) return;
    const auto step =
        static_cast<std::int64_t>(128 * static_cast<double>(units_done) / static_cast<double>(units_));
    if (step == told_) return;
    told_ = step;
    work_.tell(from_ + (to_ - from_) * static_cast<double>(step) / 128);
  }

 private:
  const job& work_;
  std::int64_t units_, told_ = 0;
  double from_, to_;
};

/// Pixels in host memory.
template <class T>
class buffer {
 public:
  buffer(std::int64_t depth, std::int64_t height, std::int64_t width)
      : pixels_(take_memory(sizeof(T) * static_cast<std::size_t>(depth * height * width))),
        view_{reinterpret_cast<T*>(pixels_.get()), depth, height, width, height * width, width, 1} {}
  buffer(buffer&&) = default;
  buffer& operator=(buffer&&) = delete;
  ~buffer() { give_back(std::move(pixels_), sizeof(T) * static_cast<std::size_t>(view_.pixels())); }

  operator view<T>() const { return view_; }
  view<T> pixels() const { return view_; }

 private:
  host_memory pixels_;
  view<T> view_;
};

template <class T, class Pointer>
view<T> typed_view(const detail::basic_image_view<Pointer>& image) {
  const auto& shape = image.shape();
  const auto& step = image.steps();
  const bool volume = shape.rank() == 3;
  return {static_cast<T*>(image.data()), shape.depth(),        shape.height(),      shape.width(),
          volume ? step[0] : 0,          step[volume ? 1 : 0], step[volume ? 2 : 1]};
}

template <class T, class Pointer>
framed<T> memory_image(const detail::basic_image_view<Pointer>& image) {
  return framed<T>(typed_view<T>(image));
}

struct call {
  const operator_description& about;
  std::span<const const_image_view> inputs;
  std::span<const image_view> outputs;
  const arguments& values;  // every parameter of the description
  job& work;
  table* result = nullptr;  // only for operators that give a table
  int channel = 0;          // which one the views are of

  int rank() const { return inputs[0].shape().rank(); }

  /// Whether the caller gives an optional input.
  bool has_input(std::size_t index) const {
    return index < inputs.size() && inputs[index].shape() != extents{};
  }
  /// Whether the caller provides memory for an optional output.
  bool wants(std::size_t output) const { return output < outputs.size() && outputs[output].data(); }

  bool has(parameter_kind kind) const {
    return std::ranges::find(about.parameters, kind, &parameter_description::kind) != about.parameters.end();
  }
  neighbourhood near() const { return {rank(), value<connectivity>("connectivity").reach(rank())}; }
  bool flag(std::string_view name) const { return value<bool>(name); }
  bool chosen(std::string_view name, std::string_view choice) const {
    return value<std::string>(name) == choice;
  }
  const number& quantity(std::string_view name) const { return value<number>(name); }
  template <class Item>
  const std::vector<Item>& list(std::string_view name) const {
    return value<std::vector<Item>>(name);
  }
  const std::string& choice(std::string_view name) const { return value<std::string>(name); }
  bool is_automatic(std::string_view name) const { return std::isnan(quantity(name).to_double()); }
  bool of_booleans() const { return inputs[0].type() == dtype::boolean; }

 private:
  template <class T>
  const T& value(std::string_view name) const {
    const auto found = values.find(name);
    if (found == values.end() || !std::holds_alternative<T>(found->second))
      throw internal_error(std::string(about.name) + ": no such parameter: " + std::string(name));
    return std::get<T>(found->second);
  }
};

/// The same call for one channel of all images. An input in a form of its own is the same for all.
class channel_call {
 public:
  channel_call(const call& whole, int channel, table* result = nullptr)
      : one_{whole.about, inputs_, outputs_, whole.values, whole.work, result, channel} {
    for (const auto& input : whole.inputs)
      inputs_.push_back(input.channels() == 1 ? input : input.channel(channel));
    for (const auto& output : whole.outputs)
      outputs_.push_back(output.channels() == 1 ? output : output.channel(channel));
    one_.inputs = inputs_;
    one_.outputs = outputs_;
  }
  channel_call(const channel_call&) = delete;
  channel_call& operator=(const channel_call&) = delete;
  operator const call&() const { return one_; }

 private:
  std::vector<const_image_view> inputs_;
  std::vector<image_view> outputs_;
  call one_;
};

/// Shared by engines that work in memory.
struct images_in_memory {
  template <class T>
  using image_of = framed<T>;

  template <class T>
  static framed<const T> input(const call& call, std::size_t index) {
    return memory_image<const T>(call.inputs[index]);
  }
  template <class T>
  static framed<T> output(const call& call, std::size_t index) {
    return memory_image<T>(call.outputs[index]);
  }
};

}  // namespace macareu
