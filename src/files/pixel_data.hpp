// Layout, reading and writing of pixels in files. Headers are not trusted: memory is allocated only for bytes
// that can exist.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <macareu/files.hpp>
#include <macareu/sources.hpp>

#include "input.hpp"
#include "output.hpp"

namespace macareu::files {

enum class encoding { raw, deflate, text };

/// The order of axes in a file, outermost first: z y x c, c z y x, or c x y z.
enum class arrangement { interleaved, planes, columns };

/// The layout that a header claims.
struct pixel_layout {
  dtype type = dtype::u8;
  extents shape;
  int channels = 1;
  std::endian order = std::endian::little;
  encoding coding = encoding::raw;
  arrangement axes = arrangement::interleaved;
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

/// Fails unless the file can hold the pixels from its current offset on.
void require_pixels(input& file, const pixel_layout& layout);

/// Decodes a zlib or gzip stream in parts (inflate.cpp).
class inflater {
 public:
  /// `total` bytes are expected.
  inflater(input& file, std::uint64_t total);
  ~inflater();
  /// Fills `to` with the next bytes.
  void read(std::span<std::byte> to);
  /// Fails if the stream goes on after what was read.
  void require_end();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Fills `to` with numbers between white space; '#' starts a comment (text_pixels.cpp).
void read_text_pixels(input& file, const pixel_layout& layout, std::span<std::byte> to);

/// Decodes the pixels from the current offset of a file on, in parts. They keep the file's order of axes.
class pixel_decoder {
 public:
  /// Fails unless the file can hold the pixels.
  pixel_decoder(input& file, const pixel_layout& layout);
  /// Fills `to` with the next values.
  void read(std::span<std::byte> to);

 private:
  input& file_;
  pixel_layout layout_;
  std::optional<inflater> inflater_;
};

/// Gets pixels front to back, in parts.
using take_pixels = std::function<void(std::span<const std::byte>)>;

/// Decodes all pixels within little memory.
void decode_in_parts(input& file, const pixel_layout& layout, const take_pixels& take);

/// Converts bytes of a file, in place, to values of this machine. bool becomes 0 or 1.
void to_native(std::span<std::byte> bytes, dtype type, std::endian order);

/// All pixels from the current offset on, in C order with interleaved channels.
image read_pixels(input& file, const pixel_layout& layout);

/// What a header says of the pixels. The file is left at the end of its header.
struct stored_image {
  pixel_layout layout;
  metadata info = {};
  /// The file with the pixels, as the header names it; empty if they follow the header.
  std::string data_file = {};
  /// Lines and then bytes between the header's end, or the start of the other file, and the pixels. -1 bytes:
  /// the pixels are the last bytes of the file.
  std::int64_t skip_lines = 0, skip = 0;
};

/// The file with the pixels, at the first of them: `header`, or `detached`, which is opened if needed. Fails
/// if the header does not name a single regular file.
input& at_pixels(input& header, const stored_image& stored, std::optional<input>& detached);

image_file read_stored_pixels(input& header, const stored_image& stored);

/// The value of `true` in a file without bool.
enum class truth { one, full };

/// An image to write, row by row. Rows are counted through all slices: z * height + y.
class pixel_rows {
 public:
  explicit pixel_rows(const source_form& form) : form_(form) {}
  virtual ~pixel_rows() = default;

  const source_form& form() const { return form_; }
  std::int64_t rows() const { return form_.shape.depth() * form_.shape.height(); }
  /// Copies pixels [x, x + count) of a row, interleaved.
  virtual void copy(std::int64_t row, std::int64_t x, std::int64_t count, truth as, std::byte* to) const = 0;
  /// All pixels, if they lie in memory in C order and are not bool.
  virtual const void* contiguous() const { return nullptr; }

 private:
  source_form form_;
};

/// The rows of a view.
class view_rows final : public pixel_rows {
 public:
  view_rows(const const_image_view& view, const metadata& info);
  void copy(std::int64_t row, std::int64_t x, std::int64_t count, truth as, std::byte* to) const override;
  const void* contiguous() const override;

 private:
  const_image_view view_;
};

/// Replaces `true` by its value in the file.
void spell_truth(std::span<std::byte> pixels, truth as);

/// Writes `count` rows from `first` on.
void write_rows(output& file, const pixel_rows& pixels, std::int64_t first, std::int64_t count,
                std::endian order, truth as = truth::one);

/// A header's spacing, x first, in array order; nothing if a value is not a size.
std::optional<std::array<double, 3>> spacing_from(std::span<const double> x_first);
/// The reverse: "0.5 0.5 2"; empty if the spacing is not known.
std::string spacing_text(const metadata& info, int rank);
/// The sizes of a shape, x first: "640 480".
std::string sizes_text(const extents& shape);

}  // namespace macareu::files
