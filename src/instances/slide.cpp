// A slide stained with haematoxylin and eosin, with the outlines of its nuclei as truth. Pixels are 0.25 um.
// Every part is a formula of coordinates: docs/reference/instances.md describes them.
//
// tissue_map  tissue and glass, glands, vessels, follicles, stroma       slide_tissue.cpp
// slide_cells nuclei and red cells                                       slide_nuclei.cpp,
// slide_red_cells.cpp slide_marks pen strokes, dust, areas out of focus                      slide_marks.cpp
// develop()   focus, Beer-Lambert, noise                                 slide_optics.cpp
#include <memory>
#include <mutex>
#include <string>

#include <omp.h>

#include <macareu/error.hpp>

#include "instances/families.hpp"
#include "instances/slide.hpp"

namespace macareu::formula {
namespace {

using namespace stained;

constexpr std::int64_t tile_side = 256, canvas_side = tile_side + 2 * optics_halo;

/// What a thread draws a tile with.
struct desk {
  std::vector<std::uint16_t> values = std::vector<std::uint16_t>(3 * canvas_side * canvas_side);
  std::vector<std::uint16_t> spare =
      std::vector<std::uint16_t>(3 * canvas_side * (canvas_side + optics_rows));
  std::vector<std::uint16_t> owners = std::vector<std::uint16_t>(canvas_side * canvas_side);
  slide_cells::workspace space;
};

class slide_drawing {
 public:
  slide_drawing(const extents& shape, const generate_options& options)
      : shape_(shape),
        options_(options),
        tissue_(shape, options),
        marks_(shape, options, tissue_),
        cells_(shape, options, tissue_, marks_) {}

  void draw(const image_region& rows, std::uint8_t* rgb, std::uint32_t* truth) {
    if (truth != nullptr) number();
    std::vector<desk> desks(static_cast<std::size_t>(omp_get_max_threads()));
    const box band{rows.first[1], rows.first[1] + rows.size[1], 0, shape_.width()};
    for_tiles(band, tile_side, tile_side, options_, [&](const box& tile) {
      auto& used = desks[static_cast<std::size_t>(omp_get_thread_num())];
      const auto first = (tile.top - band.top) * shape_.width() + tile.left;
      draw_tile(tile, used, rgb + 3 * first, truth == nullptr ? nullptr : truth + first);
    });
  }

  std::int64_t memory() const {
    // Lists of nuclei are a rounded bound: a tile has fewer than 1000, a row of blocks one in 32 x 32 pixels.
    constexpr std::int64_t per_desk = 2 * canvas_side * (7 * canvas_side + 3 * optics_rows) + (512 << 10);
    return per_desk * omp_get_max_threads() + 4 * static_cast<std::int64_t>(cells_.slots()) +
           32 * shape_.width();
  }

 private:
  void number() {
    const std::scoped_lock lock(numbering_);
    if (numbers_.empty()) numbers_ = number_nuclei(cells_, shape_, options_);
  }

  void draw_tile(const box& tile, desk& used, std::uint8_t* rgb, std::uint32_t* truth) const {
    const box there{origin + tile.top, origin + tile.bottom, origin + tile.left, origin + tile.right};
    const canvas to{{there.top - optics_halo, there.bottom + optics_halo, there.left - optics_halo,
                     there.right + optics_halo},
                    used.values.data()};
    cells_.find(to.area, used.space);
    tissue_.draw(to, used.space.structures);
    cells_.draw_red_cells(to, used.space.structures);
    cells_.draw(to, used.space.found, used.owners.data());
    marks_.draw(to);
    develop(to, used.spare.data(), there, marks_, options_.seed, rgb, 3 * shape_.width());
    if (truth == nullptr) return;
    for (auto y = there.top; y < there.bottom; ++y, truth += shape_.width()) {
      const auto* owners = used.owners.data() + (y - to.area.top) * to.width() + optics_halo;
      for (std::int64_t i = 0; i < there.right - there.left; ++i)
        truth[i] = owners[i] == 0 ? 0 : numbers_[used.space.found[owners[i] - 1].slot];
    }
  }

  extents shape_;
  generate_options options_;
  tissue_map tissue_;
  slide_marks marks_;
  slide_cells cells_;
  std::mutex numbering_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

drawing stained_slide(const extents& shape, const generate_options& options) {
  if (options.coverage != 25 && options.coverage != 50 && options.coverage != 75 && options.coverage != 100)
    throw usage_error("slide: coverage is 25, 50, 75 or 100 per cent, got " +
                      std::to_string(options.coverage));
  const auto drawn = std::make_shared<slide_drawing>(shape, options);
  return {[drawn](const image_region& rows, std::uint8_t* rgb, std::uint8_t*, std::uint32_t* truth) {
            drawn->draw(rows, rgb, truth);
          },
          drawn->memory()};
}

}  // namespace macareu::formula
