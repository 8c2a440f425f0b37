// Layout, reading and writing of pixels in files. Headers are not trusted: memory is allocated only for bytes
// that can exist.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <macareu/files.hpp>

#include "input.hpp"
#include "output.hpp"

namespace macareu::files {

enum class encoding { raw, deflate, text };

/// The layout that a header claims.
struct pixel_layout {
  dtype type = dtype::u8;
  extents shape;
  int channels = 1;
  std::endian order = std::endian::little;
  encoding coding = encoding::raw;
  /// The largest value of the text encoding, if below the type's.
  std::optional<std::uint64_t> largest = {};

  std::uint64_t values() const;
  std::uint64_t bytes() const { return values() * size_of(type); }
};

/// A layout whose sizes, in array order, are at least `smallest` and can be addressed. Throws io_error at
/// `offset`.
pixel_layout checked_layout(const input& file, std::uint64_t offset, dtype type,
                            std::span<const std::int64_t> sizes, std::int64_t channels,
                            std::int64_t smallest);

/// An image for the layout. Throws io_error about the file if memory is short.
image allocate(const std::filesystem::path& file, const pixel_layout& layout);

/// The pixels from the current offset on, in C order with interleaved channels.
image read_pixels(input& file, const pixel_layout& layout);

/// The same, after the lines and bytes to skip. A `skip` of -1 means that the pixels are the last bytes of
/// the file.
image read_pixels_after(input& file, std::int64_t skip_lines, std::int64_t skip, const pixel_layout& layout);

/// The same, from another file that the header names. Fails if that is not a single regular file.
image read_detached(input& header, std::string_view data_file, std::int64_t skip_lines, std::int64_t skip,
                    const pixel_layout& layout);

/// Fills `pixels` from a zlib or gzip stream (inflate.cpp).
void read_deflated(input& file, std::span<std::byte> pixels);

/// Fills `pixels` with numbers between white space; '#' starts a comment (text_pixels.cpp).
void read_text_pixels(input& file, const pixel_layout& layout, image& pixels);

/// The value of `true` in a file without bool.
enum class truth { one, full };

/// Copies pixels [x, x + count) of a row, interleaved. Rows are counted through all slices: z * height + y.
void copy_row(const const_image_view& from, std::int64_t row, std::int64_t x, std::int64_t count, truth as,
              std::byte* to);

void write_pixels(output& file, const const_image_view& pixels, std::endian order, truth as = truth::one);

/// A header's spacing, x first, in array order; nothing if a value is not a size.
std::optional<std::array<double, 3>> spacing_from(std::span<const double> x_first);
/// The reverse: "0.5 0.5 2"; empty if the spacing is not known.
std::string spacing_text(const metadata& info, int rank);
/// The sizes of a shape, x first: "640 480".
std::string sizes_text(const extents& shape);

}  // namespace macareu::files
