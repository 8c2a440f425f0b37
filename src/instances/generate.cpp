#include <macareu/generate.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "instances/families.hpp"

namespace macareu {
namespace {

struct entry {
  instance_description described;
  formula::drawing (*make)(const extents& shape, const generate_options& options);
};

constexpr auto entries = std::to_array<entry>({
    {{.name = "random", .brief = "mask uniform 0..255; marker min(uniform, mask)"}, formula::random},
    {{.name = "flat", .brief = "mask 255; marker 255 at the first pixel, else 0"}, formula::flat},
    {{.name = "serpentine",
      .brief =
          "corridors of 200 and walls of 5 with gaps at alternating ends; marker 200 at the first pixel"},
     formula::serpentine},
    {{.name = "spiral",
      .brief = "a corridor of 255, one pixel wide, winding inwards in every slice; marker 255 at its start"},
     formula::spiral},
    {{.name = "percolation",
      .brief = "255 with probability 0.43, else 0; marker: the mask in the first row (slice), else 0"},
     formula::percolation},
    {{.name = "tissue",
      .brief = "tissue on 25, 50, 75 or 100 % of a slide; marker: the mask opened by a disk of radius 9",
      .volumes = false},
     formula::tissue},
    {{.name = "slide",
      .brief = "stained tissue in colour, 0.25 um a pixel; truth: the outlines of its nuclei",
      .volumes = false,
      .marker = false,
      .channels = 3,
      .truth = true,
      .pixel_size = 0.00025},
     formula::stained_slide},
    {{.name = "noise",
      .brief = "three octaves of value noise, 0..255; marker: the mask less 32, not below 0"},
     formula::noise},
    {{.name = "sites-1", .brief = "background 0 with probability 0.01, else 255", .marker = false},
     formula::sites_1},
    {{.name = "sites-10", .brief = "background 0 with probability 0.1, else 255", .marker = false},
     formula::sites_10},
    {{.name = "circles16",
      .brief = "background on 4 x 4 circles of radius 1/32 of the side",
      .volumes = false,
      .marker = false},
     formula::circles16},
    {{.name = "big-circle",
      .brief = "background on a circle around the middle of the last row, radius half the width",
      .volumes = false,
      .marker = false},
     formula::big_circle},
    {{.name = "central-circle",
      .brief = "background on a circle around the centre, radius a quarter of the side",
      .volumes = false,
      .marker = false},
     formula::central_circle},
    {{.name = "corner-squares",
      .brief = "background in four squares of 1/256 of the side, an eighth of it in from the corners",
      .volumes = false,
      .marker = false},
     formula::corner_squares},
    {{.name = "diagonal", .brief = "background on the diagonal", .volumes = false, .marker = false},
     formula::diagonal},
    {{.name = "cross", .brief = "background on both diagonals", .volumes = false, .marker = false},
     formula::cross},
    {{.name = "chess",
      .brief = "cubes of 4 pixels a side, 255 and 0 in turn: many small objects",
      .marker = false},
     formula::chess},
    {{.name = "blocks",
      .brief = "bars of 24 x 24 pixels of 255, one in every 32 x 32, through all slices: large objects",
      .marker = false},
     formula::blocks},
    {{.name = "snake",
      .brief = "a way of 255, one pixel thick, through every other row and slice; marker 255 at its start"},
     formula::snake},
});

constexpr auto descriptions = [] {
  std::array<instance_description, entries.size()> all;
  std::ranges::transform(entries, all.begin(), &entry::described);
  return all;
}();

bool offered(const instance_description& d, int rank) { return rank == 3 ? d.volumes : d.images; }

/// "random, flat, ...": those there are for a rank.
std::string names(int rank) {
  std::string list;
  for (const auto& d : descriptions)
    if (offered(d, rank)) list += (list.empty() ? "" : ", ") + std::string(d.name);
  return list;
}

/// "the region of 1 x 20 x 30 at (0, 5, 0)"
std::string to_string(const image_region& region) {
  const auto text = [](const std::array<std::int64_t, 3>& numbers, const std::string& between) {
    return std::to_string(numbers[0]) + between + std::to_string(numbers[1]) + between +
           std::to_string(numbers[2]);
  };
  return "the region of " + text(region.size, " x ") + " at (" + text(region.first, ", ") + ")";
}

std::string suggestion(std::string_view unknown) {
  std::array<std::string_view, descriptions.size()> all;
  std::ranges::transform(descriptions, all.begin(), &instance_description::name);
  return did_you_mean(unknown, all);
}

}  // namespace

std::span<const instance_description> instances() { return descriptions; }

struct instance_generator::state {
  instance_description described;
  extents shape;
  formula::drawing drawn;
};

instance_generator::instance_generator(std::string_view name, const extents& shape,
                                       const generate_options& options) {
  const auto found = std::ranges::find(entries, name, [](const entry& e) { return e.described.name; });
  const std::string kind = shape.rank() == 3 ? "volumes" : "images";
  if (found == entries.end())
    throw usage_error("generate", "no instance is named " + std::string(name) + "; " + kind + " are " +
                                      names(shape.rank()) + suggestion(name));
  if (!offered(found->described, shape.rank()))
    throw usage_error("generate", std::string(name) + " has no form for " + to_string(shape) + "; " + kind +
                                      " are " + names(shape.rank()));
  state_ = std::make_unique<state>(state{found->described, shape, found->make(shape, options)});
}

instance_generator::~instance_generator() = default;

const instance_description& instance_generator::description() const { return state_->described; }

std::int64_t instance_generator::work_memory() const { return state_->drawn.work_memory; }

void instance_generator::draw(const image_region& rows, std::uint8_t* mask, std::uint8_t* marker,
                              std::uint32_t* truth) const {
  const auto& shape = state_->shape;
  const std::array sizes{shape.depth(), shape.height(), shape.width()};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    if (rows.first[axis] < 0 || rows.size[axis] < 0 || rows.size[axis] > sizes[axis] - rows.first[axis])
      throw usage_error("generate", to_string(rows) + " reaches beyond an image of " + to_string(shape));
  if (rows.size[2] != shape.width())
    throw usage_error("generate", to_string(rows) + " has no whole rows: " + to_string(shape) +
                                      " has rows of " + std::to_string(shape.width()));
  if (marker != nullptr && !state_->described.marker)
    throw usage_error("generate", std::string(state_->described.name) + " has no marker");
  if (truth != nullptr && !state_->described.truth)
    throw usage_error("generate", std::string(state_->described.name) + " has no truth");
  state_->drawn.draw(rows, mask, marker, truth);
}

instance generate(std::string_view name, const extents& shape, const generate_options& options) {
  const instance_generator generator(name, shape, options);
  const auto& about = generator.description();
  instance made{.mask = image(dtype::u8, shape, about.channels), .marker = {}, .truth = {}};
  if (about.marker) made.marker.emplace(dtype::u8, shape);
  if (about.truth) made.truth.emplace(dtype::u32, shape);
  generator.draw(whole_of(shape), made.mask.pixels<std::uint8_t>().data(),
                 made.marker ? made.marker->pixels<std::uint8_t>().data() : nullptr,
                 made.truth ? made.truth->pixels<std::uint32_t>().data() : nullptr);
  return made;
}

}  // namespace macareu
