#include "pixel_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <macareu/error.hpp>

#include "text.hpp"

namespace macareu::files {
namespace {

std::uint16_t swapped(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t swapped(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t swapped(std::uint64_t word) { return __builtin_bswap64(word); }

template <class Word>
void swap_words(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof(Word));
    word = swapped(word);
    std::memcpy(bytes.data() + at, &word, sizeof(Word));
  }
}

void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
  if (width == 2) swap_words<std::uint16_t>(bytes);
  if (width == 4) swap_words<std::uint32_t>(bytes);
  if (width == 8) swap_words<std::uint64_t>(bytes);
}

template <std::size_t size>
void gather(const std::byte* from, std::int64_t step, std::int64_t count, int channels,
            std::int64_t channel_step, std::byte* to) {
  for (std::int64_t x = 0; x < count; ++x, from += step)
    for (int c = 0; c < channels; ++c, to += size) std::memcpy(to, from + c * channel_step, size);
}

std::string described(const pixel_layout& layout) {
  auto text = to_string(layout.shape) + " pixels of " + std::string(name_of(layout.type));
  if (layout.channels > 1) text += " in " + std::to_string(layout.channels) + " channels";
  return text;
}

/// The fewest bytes that can hold the pixels.
std::uint64_t fewest_bytes(const pixel_layout& layout) {
  // A deflate code of 2 bits stands for 258 bytes at most.
  constexpr std::uint64_t largest_ratio = 1032;
  switch (layout.coding) {
    case encoding::deflate:
      return layout.bytes() / largest_ratio;
    case encoding::text:
      return std::max<std::uint64_t>(2 * layout.values(), 1) - 1;
    default:
      return layout.bytes();
  }
}

bool is_contiguous(const const_image_view& view) {
  const auto expected = contiguous_strides(view.shape(), view.channels());
  return std::equal(expected.begin(), expected.begin() + view.shape().rank(), view.steps().begin()) &&
         (view.channels() == 1 || view.channel_stride() == 1);
}

}  // namespace

std::uint64_t pixel_layout::values() const {
  return static_cast<std::uint64_t>(shape.pixels()) * static_cast<std::uint64_t>(channels);
}

pixel_layout checked_layout(const input& file, std::uint64_t offset, dtype type,
                            std::span<const std::int64_t> sizes, std::int64_t channels,
                            std::int64_t smallest) {
  if (sizes.size() != 2 && sizes.size() != 3)
    file.fail_at(offset,
                 "an image has 2 axes and a volume 3, but the header claims " + std::to_string(sizes.size()));
  if (channels < 1 || channels > std::numeric_limits<int>::max())
    file.fail_at(offset, "the header claims " + std::to_string(channels) + " channels");
  // Limit of 62 bits, so that the sum of an offset and a size cannot overflow.
  auto room = (std::int64_t{1} << 62) / static_cast<std::int64_t>(size_of(type)) / channels;
  for (const auto size : sizes) {
    if (size < smallest) file.fail_at(offset, "the header claims a size of " + std::to_string(size));
    room /= std::max<std::int64_t>(size, 1);
    if (room == 0) file.fail_at(offset, "the header claims more pixels than can be addressed");
  }
  return {.type = type, .shape = extents(sizes), .channels = static_cast<int>(channels)};
}

image allocate(const std::filesystem::path& file, const pixel_layout& layout) {
  try {
    return image(layout.type, layout.shape, layout.channels);
  } catch (const std::bad_alloc&) {
    throw io_error(file.string() + ": " + described(layout) + " need " + std::to_string(layout.bytes()) +
                   " bytes of memory, more than is available");
  }
}

image read_pixels(input& file, const pixel_layout& layout) {
  if (!file.has(fewest_bytes(layout)))
    file.fail("the header claims " + described(layout) + ", at least " +
              std::to_string(fewest_bytes(layout)) + " bytes, but the file has " +
              std::to_string(file.remaining()) + " from here");
  image pixels = allocate(file.path(), layout);
  if (layout.coding == encoding::text) {
    read_text_pixels(file, layout, pixels);
    return pixels;
  }
  const std::span bytes(static_cast<std::byte*>(pixels.data()), pixels.bytes());
  if (layout.coding == encoding::deflate)
    read_deflated(file, bytes);
  else
    file.read(bytes.data(), bytes.size());
  if (layout.order != std::endian::native) swap_bytes(bytes, size_of(layout.type));
  // A C++ bool must be 0 or 1, whatever the file contains.
  if (layout.type == dtype::boolean)
    for (auto& byte : bytes) byte = std::byte{byte != std::byte{0}};
  return pixels;
}

image read_pixels_after(input& file, std::int64_t skip_lines, std::int64_t skip, const pixel_layout& layout) {
  if (skip_lines < 0 || skip < -1) file.fail("the header says to skip a negative count");
  for (; skip_lines > 0; --skip_lines) file.line();
  if (skip >= 0) {
    if (!file.has(static_cast<std::uint64_t>(skip)))
      file.fail("the header says to skip " + std::to_string(skip) + " bytes, but the file has " +
                std::to_string(file.remaining()) + " from here");
    file.seek(file.offset() + static_cast<std::uint64_t>(skip));
  } else if (layout.coding != encoding::raw || file.is_stream()) {
    file.fail("pixels at the end of a file must be raw, and the file not a pipe");
  } else if (file.has(layout.bytes())) {
    file.seek(file.size() - layout.bytes());
  }
  return read_pixels(file, layout);
}

image read_detached(input& header, std::string_view data_file, std::int64_t skip_lines, std::int64_t skip,
                    const pixel_layout& layout) {
  if (data_file.starts_with("LIST") || data_file.find('%') != std::string_view::npos)
    header.fail("pixels in several files cannot be read");
  const auto path = header.path().parent_path() / std::string(data_file);
  std::error_code ignored;
  // Opening a pipe that a header names could block for ever.
  if (!std::filesystem::is_regular_file(path, ignored))
    header.fail("the pixels should be in " + in_quotes(path.string()) + ", which is not a file");
  input data(path);
  return read_pixels_after(data, skip_lines, skip, layout);
}

void copy_row(const const_image_view& from, std::int64_t row, std::int64_t x, std::int64_t count, truth as,
              std::byte* to) {
  const auto& shape = from.shape();
  const auto& steps = from.steps();
  const auto size = static_cast<std::int64_t>(size_of(from.type()));
  const auto step = steps[shape.rank() - 1];
  auto first = row % shape.height() * steps[shape.rank() - 2] + x * step;
  if (shape.rank() == 3) first += row / shape.height() * steps[0];
  const auto* start = static_cast<const std::byte*>(from.data()) + first * size;
  const auto channels = from.channels();
  const auto values = static_cast<std::size_t>(count) * static_cast<std::size_t>(channels);
  if (step == channels && (channels == 1 || from.channel_stride() == 1)) {
    std::memcpy(to, start, values * static_cast<std::size_t>(size));
  } else {
    const auto copy = size == 1 ? gather<1> : size == 2 ? gather<2> : size == 4 ? gather<4> : gather<8>;
    copy(start, step * size, count, channels, from.channel_stride() * size, to);
  }
  if (from.type() == dtype::boolean)
    for (auto& byte : std::span(to, values))
      byte = byte == std::byte{0} ? byte : as == truth::full ? std::byte{255} : std::byte{1};
}

void write_pixels(output& file, const const_image_view& pixels, std::endian order, truth as) {
  const auto& shape = pixels.shape();
  if (shape.pixels() == 0) return;
  const auto pixel_size = static_cast<std::int64_t>(size_of(pixels.type())) * pixels.channels();
  const bool swap = order != std::endian::native && size_of(pixels.type()) > 1;
  if (!swap && pixels.type() != dtype::boolean && is_contiguous(pixels))
    return file.write(pixels.data(), static_cast<std::size_t>(shape.pixels() * pixel_size));

  const auto row_bytes = static_cast<std::size_t>(shape.width() * pixel_size);
  const auto rows = shape.depth() * shape.height();
  const auto rows_at_once =
      std::clamp<std::int64_t>((1 << 20) / static_cast<std::int64_t>(row_bytes), 1, rows);
  std::vector<std::byte> part(static_cast<std::size_t>(rows_at_once) * row_bytes);
  for (std::int64_t row = 0; row < rows;) {
    const auto stop = std::min(row + rows_at_once, rows);
    auto* to = part.data();
    for (; row < stop; ++row, to += row_bytes) copy_row(pixels, row, 0, shape.width(), as, to);
    const std::span filled(part.data(), to);
    if (swap) swap_bytes(filled, size_of(pixels.type()));
    file.write(filled.data(), filled.size());
  }
}

std::optional<std::array<double, 3>> spacing_from(std::span<const double> x_first) {
  std::array<double, 3> spacing{1, 1, 1};
  for (std::size_t axis = 0; axis < x_first.size(); ++axis) {
    // A negative spacing means that the axis is reversed.
    const auto size = std::abs(x_first[x_first.size() - 1 - axis]);
    if (!std::isfinite(size) || size == 0) return std::nullopt;
    spacing[axis] = size;
  }
  return spacing;
}

std::string spacing_text(const metadata& info, int rank) {
  std::string text;
  for (int axis = rank - 1; info.spacing && axis >= 0; --axis) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   (*info.spacing)[static_cast<std::size_t>(axis)]);
    if (!text.empty()) text += ' ';
    text.append(digits.data(), end.ptr);
  }
  return text;
}

std::string sizes_text(const extents& shape) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (!text.empty()) text += ' ';
    text += std::to_string(shape[axis]);
  }
  return text;
}

}  // namespace macareu::files
