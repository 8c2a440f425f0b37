// Portable grey and colour maps: https://netpbm.sourceforge.net/doc/pgm.html and ppm.html.
#include "format.hpp"
#include "pixel_data.hpp"
#include "text.hpp"

namespace macareu::files {
namespace {

void skip_spaces_and_comments(input& file) {
  for (bool comment = false;; file.get()) {
    const int byte = file.peek();
    comment = byte == '#' || (comment && byte >= 0 && byte != '\n' && byte != '\r');
    if (!comment && !is_space(byte)) return;
  }
}

std::int64_t header_number(input& file, std::string_view what) {
  skip_spaces_and_comments(file);
  const auto start = file.offset();
  std::string digits;
  while (file.peek() >= '0' && file.peek() <= '9' && digits.size() < 20)
    digits += static_cast<char>(file.get());
  const auto value = number<std::int64_t>(digits);
  if (!value || *value < 1) file.fail_at(start, "the header has no valid " + std::string(what));
  return *value;
}

}  // namespace

image_file read_pnm(input& file, const read_options&) {
  const auto magic = file.peek(2);
  const bool grey = magic == "P2" || magic == "P5";
  const bool text = magic == "P2" || magic == "P3";
  if (!grey && magic != "P3" && magic != "P6")
    file.fail("a .pgm or .ppm file starts with P2, P3, P5 or P6, this one with " + in_quotes(magic));
  file.seek(2);
  const auto sizes_at = file.offset();
  const auto width = header_number(file, "width");
  const auto height = header_number(file, "height");
  const auto largest_at = file.offset();
  const auto largest = header_number(file, "largest value");
  if (largest > 65535)
    file.fail_at(largest_at,
                 "the header claims a largest value of " + std::to_string(largest) + ", above 65535");
  // One byte of white space, as the raster may start with a byte that looks like it.
  if (!is_space(file.get())) file.fail("white space is missing after the largest value");

  auto layout = checked_layout(file, sizes_at, largest < 256 ? dtype::u8 : dtype::u16,
                               std::array{height, width}, grey ? 1 : 3, 1);
  layout.order = std::endian::big;
  layout.coding = text ? encoding::text : encoding::raw;
  layout.largest = static_cast<std::uint64_t>(largest);
  return {read_pixels(file, layout), {}};
}

void write_pnm(output& file, const const_image_view& pixels, const metadata&) {
  const auto& shape = pixels.shape();
  file.write((pixels.channels() == 1 ? "P5\n" : "P6\n") + std::to_string(shape.width()) + " " +
             std::to_string(shape.height()) + "\n" + (size_of(pixels.type()) == 1 ? "255" : "65535") + "\n");
  write_pixels(file, pixels, std::endian::big, truth::full);
}

}  // namespace macareu::files
