// Portable grey and colour maps: https://netpbm.sourceforge.net/doc/pgm.html and ppm.html. Consecutive images
// of one kind in a file are the slices of a volume, so a pipe is read to its end. A volume of one slice is
// read as an image.
#include <cstring>
#include <utility>
#include <vector>

#include "files/text/text.hpp"
#include "format.hpp"
#include "pixel_data.hpp"

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

pixel_layout read_header(input& file) {
  const auto magic = file.peek(2);
  const bool grey = magic == "P2" || magic == "P5";
  const bool text = magic == "P2" || magic == "P3";
  if (!grey && magic != "P3" && magic != "P6")
    file.fail("a .pgm or .ppm file starts with P2, P3, P5 or P6, this one with " + in_quotes(magic));
  file.seek(file.offset() + 2);
  const auto sizes_at = file.offset();
  const auto width = header_number(file, "width");
  const auto height = header_number(file, "height");
  const auto largest_at = file.offset();
  const auto largest = header_number(file, "largest value");
  if (largest > 65535)
    file.fail_at(largest_at,
                 "the header claims a largest value of " + std::to_string(largest) + ", above 65535");
  // Exactly one byte of white space: the raster may start with a byte that looks like it.
  if (!is_space(file.get())) file.fail("white space is missing after the largest value");

  auto layout = checked_layout(file, sizes_at, largest < 256 ? dtype::u8 : dtype::u16,
                               std::array{height, width}, grey ? 1 : 3, 1);
  layout.order = std::endian::big;
  layout.coding = text ? encoding::text : encoding::raw;
  layout.largest = static_cast<std::uint64_t>(largest);
  return layout;
}

/// Frees slices as they are copied, to limit memory.
image volume_of(const std::filesystem::path& file, pixel_layout layout, std::vector<image> slices) {
  layout.shape = {static_cast<std::int64_t>(slices.size()), layout.shape.height(), layout.shape.width()};
  auto volume = allocate(file, layout);
  auto* to = static_cast<std::byte*>(volume.data());
  for (auto& slice : slices) {
    std::memcpy(to, slice.data(), slice.bytes());
    to += slice.bytes();
    slice = {};
  }
  return volume;
}

/// Whether another image follows; other trailing bytes are ignored.
bool goes_on(input& file, const std::string& magic) {
  skip_spaces_and_comments(file);
  const auto next = file.peek(2);
  if (next.size() < 2 || next[0] != 'P' || next[1] < '1' || next[1] > '7') return false;
  if (next != magic)
    file.fail("an image that starts with " + in_quotes(next) + " follows one with " + in_quotes(magic) +
              "; all slices of a volume must be alike");
  return true;
}

/// Calls `visit` with the layout of every slice, the file being at its pixels. Returns that of the first.
template <class Visit>
pixel_layout for_each_slice(input& file, Visit visit) {
  const auto magic = file.peek(2);
  const auto first = read_header(file);
  visit(first);
  while (goes_on(file, magic)) {
    const auto at = file.offset();
    const auto next = read_header(file);
    if (next.shape != first.shape || next.type != first.type)
      file.fail_at(at, "another image, of " + std::string(name_of(next.type)) + " " + to_string(next.shape) +
                           ", follows one of " + std::string(name_of(first.type)) + " " +
                           to_string(first.shape) + "; all slices of a volume must be alike");
    visit(next);
  }
  return first;
}

}  // namespace

image_file read_pnm(input& file, const read_options&) {
  std::vector<image> slices;
  const auto first =
      for_each_slice(file, [&](const pixel_layout& layout) { slices.push_back(read_pixels(file, layout)); });
  if (slices.size() == 1) return {std::move(slices.front()), {}};
  return {volume_of(file.name(), first, std::move(slices)), {}};
}

source_form decode_pnm(input& file, const take_pixels& take) {
  std::int64_t slices = 0;
  const auto first = for_each_slice(file, [&](const pixel_layout& layout) {
    decode_in_parts(file, layout, take);
    ++slices;
  });
  source_form form{first.type, first.shape, first.channels};
  if (slices > 1) form.shape = {slices, first.shape.height(), first.shape.width()};
  return form;
}

void write_pnm(output& file, const pixel_rows& pixels, const sink_options&) {
  const auto& [type, shape, channels, info] = pixels.form();
  const auto header = (channels == 1 ? "P5\n" : "P6\n") + std::to_string(shape.width()) + " " +
                      std::to_string(shape.height()) + "\n" + (size_of(type) == 1 ? "255" : "65535") + "\n";
  for (std::int64_t z = 0; z < shape.depth(); ++z) {
    file.write(header);
    write_rows(file, pixels, z * shape.height(), shape.height(), std::endian::big, truth::full);
  }
}

}  // namespace macareu::files
