// Engines are a contract (patterns/engine.hpp): every operator runs on one that counts calls and on one that
// cuts images in two, and gives what the serial engine gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "catalogue/arguments.hpp"
#include "catalogue/entry.hpp"
#include "conformance/draw_arguments.hpp"
#include "conformance/engine_runs.hpp"
#include "core/shapes_call.hpp"
#include "engines/counting_engine.hpp"
#include "engines/halving_engine.hpp"
#include "every_operator.hpp"
#include "support/scenes.hpp"

namespace macareu::test {
namespace {

/// Bytes, or what an operator takes that takes no bytes.
template <class Operator>
using pixel_for =
    std::conditional_t<takes_pixels<Operator, std::uint8_t>(), std::uint8_t,
                       std::conditional_t<takes_pixels<Operator, float>(), float, std::int64_t>>;

/// What a run gave: images, a table, shapes, or why not.
struct outcome {
  std::vector<image> images;
  table rows;
  std::vector<shape> shapes;
  std::string error;
};

template <class T>
class drawn_call {
 public:
  drawn_call(dice& from, const operator_description& about, int rank) : about_(about) {
    scene drawn;
    draw_scene(from, draw_shape(from, rank, 20), drawn);
    std::vector<T> palette(static_cast<std::size_t>(drawn.levels));
    draw_palette(from, dtype_of<T>, palette);
    marker_ = image(dtype_of<T>, drawn.shape);
    mask_ = image(dtype_of<T>, drawn.shape);
    paint(drawn.marker, palette, false, static_cast<T*>(marker_.data()));
    paint(drawn.mask, palette, false, static_cast<T*>(mask_.data()));
    set_ = image(dtype::boolean, drawn.shape);
    std::ranges::transform(drawn.marker, static_cast<bool*>(set_.data()), [](level own) { return own > 0; });
    inputs_ = inputs_of(about, marker_, mask_, set_);
    inputs_[0] = in_channels_of(about, inputs_[0]);
    if (!takes(about, dtype_of<T>)) std::ranges::fill(inputs_, const_image_view(set_));  // masks alone
    const int neighbours = rank == 2 ? (from.once_in(2) ? 4 : 8) : (from.once_in(2) ? 6 : 26);
    given_ = beside(about, inputs_, draw_arguments(from, about, dtype_of<T>, neighbours, palette));
    if (!about.outputs.empty()) asked_ = draw_outputs(from, about, given_);
    asked_.resize(about.outputs.size());
  }

  /// Engines never see images without pixels.
  bool is_empty() const { return mask_.shape().pixels() == 0; }

  outcome by_serial() const {
    return run([&](std::span<const image_view> outputs, outcome& found) {
      const context how{.device = "serial"};
      if (!about_.shapes.empty())
        compute_shapes(
            about_, inputs_, [&](const shape& one) { found.shapes.push_back(one); }, given_, how);
      else if (about_.table.empty())
        run_operator(about_, inputs_, outputs, given_, how);
      else
        found.rows = compute_table(about_, inputs_, given_, how);
    });
  }

  template <class Operator, class Engine, class See>
  outcome by(const See& see) const {
    return run([&](std::span<const image_view> outputs, outcome& found) {
      const context how;
      job work{how, {}};
      arguments room;
      const take_shape take = [&](const shape& one) { found.shapes.push_back(one); };
      const shapes_call whole{
          {about_, inputs_, outputs, complete_arguments(about_, given_, room), work, &found.rows}, &take};
      Engine engine(work);
      run_channels<T, Operator>(engine, whole);
      engine.finish();
      see(engine);
    });
  }

 private:
  template <class Run>
  outcome run(const Run& compute) const {
    outcome found;
    try {
      std::vector<image_view> views;
      const auto& shape = inputs_[0].shape();
      for (std::size_t o = 0; o < about_.outputs.size(); ++o) {
        const auto type = output_type(about_, o, dtype_of<T>, shape, given_);
        const auto own = output_shape(about_, o, shape, given_);
        found.images.emplace_back(type, asked_[o] ? own : extents{0, 0},
                                  output_channels(about_, o, inputs_[0].channels(), given_));
        views.push_back(asked_[o] ? image_view(found.images[o])
                                  : image_view(nullptr, type, own, contiguous_strides(own)));
      }
      compute(views, found);
    } catch (const std::exception& e) {
      found = {};
      found.error = e.what();
    }
    return found;
  }

  const operator_description& about_;
  image marker_, mask_, set_;
  std::vector<const_image_view> inputs_;
  arguments given_;
  std::vector<bool> asked_;
};

/// How many of the calls that were drawn gave a result.
template <class Operator, class Engine, class See>
int compare_with_serial(const See& see) {
  int served = 0;
  const auto& about = Operator::about;
  for (int rank = 2; rank <= 3; ++rank)
    for (std::int64_t i = 0; i < std::max<std::int64_t>(6, scaled(60)); ++i) {
      const auto seed = seed_of(about.name, rank, i);
      dice from(seed);
      const drawn_call<pixel_for<Operator>> call(from, about, rank);
      const auto expected = call.by_serial();
      // Errors that are found before an engine is asked have other ways here.
      if (!expected.error.empty() || call.is_empty()) continue;
      const auto found = call.template by<Operator, Engine>(see);
      EXPECT_EQ(found.error, "") << about.name << ", seed " << seed;
      if (!found.error.empty()) return served;
      for (std::size_t o = 0; o < expected.images.size(); ++o)
        EXPECT_TRUE(same_bits(found.images[o], expected.images[o]))
            << about.name << " on " << Engine::name << ", output " << o << ", rank " << rank << ", seed "
            << seed;
      EXPECT_EQ(to_csv(found.rows), to_csv(expected.rows)) << about.name << ", seed " << seed;
      EXPECT_EQ(found.shapes, expected.shapes) << about.name << ", seed " << seed;
      ++served;
    }
  return served;
}

TEST(engines, one_that_counts_runs_every_operator) {
  std::set<std::string_view> used;
  for_each_operator([&]<class Operator>(std::type_identity<Operator>) {
    const auto see = [&](const counting_engine& engine) {
      for (const auto& [pattern, times] : engine.calls) used.insert(pattern);
    };
    EXPECT_GT((compare_with_serial<Operator, counting_engine>(see)), 0) << Operator::about.name;
  });
  const std::set<std::string_view> all{"basins",    "carry",  "component", "edges",        "extremes",
                                       "gather",    "finish", "histogram", "lend_threads", "line",
                                       "lines",     "map",    "read",      "recode",       "reduce",
                                       "separable", "tally",  "wave",      "weighted",     "window"};
  EXPECT_EQ(used, all);
}

template <class Operator, class Inner>
void cut_images_in_two() {
  EXPECT_GT((compare_with_serial<Operator, halving_engine<Inner>>([](const auto&) {})), 0)
      << Operator::about.name;
}

TEST(engines, one_that_cuts_images_in_two_gives_the_same) {
  for_each_operator(
      []<class Operator>(std::type_identity<Operator>) { cut_images_in_two<Operator, serial::engine>(); });
}

/// One operator for each pattern whose rules see sites: all of them would take long to compile.
TEST(engines, parts_of_images_on_the_cpu_give_the_same) {
  cut_images_in_two<operators::nearest_site, cpu::engine>();  // map
  cut_images_in_two<operators::sobel, cpu::engine>();         // window
  cut_images_in_two<operators::dilation, cpu::engine>();      // extremes
  cut_images_in_two<operators::statistics, cpu::engine>();    // reduce, summary
  cut_images_in_two<operators::histogram, cpu::engine>();
  cut_images_in_two<operators::relabel, cpu::engine>();  // tally
}

}  // namespace
}  // namespace macareu::test
