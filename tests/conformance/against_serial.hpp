// Any operator on any engine against the serial one: every output, the table, or the error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "conformance/draw_arguments.hpp"
#include "conformance/engine_runs.hpp"
#include "support/strided.hpp"

namespace macareu::test {

/// The form of an output.
struct output_form {
  dtype type;
  extents shape;
  int channels;
};

/// Memory for the outputs of any operator.
class output_memory {
 public:
  explicit output_memory(std::int64_t pixels) : pixels_(pixels) {}

  /// An output that is not asked for has a view without memory.
  std::vector<image_view> spoiled(const std::vector<output_form>& forms, const std::vector<bool>& asked) {
    while (canvases_.size() < forms.size()) canvases_.emplace_back(pixels_);
    std::vector<image_view> views;
    for (std::size_t o = 0; o < forms.size(); ++o) {
      const auto& [type, shape, channels] = forms[o];
      views.push_back(asked[o] ? canvases_[o].spoiled(type, shape, channels)
                               : image_view(nullptr, type, shape, contiguous_strides(shape)));
    }
    return views;
  }

 private:
  std::int64_t pixels_;
  std::deque<canvas> canvases_;
};

class against_serial : public engine_and_type {
 protected:
  explicit against_serial(std::int64_t most_pixels)
      : first_(3 * most_pixels),  // of colour
        second_(most_pixels),
        third_(most_pixels),
        fourth_(most_pixels),
        fifth_(most_pixels),
        expected_(3 * most_pixels),
        got_(3 * most_pixels) {}

  /// What the operator takes, in the form of the scene.
  template <class T>
  std::vector<const_image_view> draw_inputs(dice& from, const operator_description& about,
                                            const std::vector<T>& palette, bool sinks) {
    const auto marker = first_.of(type(), scene_.shape), mask = second_.of(type(), scene_.shape);
    if (about.takes_labels && (!about.table.empty() || about.pattern == "rows")) {
      draw_labels(from, type(), scene_, static_cast<T*>(marker.data()));
      if (about.inputs.size() == 1 || (about.inputs[1].optional && from.once_in(4))) return {marker};
      return {marker, draw_intensity(from)};
    }
    paint(scene_.marker, palette, sinks, static_cast<T*>(marker.data()));
    paint(scene_.mask, palette, sinks, static_cast<T*>(mask.data()));
    lose_a_pixel<T>(from, mask);
    if (about.takes_colour) return {as_colour<T>(from, mask)};
    const auto set = third_.of(dtype::boolean, scene_.shape);
    std::ranges::transform(scene_.marker, static_cast<bool*>(set.data()), [](level own) { return own > 0; });
    auto inputs = inputs_of(about, marker, mask, set);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!about.inputs[i].optional || !about.inputs[i].own_type) continue;
      const bool labels = about.inputs[i].name == "markers";
      inputs[i] = from.once_in(2) ? no_image
                                  : const_image_view(draw_optional(from, labels ? fourth_ : fifth_, labels));
    }
    // What is refused tests little: few markers lie outside the mask.
    if (about.name == "watershed" && inputs[1].data() && inputs[2].data() && !from.once_in(16))
      clear_outside(inputs[1], inputs[2]);
    while (about.inputs[inputs.size() - 1].optional && from.once_in(2)) inputs.pop_back();
    return inputs;
  }

  void compare(dice& from, const operator_description& about, const std::vector<const_image_view>& inputs,
               const arguments& drawn, int threads) {
    const auto given = beside(about, inputs, drawn);
    std::deque<strided_image> copies;
    std::vector<const_image_view> strided;
    if (from.once_in(8) && !about.takes_colour)
      for (const auto& input : inputs) {
        if (!input.data()) {
          strided.push_back(input);
          continue;
        }
        copies.emplace_back(from, input.type(), input.shape()).assign(copy_of(input));
        strided.push_back(copies.back());
      }
    const auto hows = contexts_of(about, threads);
    if (about.table.empty() && about.shapes.empty())
      compare_images(from, about, inputs, strided, given, hows);
    else
      compare_texts(about, inputs, strided.empty() ? inputs : strided, given, hows);
  }

  /// How the operator runs on the engine under test.
  virtual std::vector<context> contexts_of(const operator_description& about, int threads) const {
    return contexts(device(), about.pattern, threads, scene_.shape.rank());
  }
  virtual std::optional<std::string> run_images(const operator_description& about,
                                                const std::vector<const_image_view>& inputs,
                                                const std::vector<image_view>& outputs,
                                                const arguments& given, const context& how) const {
    return run(about, inputs, outputs, given, how);
  }
  /// Of a table or of shapes.
  virtual std::string run_text(const operator_description& about, const std::vector<const_image_view>& inputs,
                               const arguments& given, const context& how) const {
    return about.shapes.empty() ? run_table(about, inputs, given, how)
                                : run_shapes(about, inputs, given, how);
  }

  scene scene_;
  std::int64_t refused_ = 0;

 private:
  /// Of any type.
  image_view draw_intensity(dice& from) {
    const auto intensity = second_.of(from.pick(all_types), scene_.shape);
    with_type(intensity.type(), [&]<class T>() {
      std::vector<T> palette(static_cast<std::size_t>(scene_.levels));
      draw_palette(from, intensity.type(), palette);
      paint(scene_.marker, palette, false, static_cast<T*>(intensity.data()));
      lose_a_pixel<T>(from, intensity);
    });
    return intensity;
  }

  /// Of any type: labels, few of them, or zero and other values.
  image_view draw_optional(dice& from, canvas& memory, bool labels) {
    const auto drawn = memory.of(from.pick(all_types), scene_.shape);
    const auto rare = static_cast<int>(from.between(1, 60));
    with_type(drawn.type(), [&]<class T>() {
      auto* const pixels = static_cast<T*>(drawn.data());
      if (labels) draw_labels(from, drawn.type(), scene_, pixels);
      for (std::int64_t i = 0; i < scene_.shape.pixels(); ++i)
        if (!labels)
          pixels[i] = static_cast<T>(from.once_in(rare) ? 0 : 1);
        else if (!from.once_in(rare))
          pixels[i] = T{0};
    });
    return drawn;
  }

  /// Zeroes markers where all bytes of the mask are zero. Both are of this object's canvases.
  static void clear_outside(const const_image_view& markers, const const_image_view& mask) {
    const auto bytes = size_of(mask.type()), own = size_of(markers.type());
    const auto* inside = static_cast<const std::byte*>(mask.data());
    auto* marker = static_cast<std::byte*>(const_cast<void*>(markers.data()));
    for (std::int64_t i = 0; i < mask.shape().pixels(); ++i, inside += bytes, marker += own)
      if (std::all_of(inside, inside + bytes, [](std::byte one) { return one == std::byte{0}; }))
        std::fill_n(marker, own, std::byte{0});
  }

  /// Three channels from the levels of the scene and the image, interleaved or one after another.
  template <class T>
  const_image_view as_colour(dice& from, const const_image_view& image) {
    const auto pixels = scene_.shape.pixels();
    const bool interleaved = from.once_in(2);
    const std::int64_t step = interleaved ? 3 : 1, apart = interleaved ? 1 : pixels;
    const auto interleaved_view = first_.of(type(), scene_.shape, 3);
    auto* const to = static_cast<T*>(interleaved_view.data());
    const auto* const given = static_cast<const T*>(image.data());
    for (std::int64_t i = 0; i < pixels; ++i)
      for (int c = 0; c < 3; ++c) to[i * step + c * apart] = given[(i + c * (pixels / 3)) % pixels];
    if (interleaved) return interleaved_view;
    return {to, type(), scene_.shape, contiguous_strides(scene_.shape), 3, pixels};
  }

  /// Rarely: NaN is refused, and what is refused tests little.
  template <class T>
  static void lose_a_pixel(dice& from, const image_view& pixels) {
    if constexpr (std::is_floating_point_v<T>)
      if (from.once_in(40) && pixels.shape().pixels() > 0)
        static_cast<T*>(pixels.data())[from.below(pixels.shape().pixels())] =
            std::numeric_limits<T>::quiet_NaN();
  }

  void compare_texts(const operator_description& about, const std::vector<const_image_view>& inputs,
                     const std::vector<const_image_view>& same_inputs, const arguments& given,
                     const std::vector<context>& hows) {
    const auto expected = against_serial::run_text(about, inputs, given, {.device = "serial"});
    for (const auto& how : hows)
      ASSERT_EQ(run_text(about, same_inputs, given, how), expected) << describe(about, how, given);
    refused_ += !expected.ends_with('\n');
  }

  /// Empty where the arguments do not fit the shape: the call is refused before an engine runs.
  std::vector<output_form> forms_of_outputs(const operator_description& about, const arguments& given,
                                            std::size_t count) const {
    try {
      std::vector<output_form> forms;
      for (std::size_t o = 0; o < count; ++o)
        forms.push_back({output_type(about, o, type(), scene_.shape, given),
                         output_shape(about, o, scene_.shape, given),
                         output_channels(about, o, about.takes_colour ? 3 : 1, given)});
      return forms;
    } catch (const usage_error&) {
      return {};
    }
  }

  /// Outputs lie as the inputs do: strided where these are, and sometimes in place of the first.
  void compare_images(dice& from, const operator_description& about,
                      const std::vector<const_image_view>& inputs,
                      const std::vector<const_image_view>& strided, const arguments& given,
                      const std::vector<context>& hows) {
    const auto asked = draw_outputs(from, about, given);
    const auto forms = forms_of_outputs(about, given, asked.size());
    if (forms.empty()) {
      ++refused_;
      return;
    }
    const bool in_place = strided.empty() && about.outputs[0].may_replace_first_input &&
                          forms[0].type == inputs[0].type() && from.once_in(4);
    const auto expected = expected_.spoiled(forms, asked);
    const auto error = run(about, inputs, expected, given, {.device = "serial"});
    if (error) {
      ++refused_;
      const auto before = got_.spoiled(forms, asked);
      for (std::size_t o = 0; o < asked.size(); ++o)
        ASSERT_TRUE(!asked[o] || same_bits(expected[o], before[o])) << *error << ", after a part of the work";
    }
    for (const auto& how : hows) {
      SCOPED_TRACE(describe(about, how, given, asked) + (in_place          ? ", in place"
                                                         : strided.empty() ? ""
                                                                           : ", strided"));
      auto outputs = got_.spoiled(forms, asked);
      auto used = strided.empty() ? inputs : strided;
      std::deque<strided_image> strided_outputs;
      if (!strided.empty())
        for (std::size_t o = 0; o < outputs.size(); ++o)
          if (asked[o]) outputs[o] = strided_outputs.emplace_back(from, forms[o].type, forms[o].shape).view();
      if (in_place) {
        std::memcpy(outputs[0].data(), inputs[0].data(),
                    static_cast<std::size_t>(scene_.shape.pixels()) * size_of(forms[0].type));
        used[0] = outputs[0];
      }
      ASSERT_NO_FATAL_FAILURE(run_and_compare(about, used, outputs, expected, error, given, how));
      for (const auto& output : strided_outputs)
        ASSERT_TRUE(output.gaps_untouched()) << "wrote between the pixels";
    }
  }

  /// A refused call leaves the caller's memory as it was.
  virtual bool refuses_before_writing() const { return true; }

  void run_and_compare(const operator_description& about, const std::vector<const_image_view>& inputs,
                       const std::vector<image_view>& outputs, const std::vector<image_view>& expected,
                       const std::optional<std::string>& error, const arguments& given,
                       const context& how) const {
    std::vector<image> before;
    for (const auto& output : outputs) before.push_back(error && output.data() ? copy_of(output) : image());
    ASSERT_EQ(run_images(about, inputs, outputs, given, how), error);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (outputs[o].data() && (!error || refuses_before_writing())) {
        ASSERT_TRUE(same_bits(outputs[o], error ? const_image_view(before[o]) : expected[o]))
            << "output " << about.outputs[o].name;
      }
  }

  canvas first_, second_, third_, fourth_, fifth_;
  output_memory expected_, got_;
};

}  // namespace macareu::test
