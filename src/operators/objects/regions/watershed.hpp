#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "core/key_map.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/find.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/h_extrema.hpp"
#include "operators/objects/regions/watershed_seeds.hpp"
#include "patterns/basins.hpp"
#include "patterns/basins_of_minima.hpp"
#include "patterns/component.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/window.hpp"

namespace macareu::operators {

struct watershed {
  static constexpr dtype labels_are_u32(const arguments&, dtype, const extents&) { return dtype::u32; }

  static void check_forms(const call& call) {
    if (!call.has_input(1)) return check_height(call);
    const auto type = call.inputs[1].type();
    const auto& h = call.quantity("h");
    const auto refuse = [&](fault kind, std::vector<error_part> parts, std::string given) {
      throw call_error({.kind = kind,
                        .operation = std::string(call.about.name),
                        .parts = std::move(parts),
                        .given = std::move(given)});
    };
    if (type == dtype::f32 || type == dtype::f64)
      refuse(fault::type,
             {input_named("markers"),
              ": expected whole numbers, got pixels of type " + std::string(name_of(type))},
             std::string(name_of(type)));
    if (h.to_double() != 0)
      refuse(fault::conflict,
             {parameter_named("h"), " is for minima, which ", input_named("markers"),
              " replace: give one of them"},
             to_string(h));
  }

  static constexpr std::array taken{dtype::i8,  dtype::u8,  dtype::i16, dtype::u16, dtype::i32,
                                    dtype::u32, dtype::i64, dtype::u64, dtype::f32, dtype::f64};
  static constexpr std::array inputs{
      input_description{"landscape", "grey values, flooded from low to high"},
      input_description{.name = "markers",
                        .help = "labels to start from, 0 elsewhere; without it: the minima of the landscape",
                        .own_type = true,
                        .optional = true},
      input_description{.name = "mask",
                        .help = "pixels that are not zero are flooded; any type",
                        .own_type = true,
                        .optional = true,
                        .by_option = true}};
  static constexpr std::array outputs{
      output_description{.name = "labels",
                         .type = output_description::type_rule::computed,
                         .help = "the marker of every pixel's basin, 0 where no marker reaches",
                         .computed = &labels_are_u32,
                         .computed_help = "u32"},
      output_description{.name = "pass_heights",
                         .type = output_description::type_rule::same_as_input,
                         .help =
                             "the lowest pass from a marker to every pixel; the highest value of the type, "
                             "or inf, where no marker reaches",
                         .optional = true}};
  static constexpr std::array parameters{
      connectivity_parameter("face"),
      parameter_description{"lines", parameter_kind::flag, "false",
                            "pixels where basins touch become 0, on one side"},
      parameter_description{.name = "h",
                            .kind = parameter_kind::number,
                            .default_text = "0",
                            .help = "without markers: minima that are deeper than h, in grey values",
                            .or_equal = true}};
  static constexpr operator_description about{
      .name = "watershed",
      .verb = "watershed",
      .group = "objects",
      .pattern = "wave",
      .brief = "Basins of a landscape, flooded from markers.",
      .notes =
          "A pixel belongs to the marker with the lowest pass to it. On plateaus and in lakes the nearest "
          "wins, in steps from where the flood enters. Ties go to a neighbour across a face before one "
          "across an edge before one across a corner, then to the first in raster order. So the result does "
          "not depend on the order of visits. Every pixel has its label from a neighbour that was flooded "
          "first. The same holds in ITK and in scikit-image from 0.25.2 on, which differ from it, and from "
          "each other, only where several neighbours were flooded first. Neighbours are face by default, as "
          "in both. Without markers the regional minima are numbered in raster order; with h, those of the "
          "landscape after minima that are not deeper than h were filled. With lines, of two touching "
          "pixels with different labels the one with the greater label becomes 0, unless it is a marker; "
          "then the other. Markers outside the mask are refused; what the landscape is there does not matter.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .gives_labels = true,
      .check = &check_forms,
      .types = taken,
      .reads_in_pieces = {5, ", and again where rims change"},
      .most_gpu_words = most_gpu_words,
      .formula =
          "t(m) = (f(m), 0) at markers, t(q) = min over neighbours p of max(t(p) + (0, 1), (f(q), 0)); "
          "labels(q) = labels(the neighbour of q with the least t)",
      .peers = {.skimage = "segmentation.watershed",
                .scipy = "ndimage.watershed_ift",
                .itk = "MorphologicalWatershedFromMarkersImageFilter, MorphologicalWatershedImageFilter",
                .matlab = "watershed",
                .opencv = "watershed",
                .diplib = "SeededWatershed, Watershed"}};

  /// Pixels are bits, with the order of their type.
  template <class T>
  using code_type = key_of<T>;

  template <class Key, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto height = height_of_type<Key>(call.inputs[0].type());
    if constexpr (sizeof(Key) >= 4)
      if (height.floating && !call.has_input(2)) refuse_nan<float_of<Key>>(engine, call, 0);
    if constexpr (finds_basins_of_minima<Engine, Key>)
      if (!call.has_input(1) && !call.flag("lines") && flood_from_minima(engine, call, height)) return;
    if (call.has_input(2)) {
      const auto mask = mask_of_input(engine, call, 2);
      refuse_nan_inside(engine, call, height, mask.reading());
      flood_inside(engine, call, height, mask.reading());
    } else if (call.has_input(1)) {
      flood_inside(engine, call, height);
    } else {
      const auto all = temporary<std::uint8_t>(engine, input<Key>(engine, call, 0));
      engine.map(everywhere{}, all.image());
      flood_inside(engine, call, height, all.reading());
    }
  }

  struct everywhere {
    MACAREU_HD std::uint8_t operator()(site) const { return 1; }
  };

  /// Keys in the order of values: -0 is 0. Compilers vectorise maps of it, because it has no branches, and
  /// stores of keys cannot alias its members.
  template <class Key>
  struct height_of {
    bool is_signed, floating;
    MACAREU_HD key_map<Key> order() const {
      return {is_signed && !floating ? key_map<Key>::sign : Key{0}, floating};
    }
    MACAREU_HD Key operator()(site, Key bits) const {
      constexpr Key sign = key_map<Key>::sign;
      const Key key = (floating & (bits >= sign)) ? static_cast<Key>(~bits)
                                                  : static_cast<Key>(bits ^ (is_signed ? sign : Key{0}));
      return (floating & (bits == sign)) ? sign : key;
    }
    /// The highest key outside the mask.
    MACAREU_HD Key operator()(site p, Key bits, std::uint8_t inside) const {
      const Key key = (*this)(p, bits);
      return inside ? key : static_cast<Key>(~Key{0});
    }
  };

  struct is_nan_inside {
    template <class T>
    MACAREU_HD bool operator()(T value, std::uint8_t inside) const {
      return inside != 0 && value != value;
    }
  };

  /// The key of the value plus h, which is given as bits too.
  template <class Key>
  struct raised_height {
    height_of<Key> height;
    Key h;
    MACAREU_HD Key operator()(site p, Key bits) const {
      if constexpr (sizeof(Key) >= 4)
        if (height.floating) {
          using T = float_of<Key>;
          const auto by = std::bit_cast<T>(h);
          return height(
              p, std::bit_cast<Key>(shifted_by<direction::down, T>{by, by}(p, std::bit_cast<T>(bits))));
        }
      const Key key = height(p, bits), highest = static_cast<Key>(~Key{0});
      return key > static_cast<Key>(highest - h) ? highest : static_cast<Key>(key + h);
    }
  };

  struct height_at_seeds {
    template <class Key>
    MACAREU_HD Key operator()(site, Key height, std::uint32_t seed) const {
      return seed != 0 && seed != basin::outside ? height : static_cast<Key>(~Key{0});
    }
  };

  template <class Key>
  struct pixel_of_height {
    key_map<Key> order;
    Key never;  // the bits of a pixel that no marker reaches
    MACAREU_HD Key operator()(site, Key height) const {
      return height == static_cast<Key>(~Key{0}) ? never : order.bits(height);
    }
  };

  /// The label, and in the lowest bit whether it is a marker's.
  struct label_and_seed {
    MACAREU_HD std::uint64_t operator()(site, std::uint32_t label, std::uint32_t seed) const {
      return std::uint64_t{label} << 1 | (seed != 0 && seed != basin::outside);
    }
  };

  struct open_lines {
    neighbourhood near_pixels;
    MACAREU_HD window_radius radius() const { return {near_pixels.rank == 3, 1, 1}; }
    template <class Near>
    MACAREU_HD std::uint32_t operator()(site, const Near& near) const {
      const std::uint64_t own = near(0, 0, 0);
      const auto label = static_cast<std::uint32_t>(own >> 1);
      if (own & 1 || label == 0) return label;
      bool on_line = false;
      const int slices = near_pixels.rank == 3;
      for (int dz = -slices; dz <= slices; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            if (!near_pixels.contains(dz, dy, dx)) continue;
            const std::uint64_t other = near(dz, dy, dx);
            const auto beside = static_cast<std::uint32_t>(other >> 1);
            on_line = on_line || (beside != 0 && beside != label && (other & 1 || beside < label));
          }
      return on_line ? 0 : label;
    }
  };

 private:
  template <class Key>
  using float_of = std::conditional_t<sizeof(Key) == 4, float, double>;

  template <class Key, class Engine, class Mask>
  static void refuse_nan_inside(Engine& engine, const call& call, const height_of<Key>& height,
                                const Mask& mask) {
    if constexpr (sizeof(Key) >= 4) {
      if (!height.floating) return;
      if (const auto p = find_first(engine, is_nan_inside{}, input<float_of<Key>>(engine, call, 0), mask))
        refuse_nan_at(call.about, call.rank(), 0, *p);
    }
  }

  template <class Key>
  static height_of<Key> height_of_type(dtype type) {
    return with_pixel_type(type, []<class T>(std::type_identity<T>) {
      return height_of<Key>{std::is_signed_v<T>, std::is_floating_point_v<T>};
    });
  }
  template <class Key>
  static Key bits_of(const key_map<Key>& order, const number& value) {
    if constexpr (sizeof(Key) >= 4)
      if (order.floating) return std::bit_cast<Key>(pixel_from<float_of<Key>>(value));
    return pixel_from<Key>(value);
  }

  /// False if the engine does not find minima and basins at once in such an image.
  template <class Key, class Engine>
  static bool flood_from_minima(Engine& engine, const call& call, const height_of<Key>& height) {
    using key_image = image_in<Engine, const Key>;
    const auto image = input<Key>(engine, call, 0);
    const auto passes = temporary<Key>(engine, image);
    if (!engine.has_basins_of_minima(call.near(), passes.reading())) return false;
    const auto flood = [&](const key_image& heights, const image_in<Engine, const std::uint8_t>* mask) {
      const auto& h = call.quantity("h");
      if (h.to_double() != 0) {
        engine.map(raised_height<Key>{height, bits_of(height.order(), h)}, passes.image(), image);
        flood_onto<Key>(engine, call, passes.image(), heights);
      } else {
        engine.map(as_given{}, passes.image(), heights);
      }
      call.work.report.count = static_cast<std::int64_t>(engine.basins_of_minima(
          call.near(), output<std::uint32_t>(engine, call, 0), passes.image(), heights, mask));
    };
    const auto heights = temporary<Key>(engine, image);
    if (call.has_input(2)) {
      const auto mask = mask_of_input(engine, call, 2);
      const image_in<Engine, const std::uint8_t> inside = mask.reading();
      refuse_nan_inside(engine, call, height, inside);
      engine.map(height, heights.image(), image, inside);
      flood(heights.reading(), &inside);
    } else if (height.order().is_identity()) {
      flood(image, nullptr);  // pixels are keys
    } else {
      engine.map(height, heights.image(), image);
      flood(heights.reading(), nullptr);
    }
    write_pass_heights(engine, call, height.order(), passes.reading());
    return true;
  }

  /// Without a mask there are markers.
  template <class Key, class Engine, class... Mask>
  static void flood_inside(Engine& engine, const call& call, const height_of<Key>& height,
                           const Mask&... mask) {
    const auto image = input<Key>(engine, call, 0);
    const auto seeds = temporary<std::uint32_t>(engine, image);
    if (call.has_input(1)) seeds_from_markers(engine, call, seeds.image(), mask...);
    const auto heights = temporary<Key>(engine, image), passes = temporary<Key>(engine, image);
    engine.map(height, heights.image(), image, mask...);
    if constexpr (sizeof...(Mask) > 0)
      if (!call.has_input(1)) {
        const auto& h = call.quantity("h");
        if (h.to_double() != 0) {
          engine.map(raised_height<Key>{height, bits_of(height.order(), h)}, passes.image(), image);
          flood_onto<Key>(engine, call, passes.image(), heights.reading());
        }
        const auto levels = h.to_double() != 0 ? passes.reading() : heights.reading();
        call.work.report.count =
            static_cast<std::int64_t>(seeds_from_minima<Key>(engine, call, seeds.image(), levels, mask...));
      }
    write_basins<Key>(engine, call, passes, heights.reading(), seeds.reading());
    write_pass_heights(engine, call, height.order(), passes.reading());
  }

  template <class Key, class Engine>
  static void write_pass_heights(Engine& engine, const call& call, const key_map<Key>& order,
                                 const image_in<Engine, const Key>& passes) {
    if (!call.wants(1)) return;
    const Key never = order.floating ? bits_of(order, number(std::numeric_limits<double>::infinity()))
                                     : order.bits(static_cast<Key>(~Key{0}));
    engine.map(pixel_of_height<Key>{order, never}, output<Key>(engine, call, 1), passes);
  }

  template <class Key, class Engine, class Passes>
  static void write_basins(Engine& engine, const call& call, const Passes& passes,
                           const image_in<Engine, const Key>& heights,
                           const image_in<Engine, const std::uint32_t>& seeds) {
    engine.wave(flood_over{}, call.near(), passes.image(), mapped(height_at_seeds{}, heights, seeds),
                heights);
    const auto labels = output<std::uint32_t>(engine, call, 0);
    if (!call.flag("lines")) return engine.basins(call.near(), labels, passes.reading(), seeds);
    const auto basins = temporary<std::uint32_t>(engine, heights);
    engine.basins(call.near(), basins.image(), passes.reading(), seeds);
    const auto marked = temporary<std::uint64_t>(engine, heights);
    engine.map(label_and_seed{}, marked.image(), basins.reading(), seeds);
    engine.window(open_lines{call.near()}, border<std::uint64_t>{border_mode::constant, 0}, labels,
                  marked.reading());
  }
};

}  // namespace macareu::operators
