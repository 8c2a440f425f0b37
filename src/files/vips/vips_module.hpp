// The interface between the library and macareu_vips.so, the module of libvips formats. It consists of plain
// data and noexcept functions, so that the module needs no symbol of the program that loads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <macareu/image.hpp>

namespace macareu::files {

/// Increment with every change of this header.
inline constexpr int vips_interface = 5;

/// Rows of all pages are stacked.
struct picture_form {
  dtype type = dtype::u8;
  std::int64_t width = 0;
  std::int64_t rows = 0;
  std::int64_t page_height = 0;
  int channels = 1;
  /// Size of a pixel in mm; 0 if it is not known.
  double pixel_width = 0, pixel_height = 0;
};

/// Which part of a file to open, and how.
struct picture_request {
  int first_page = 0;
  int pages = 1;
  /// Of a slide.
  int level = 0;
  /// Of a TIFF page, a smaller level inside it; -1 for the page itself.
  int sub_page = -1;
  /// Boxes are read in any order, not all rows from the top.
  bool random = false;
};

struct picture_box {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

struct picture_facts {
  picture_form form;
  /// Whether pixels have one of our types, not complex or packed.
  bool plain = false;
  /// Whether the file declares its channels as grey.
  bool grey = false;
  /// Pages in the file, of which the picture may be a part.
  int pages = 1;
  /// Levels of a slide, and the tiles of the opened one; 0 if that is not known.
  int levels = 0;
  std::int64_t tile_width = 0, tile_height = 0;
};

enum class picture_encoding { png, jpeg, tiff };

struct picture_storage {
  picture_encoding encoding;
  /// These apply to TIFF. The height of tiles is a multiple of 16; 0 means strips.
  int tile_height = 0;
  bool big = false;
  bool pyramid = false;
  /// Bytes of smaller levels that wait in memory; more are in temporary files.
  std::int64_t levels_in_memory = 0;
  /// Levels of a pyramid take a pixel of four, not their mean.
  bool nearest = false;
  /// Without loss.
  bool compress = false;
  /// Levels of a pyramid lie inside the page, as OME-TIFF wants it.
  bool sub_pages = false;
  /// Null without one.
  const char* description = nullptr;
};

/// Provides pixels [x, x + count) of a row; false if that fails. libvips calls it on several threads.
struct row_source {
  bool (*copy)(void* image, std::int64_t row, std::int64_t x, std::int64_t count, std::byte* to) noexcept;
  void* image;
};

/// Gets all rows, one after another from the top; false if that fails.
struct row_receiver {
  bool (*take)(void* to, const std::byte* row, std::size_t bytes) noexcept;
  void* to;
};

/// An open file; a VipsImage.
struct picture;

/// The table that the module exports as macareu_vips_module. If a function fails, errors() has the reason.
struct vips_module {
  /// First in every version of the interface.
  int version = vips_interface;
  /// Limit of width and rows.
  std::int64_t largest_size;

  bool (*start)() noexcept;
  const char* (*version_of_vips)() noexcept;
  /// Null if OpenSlide is not loaded.
  const char* (*version_of_openslide)() noexcept;
  /// A copy, to be released by free_text.
  char* (*errors)() noexcept;
  void (*free_text)(char* text) noexcept;

  /// Drops old errors. Returns the name of the class that reads the file, or null.
  const char* (*loader_of)(const char* path) noexcept;
  /// Null on failure.
  picture* (*open)(const char* loader, const char* path, const picture_request& request) noexcept;
  void (*close)(picture* opened) noexcept;
  picture_facts (*describe)(picture* opened) noexcept;
  bool (*read)(picture* opened, const row_receiver& to) noexcept;
  /// Copies a box of a picture that was opened for random access. Rows in `to` are `step` bytes apart.
  bool (*read_box)(picture* opened, const picture_box& box, std::byte* to, std::size_t step) noexcept;

  /// Drops old errors.
  bool (*write)(const picture_storage& storage, const char* path, const picture_form& form,
                const row_source& source) noexcept;
  /// Gives the JPEG file of a picture of bytes in C order, as one row. Drops old errors.
  bool (*encode_jpeg)(const picture_form& form, const std::byte* pixels, int quality,
                      const row_receiver& to) noexcept;
};

}  // namespace macareu::files
