// The pictures of a slide: overview with nuclei, histograms, density.
#include <algorithm>
#include <cmath>
#include <utility>

#include <macareu/files.hpp>
#include <macareu/text_file.hpp>

#include "nuclei/plots.hpp"
#include "nuclei/slide_run.hpp"
#include "pictures/histogram_plot.hpp"
#include "slides/outputs/outline_counts.hpp"

namespace macareu::tool {
namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  text_file out(file);
  out.write(text);
  out.commit();
}

/// A plot as SVG and PNG. The PNG has its text where libvips draws SVG; else it is `plain`.
void write_plot(const std::filesystem::path& file, const std::string& svg, const image& plain) {
  const auto with = [&](const char* extension) { return std::filesystem::path(file) += extension; };
  write_text(with(".svg"), svg);
  try {
    const auto drawn = std::move(read_image(with(".svg")).pixels);
    if (drawn.type() != dtype::u8 || drawn.channels() < 3) return write_image(with(".png"), plain);
    const auto colours = const_image_view(drawn.data(), dtype::u8, drawn.shape(),
                                          contiguous_strides(drawn.shape(), drawn.channels()), 3);
    write_image(with(".png"), colours);  // without its opacity
  } catch (const error&) {
    write_image(with(".png"), plain);
  }
}

void blend(std::uint8_t* pixel, const std::array<std::uint8_t, 3>& colour, double share) {
  for (std::size_t c = 0; c < 3; ++c)
    pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + share * (colour[c] - pixel[c])));
}

/// Outlines of nuclei in blue-green where the picture shows them, else a tint. Edges of tissue in green.
image overlaid(const slides::overview& on, const std::vector<std::uint32_t>& outlines,
               const tissue_mask& tissue) {
  constexpr std::array<std::uint8_t, 3> nuclei{0, 170, 255}, edge{0, 140, 0};
  auto picture = copy_of(on.colour);
  const auto pixels = picture.pixels<std::uint8_t>();
  const auto& shape = picture.shape();
  // Nuclei of a few pixels hide the slide; a tint leaves it visible.
  const auto strength = on.factor <= 4 ? 0.9 : 0.45;
  for (std::size_t i = 0; i < outlines.size(); ++i)
    if (outlines[i] > 0)
      blend(&pixels[3 * i], nuclei,
            strength * std::min(1.0, static_cast<double>(outlines[i]) / static_cast<double>(on.factor)));
  const auto mask = tissue.mask.pixels<bool>();
  const auto is_tissue = [&](std::int64_t y, std::int64_t x) {
    return mask[static_cast<std::size_t>(y * on.factor / tissue.factor * tissue.mask.shape().width() +
                                         x * on.factor / tissue.factor)];
  };
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const bool own = is_tissue(y, x);
      if ((x + 1 < shape.width() && own != is_tissue(y, x + 1)) ||
          (y + 1 < shape.height() && own != is_tissue(y + 1, x)))
        blend(&pixels[static_cast<std::size_t>(3 * (y * shape.width() + x))], edge, 1);
    }
  return picture;
}

}  // namespace

void slide_run::write_pictures() {
  const auto outlines = slides::count_outlines(*labels_, picture_, signals_.token());
  write_image(work_ / slide_file::overview, overlaid(picture_, outlines, tissue_));
  const auto plot = [&](const char* column, const std::string& name, const std::string& title) {
    const auto bins = histogram_of((*rows_)[column], rows_->rows());
    write_plot(work_ / name, histogram_svg(bins, title), histogram_plot(bins));
  };
  plot("area_um2", slide_file::area_histogram, "Area of nuclei, µm²");
  plot("hematoxylin_od_mean", slide_file::stain_histogram, "Mean optical density of haematoxylin");
  const auto& part = rgb_->part();
  const auto um = [&](std::int64_t pixels) { return static_cast<double>(pixels) * mpp_; };
  const auto map =
      density_of(*rows_, um(part.first[2]), um(part.first[1]), um(part.size[2]), um(part.size[1]));
  write_plot(work_ / slide_file::density, density_svg(map, "Nuclei per mm²"), density_picture(map));
}

}  // namespace macareu::tool
