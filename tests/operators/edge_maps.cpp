// Edge maps that ITK's own filter made (tests/data/canny): the same pixels on every device there is.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <macareu/catalogue.hpp>
#include <macareu/compare.hpp>
#include <macareu/files.hpp>
#include <macareu/generate.hpp>

#include "operators/pictures.hpp"
#include "support/data.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(MACAREU_SOURCE_DIR) / "tests/data/canny";

/// What stands between semicolons, without spaces around it.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, ';');) {
    const auto first = field.find_first_not_of(' '), last = field.find_last_not_of(' ');
    fields.push_back(first == std::string::npos ? "" : field.substr(first, last - first + 1));
  }
  return fields;
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> all;
  std::istringstream rest(text);
  for (std::string one; std::getline(rest, one, ',');) all.push_back(std::stod(one));
  return all;
}

extents shape_of(const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (const double size : numbers_of(text)) sizes.push_back(static_cast<std::int64_t>(size));
  return extents(sizes);
}

/// Of `pixels`, u8: rows and columns from y and x on.
image piece_of(const image& pixels, std::int64_t y, std::int64_t x, const extents& shape) {
  image piece(dtype::u8, shape);
  const auto from = pixels.pixels<std::uint8_t>();
  auto* to = static_cast<std::uint8_t*>(piece.data());
  for (std::int64_t row = 0; row < shape.height(); ++row)
    to = std::ranges::copy(from.subspan(static_cast<std::size_t>((y + row) * pixels.shape().width() + x),
                                        static_cast<std::size_t>(shape.width())),
                           to)
             .out;
  return piece;
}

/// Without pixels where the image does not come with the project and is not at hand.
image image_of(const std::string& text, const extents& shape) {
  std::istringstream words(text);
  std::string kind, name, where;
  words >> kind >> name >> where;
  if (kind == "generate") return generate(name, shape).mask;
  if (kind == "file") return read_image(folder / name).pixels;
  const auto file = test::data_file(fs::path(name).stem().string());
  if (file.empty()) return {};
  const auto corner = numbers_of(where);  // y, x, height, width
  return piece_of(read_image(file).pixels, static_cast<std::int64_t>(corner.at(0)),
                  static_cast<std::int64_t>(corner.at(1)), shape);
}

image as_type(const image& from, dtype type) {
  image made(type, from.shape());
  const auto pixels = from.pixels<std::uint8_t>();
  with_type(type, [&]<class T>() { std::ranges::copy(pixels, static_cast<T*>(made.data())); });
  return made;
}

/// A .npy of one axis: one bit a pixel, the first in the highest bit.
image unpacked(const fs::path& file, const extents& shape) {
  std::ifstream from(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(from), {}};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes.at(i)); };
  const std::size_t begin = 10u + byte(8) + 256u * byte(9);  // behind the header
  image made(dtype::boolean, shape);
  auto* to = static_cast<std::uint8_t*>(made.data());
  for (std::size_t p = 0; p < static_cast<std::size_t>(shape.pixels()); ++p)
    to[p] = byte(begin + p / 8) >> (7 - p % 8) & 1;
  return made;
}

/// Of the maps whose image is of one of these kinds, those were compared whose image is at hand.
int compare_maps(const std::set<std::string>& kinds) {
  std::ifstream list(folder / "cases.txt");
  EXPECT_TRUE(list) << folder;
  int compared = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line);
    const auto field = fields_of(line);
    EXPECT_EQ(field.size(), 10u);
    if (field.size() != 10 || !kinds.contains(field[1].substr(0, field[1].find(' ')))) continue;
    const auto shape = shape_of(field[2]);
    const auto pixels = image_of(field[1], shape);
    if (pixels.bytes() == 0) continue;
    const auto input = as_type(pixels, field[6] == "f64" ? dtype::f64 : dtype::f32);
    const auto expected = unpacked(folder / field[0], shape);
    canny_options options{.low = std::stod(field[4]), .high = std::stod(field[5])};
    options.variance.clear();
    const auto spacing = numbers_of(field[8]);  // x first
    for (auto axis = spacing.size(); axis-- > 0;)
      options.variance.push_back(std::stod(field[3]) / (spacing[axis] * spacing[axis]));
    options.maximum_error = {std::stod(field[7])};
    for (const auto& device : devices()) {
      const auto found = compare_edges(expected, canny(input, options, {.device = std::string(device)}));
      EXPECT_EQ(found.expected, std::stol(field[9]));
      EXPECT_EQ(found.correct(), 1) << device << ": " << found.both << " of " << found.expected << " and "
                                    << found.found;
    }
    ++compared;
  }
  return compared;
}

TEST(edge_maps, are_those_of_itk) { EXPECT_EQ(compare_maps({"generate", "file"}), 20); }

TEST(edge_maps, of_real_images_are_those_of_itk) {
  const int compared = compare_maps({"data"});
  if (compared == 0)
    GTEST_SKIP() << "the images are not in " << test::data_folder() << ", or this build reads no JPEG";
  EXPECT_EQ(compared, 3);
}

}  // namespace
}  // namespace macareu::test
