#include "objects.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"
#include "core/pixel_types.hpp"
#include "packed.hpp"
#include "tiles.hpp"

namespace macareu::pages {
namespace {

constexpr std::int64_t raster_step = std::int64_t{1} << raster_halvings;

/// Twice the signed area of a ring, and six times its first moments.
struct moments {
  std::int64_t area = 0;
  double x = 0, y = 0;
};

moments moments_of(const corner_ring& ring, const corner& origin) {
  moments sum;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const auto& next = ring[(i + 1) % ring.size()];
    const corner a{ring[i].x - origin.x, ring[i].y - origin.y}, b{next.x - origin.x, next.y - origin.y};
    const auto cross = a.x * b.y - b.x * a.y;
    sum.area += cross;
    sum.x += static_cast<double>((a.x + b.x) * cross);
    sum.y += static_cast<double>((a.y + b.y) * cross);
  }
  return sum;
}

}  // namespace

object_tile read_object_tile(image_source& labels, std::int64_t slice, std::int64_t row,
                             std::int64_t column) {
  const auto& form = labels.form();
  object_tile tile{slice, row, column};
  const std::array first{row * object_tile_side, column * object_tile_side};
  const extents shape{std::min(form.shape.height() - first[0], object_tile_side),
                      std::min(form.shape.width() - first[1], object_tile_side)};
  tile.labels = image(form.type == dtype::boolean ? dtype::u8 : form.type, shape);
  labels.read({{slice, first[0], first[1]}, {1, shape.height(), shape.width()}}, tile.labels.data());
  return tile;
}

std::vector<shape> shapes_of(const object_tile& tile) {
  const std::array<const_image_view, 1> inputs{tile.labels};
  auto shapes = compute_shapes(*find_operator("contours"), inputs, {}, {.device = "cpu"});
  for (auto& object : shapes)
    for (auto& part : object.parts)
      for (auto& ring : part.rings)
        for (auto& at : ring) {
          at.x += tile.column * object_tile_side;
          at.y += tile.row * object_tile_side;
        }
  return shapes;
}

std::int64_t pixels_of(const shape& object) {
  std::int64_t doubled = 0;
  for (const auto& part : object.parts)
    for (const auto& ring : part.rings) doubled += doubled_area(ring);
  return doubled / 2;
}

std::string packed_shapes(const std::vector<shape>& shapes, const object_tile& tile, const row_index* rows) {
  std::string heads, edges;
  append_varint(heads, shapes.size());
  std::int64_t last_name = 0;
  corner last{tile.column * object_tile_side, tile.row * object_tile_side};
  for (const auto& object : shapes) {
    auto name = static_cast<std::int64_t>(object.label);
    if (rows) {
      const auto row = (*rows)[object.label];
      name = row ? std::int64_t{*row} + 1 : 0;
    }
    append_signed(heads, name - std::exchange(last_name, name));
    std::size_t ring_count = 0;
    for (const auto& part : object.parts) ring_count += part.rings.size();
    append_varint(heads, ring_count);
    for (const auto& part : object.parts)
      for (const auto& ring : part.rings) {
        append_signed(heads, ring[0].x - last.x);
        append_signed(heads, ring[0].y - last.y);
        last = ring[0];
        // Edges are horizontal and vertical in turns. Their number is even; the last one closes the ring.
        append_varint(heads, ring.size() + (ring[0].y == ring[1].y ? 0 : 1));
        for (std::size_t i = 0; i + 1 < ring.size(); ++i)
          append_signed(edges, ring[i + 1].x - ring[i].x + ring[i + 1].y - ring[i].y);
      }
  }
  std::string all;
  append_varint(all, heads.size());
  return deflated(all + heads + edges);
}

object_places::object_places(const row_index& objects)
    : objects_(objects), size_(objects.rows()), x_(objects.rows()), y_(objects.rows()) {}

void object_places::add(const std::vector<shape>& shapes) {
  for (const auto& object : shapes) {
    const auto row = objects_[object.label];
    if (!row) continue;
    const auto origin = object.parts[0].rings[0][0];
    moments all;
    for (const auto& part : object.parts)
      for (const auto& ring : part.rings) {
        const auto one = moments_of(ring, origin);
        all.area += one.area;
        all.x += one.x;
        all.y += one.y;
      }
    // Parts in several tiles are joined with their sizes as weights.
    const auto pixels = static_cast<double>(all.area) / 2, before = static_cast<double>(size_[*row]);
    const auto join = [&](double& mean, double sum, std::int64_t first) {
      mean = (mean * before + sum / 6 + static_cast<double>(first) * pixels) / (before + pixels);
    };
    join(x_[*row], all.x, origin.x);
    join(y_[*row], all.y, origin.y);
    size_[*row] += static_cast<std::uint32_t>(all.area / 2);
  }
}

table object_places::columns() const {
  const auto whole = [](const std::vector<double>& from) {
    std::vector<std::int64_t> to;
    for (const auto value : from) to.push_back(static_cast<std::int64_t>(value));
    return to;
  };
  return {
      {{"x", whole(x_)}, {"y", whole(y_)}, {"size", std::vector<std::int64_t>(size_.begin(), size_.end())}}};
}

covered_area::covered_area(std::int64_t height, std::int64_t width) {
  height = ceil_div(height, raster_step);
  width = ceil_div(width, raster_step);
  for (;;) {
    levels_.push_back({height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(height * width))});
    if (std::max(height, width) <= tile_side) break;
    height = ceil_div(height, std::int64_t{2});
    width = ceil_div(width, std::int64_t{2});
  }
}

void covered_area::add(const object_tile& tile) {
  const auto height = tile.labels.shape().height(), width = tile.labels.shape().width();
  auto& to = levels_[0];
  with_pixel_type(tile.labels.type(), [&]<class T>(std::type_identity<T>) {
    const auto* labels = static_cast<const T*>(tile.labels.data());
    for (std::int64_t y = 0; y < height; y += raster_step)
      for (std::int64_t x = 0; x < width; x += raster_step) {
        int set = 0;
        for (auto v = y; v < std::min(y + raster_step, height); ++v)
          for (auto u = x; u < std::min(x + raster_step, width); ++u) set += labels[v * width + u] > 0;
        const auto row = (tile.row * object_tile_side + y) / raster_step,
                   column = (tile.column * object_tile_side + x) / raster_step;
        // Rounded up: no object disappears.
        to.share[static_cast<std::size_t>(row * to.width + column)] =
            static_cast<std::uint8_t>(ceil_div(set * 255, static_cast<int>(raster_step * raster_step)));
      }
  });
}

void covered_area::finish() {
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    const auto& from = levels_[l - 1];
    auto& to = levels_[l];
    for (std::int64_t y = 0; y < to.height; ++y)
      for (std::int64_t x = 0; x < to.width; ++x) {
        int sum = 0;
        for (auto v = 2 * y; v < std::min(2 * y + 2, from.height); ++v)
          for (auto u = 2 * x; u < std::min(2 * x + 2, from.width); ++u)
            sum += from.share[static_cast<std::size_t>(v * from.width + u)];
        to.share[static_cast<std::size_t>(y * to.width + x)] = static_cast<std::uint8_t>(ceil_div(sum, 4));
      }
  }
}

std::string covered_area::packed(const level& from, std::int64_t y, std::int64_t x) {
  const auto top = y * tile_side, left = x * tile_side;
  const auto height = std::min(from.height - top, tile_side), width = std::min(from.width - left, tile_side);
  std::string bytes;
  for (std::int64_t v = top; v < top + height; ++v)
    for (std::int64_t u = left; u < left + width; ++u)
      bytes += static_cast<char>(shown_share(from.share[static_cast<std::size_t>(v * from.width + u)]));
  return bytes.find_first_not_of('\0') == std::string::npos ? std::string() : deflated(bytes);
}

}  // namespace macareu::pages
