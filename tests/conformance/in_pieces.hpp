// Every operator of the catalogue in pieces of any size against the serial engine on the whole image: the
// same bits, or the same error.
#pragma once

#include <functional>
#include <memory>

#include <macareu/pieces.hpp>

#include "conformance/against_serial.hpp"

namespace macareu::test {

class in_pieces : public against_serial {
 protected:
  struct call_in_pieces {
    call_in_pieces(const std::vector<const_image_view>& inputs, const std::vector<image_view>& outputs) {
      for (const auto& input : inputs)
        from.push_back(input.data() ? sources.emplace_back(source_of(input)).get() : nullptr);
      for (const auto& output : outputs)
        to.push_back(output.data() ? sinks.emplace_back(sink_to(output)).get() : nullptr);
    }
    std::vector<std::unique_ptr<image_source>> sources;
    std::vector<std::unique_ptr<image_sink>> sinks;
    std::vector<image_source*> from;
    std::vector<image_sink*> to;
  };

  using computation = std::function<void(const call_in_pieces&, const piece_options&, bool is_first_rank)>;

  virtual void run_call(const std::vector<const_image_view>& inputs, const std::vector<image_view>& outputs,
                        const computation& compute) const {
    compute(call_in_pieces(inputs, outputs), options_, true);
  }

  in_pieces() : against_serial(most_small_pixels) {}

  std::vector<context> contexts_of(const operator_description&, int threads) const override {
    return {{.device = device(), .threads = threads}};
  }

  /// NaN is found where it is read: files get their names at the end, but memory holds the pieces before.
  bool refuses_before_writing() const override { return false; }

  std::optional<std::string> run_images(const operator_description& about,
                                        const std::vector<const_image_view>& inputs,
                                        const std::vector<image_view>& outputs, const arguments& given,
                                        const context& how) const override {
    try {
      run_call(inputs, outputs, [&](const call_in_pieces& call, const piece_options& options, bool) {
        run_in_pieces(about, call.from, call.to, given, how, options);
      });
      return std::nullopt;
    } catch (const usage_error& error) {
      return error.what();
    }
  }
  std::string run_text(const operator_description& about, const std::vector<const_image_view>& inputs,
                       const arguments& given, const context& how) const override {
    if (!about.shapes.empty())
      return shapes_from([&](const take_shape& take) {
        run_call(inputs, {}, [&](const call_in_pieces& call, const piece_options& options, bool is_first) {
          const take_shape drop = [](const shape&) {};
          compute_shapes_in_pieces(about, call.from, is_first ? take : drop, given, how, options);
        });
      });
    try {
      std::string text;
      run_call(inputs, {}, [&](const call_in_pieces& call, const piece_options& options, bool is_first) {
        const auto rows = to_csv(compute_table_in_pieces(about, call.from, given, how, options));
        if (is_first) text = rows;
      });
      return text;
    } catch (const usage_error& error) {
      return error.what();
    }
  }

  void compare_one(const operator_description& about, neighbours near, std::int64_t i) {
    const auto seed = seed_of(about.name, type(), near.count, i);
    dice from(seed);
    draw_scene(from, draw_shape(from, near.rank, 24), scene_);
    // One pixel to more than the image.
    for (std::size_t axis = 0; axis < 3; ++axis) options_.size[axis] = 1 + from.below(1 + from.below(30));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", pieces of " + std::to_string(options_.size[0]) + " x " +
                 std::to_string(options_.size[1]) + " x " + std::to_string(options_.size[2]) + ", image of " +
                 to_string(scene_.shape));
    with_type(type(), [&]<class T>() {
      std::vector<T> palette(static_cast<std::size_t>(scene_.levels));
      draw_palette(from, type(), palette);
      auto given = draw_arguments(from, about, type(), near.count, palette);
      keep_comparable(given, "cuda");  // propagation depends on the order of visits
      const bool sinks = given.contains("by") && std::get<std::string>(given.at("by")) == "erosion";
      compare(from, about, draw_inputs(from, about, palette, sinks != from.once_in(8)), given, i % 3 ? 1 : 2);
    });
  }

  piece_options options_;
};

}  // namespace macareu::test
