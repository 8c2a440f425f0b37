#include "pictures/object_overlay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "command/pixels.hpp"
#include "command/shared_ranks.hpp"
#include "pictures/number_canvas.hpp"
#include "tuning.hpp"

namespace macareu::tool {
namespace {

/// The colour of the object's outline.
colour colour_of(std::uint64_t label) {
  constexpr std::array<colour, 6> bright{
      {{255, 80, 60}, {80, 220, 90}, {90, 160, 255}, {255, 200, 40}, {240, 90, 230}, {60, 220, 220}}};
  return bright[label % bright.size()];
}

/// Outlines in colour on the image in grey.
image outlined(const image& under, const image& labels) {
  image picture(dtype::u8, labels.shape(), 3);
  const image_view all = picture;
  const std::array<const_image_view, 2> inputs{labels, under};
  const std::array channels{all.channel(0), all.channel(1), all.channel(2)};
  run_operator(*find_operator("object_picture"), inputs, channels, {}, {.device = "cpu"});
  return picture;
}

struct object {
  std::uint64_t label = 0;
  std::int64_t pixels = 0, sum_y = 0, sum_x = 0;
  // The first pixel nearest to the centroid. It lies in the object, unlike the centroid of a ring.
  std::int64_t y = 0, x = 0;
  double distance = std::numeric_limits<double>::infinity();
};

/// visit(rows, number of the first one) for bands of an image.
void over_rows(image_source& from, const std::function<void(const image&, std::int64_t)>& visit) {
  const auto& form = from.form();
  const auto height = form.shape[0], width = form.shape[1];
  const auto unit = std::max<std::int64_t>(from.chunk()[1], 1);
  const auto line = width * form.channels * static_cast<std::int64_t>(size_of(form.type));
  const auto rows =
      std::max<std::int64_t>(tuning::copied_bytes / std::max<std::int64_t>(line, 1) / unit, 1) * unit;
  for (std::int64_t y = 0; y < height; y += rows) {
    image band(form.type, {std::min(rows, height - y), width}, form.channels);
    from.read({{0, y, 0}, {1, band.shape()[0], width}}, band.data());
    visit(band, y);
  }
}

/// The objects that have pixels, largest first.
std::vector<object> objects_of(image_source& labels, std::uint64_t greatest) {
  std::vector<object> objects(greatest + 1);
  const auto for_each_pixel = [&](const auto& visit) {
    over_rows(labels, [&](const image& rows, std::int64_t first) {
      with_pixels(rows, [&]<class Label>(std::span<const Label> numbers) {
        const auto width = rows.shape()[1];
        for (std::int64_t i = 0; i < std::ssize(numbers); ++i)
          if (const auto label = numbers[static_cast<std::size_t>(i)]; label > Label{})
            visit(objects[static_cast<std::size_t>(label)], first + i / width, i % width);
      });
    });
  };
  for_each_pixel([](object& own, std::int64_t y, std::int64_t x) {
    ++own.pixels;
    own.sum_y += y;
    own.sum_x += x;
  });
  for_each_pixel([](object& own, std::int64_t y, std::int64_t x) {
    const auto count = static_cast<double>(own.pixels);
    const auto down = static_cast<double>(y) - static_cast<double>(own.sum_y) / count;
    const auto right = static_cast<double>(x) - static_cast<double>(own.sum_x) / count;
    if (const auto distance = down * down + right * right; distance < own.distance) {
      own.distance = distance;
      own.y = y;
      own.x = x;
    }
  });
  for (std::uint64_t label = 0; label <= greatest; ++label) objects[label].label = label;
  std::erase_if(objects, [](const object& one) { return one.pixels == 0; });
  std::ranges::stable_sort(objects, std::greater<>(), &object::pixels);
  return objects;
}

/// Large images are viewed as a whole, so digits grow with them, but more slowly: objects do not grow.
std::int64_t largest_scale(const extents& shape) {
  const auto side = static_cast<double>(std::max(shape[0], shape[1]));
  return std::max<std::int64_t>(1, std::lround(std::sqrt(side / 512)));
}

/// Numbers as large as fit their objects. One is left out if it would hide another, or if even the smallest
/// digits would hide much more than the object.
std::vector<drawn_number> numbers_of(image_source& labels, std::uint64_t greatest) {
  constexpr std::int64_t much = 2;
  const auto& shape = labels.form().shape;
  std::vector<drawn_number> numbers;
  taken_places taken;
  for (const auto& one : objects_of(labels, greatest)) {
    const auto text = std::to_string(one.label);
    auto scale = largest_scale(shape);
    const auto place = [&] { return place_of(shape, text, one.y, one.x, scale); };
    while (scale > 1 && place().area() > one.pixels) --scale;
    if (place().area() > much * one.pixels || taken.is_taken(place())) continue;
    taken.take(place());
    numbers.push_back({text, place(), scale, colour_of(one.label)});
  }
  return numbers;
}

/// A picture from its channels, with numbers.
class drawn_picture final : public image_source {
 public:
  drawn_picture(const extents& shape, std::vector<std::unique_ptr<image_source>> channels,
                std::vector<drawn_number> numbers)
      : form_{dtype::u8, shape, 3}, channels_(std::move(channels)), numbers_(std::move(numbers)) {}

  const source_form& form() const override { return form_; }
  void read(const image_region& from, void* to) override {
    const auto pixels = static_cast<std::size_t>(from.pixels());
    const std::span all(static_cast<std::uint8_t*>(to), 3 * pixels);
    channel_.resize(pixels);
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      channels_[c]->read(from, channel_.data());
      for (std::size_t i = 0; i < pixels; ++i) all[3 * i + c] = channel_[i];
    }
    const rectangle box{from.first[1], from.first[2], from.first[1] + from.size[1],
                        from.first[2] + from.size[2]};
    for (const auto& number : numbers_)
      if (number.place.bottom > box.top && number.place.top < box.bottom) draw(number, all, box);
  }

 private:
  source_form form_;
  std::vector<std::unique_ptr<image_source>> channels_;
  std::vector<drawn_number> numbers_;
  std::vector<std::uint8_t> channel_;
};

/// The names of the channels of a picture of objects.
constexpr std::array channel_names{"red", "green", "blue"};

}  // namespace

image overlay(const image& under, const image& labels, const table& objects) {
  auto picture = outlined(under, labels);
  const auto source = source_of(labels);
  const auto greatest =
      objects.rows() == 0 ? 0 : static_cast<std::uint64_t>(objects["label"][objects.rows() - 1].to_double());
  for (const auto& number : numbers_of(*source, greatest))
    draw(number, picture.pixels<std::uint8_t>(), {0, 0, picture.shape()[0], picture.shape()[1]});
  return picture;
}

void overlay_in_pieces(image_source& under, image_source& labels, std::uint64_t greatest, image_sink& picture,
                       const context& how, const piece_steps& steps) {
  const auto shape = labels.form().shape;
  const auto file = [&](std::size_t c) { return steps.folder / (std::string(channel_names[c]) + ".npy"); };
  std::vector<std::unique_ptr<image_sink>> channels;
  std::vector<image_sink*> to;
  for (std::size_t c = 0; c < channel_names.size(); ++c) {
    channels.push_back(created_by_ranks([&] {
      return create_sink(file(c), {dtype::u8, shape}, {.scratch = steps.folder});
    }));
    to.push_back(channels.back().get());
  }
  run_in_pieces(*find_operator("object_picture"), std::array{&labels, &under}, to, {}, how,
                steps.of("overlay"));
  on_first_rank([&] {
    std::vector<std::unique_ptr<image_source>> drawn;
    for (std::size_t c = 0; c < channel_names.size(); ++c) {
      channels[c]->commit();
      drawn.push_back(open_source(file(c), {}, steps.folder));
    }
    drawn_picture all(shape, std::move(drawn), numbers_of(labels, greatest));
    copy_pixels(all, picture, how);
    picture.commit();
  });
}

}  // namespace macareu::tool
