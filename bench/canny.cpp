// Canny: paper 5's four sizes, a hundred images of each, and larger ones; both flavours.
#include <cstring>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>
#include <macareu/machine.hpp>

#include "pairs.hpp"
#include "suite.hpp"

namespace macareu::bench {
namespace {

struct canny_case {
  std::string name;
  extents shape;
  dtype type;
  int images;     // one after the other
  int different;  // of them
};

/// The bases of paper 5 are a hundred photographs of 481 x 321 pixels, and these repeated 2, 4 and 8 times
/// along both axes. Here they are pieces of tissue, as many different ones as have the pixels of the first
/// base.
std::vector<canny_case> all_cases(bool quick) {
  std::vector<canny_case> cases;
  for (const std::int64_t times :
       quick ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2, 4, 8}) {
    const extents shape{321 * times, 481 * times};
    cases.push_back({"base-" + std::to_string(shape.height()) + "x" + std::to_string(shape.width()), shape,
                     dtype::f32, quick ? 5 : 100, quick ? 5 : static_cast<int>(100 / (times * times))});
  }
  for (const std::int64_t side :
       quick ? std::vector<std::int64_t>{256} : std::vector<std::int64_t>{4096, 8192, 16384}) {
    cases.push_back({"tissue-" + std::to_string(side), {side, side}, dtype::f32, 1, 1});
    if (side <= 4096)
      cases.push_back({"tissue-" + std::to_string(side) + "-u8", {side, side}, dtype::u8, 1, 1});
  }
  return cases;
}

/// Values of f32 are those of u8, for scikit-image divided by 255.
arguments arguments_of(std::string_view flavour, dtype type) {
  arguments values{{"flavour", std::string(flavour)}};
  if (flavour == "itk") {
    values.emplace("variance", std::vector<number>{1.96});
    values.emplace("low", number(4));
    values.emplace("high", number(7));
  } else if (type == dtype::f32) {
    values.emplace("low", number(25.5));
    values.emplace("high", number(51));
  }
  return values;
}

void run_case(const canny_case& each, const std::string& name, const arguments& values,
              const std::vector<image>& images, recorder& to) {
  const auto& operation = *find_operator("canny");
  image out(dtype::boolean, each.shape);
  std::memset(out.data(), 0, out.bytes());
  result about;
  about.name = name;
  about.operation = operation.name;
  about.instance = each.images > 1 ? std::to_string(each.images) + " of tissue" : "tissue";
  about.shape = each.shape;
  about.type = each.type;
  about.neighbours = 8;
  about.threads = this_machine().threads;
  const std::vector<image_view> outputs{out};
  to.time(
      std::move(about),
      [&] {
        for (std::size_t i = 0; i < static_cast<std::size_t>(each.images); ++i)
          run_operator(operation, std::vector<const_image_view>{images[i % images.size()]}, outputs, values);
      },
      out);
}

std::vector<image> make_inputs(const canny_case& each, const std::string& name, const options& chosen) {
  std::vector<image> images;
  for (int i = 0; i < each.different; ++i) {
    const bool published = each.images == 1 && each.shape.height() == 4096 && has_published_pair(chosen);
    auto made = published ? published_pair(chosen).mask
                          : generate("tissue", each.shape, {.seed = static_cast<std::uint64_t>(i + 1)}).mask;
    images.push_back(each.type == dtype::u8 ? std::move(made) : converted(made, each.type));
  }
  if (!chosen.save_inputs.empty())
    for (std::size_t i = 0; i < images.size(); ++i)
      write_image(
          chosen.save_inputs / (name + (images.size() > 1 ? "-" + std::to_string(i + 1) : "") + ".npy"),
          images[i]);
  return images;
}

}  // namespace

void run_canny(recorder& to) {
  for (const auto& each : all_cases(to.chosen().quick)) {
    std::vector<image> images;
    for (const auto* flavour : {"itk", "skimage"}) {
      const auto name = each.name + "-" + flavour;
      if (!to.wants(name)) continue;
      if (images.empty()) images = make_inputs(each, each.name, to.chosen());
      run_case(each, name, arguments_of(flavour, each.type), images, to);
    }
  }
}

}  // namespace macareu::bench
