#include "pixel_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <macareu/error.hpp>

#include "files/text/text.hpp"

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

/// The pixels of a file with other axes, as an image of rows and interleaved channels.
const_image_view arranged(const image& pixels, arrangement axes) {
  const auto& shape = pixels.shape();
  auto steps = contiguous_strides(shape);
  if (axes == arrangement::columns)
    for (std::int64_t axis = 0, step = 1; axis < shape.rank(); step *= shape[static_cast<int>(axis++)])
      steps[static_cast<std::size_t>(axis)] = step;
  return {pixels.data(), pixels.type(), shape, steps, pixels.channels(), shape.pixels()};
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
    throw io_error(file.string(), described(layout) + " need " + std::to_string(layout.bytes()) +
                                      " bytes of memory, more than is available");
  }
}

void require_pixels(input& file, const pixel_layout& layout) {
  if (!file.has(fewest_bytes(layout)))
    file.fail("the header claims " + described(layout) + ", at least " +
              std::to_string(fewest_bytes(layout)) + " bytes, but the file has " +
              std::to_string(file.remaining()) + " from here");
}

pixel_decoder::pixel_decoder(input& file, const pixel_layout& layout) : file_(file), layout_(layout) {
  require_pixels(file, layout);
  if (layout.coding == encoding::deflate) inflater_.emplace(file, layout.bytes());
}

void pixel_decoder::read(std::span<std::byte> to) {
  if (layout_.coding == encoding::text) return read_text_pixels(file_, layout_, to);
  if (inflater_)
    inflater_->read(to);
  else
    file_.read(to.data(), to.size());
  to_native(to, layout_.type, layout_.order);
}

void decode_in_parts(input& file, const pixel_layout& layout, const take_pixels& take) {
  pixel_decoder decoder(file, layout);
  std::vector<std::byte> part(static_cast<std::size_t>(std::min(layout.bytes(), std::uint64_t{1} << 20)));
  for (auto left = layout.bytes(); left > 0;) {
    const auto now =
        std::span(part).first(static_cast<std::size_t>(std::min<std::uint64_t>(left, part.size())));
    decoder.read(now);
    take(now);
    left -= now.size();
  }
}

void to_native(std::span<std::byte> bytes, dtype type, std::endian order) {
  if (order != std::endian::native) swap_bytes(bytes, size_of(type));
  // A C++ bool must be 0 or 1, whatever the file contains.
  if (type == dtype::boolean)
    for (auto& byte : bytes) byte = std::byte{byte != std::byte{0}};
}

image read_pixels(input& file, const pixel_layout& layout) {
  pixel_decoder decoder(file, layout);
  image pixels = allocate(file.name(), layout);
  decoder.read({static_cast<std::byte*>(pixels.data()), pixels.bytes()});
  return layout.axes == arrangement::interleaved ? std::move(pixels) : copy_of(arranged(pixels, layout.axes));
}

input& at_pixels(input& header, const stored_image& stored, std::optional<input>& detached) {
  auto* file = &header;
  if (const auto& name = stored.data_file; !name.empty()) {
    if (name.starts_with("LIST") || name.find('%') != std::string::npos)
      header.fail("pixels in several files cannot be read");
    const auto path = header.name().parent_path() / name;
    std::error_code ignored;
    // Opening a pipe that a header names could block for ever.
    if (!std::filesystem::is_regular_file(path, ignored))
      header.fail("the pixels should be in " + in_quotes(path.string()) + ", which is not a file");
    file = &detached.emplace(path);
  }
  if (stored.skip_lines < 0 || stored.skip < -1) file->fail("the header says to skip a negative count");
  for (auto lines = stored.skip_lines; lines > 0; --lines) file->line();
  if (stored.skip >= 0) {
    const auto skip = static_cast<std::uint64_t>(stored.skip);
    if (!file->has(skip))
      file->fail("the header says to skip " + std::to_string(skip) + " bytes, but the file has " +
                 std::to_string(file->remaining()) + " from here");
    file->seek(file->offset() + skip);
  } else if (stored.layout.coding != encoding::raw || file->is_stream()) {
    file->fail("pixels at the end of a file must be raw, and the file not a pipe");
  } else if (file->has(stored.layout.bytes())) {
    file->seek(file->size() - stored.layout.bytes());
  }
  return *file;
}

image_file read_stored_pixels(input& header, const stored_image& stored) {
  std::optional<input> detached;
  return {read_pixels(at_pixels(header, stored, detached), stored.layout), stored.info};
}

view_rows::view_rows(const const_image_view& view, const metadata& info)
    : pixel_rows({view.type(), view.shape(), view.channels(), info}), view_(view) {}

void view_rows::copy(std::int64_t row, std::int64_t x, std::int64_t count, truth as, std::byte* to) const {
  const auto& shape = view_.shape();
  const auto& steps = view_.steps();
  const auto size = static_cast<std::int64_t>(size_of(view_.type()));
  const auto step = steps[shape.rank() - 1];
  auto first = row % shape.height() * steps[shape.rank() - 2] + x * step;
  if (shape.rank() == 3) first += row / shape.height() * steps[0];
  const auto* start = static_cast<const std::byte*>(view_.data()) + first * size;
  const auto channels = view_.channels();
  const auto values = static_cast<std::size_t>(count) * static_cast<std::size_t>(channels);
  if (step == channels && (channels == 1 || view_.channel_stride() == 1)) {
    std::memcpy(to, start, values * static_cast<std::size_t>(size));
  } else {
    const auto gathered = size == 1 ? gather<1> : size == 2 ? gather<2> : size == 4 ? gather<4> : gather<8>;
    gathered(start, step * size, count, channels, view_.channel_stride() * size, to);
  }
  if (view_.type() == dtype::boolean) spell_truth({to, values}, as);
}

const void* view_rows::contiguous() const {
  const auto expected = contiguous_strides(view_.shape(), view_.channels());
  const bool packed =
      std::equal(expected.begin(), expected.begin() + view_.shape().rank(), view_.steps().begin()) &&
      (view_.channels() == 1 || view_.channel_stride() == 1);
  return packed && view_.type() != dtype::boolean ? view_.data() : nullptr;
}

void spell_truth(std::span<std::byte> pixels, truth as) {
  for (auto& byte : pixels)
    byte = byte == std::byte{0} ? byte : as == truth::full ? std::byte{255} : std::byte{1};
}

void write_rows(output& file, const pixel_rows& pixels, std::int64_t first, std::int64_t count,
                std::endian order, truth as) {
  const auto& [type, shape, channels, info] = pixels.form();
  if (shape.pixels() == 0) return;
  const auto row_bytes = static_cast<std::size_t>(shape.width() * channels) * size_of(type);
  const bool swap = order != std::endian::native && size_of(type) > 1;
  if (const auto* all = static_cast<const std::byte*>(pixels.contiguous()); all && !swap)
    return file.write(all + static_cast<std::size_t>(first) * row_bytes,
                      static_cast<std::size_t>(count) * row_bytes);

  const auto rows_at_once =
      std::clamp<std::int64_t>((1 << 20) / static_cast<std::int64_t>(row_bytes), 1, count);
  std::vector<std::byte> part(static_cast<std::size_t>(rows_at_once) * row_bytes);
  for (auto row = first; row < first + count;) {
    const auto stop = std::min(row + rows_at_once, first + count);
    auto* to = part.data();
    for (; row < stop; ++row, to += row_bytes) pixels.copy(row, 0, shape.width(), as, to);
    const std::span filled(part.data(), to);
    if (swap) swap_bytes(filled, size_of(type));
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
